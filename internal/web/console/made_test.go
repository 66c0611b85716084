package console_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/testkit/deliverytest"
)

// succeed ends a run that made a bundle.
func (d *site) succeed(p svc.Project, b svc.Bundle) svc.Run {
	d.t.Helper()
	run := svc.Run{ID: svc.NewGenerationID(), AccountID: p.AccountID, ProjectID: p.ID, Prompt: "a house", CreatedAt: d.Clock.Now()}
	err := d.Store.Runs().Insert(d.t.Context(), run)
	if err == nil {
		run.Status, run.LastEvent, run.FinishedAt, run.BundleID = svc.RunSucceeded, 1, d.Clock.Now(), b.ID
		err = d.Store.Runs().Finish(d.t.Context(), svc.RunQueued, run)
	}
	if err != nil {
		d.t.Fatal(err)
	}
	return run
}

// TestARunOffersItsBundleForAsLongAsItWaits: a command that cannot work any more is not
// shown, neither by the page of the run nor by one that stayed open.
// Promise: console-pull-command
func TestARunOffersItsBundleForAsLongAsItWaits(t *testing.T) {
	const htmx = "Hx-Request: true"
	small := deliverytest.Files(map[string]string{"a.txt": "a"})
	for name, end := range map[string]struct {
		files int
		gone  func(*site, svc.Bundle)
		told  string
	}{
		"pulled": {files: 1, told: "The bundle was pulled <time", gone: func(d *site, b svc.Bundle) {
			d.want(http.StatusSeeOther, "/console/bundles/"+b.ID+"/ack", url.Values{})
		}},
		"expired":   {files: 1, told: "The bundle expired <time", gone: func(d *site, _ svc.Bundle) { d.ExpireNow() }},
		"too large": {files: 501, told: "The bundle expired <time", gone: func(d *site, _ svc.Bundle) { d.ExpireNow() }},
	} {
		t.Run(name, func(t *testing.T) {
			d := newSite(t)
			content := small
			if end.files > 1 {
				content = deliverytest.ManyFiles(end.files, 1)
			}
			p, b := d.Project(d.account, content)
			run := "/console/generations/" + d.succeed(p, b).ID
			contains(t, d.want(http.StatusOK, run, nil), "svc pull "+b.ID, `hx-get="`+run+`/bundle"`, `placeholder="What should change next?"`)
			d.want(http.StatusNoContent, run+"/bundle", nil, htmx)
			if answer := d.ask(run+"/bundle", nil); answer.Code != http.StatusSeeOther || answer.Header().Get("Location") != run {
				t.Errorf("who comes back after a sign-in is answered with %d to %q", answer.Code, answer.Header().Get("Location"))
			}

			end.gone(d, b)
			card := d.want(http.StatusOK, run+"/bundle", nil, htmx)
			lacks(t, card, "<html")
			for _, page := range []string{card, d.want(http.StatusOK, run, nil)} {
				contains(t, page, end.told, `href="/console/bundles/`+b.ID+`"`)
				lacks(t, page, "svc pull", "The bundle is ready", run+"/bundle")
				if works := end.files == 1; strings.Contains(page, "Make a fresh bundle") != works || strings.Contains(page, p.ID+"/repackage") != works {
					t.Errorf("a fresh bundle is offered: %v\n%s", !works, page)
				}
			}
			d.account = d.Account("eve@example.com")
			d.cookie = "__Host-svc_console=" + d.signIn("Firefox on Linux")
			d.want(http.StatusNotFound, run+"/bundle", nil, htmx)
		})
	}
}

// TestAProjectOffersTheBundleOfItsFilesThatWaits, and to make one where none does.
// Promise: console-ack
func TestAProjectOffersTheBundleOfItsFilesThatWaits(t *testing.T) {
	d := newSite(t)
	p, old := d.Project(d.account, deliverytest.Files(map[string]string{"a.txt": "a", ".gitignore": "/bin\n"}))
	path := "/console/projects/" + p.ID
	page := d.want(http.StatusOK, path, nil)
	contains(t, page, "svc pull "+old.ID, `<a role="button" href="/console/generations/new?project=`+p.ID)
	lacks(t, page, "Make a fresh bundle")
	// How a file is merged is said where it is not as usual.
	contains(t, page, `.gitignore</a><span class="badge">adds lines</span>`, `a.txt</a><span class="faint num">`)

	// One of the files before is not what somebody wants who looks at these.
	_, b := d.Advance(p, deliverytest.Files(map[string]string{"a.txt": "b"}))
	page = d.want(http.StatusOK, path, nil)
	contains(t, page, "svc pull "+b.ID)
	lacks(t, page, "svc pull "+old.ID)
	d.want(http.StatusSeeOther, "/console/bundles/"+b.ID+"/ack", url.Values{})
	page = d.want(http.StatusOK, path, nil)
	contains(t, page, "Make a fresh bundle")
	lacks(t, page, "svc pull")
	fresh := strings.TrimSuffix(d.ask(path+"/repackage", url.Values{}).Header().Get("Location"), "?done=repackaged")
	contains(t, d.want(http.StatusOK, path, nil), "svc pull "+strings.TrimPrefix(fresh, "/console/bundles/"))
}

// TestAProjectIsContinuedByAFormOfItsOwn that speaks of changes, and of nothing new.
// Promise: console-continue
func TestAProjectIsContinuedByAFormOfItsOwn(t *testing.T) {
	d := newSite(t)
	p, _ := d.Project(d.account, deliverytest.Files(map[string]string{"a.txt": "a"}))
	if err := d.Delivery.RenameProject(t.Context(), d.account.ID, p.ID, "Books & more"); err != nil {
		t.Fatal(err)
	}
	for _, page := range []string{
		d.want(http.StatusOK, "/console/generations/new?project="+p.ID, nil),
		d.want(http.StatusUnprocessableEntity, "/console/generations", url.Values{"project": {p.ID}, "prompt": {"more"}, "constraints": {"broken"}}),
		d.want(http.StatusOK, "/console/generations/new?again="+d.fail(p, "more", svc.RunFailed).ID, nil),
	} {
		contains(t, page, "<h1>Continue: Books &amp; more</h1>", "What should change?", `<input type="hidden" name="project" value="`+p.ID+`">`)
		lacks(t, page, "New generation", "What should be made?", "example=", "<select")
	}
	// A project without files begins, and an example that is clicked stays with it.
	empty := d.EmptyProject(d.account)
	page := d.want(http.StatusOK, "/console/generations/new?project="+empty.ID, nil)
	contains(t, page, "<h1>New generation</h1>", "What should be made?", `/console/generations/new?example=3&amp;project=`+empty.ID)
	contains(t, d.want(http.StatusOK, "/console/generations/new?example=3&project="+empty.ID, nil), `<option value="`+empty.ID+`" selected>`)
}

// Promise: console-new-service
func TestANewServiceSaysWhereTheFirstAccountIsMade(t *testing.T) {
	d := newSite(t)
	d.cookie = "none=1"
	const told, closed = "svcd serve --print-setup-link", "Accounts are made by invitation."
	page := d.want(http.StatusOK, "/console/sign-in", nil)
	contains(t, page, closed)
	lacks(t, page, told)
	empty := newEmptySite(t)
	page = empty.want(http.StatusOK, "/console/sign-in", nil)
	contains(t, page, told)
	lacks(t, page, closed)
	empty.Account("ada@example.com") // also when the process has said so before
	contains(t, empty.want(http.StatusOK, "/console/sign-in", nil), closed)
}
