package console

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	downloads "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/bundle-delivery/svc/internal/testkit/engines"
)

// turnsEngine is the command of an engine that says other lines at each run.
func turnsEngine(t *testing.T, turns ...string) string {
	t.Helper()
	dir := t.TempDir()
	for n, lines := range turns {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("turn%d", n)), []byte(lines+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	script := `n=$(ls '` + dir + `' | grep -c done); touch "` + dir + `/done$n"; cat "` + dir + `/turn$n"`
	path := filepath.Join(t.TempDir(), "engine.sh")
	if err := os.WriteFile(path, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	return "sh " + path
}

// From one prompt to the next, in place; what changed with it, by keyboard alone; and
// the archive without the client.
// Promise: console-next-prompt
func TestARunLeadsToTheNextAndToWhatChanged(t *testing.T) {
	t.Parallel()
	var first, second story
	first.write(t, "go.mod", "module example.com/todo\n\ngo 1.26\n")
	first.write(t, "internal/store/todo.go", storeCode)
	first.write(t, storyFile, apiCode)
	second.write(t, storyFile, strings.NewReplacer("maxTodos = 1000", "maxTodos = 5000", `"no title"`, `"no name"`, "tells all of", "tells").Replace(apiCode))
	second.write(t, storyTest, testCode)
	i := start(t, "--engine", "exec", "--engine-command", turnsEngine(t, strings.Join(first.lines, "\n"), strings.Join(second.lines, "\n")))
	b := i.browse()
	b.setUp(i.setUpLink())
	b.generate("A todo list API in Go", "Generation succeeded")
	b.see("#pull-line")
	if b.eval("document.querySelector('#outcome').innerText.includes('What changed')") != "false" {
		t.Error("the first revision has a difference")
	}
	run, project := b.eval("location.pathname"), b.eval("document.querySelector('.crumbs a:last-child').pathname")
	b.tabTo("What should change next?")
	b.press("longer lists, and a test" + kb.Enter)
	eventually(t, "the next run is shown", func() bool {
		return b.eval("location.pathname !== '"+run+"' && document.title.startsWith('Generation succeeded') && !!document.querySelector('#pull-line')") == "true"
	})
	if at := b.eval("document.querySelector('.crumbs a:last-child').pathname"); at != project {
		t.Errorf("the next run is one of %s, not of %s", at, project)
	}
	b.follow("What changed", "Revision 2")
	if marks := b.eval("[...document.querySelectorAll('.diff mark')].map(m => m.parentElement.tagName + m.textContent).join(' ')"); marks != "DEL1000 INS5000 DELtitle INSname DEL all of" {
		t.Errorf("marked are %q", marks)
	}
	if told := b.eval("document.querySelector('main').innerText"); !strings.Contains(told, "1 changed, 1 added, 0 removed") || !strings.Contains(told, storyTest) {
		t.Errorf("the page says %q", told)
	}
	b.look("difference")
	b.tabTo(storyTest)
	b.press(kb.Enter)
	if b.eval("document.activeElement.parentElement.open") != "false" {
		t.Error("a file is not folded by keyboard")
	}
	b.open(run)
	b.see("#pull-line")
	if b.eval("document.querySelector('#outcome').innerText.includes('What changed')") != "false" {
		t.Error("a difference that is gone is offered")
	}

	// The archive counts as a download, and stays.
	b.follow("See the bundle", "Bundle")
	folder := t.TempDir()
	b.run(downloads.SetDownloadBehavior(downloads.SetDownloadBehaviorBehaviorAllow).WithDownloadPath(folder))
	b.tabTo("Download the ZIP")
	b.press(kb.Enter)
	eventually(t, "the archive is on the disk", func() bool { // a browser takes the name first, with an empty file
		names, _ := filepath.Glob(filepath.Join(folder, "bundle-*.zip"))
		if len(names) != 1 {
			return false
		}
		content, err := os.ReadFile(names[0])
		return err == nil && strings.HasPrefix(string(content), "PK")
	})
	if state := b.text(".badge"); state != "waiting" {
		t.Errorf("the bundle is %q after a download", state)
	}
	b.open("/console/usage")
	if told := b.eval("document.querySelector('main').innerText"); !strings.Contains(told, "1 of 10") {
		t.Errorf("the download is not counted: %q", told)
	}
	b.forgive("ERR_ABORTED") // a download is no page
}

// probes is a page of which a script tries everything that it must not be able to do,
// and tells what became of it.
const probes = `<!doctype html><html><head><title>Bakery</title><link rel="stylesheet" href="styles.css"></head><body><h1>Bakery</h1>
<form id="form" action="/console/sign-out" method="post"><input name="x" value="y"></form><script src="app.js"></script><script type="module" src="module.js"></script></body></html>`

const probeScript = `
window.told = {};
const tell = (name, what) => { window.told[name] = what; };
const tried = (name, what) => { try { tell(name, "done " + what()); } catch (e) { tell(name, "refused"); } };
tried("cookie", () => document.cookie);
tried("storage", () => localStorage.length);
tried("opener", () => { if (window.opener) return "there"; throw new Error("none"); });
tried("popup", () => { if (window.open("/console/")) return "open"; throw new Error("none"); });
fetch("/console/settings/keys", {credentials: "include"}).then(() => tell("fetch", "done"), () => tell("fetch", "refused"));
const request = new XMLHttpRequest();
request.onload = () => tell("xhr", "done");
request.onerror = () => tell("xhr", "refused");
request.open("GET", "/console/");
request.send();
const image = new Image();
image.onload = () => tell("image", "done");
image.onerror = () => tell("image", "refused");
image.src = "/console/static/icon.svg";
document.getElementById("form").submit();
const frame = document.createElement("iframe");
frame.srcdoc = "<script>try { top.location = '/console/settings'; } catch {} parent.postMessage('tried', '*');<\/script>";
addEventListener("message", () => tell("frame", "tried"));
document.body.append(frame);
`

// TestAPreviewReachesNothingOfTheConsole opens a site with hostile scripts by its own
// address, in a browser that is signed in.
// Promise: preview-isolated
func TestAPreviewReachesNothingOfTheConsole(t *testing.T) {
	t.Parallel()
	file := func(path, content string) string {
		line, err := json.Marshal(map[string]string{"type": "file", "path": path, "content": content})
		if err != nil {
			t.Fatal(err)
		}
		return string(line)
	}
	i := start(t, "--engine", "exec", "--engine-command", turnsEngine(t, strings.Join([]string{
		file("index.html", probes), file("styles.css", "h1 { color: rgb(1, 2, 3) }"), file("app.js", probeScript),
		file("module.js", "window.module = 'ran';"),
	}, "\n")))
	b := i.browse()
	b.setUp(i.setUpLink())
	b.generate("a site", "Generation succeeded")
	b.see("#pull-line")
	if rel := b.eval("document.querySelector('#outcome a[target=_blank]').rel"); rel != "noopener noreferrer" {
		t.Errorf("the way to the preview is %q", rel)
	}
	b.tabTo("Preview") // it opens a window of its own; what follows is seen better in this one
	b.open(b.eval("document.querySelector('#outcome a[target=_blank]').href"))
	address := b.eval("location.href")
	if !strings.HasPrefix(address, i.base+"/console/preview/") {
		t.Fatalf("the preview is at %s", address)
	}
	eventually(t, "everything was tried", func() bool { return b.eval("Object.keys(window.told ?? {}).length") == "8" })
	for name, want := range map[string]string{
		"cookie": "refused", "storage": "refused", "opener": "refused", "popup": "refused", "fetch": "refused", "xhr": "refused", "image": "refused", "frame": "tried",
	} {
		if got := b.eval("window.told." + name); got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
	if b.eval("location.href") != address || b.eval("window.origin") != "null" {
		t.Errorf("the page is at %s with the origin %s", b.eval("location.href"), b.eval("window.origin"))
	}
	if looks := b.eval("getComputedStyle(document.querySelector('h1')).color + window.module"); looks != "rgb(1, 2, 3)ran" {
		t.Errorf("style and module: %q", looks)
	}
	b.open("/console/settings") // the form that was sent would have ended the session
	b.titled("Account")
	b.mu.Lock()
	b.faults = nil // the browser told of everything that it refused
	b.mu.Unlock()
}

// What failed is tried again with what was asked, and limits end in the reader's time.
// Promise: console-failed-run, console-words
func TestTryingAgainAndLimitsInABrowser(t *testing.T) {
	t.Parallel()
	i := start(t, "--engine", "exec", "--engine-command", turnsEngine(t,
		`{"type":"error","code":"UPSTREAM_OUTAGE","message":"The model does not answer."}`,
		`{"type":"file","path":"notes.txt","content":"made\n"}`))
	i.setUp()
	link := strings.TrimSpace(i.operate("account", "invite", "--email", "bob@example.com", "--plan", "hobby"))
	b := i.browse()
	b.run(emulation.SetTimezoneOverride("America/New_York"))
	b.open(link)
	b.titled("Create your account")
	b.focused("password")
	b.press(password + kb.Enter)
	b.titled("Overview")
	b.generate("a house by the sea", "Generation failed")
	failed := b.eval("location.pathname")
	b.open("/console/projects")
	if told := b.eval("document.querySelector('main').innerText"); !strings.Contains(told, "No projects yet") {
		t.Errorf("a failed run left behind: %q", told)
	}
	b.open(failed)
	b.follow("Try again", "New generation")
	if asked := b.eval("document.getElementById('prompt').value"); asked != "a house by the sea" {
		t.Errorf("the form has %q", asked)
	}
	b.follow("Start", "Generation succeeded")
	b.see("#pull-line")
	b.open("/console/projects")
	if n := b.eval("document.querySelectorAll('tbody tr').length"); n != "1" {
		t.Errorf("%s projects are listed", n)
	}

	// 24 hours are not 23, also when a second of them is over.
	b.open("/console/bundles")
	b.eval("document.querySelector('time[data-until]').textContent = ''")
	eventually(t, "the time that is left is counted", func() bool { return b.eval("document.querySelector('time[data-until]').textContent") != "" })
	if left := b.eval("document.querySelector('time[data-until]').textContent"); left != "24 hours left" {
		t.Errorf("a new bundle has %q", left)
	}

	// The third is the last one, whatever becomes of it.
	b.generate("one more", "Generation")
	b.generate("one too many", "New generation")
	b.see("#failure")
	ends := b.eval("document.querySelector('#failure time[data-local]').textContent + '|' + document.querySelector('#failure time[data-local]').title + '|' + new Date(document.querySelector('#failure time[data-local]').dateTime).toLocaleString(undefined, {dateStyle: 'medium', timeStyle: 'short', timeZone: 'America/New_York'})")
	shown, rest, _ := strings.Cut(ends, "|")
	hover, local, _ := strings.Cut(rest, "|")
	if shown != local || !strings.HasSuffix(hover, " UTC") || strings.Contains(shown, "UTC") {
		t.Errorf("the limit ends %q, on hover %q, want %q", shown, hover, local)
	}
	b.look("generation-new-limit")
	b.forgive("429")
}

// Cancelled is said as cancelled, everywhere.
// Promise: console-words
func TestCancelledIsSaidAsCancelled(t *testing.T) {
	t.Parallel()
	command, _ := engines.Gated(t)
	i := start(t, "--engine", "exec", "--engine-command", command)
	b := i.browse()
	b.setUp(i.setUpLink())
	b.generate("a program that does nothing", "Generation")
	b.see("#tree [data-path='main.go']")
	b.tabTo("Cancel")
	b.press(kb.Enter)
	b.see("#outcome .badge.cancelled")
	b.titled("Generation cancelled")
	told := b.eval("document.querySelector('#outcome').innerText")
	if !strings.Contains(told, "This generation was cancelled.") || strings.Contains(strings.ToLower(told), "fail") || strings.Contains(told, "CANCELLED") {
		t.Errorf("the page says %q", told)
	}
	b.look("generation-cancelled")
	b.open("/console/generations")
	if state := b.text("td .badge"); state != "cancelled" {
		t.Errorf("the list says %q", state)
	}
	b.open("/console/projects")
	if told := b.eval("document.querySelector('main').innerText"); !strings.Contains(told, "No projects yet") {
		t.Errorf("a cancelled run left behind: %q", told)
	}
	b.open("/console/generations")
	b.run(chromedp.Click("td.lead a", chromedp.ByQuery))
	b.titled("Generation cancelled")
	b.follow("Start it again", "New generation")
	if asked := b.eval("document.getElementById('prompt').value"); asked != "a program that does nothing" {
		t.Errorf("the form has %q", asked)
	}
}
