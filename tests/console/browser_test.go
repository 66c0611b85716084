package console

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	goruntime "runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/bundle-delivery/svc/internal/testkit/engines"
	"github.com/bundle-delivery/svc/internal/testkit/harness"
	"github.com/bundle-delivery/svc/internal/testkit/needs"
)

// browser is a real Chromium that shows the console. It notes everything that a
// page must not do: errors, and requests to other hosts.
type browser struct {
	t    *testing.T
	ctx  context.Context //nolint:containedctx // chromedp keeps the browser in its context
	base string

	looked map[string]bool // pages, by name

	mu     sync.Mutex
	faults []string
}

// windows are the browsers that are open at a time: each is a handful of processes.
var windows = make(chan struct{}, 2)

// browse opens Chromium for a service. Without one the test is skipped, loudly,
// and fails where tests are to prove something.
func (i *instance) browse() *browser {
	i.t.Helper()
	program := needs.Program(i.t, "chromium", "scripts/ensure-tools.sh installs it")
	options := []chromedp.ExecAllocatorOption{
		chromedp.ExecPath(program), chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true),
		chromedp.Flag("hide-scrollbars", true), chromedp.Flag("disable-dev-shm-usage", true),
		chromedp.WSURLReadTimeout(3 * time.Minute), chromedp.IgnoreCertErrors, chromedp.UserDataDir(harness.BrowserFolder(i.t)), chromedp.WindowSize(1280, 900),
	}
	windows <- struct{}{}
	i.t.Cleanup(func() { <-windows })
	all, end := chromedp.NewExecAllocator(i.t.Context(), options...)
	i.t.Cleanup(end)
	ctx, cancel := chromedp.NewContext(all)
	i.t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 10*time.Minute)
	i.t.Cleanup(cancel)
	b := &browser{t: i.t, ctx: ctx, base: i.base, looked: map[string]bool{}}
	b.start()
	chromedp.ListenTarget(ctx, b.watch)
	b.run(network.Enable(), log.Enable(), runtime.Enable())
	i.t.Cleanup(func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		for _, fault := range b.faults {
			i.t.Error(fault)
		}
	})
	return b
}

// start starts the browser from a thread that lives as long as it does: it is killed
// with that thread, and sandboxes end theirs.
func (b *browser) start() {
	b.t.Helper()
	started := make(chan error)
	go func() {
		goruntime.LockOSThread()
		defer goruntime.UnlockOSThread()
		started <- chromedp.Run(b.ctx)
		<-b.ctx.Done()
	}()
	if err := <-started; err != nil {
		b.t.Fatalf("Chromium does not start: %v", err)
	}
}

func (b *browser) watch(event any) {
	fault := ""
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		if !strings.HasPrefix(e.Request.URL, b.base+"/") && !strings.HasPrefix(e.Request.URL, "data:") {
			fault = "a page asked another host: " + e.Request.URL
		}
	case *runtime.EventExceptionThrown:
		fault = "a script failed: " + e.ExceptionDetails.Error()
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.APITypeError || e.Type == runtime.APITypeWarning {
			fault = "a script complained:"
			for _, part := range e.Args {
				fault += " " + string(part.Value) + part.Description
			}
		}
	case *log.EventEntryAdded:
		if e.Entry.Level == log.LevelError {
			fault = "the browser complained: " + e.Entry.Text + " " + e.Entry.URL
		}
	}
	if fault != "" {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.faults = append(b.faults, fault)
	}
}

// forgive drops what was noted for a reason that the test knows.
func (b *browser) forgive(reason string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	kept := b.faults[:0]
	for _, fault := range b.faults {
		if !strings.Contains(fault, reason) {
			kept = append(kept, fault)
		}
	}
	b.faults = kept
}

func (b *browser) run(actions ...chromedp.Action) {
	b.t.Helper()
	if err := chromedp.Run(b.ctx, actions...); err != nil {
		b.t.Fatalf("%v at %s", err, b.eval("location.href + ' ' + document.body.innerText.slice(0, 2000)"))
	}
}

// eval gives what an expression is in the page, as text.
func (b *browser) eval(expression string) string {
	b.t.Helper()
	var out any
	if err := chromedp.Run(b.ctx, chromedp.Evaluate(expression, &out)); err != nil {
		b.t.Logf("%s: %v", expression, err)
		return ""
	}
	return fmt.Sprint(out)
}

func (b *browser) open(path string) {
	b.t.Helper()
	if !strings.HasPrefix(path, "https://") {
		path = b.base + path
	}
	b.run(chromedp.Navigate(path))
}

// see waits until an element is there.
func (b *browser) see(selector string) {
	b.t.Helper()
	b.run(chromedp.WaitVisible(selector, chromedp.ByQuery))
}

