package console_test

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/bundle-delivery/svc/internal/accounts"
	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/testkit/deliverytest"
)

func contains(t *testing.T, page string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(page, text) {
			t.Errorf("%q is not in\n%s", text, page)
		}
	}
}

func lacks(t *testing.T, page string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if strings.Contains(page, text) {
			t.Errorf("%q is in\n%s", text, page)
		}
	}
}

// Promise: console-renames
func TestAProjectIsRenamed(t *testing.T) {
	d := newSite(t)
	p, _ := d.Project(d.account, deliverytest.Files(map[string]string{"a.txt": "a"}))
	path := "/console/projects/" + p.ID
	d.want(http.StatusSeeOther, path+"/name", url.Values{"name": {"  Bücherei  "}})
	contains(t, d.want(http.StatusOK, path, nil), "<h1>Bücherei</h1>")
	for _, bad := range []string{"", " ", strings.Repeat("x", 81), "two\nlines", "a\u202eb"} {
		contains(t, d.want(http.StatusUnprocessableEntity, path+"/name", url.Values{"name": {bad}}), "A project needs a name of 1 to 80 characters")
	}
	other := d.Account("eve@example.com")
	foreign, _ := d.Project(other, deliverytest.Files(map[string]string{"a.txt": "a"}))
	d.want(http.StatusNotFound, "/console/projects/"+foreign.ID+"/name", url.Values{"name": {"mine"}})
}

