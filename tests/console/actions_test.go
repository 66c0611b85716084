package console

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/bundle-delivery/svc/internal/testkit/engines"
	"github.com/bundle-delivery/svc/internal/testkit/markup"
)

// visible waits until an element that is always there is shown.
func (b *browser) visible(id string) {
	b.t.Helper()
	eventually(b.t, "#"+id+" is shown", func() bool {
		return b.eval("(e => !!e && e.checkVisibility())(document.getElementById('"+id+"'))") == "true"
	})
}

// Promise: console-live-restart
func TestALiveViewWithoutASessionStopsAndLeadsBack(t *testing.T) {
	t.Parallel()
	command, gate := engines.Gated(t)
	i := start(t, "--engine", "exec", "--engine-command", command)
	b := i.browse()
	b.setUp(i.setUpLink())
	b.generate("a program that does nothing", "Generation")
	b.see("#tree [data-path='main.go']")
	if shown := b.text("#code-name"); shown != "main.go" {
		t.Error("the file that is written is not shown")
	}
	address := b.eval("location.pathname")

	// A new password ends the session, as another tab that signs out would.
	link := strings.TrimSpace(i.operate("account", "reset-password", "--email", email))
	v := i.visitor()
	v.want(303, link, credentials("", "another password"))
	b.visible("signed-out")
	if b.eval("document.getElementById('lost').hidden") != "true" {
		t.Error("the page says that it comes back by itself")
	}
	b.look("generation-signed-out")
	b.follow("Sign in again", "Sign in")
	b.press(email + kb.Tab + "another password" + kb.Enter)
	b.titled("Generation")
	if back := b.eval("location.pathname"); back != address {
		t.Errorf("signing in leads to %s", back)
	}

	// A run that was deleted is not waited for.
	b.see("#tree [data-path='main.go']")
	project := projectPattern.FindString(b.eval("document.querySelector('a[href*=\"/projects/proj_\"]').href"))
	v.want(303, project+"/delete", url.Values{})
	if err := os.WriteFile(gate, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	b.visible("gone")
	if b.eval("document.getElementById('trouble').hidden") != "true" {
		t.Error("the page takes what was deleted for a server that does not answer")
	}
	b.forgive("404") // the browser told of the page that is not there
}

// Promise: back-button
func TestNothingIsLeftBehindTheBackButton(t *testing.T) {
	t.Parallel()
	i := start(t)
	b := i.browse()
	b.setUp(i.setUpLink())
	b.open("/console/settings/keys")
	b.tabTo("Name")
	b.press("desk" + kb.Enter)
	key := b.text("#full-key")
	shown := func() bool {
		return b.eval("document.documentElement.innerHTML.includes('"+key+"')") != "false"
	}
	b.follow("I have copied it", "API keys")
	b.run(chromedp.NavigateBack())
	b.titled("API keys")
	if shown() {
		t.Error("the back button shows the key again")
	}
	if n := b.eval("document.querySelectorAll('tbody tr').length"); n != "1" {
		t.Errorf("the back button left %s keys", n)
	}
	b.open("/console/settings")
	b.follow("Sign out", "Sign in")
	b.run(chromedp.NavigateBack())
	b.titled("Sign in")
	if b.eval("document.body.innerText.includes('"+email+"')") != "false" || shown() {
		t.Error("the back button shows a page of whoever has signed out")
	}
}

func TestFiltersActAtOnceAndComeBack(t *testing.T) {
	t.Parallel()
	i := start(t, "--listen", lasting(t))
	b := i.browse()
	b.setUp(i.setUpLink())
	i.seedUsage(email)
	states := func(want, not string) func() bool {
		return func() bool {
			return b.eval("!!document.querySelector('.badge."+want+"') && !"+strings.ReplaceAll("document.querySelector('.badge.NOT')", "NOT", not)) == "true"
		}
	}
	choose := func(value string) { b.run(chromedp.SetValue("#status", value, chromedp.ByQuery)) } // tells the page of the change, too
	b.open("/console/generations")
	choose("failed")
	eventually(t, "only failed generations are listed", states("failed", "succeeded"))
	choose("succeeded")
	eventually(t, "only successful generations are listed", states("succeeded", "failed"))
	b.run(chromedp.NavigateBack())
	eventually(t, "the filter before it is back", func() bool {
		return strings.HasSuffix(b.eval("location.search"), "status=failed&project=") && b.eval("document.querySelector('#status')?.value") == "failed" && states("failed", "succeeded")()
	})

	// A server that is gone is told, and so is that it came back.
	i.stop()
	choose("")
	b.visible("trouble")
	startIn(t, i.dir, "--listen", i.address)
	choose("succeeded")
	eventually(t, "the list is fetched again", states("succeeded", "failed"))
	eventually(t, "the trouble is over", func() bool { return b.eval("document.getElementById('trouble').hidden") == "true" })
	b.forgive("ERR_")
	b.forgive("htmx:")
}

// Everything is done by forms and links of the page, in a browser that runs no
// script of it.
// Promise: console-no-scripts, console-pull-command
func TestEveryActionWorksWithoutScripts(t *testing.T) {
	t.Parallel()
	i := start(t, "--engine", "exec", "--engine-command", turnsEngine(t,
		`{"type":"error","code":"UPSTREAM_OUTAGE","message":"The model does not answer."}`,
		`{"type":"file","path":"go.mod","content":"module example.com/todo\n\ngo 1.26\n"}
{"type":"file","path":"notes.txt","content":"the old house\n"}`,
		`{"type":"file","path":"notes.txt","content":"the new house\n"}`))
	b := i.browse()
	b.run(emulation.SetScriptExecutionDisabled(true))
	click := func(selector, title string) {
		t.Helper()
		b.eval("window.pageBefore = 'yes'")
		b.run(chromedp.Click(selector, chromedp.ByQuery, chromedp.NodeVisible))
		eventually(t, "another page is shown", func() bool { return b.eval("window.pageBefore || 'no'") == "no" })
		b.titled(title)
	}
	typed := func(selector, text string) {
		t.Helper()
		b.run(chromedp.SendKeys(selector, text, chromedp.ByQuery))
	}
	renamed := func(text string) {
		t.Helper()
		b.run(chromedp.SetValue("#name", text, chromedp.ByQuery))
	}
	reloaded := func(selector string) {
		t.Helper()
		eventually(t, "reloads show the end", func() bool {
			if b.eval("!!document.querySelector('"+selector+"')") == "true" {
				return true
			}
			b.run(chromedp.Reload())
			return false
		})
	}
	b.open(i.setUpLink())
	typed("#email", email)
	typed("#password", password)
	click("button[type=submit]", "Overview")
	click("#steps form button", "Overview")
	if b.eval("!!document.querySelector('#steps')") != "false" {
		t.Error("the first steps are not hidden")
	}
	b.open("/console/settings/keys")
	typed("#name", "laptop")
	click("form.row button", "API keys")
	key := b.text("#full-key")
	i.want(200, "", "GET", "/projects", key)
	if b.eval("document.querySelector('[data-copy]').checkVisibility()") != "false" {
		t.Error("a copy button is shown that does nothing")
	}

	b.open("/console/generations/new")
	typed("#prompt", "Todo list API in Go")
	click("main form button[type=submit]", "Generation")
	reloaded(".badge.failed")
	click("#outcome a[href*='again=']", "New generation")
	click("main form button[type=submit]", "Generation")
	reloaded("#pull-line")
	typed("#next", "a new house")
	click("form.next button", "Generation")
	reloaded("#pull-line")
	run := b.eval("location.pathname")
	click("#outcome a[href$='/difference']", "Revision 2")
	if marks := b.eval("[...document.querySelectorAll('.diff mark')].map(m => m.textContent).join(' ')"); marks != "old new" {
		t.Errorf("marked are %q", marks)
	}
	b.open(run)
	click("#outcome a[href*='/projects/']", "Todo list API in Go")
	project := b.eval("location.pathname")
	typed("#q", "go.mod")
	click("form.filter button", "Todo list API in Go")
	if n := b.eval("document.querySelectorAll('.files li').length"); n != "1" {
		t.Errorf("%s files match go.mod", n)
	}
	click(".files a", "go.mod")
	b.open(project)
	click("main a[href*='/bundles/']", "Bundle")
	click("form[action$='/ack'] button", "Bundle")
	if !strings.Contains(b.eval("document.body.innerText"), "The archive is gone") {
		t.Error("the bundle is not acknowledged")
	}
	b.open(run)
	if told := b.eval("document.querySelector('#outcome').innerText"); !strings.Contains(told, "was pulled") || strings.Contains(told, "svc pull") {
		t.Errorf("the run says of a bundle that is gone: %q", told)
	}
	click("#outcome form[action$='/repackage'] button", "Bundle")
	b.open(project)
	b.run(chromedp.Click(".rename summary", chromedp.ByQuery))
	renamed("Tasks")
	click(".rename button", "Tasks")
	click("a.find", "Find")
	typed("#q", "Tas")
	click("form.filter button", "Find")
	click("#found a[href*='/projects/']", "Tasks")
	b.open("/console/generations")
	b.run(chromedp.SetValue("#status", "cancelled", chromedp.ByQuery))
	click("form.filter button", "Generations")
	if !strings.Contains(b.eval("document.body.innerText"), "No generation matches.") {
		t.Error("the filter does nothing")
	}
	b.open("/console/usage")
	if b.eval("document.querySelector('#figures-table table').checkVisibility() && !document.querySelector('.plots figure').checkVisibility()") != "true" {
		t.Error("usage is neither plotted nor tabled")
	}
	click(".choice a", "Usage")
	if b.eval("location.search") != "?days=7" {
		t.Errorf("the days shown are %s", b.eval("location.search"))
	}
	b.open("/console/settings/keys")
	click("tbody .lead a", "Key laptop")
	renamed("desk")
	click("form[action$='/name'] button", "API keys")
	click("tbody .lead a", "Key desk")
	click("form[action$='/roll'] button", "API keys")
	i.want(200, "", "GET", "/projects", b.text("#full-key"))
	i.want(200, "", "GET", "/projects", key)
	click(".secret a[href$='/revoke']", "Revoke a key") // the old one
	click("button.danger", "API keys")
	i.want(401, "INVALID_API_KEY", "GET", "/projects", key)

	b.open("/console/settings")
	b.run(chromedp.SetValue("#theme", "dark", chromedp.ByQuery))
	click("form[action$='/theme'] button", "Account")
	if b.eval("document.documentElement.dataset.theme") != "dark" {
		t.Error("the colours are not those that were chosen")
	}
	other := i.visitor()
	other.want(303, "/console/sign-in", credentials(email, password))
	other.want(200, "/console/settings", nil)
	b.open("/console/settings")
	click("form[action*='/settings/sessions/'] button", "Account")
	other.want(303, "/console/settings", nil)
	b.open("/console/settings/people")
	typed("#email", "grace@example.com")
	click("form.row button", "People")
	if !strings.Contains(b.text("#invitation"), b.text("#one-time")) {
		t.Error("the invitation has not its link")
	}

	b.open(run)
	click("#outcome a[href*='/projects/']", "Tasks")
	click("a.danger", "Delete a project")
	click("button.danger", "Projects")
	click(".who button", "Sign in")
}

// What an engine says when it gives up is text as well.
// Promise: console-attacks
func TestAnErrorIsNoMarkup(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lines")
	line := `{"type":"error","code":"<script>mark()</script>","message":"</p><script>mark()</script><img src=x onerror=mark()>"}` + "\n"
	if err := os.WriteFile(path, []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	i := start(t, "--engine", "exec", "--engine-command", "cat "+path)
	b := i.browse()
	b.setUp(i.setUpLink())
	b.generate("anything", "Generation")
	b.see("#outcome .badge.failed") // told live, by the script of the page
	b.run(chromedp.Reload())
	b.see("#outcome .badge.failed")
	v := i.visitor()
	v.want(303, "/console/sign-in", credentials(email, password))
	page := v.want(200, b.eval("location.pathname"), nil)
	markup.Check(t, "a failed run", page.header, page.body)
	if bad := b.eval("document.images.length + document.querySelectorAll('main script').length"); bad != "0" {
		t.Errorf("%s elements were generated", bad)
	}
}