func (b *browser) text(selector string) string {
	b.t.Helper()
	b.see(selector)
	return b.eval(fmt.Sprintf("document.querySelector(%q).textContent", selector))
}

func (b *browser) press(keys string) {
	b.t.Helper()
	b.run(chromedp.KeyEvent(keys))
}

// tabTo presses Tab until the element with the focus has a label or a text, as
// somebody without a mouse does.
func (b *browser) tabTo(label string) {
	b.t.Helper()
	const focused = `(() => { const e = document.activeElement;
		return (e.labels && e.labels[0] ? e.labels[0].innerText : e.innerText || "").trim(); })()`
	for range 80 {
		if strings.HasPrefix(b.eval(focused), label) {
			return
		}
		b.press(kb.Tab)
	}
	b.t.Fatalf("no number of Tabs leads to %q at %s", label, b.eval("location.href"))
}

// follow goes to something by keyboard and uses it, then waits for a page.
func (b *browser) follow(label, title string) {
	b.t.Helper()
	b.tabTo(label)
	b.press(kb.Enter)
	b.titled(title)
}

// generate starts a run with a prompt, by keyboard, and waits for its page.
func (b *browser) generate(prompt, title string) {
	b.t.Helper()
	b.open("/console/generations/new")
	b.focused("prompt")
	b.press(prompt)
	b.follow("Start", title)
}

// titled waits for a page with a title.
func (b *browser) titled(title string) {
	b.t.Helper()
	eventually(b.t, "the page "+title+" is shown", func() bool {
		return strings.HasPrefix(b.eval("document.readyState === 'complete' ? document.title : ''"), title)
	})
}

// focused waits until an element has the focus that its page gives it.
func (b *browser) focused(id string) {
	b.t.Helper()
	eventually(b.t, id+" has the focus", func() bool { return b.eval("document.activeElement.id") == id })
}

// setUp makes the first account by keyboard.
func (b *browser) setUp(link string) {
	b.t.Helper()
	b.open(link)
	b.titled("Set up your service")
	b.focused("email")
	b.press(email + kb.Tab)
	b.focused("password")
	b.press(password + kb.Enter)
	b.titled("Overview")
}

// Promise: console-first-bundle, client-ca-fingerprint, console-pull-command
func TestFirstBundleByKeyboardAlone(t *testing.T) {
	t.Parallel()
	i := start(t)
	b := i.browse()
	_, client := build(t)
	b.setUp(i.setUpLink())
	b.follow("Create a key", "API keys")
	b.tabTo("Name")
	b.press("laptop" + kb.Enter)
	key, auth := b.text("#full-key"), b.text("#auth-line")
	b.run(chromedp.Reload())
	b.see("td code")
	if left := b.eval("document.body.innerHTML.includes(" + fmt.Sprintf("%q", key) + ")"); left != "false" {
		t.Error("the key is shown a second time")
	}
	if n := b.eval("document.querySelectorAll('tbody tr').length"); n != "1" {
		t.Errorf("a reload of the page with the key left %s keys", n)
	}

	b.follow("Generations", "Generations")
	b.follow("Start the first one", "New generation")
	b.focused("prompt")
	b.press("a todo list API in Go")
	b.follow("Start", "Generation")
	pull := b.text("#pull-line")

	home, folder := t.TempDir(), t.TempDir()
	for _, line := range []string{auth, pull} {
		words := strings.Fields(line)
		command := exec.CommandContext(t.Context(), client, words[1:]...)
		command.Dir, command.Env = folder, []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
		command.Stdin = strings.NewReader(key + "\n")
		if out, err := command.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", line, err, out)
		}
	}
	if _, err := os.Stat(filepath.Join(folder, "go.mod")); err != nil {
		t.Errorf("the bundle was not pulled: %v", err)
	}
	eventually(t, "the page takes the command back", func() bool {
		return b.eval("!document.querySelector('#pull-line') && document.querySelector('#made').innerText.includes('was pulled')") == "true"
	})
	b.follow("See the bundle", "Bundle")
	if state := b.text(".badge"); state != "downloaded" {
		t.Errorf("the bundle is %q after the pull", state)
	}

	i.want(200, "", "GET", "/projects", key)
	b.follow("Settings", "API keys")
	b.follow("Revoke", "Revoke a key")
	b.follow("Revoke key", "API keys")
	i.want(401, "INVALID_API_KEY", "GET", "/projects", key)
}