// Promise: console-renames
func TestAKeyIsRenamedAndRolled(t *testing.T) {
	d := newSite(t)
	full, k, err := d.Accounts.CreateKey(t.Context(), accounts.NewKey{AccountID: d.account.ID, Name: "old laptop", ExpiresAt: d.Clock.Now().Add(30 * 24 * time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	path := "/console/settings/keys/" + k.Prefix
	contains(t, d.want(http.StatusOK, path, nil), "<h1>old laptop</h1>", "Roll this key")
	d.want(http.StatusSeeOther, path+"/name", url.Values{"name": {"laptop"}})
	contains(t, d.want(http.StatusUnprocessableEntity, path+"/name", url.Values{"name": {"\u202e"}}), "A key needs a name")
	page := d.want(http.StatusOK, path+"/roll", url.Values{})
	contains(t, page, "Your new key: laptop", `role="status"`, `autofocus`, "svc_"+k.Prefix, "works until you", "svc auth --api-key - --api-url")
	fresh := regexp.MustCompile(`svc_[A-Za-z0-9]{8}_[0-9a-f]{32}`).FindString(page)
	for _, key := range []string{full, fresh} {
		if _, err := d.Accounts.Authenticate(t.Context(), key, ""); err != nil {
			t.Errorf("%.12s does not work while both should: %v", key, err)
		}
	}
	keys, err := d.Accounts.ListKeys(t.Context(), d.account.ID)
	if err != nil || len(keys) != 2 || keys[0].ExpiresAt.Sub(keys[0].CreatedAt) != keys[1].ExpiresAt.Sub(keys[1].CreatedAt) {
		t.Errorf("the keys are %v (%v)", keys, err)
	}
	other := d.Account("eve@example.com")
	_, foreign, err := d.Accounts.CreateKey(t.Context(), accounts.NewKey{AccountID: other.ID, Name: "hers"})
	if err != nil {
		t.Fatal(err)
	}
	for _, action := range []string{"/name", "/roll"} {
		d.want(http.StatusNotFound, "/console/settings/keys/"+foreign.Prefix+action, url.Values{"name": {"mine"}})
	}
}

// Promise: console-renames
func TestSessionsAreEndedOneByOne(t *testing.T) {
	d := newSite(t)
	token, err := d.Accounts.OpenSession(t.Context(), d.account.ID, accounts.SignIn{Browser: "Safari on iPhone", Network: "192.0.2.9:4711"})
	if err != nil {
		t.Fatal(err)
	}
	page := d.want(http.StatusOK, "/console/settings", nil)
	contains(t, page, "Safari on iPhone", "From 192.0.2.9.", "Firefox on Linux")
	ends := regexp.MustCompile(`/console(/settings/sessions/[0-9a-f]{64})`).FindAllStringSubmatch(page, -1)
	if len(ends) != 1 {
		t.Fatalf("there are buttons for %v, and one other session", ends)
	}
	stranger := &site{World: d.World, t: t, console: d.console, account: d.Account("eve@example.com")}
	stranger.cookie = "__Host-svc_console=" + stranger.signIn("Chrome on Linux")
	stranger.want(http.StatusNotFound, "/console"+ends[0][1], url.Values{})
	stranger.want(http.StatusNotFound, "/console/settings/sessions/abc", url.Values{})
	if _, _, err := d.Accounts.Session(t.Context(), token); err != nil {
		t.Fatalf("a stranger ended it: %v", err)
	}
	d.want(http.StatusSeeOther, "/console"+ends[0][1], url.Values{})
	if _, _, err := d.Accounts.Session(t.Context(), token); err == nil {
		t.Error("the session goes on")
	}
	contains(t, d.want(http.StatusOK, "/console/settings?done=session", nil), "Firefox on Linux", "That browser is signed out.")
}

// Promise: console-keyboard
func TestColoursAreChosenWithoutAScript(t *testing.T) {
	d := newSite(t)
	lacks(t, d.want(http.StatusOK, "/console/settings", nil), "data-theme")
	for theme, want := range map[string]string{"dark": "svc_theme=dark; Path=/console/; Max-Age=", "light": "svc_theme=light; Path", "": "svc_theme=; Path=/console/; Max-Age=0", "<b>": "svc_theme=; Path=/console/; Max-Age=0"} {
		answer := d.ask("/console/settings/theme", url.Values{"theme": {theme}})
		if cookie := answer.Header().Get("Set-Cookie"); answer.Code != http.StatusSeeOther || !strings.HasPrefix(cookie, want) || !strings.Contains(cookie, "Secure") {
			t.Errorf("%q: %d %q", theme, answer.Code, cookie)
		}
	}
	d.cookie += "; svc_theme=dark"
	contains(t, d.want(http.StatusOK, "/console/settings", nil), `<html lang="en" data-theme="dark">`, `<option value="dark" selected>`)
	d.cookie = strings.Replace(d.cookie, "=dark", "=\"><script>", 1)
	lacks(t, d.want(http.StatusOK, "/console/settings", nil), "data-theme", "<script>")
}

// Promise: console-keyboard
func TestFindingLooksAtOnesOwnThingsAlone(t *testing.T) {
	d := newSite(t)
	p, _ := d.Project(d.account, deliverytest.Files(map[string]string{"a.txt": "a"}))
	if err := d.Delivery.RenameProject(t.Context(), d.account.ID, p.ID, "Library of books"); err != nil {
		t.Fatal(err)
	}
	_, k, err := d.Accounts.CreateKey(t.Context(), accounts.NewKey{AccountID: d.account.ID, Name: "bookworm"})
	if err != nil {
		t.Fatal(err)
	}
	other := d.Account("eve@example.com")
	foreign, _ := d.Project(other, deliverytest.Files(map[string]string{"a.txt": "a"}))
	if err := d.Delivery.RenameProject(t.Context(), other.ID, foreign.ID, "Secret book"); err != nil {
		t.Fatal(err)
	}
	page := d.want(http.StatusOK, "/console/find?q=book", nil)
	contains(t, page, "Library of books", "/console/projects/"+p.ID, "/console/settings/keys/"+k.Prefix, "/console/generations/new?prompt=book")
	lacks(t, page, "Secret book")
	contains(t, d.want(http.StatusOK, "/console/find?q=nothing-of-that", nil), "No project, run or key matches.")
	contains(t, d.want(http.StatusOK, "/console/generations/new?prompt=a+shop", nil), ">a shop</textarea>")
}

// Promise: console-keyboard
func TestExamplesAreOneClickAway(t *testing.T) {
	d := newSite(t)
	form := d.want(http.StatusOK, "/console/generations/new", nil)
	if n := strings.Count(form, "/console/generations/new?example="); n != 4 {
		t.Errorf("there are %d examples to click", n)
	}
	for i, example := range engine.Examples()[:4] {
		contains(t, d.want(http.StatusOK, "/console/generations/new?example="+string(rune('0'+i)), nil), ">"+example+"</textarea>")
	}
	d.want(http.StatusOK, "/console/generations/new?example=99", nil)
}

// Promise: console-ack
func TestABundleIsAcknowledgedByItsOwnButton(t *testing.T) {
	d := newSite(t)
	_, b := d.Project(d.account, deliverytest.Files(map[string]string{"a.txt": "a"}))
	path := "/console/bundles/" + b.ID
	contains(t, d.want(http.StatusOK, path, nil), "It has arrived, delete it here", "counts as a download")
	d.want(http.StatusOK, path+"/download", nil)
	contains(t, d.want(http.StatusOK, path, nil), "It has arrived")
	d.want(http.StatusSeeOther, path+"/ack", url.Values{})
	contains(t, d.want(http.StatusOK, path, nil), "deleted when the bundle was acknowledged", "Make a fresh bundle")
}

// Promise: console-ack
func TestAFreshBundleIsOfferedWhereItWorks(t *testing.T) {
	d := newSite(t)
	for count, works := range map[int]bool{500: true, 501: false} {
		files := map[string]string{}
		for n := range count {
			files[fmt.Sprintf("f%d.txt", n)] = "a"
		}
		p, b := d.Project(d.account, deliverytest.Files(files))
		d.want(http.StatusSeeOther, "/console/bundles/"+b.ID+"/ack", url.Values{})
		project, bundle := "/console/projects/"+p.ID, "/console/bundles/"+b.ID
		for _, path := range []string{project, bundle} {
			page := d.want(http.StatusOK, path, nil)
			if works {
				contains(t, page, "Make a fresh bundle", project+"/repackage")
				lacks(t, page, "No fresh bundle can be made")
			} else {
				contains(t, page, "No fresh bundle can be made of this project: it is larger than 500 files")
				lacks(t, page, "Make a fresh bundle", "/repackage")
			}
		}
		if got := d.ask(project+"/repackage", url.Values{}).Code; (got == http.StatusSeeOther) != works {
			t.Errorf("a fresh bundle of %d files is answered with %d", count, got)
		}
	}
}

// Promise: password-rules
func TestTooManySignInsAreToldWhenTheyMayGoOn(t *testing.T) {
	d := newSite(t)
	for range 30 {
		answer := d.ask("/console/sign-in", url.Values{"email": {"ada@example.com"}, "password": {"not the one"}}, "Cookie: none=1")
		if answer.Code != http.StatusTooManyRequests {
			continue
		}
		if after := answer.Header().Get("Retry-After"); after == "" || after == "0" {
			t.Errorf("Retry-After is %q", after)
		}
		contains(t, answer.Body.String(), "Try again in <time", "data-wait")
		return
	}
	t.Error("thirty wrong passwords are not too many")
}

// Promise: console-assets
func TestStaticFilesAreCompressedAndKept(t *testing.T) {
	d := newSite(t)
	home := d.want(http.StatusOK, "/console/", nil)
	for _, name := range []string{"console.css", "console.js", "vendor/htmx.min.js", "vendor/pico.min.css"} {
		address := regexp.MustCompile(regexp.QuoteMeta("/console/static/"+name) + `\?v=[0-9a-f]{12}`).FindString(home)
		if address == "" {
			t.Fatalf("the page loads no %s with its hash", name)
		}
		plain := d.ask(address, nil)
		packed := d.ask(address, nil, "Accept-Encoding: br, gzip")
		if packed.Header().Get("Content-Encoding") != "gzip" || packed.Header().Get("Vary") != "Accept-Encoding" || plain.Header().Get("Content-Encoding") != "" {
			t.Fatalf("%s: %v", name, packed.Header())
		}
		if packed.Body.Len()*2 > plain.Body.Len() || packed.Header().Get("Content-Type") != plain.Header().Get("Content-Type") {
			t.Errorf("%s has %d bytes of %d, as %v", name, packed.Body.Len(), plain.Body.Len(), packed.Header())
		}
		if cached := packed.Header().Get("Cache-Control"); !strings.Contains(cached, "immutable") {
			t.Errorf("%s: %q", name, cached)
		}
		for _, other := range []string{"", "?v=", "?v=000000000000", "?w=1"} { // what another version of the service may mean
			for _, offer := range []string{"Accept-Encoding: gzip", "Accept-Encoding: identity"} {
				if answer := d.ask("/console/static/"+name+other, nil, offer); answer.Code != http.StatusOK || answer.Header().Get("Cache-Control") != "no-cache" {
					t.Errorf("%s%s: %d, %v", name, other, answer.Code, answer.Header())
				}
			}
		}
		r, err := gzip.NewReader(packed.Body)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil || string(text) != plain.Body.String() {
			t.Errorf("%s is another one when it is compressed (%v)", name, err)
		}
		refused := d.ask("/console/static/"+name, nil, "Accept-Encoding: gzip;q=0")
		if refused.Header().Get("Content-Encoding") != "" {
			t.Errorf("%s is compressed for one who cannot read it", name)
		}
	}
}
