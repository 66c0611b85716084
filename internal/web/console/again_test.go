package console_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/testkit/deliverytest"
	"github.com/bundle-delivery/svc/internal/web/console"
)

// fail ends a run of a project that nothing came of.
func (d *site) fail(p svc.Project, prompt string, status svc.RunStatus) svc.Run {
	d.t.Helper()
	run := svc.Run{ID: svc.NewGenerationID(), AccountID: p.AccountID, ProjectID: p.ID, Prompt: prompt, CreatedAt: d.Clock.Now()}
	err := d.Store.Runs().Insert(d.t.Context(), run)
	if err == nil && status.Final() {
		run.Status, run.LastEvent, run.FinishedAt = status, 1, d.Clock.Now()
		run.Error = &svc.RunError{Code: "UPSTREAM_OUTAGE", Message: "The model does not answer.", Retryable: true}
		err = d.Store.Runs().Finish(d.t.Context(), svc.RunQueued, run)
	}
	if err != nil {
		d.t.Fatal(err)
	}
	return run
}

// TestAFailedRunKeepsItsPromptAndLeavesNoEmptyProject: what nothing came of is found
// among the runs, with what was asked, and not among the projects.
// Promise: console-failed-run
func TestAFailedRunKeepsItsPromptAndLeavesNoEmptyProject(t *testing.T) {
	d := newSite(t)
	dead := d.EmptyProject(d.account)
	run := d.fail(dead, "A shop for <old> books", svc.RunFailed)
	d.fail(dead, "A shop for <old> books", svc.RunCancelled)
	listed := func(path string) bool {
		return strings.Contains(d.want(http.StatusOK, path, nil), dead.ID)
	}
	lists := []string{"/console/projects", "/console/projects?q=empty", "/console/generations/new", "/console/find?q=empty"}
	for _, path := range lists {
		if listed(path) {
			t.Errorf("%s lists a project of which nothing came", path)
		}
	}
	contains(t, d.want(http.StatusOK, "/console/generations", nil), "A shop for &lt;old&gt; books")
	d.want(http.StatusOK, "/console/projects/"+dead.ID, nil)
	again := d.want(http.StatusOK, "/console/generations/new?again="+run.ID, nil)
	contains(t, again, ">A shop for &lt;old&gt; books</textarea>", `<option value="`+dead.ID+`" selected>`)
	// Its page has one way on, and no place for files that are not there.
	page := d.want(http.StatusOK, "/console/generations/"+run.ID, nil)
	contains(t, page, "?again="+run.ID+`">Try again</a><br><small class="hint"><code>UPSTREAM_OUTAGE</code></small>`, `id="code" aria-label="File" hidden>`)
	lacks(t, page, "What should change next?")

	// Trying again goes on with the same project, which is listed from then on.
	d.fail(dead, "A shop for new books", svc.RunQueued)
	for _, path := range lists {
		if !listed(path) {
			t.Errorf("%s does not list a project that is worked on", path)
		}
	}
	// One with files stays, whatever becomes of its runs.
	full, _ := d.Project(d.account, deliverytest.Files(map[string]string{"a.txt": "a"}))
	contains(t, d.want(http.StatusOK, "/console/generations/"+d.fail(full, "more", svc.RunFailed).ID, nil), "What should change next?")
	contains(t, d.want(http.StatusOK, "/console/projects", nil), full.ID)
}

// TestWhatARefusalSuggestsIsOneClickAway, with the form that it opens.
// Promise: console-suggestion
func TestWhatARefusalSuggestsIsOneClickAway(t *testing.T) {
	d := newSite(t)
	p, _ := d.Project(d.account, deliverytest.Files(map[string]string{"a.txt": "a"}))
	failed := func(message string, suggestion *svc.Suggestion) (run svc.Run) {
		run = svc.Run{ID: svc.NewGenerationID(), AccountID: p.AccountID, ProjectID: p.ID, Prompt: "chess", CreatedAt: d.Clock.Now()}
		err := d.Store.Runs().Insert(t.Context(), run)
		if err == nil {
			run.Status, run.LastEvent, run.FinishedAt = svc.RunFailed, 1, d.Clock.Now()
			run.Error = &svc.RunError{Code: "CONSTRAINT_UNRESOLVABLE", Message: message, Suggestion: suggestion}
			err = d.Store.Runs().Finish(t.Context(), svc.RunQueued, run)
		}
		if err != nil {
			t.Fatal(err)
		}
		return run
	}
	run := failed("No <games>.", &svc.Suggestion{Spec: "A Go API for <games>"})
	form := "/console/generations/new?again=" + run.ID
	contains(t, d.want(http.StatusOK, "/console/generations/"+run.ID, nil),
		`No &lt;games&gt;. A request that works: <a id="suggested" href="`+form+`&amp;suggested">A Go API for &lt;games&gt;</a>`, `<a href="`+form+`">Try again</a>`)
	suggested := d.want(http.StatusOK, form+"&suggested", nil)
	contains(t, suggested, ">A Go API for &lt;games&gt;</textarea>", `name="project" value="`+p.ID+`"`)
	contains(t, d.want(http.StatusOK, form, nil), ">chess</textarea>")

	plain := failed("The model does not answer.", nil)
	lacks(t, d.want(http.StatusOK, "/console/generations/"+plain.ID, nil), "A request that works", `id="suggested"`)
	contains(t, d.want(http.StatusOK, "/console/generations/new?suggested&again="+plain.ID, nil), ">chess</textarea>")
}