// A live view tells all that a run does, and goes on with it in the same page after the
// server was started anew.
// Promise: console-run-bar, console-live-restart
func TestALiveViewSurvivesARestart(t *testing.T) {
	t.Parallel()
	command, gate := storyEngine(t)
	flags := []string{"--engine", "exec", "--engine-command", command, "--listen", lasting(t)}
	i := start(t, flags...)
	b := i.browse()
	b.setUp(i.setUpLink())
	b.generate("A todo list API in Go, with tests", "Generation")
	written := "#tree [data-path='" + storyFile + "']"
	b.see(written)
	if first := b.text("#decision-list strong"); first != "go" {
		t.Errorf("the decision is %q", first)
	}
	b.run(chromedp.Reload())
	b.see(written)
	if count := b.text("#file-count"); count != "7" {
		t.Errorf("%s files after a reload", count)
	}
	// The bar says where the run is, since when, and what it has used so far.
	b.eval("document.getElementById('spent').textContent = ''")
	told := func(id, want string) {
		t.Helper()
		pattern := regexp.MustCompile(want)
		eventually(t, id+" tells "+want, func() bool {
			return pattern.MatchString(b.eval("document.getElementById('" + id + "').textContent"))
		})
	}
	told("spent", "^41\u202f250 tokens · \\$0\\.2180$")
	told("elapsed", `^(\d+ min )?\d+ s$`)
	told("action", "^writing "+storyFile+"$")
	const stages = "[...document.querySelectorAll('#stages li')].map(s => s.className + ' ' + s.textContent).join(', ')"
	if at := b.eval(stages); at != "done Queued, done Plan, now Write,  Check,  Pack" {
		t.Errorf("the stages are %q", at)
	}
	if marked := b.eval("[...document.querySelectorAll('.writing')].map(e => e.dataset.path ?? e.id).join()"); marked != "text,"+storyFile {
		t.Errorf("%s is marked as being written", marked)
	}
	b.coloured()
	b.look("generation-live")
	b.run(chromedp.EmulateViewport(1280, 480))
	eventually(t, "the end is in view in a smaller window", func() bool {
		return b.eval("(e => e.scrollHeight > e.clientHeight && e.scrollTop + e.clientHeight > e.scrollHeight - 2)(document.getElementById('text'))") == "true"
	})
	b.eval("window.samePage = 'yes'")

	i.stop()
	startIn(t, i.dir, flags...)
	if err := os.WriteFile(gate, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	b.see("#pull-line")
	if b.eval("window.samePage") != "yes" {
		t.Error("the page was loaded anew")
	}
	b.endsAsReloaded(".gitignore")
	b.run(chromedp.Click("#tree [data-path='"+storyTest+"']", chromedp.ByQuery))
	if name, got := b.text("#code-name"), b.eval("document.querySelector('#text').textContent"); name != storyTest || got != testCode {
		t.Errorf("%s is %q, want %q", name, got, testCode)
	}
	if memory := b.text("#memory"); !strings.Contains(memory, "A todo list") {
		t.Errorf("the memory is %q", memory)
	}
	if left := b.text("#left-out-list"); left != "reminders by e-mailsharing lists" {
		t.Errorf("left out: %q", left)
	}
	told("verdict", `^\d+ passed, \d+ not tried$`)
	checks := b.eval("[...document.querySelectorAll('#check-list > div')].map(c => c.className + ' ' + c.querySelector('dt').textContent).join(', ')")
	if !strings.HasPrefix(checks, "passed bundle, passed syntax, passed imports and links") {
		t.Errorf("the checks are %q", checks)
	}
	if at := b.eval(stages); at != "done Queued, done Plan, done Write, done Check, done Pack" {
		t.Errorf("at the end the stages are %q", at)
	}
	if b.eval("document.querySelectorAll('.writing').length") != "0" {
		t.Error("something is marked as being written when the run is over")
	}
	b.open("/console/usage") // a page that asks for nothing while the server ends
	b.forgive("ERR_")        // the browser told of the connection that was lost
}

// Promise: console-attacks
func TestNothingGeneratedRunsInABrowser(t *testing.T) {
	t.Parallel()
	i := start(t, "--engine", "exec", "--engine-command", engines.Hostile(t))
	b := i.browse()
	b.setUp(i.setUpLink())
	b.generate("<img src=x onerror=mark()>", "Generation")
	b.see("#pull-line") // told live, by the script of the page
	if told := b.eval("document.querySelector('#text').textContent"); !strings.Contains(told, "<script>mark()") {
		t.Errorf("the live view shows %q", told)
	}
	project, bundle := b.eval("document.querySelector('a[href*=\"/projects/proj_\"]').href"), b.eval("document.querySelector('a[href*=\"/bundles/\"]').href")
	b.open(project)
	pages := strings.Fields(b.eval("[...document.querySelectorAll('.files a')].map(a => a.href).join(' ')"))
	for _, page := range append(pages, bundle, "/console/", "/console/generations", project) {
		b.open(page)
		if bad := b.eval("document.images.length + document.querySelectorAll('main script, main style').length"); bad != "0" {
			t.Errorf("%s has %s elements that were generated", page, bad)
		}
	}
	// A script that was refused, and mark, which does not exist, would both be noted.
}