// noGames reads nothing that names a game.
type noGames struct{}

func (noGames) Title(string) string { return "" }

func (noGames) Check(prompt string, _, _ map[string]string) error {
	if !strings.Contains(prompt, "game") {
		return nil
	}
	return &engine.Error{
		Code: engine.CodeConstraintUnresolvable, Message: "No <games>.", Suggestion: &svc.Suggestion{Spec: "api\nbook: title"},
	}
}

// Promise: unreadable-shown
func TestAnUnreadableRequestComesBackInItsForm(t *testing.T) {
	d := newSite(t)
	if err := d.Store.Workers().Renew(t.Context(), svc.Worker{ID: "w", Engine: "template", Lease: d.Clock.Now().Add(time.Minute)}); err != nil {
		t.Fatal(err)
	}
	answer := d.want(http.StatusUnprocessableEntity, "/console/generations", url.Values{"prompt": {"a <game>"}, "once": {"form"}})
	contains(t, answer, "No &lt;games&gt;.", "Nothing was started", ">a &lt;game&gt;</textarea>")
	lacks(t, answer, "suggestion.spec")
	d.want(http.StatusSeeOther, "/console/generations", url.Values{"prompt": {"a shop"}, "once": {"form"}})
}

// TestTheFormSaysWhichConstraintsThereAre, where the engine knows only some.
// Promise: console-suggestion
func TestTheFormSaysWhichConstraintsThereAre(t *testing.T) {
	d := newSite(t)
	contains(t, d.want(http.StatusOK, "/console/generations/new", nil), "Names and values are up to you")
	d = newSite(t, func(c *console.Config) { c.Constraints = []engine.Constraint{{Name: "auth", Values: "none, token"}} })
	page := d.want(http.StatusOK, "/console/generations/new", nil)
	contains(t, page, "<dt><code>auth</code></dt><dd>none, token</dd>", `aria-describedby="known"`)
	lacks(t, page, "Names and values are up to you")
	contains(t, d.want(http.StatusUnprocessableEntity, "/console/generations", url.Values{"prompt": {"x"}, "constraints": {"auth"}}), `aria-describedby="failure known"`)
}

func TestAFormThatIsSentTwiceStartsOneRun(t *testing.T) {
	d := newSite(t)
	started := func(once string) string {
		answer := d.ask("/console/generations", url.Values{"prompt": {"a todo list API in Go"}, "once": {once}})
		if answer.Code != http.StatusSeeOther {
			t.Fatalf("%d: %s", answer.Code, answer.Body)
		}
		return answer.Header().Get("Location")
	}
	first := started("form-1")
	if again := started("form-1"); again != first {
		t.Errorf("the same form started %s and %s", first, again)
	}
	for _, once := range []string{"form-2", "", strings.Repeat("x", 65)} {
		if other, more := started(once), started(once); other == first || (other == more) != (once == "form-2") {
			t.Errorf("the form %q started %s and %s after %s", once, other, more, first)
		}
	}
}

// TestLimitsSayWhenTheyEnd in a way that a page can show in its reader's time.
// Promise: console-words
func TestLimitsSayWhenTheyEnd(t *testing.T) {
	d := newSite(t)
	if err := d.Accounts.SetPlan(t.Context(), d.account.ID, svc.PlanHobby); err != nil {
		t.Fatal(err)
	}
	start := url.Values{"prompt": {"a todo list API in Go"}}
	for range 3 {
		d.want(http.StatusSeeOther, "/console/generations", start)
	}
	page := d.want(http.StatusTooManyRequests, "/console/generations", start)
	ends := d.Clock.Now().Add(24 * time.Hour)
	contains(
		t, page, "The generations of this plan are used up for now.", `data-wait>24 hours</time>, from <time datetime="`+ends.Format(time.RFC3339)+`" data-local>`,
		"0 of 3 generations are left until <time", ">a todo list API in Go</textarea>",
	)
	lacks(t, page, svc.FormatTime(ends))
	contains(t, d.want(http.StatusOK, "/console/", nil), `data-local>`+ends.Format("2 Jan 2006, 15:04")+" UTC</time>")
}
