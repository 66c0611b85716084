package console

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// holds waits until the text of the spec has a line.
func (b *browser) holds(part string) {
	b.t.Helper()
	eventually(b.t, "the text has "+part, func() bool {
		return strings.Contains(b.eval("document.getElementById('spec-text').value"), part)
	})
}

// tabToID presses Tab until a control has the focus.
func (b *browser) tabToID(id string) {
	b.t.Helper()
	for range 200 {
		if b.eval("document.activeElement.id") == id {
			return
		}
		b.press(kb.Tab)
	}
	b.t.Fatalf("no number of Tabs leads to #%s at %s", id, b.eval("location.href"))
}

// fill goes to a control by keyboard and types over what it has.
func (b *browser) fill(id, value string) {
	b.t.Helper()
	b.tabToID(id)
	if b.eval("document.activeElement.tagName") == "INPUT" {
		b.eval("document.activeElement.select()") // as Tab does where there is something to select
	}
	b.press(value)
}

// button presses a button by keyboard and waits for what has the focus after it.
func (b *browser) button(id, focus string) {
	b.t.Helper()
	b.tabToID(id)
	b.press(kb.Enter)
	b.focused(focus)
}

// The story of a newcomer who has a keyboard: a form, a run, a change, and a project
// whose own tests pass.
// Promise: console-spec-journey
func TestAProjectOutOfTheFormByKeyboardAlone(t *testing.T) {
	t.Parallel()
	i := start(t)
	b := i.browse()
	_, client := build(t)
	b.setUp(i.setUpLink())
	b.follow("Create a key", "API keys")
	b.tabTo("Name")
	b.press("laptop" + kb.Enter)
	key, auth := b.text("#full-key"), b.text("#auth-line")

	b.open("/console/generations/new")
	b.focused("prompt")
	b.tabTo("Or fill in a form")
	b.press(kb.Enter)
	b.visible("spec-form")
	b.fill("store", "file")
	b.fill("r0-noun", "book")
	b.fill("r0-f0-name", "title")
	b.button("r0-add", "r0-f1-name")
	b.press("pages" + kb.Tab + "integer") // what was added is selected
	b.fill("r0-f1-min", "1")
	b.fill("r0-f1-max", "5000")
	b.holds("book: title, pages: integer 1..5000")
	b.button("add-record", "r1-noun")
	b.press("loan")
	b.fill("r1-f0-name", "borrower")
	b.fill("r1-f0-unique", " ")
	b.button("r1-add", "r1-f1-name")
	b.press("state")
	b.fill("r1-f1-choices", "lent/back")
	b.fill("r1-f1-default", "lent")
	b.button("r1-add", "r1-f2-name")
	b.press("book" + kb.Tab + "-> b")
	b.holds("loan: borrower unique, state one of lent/back default lent, -> book")
	b.button("r1-f2-up", "r1-f1-up")
	b.press(kb.Enter)
	b.focused("r1-f0-down")
	b.holds("loan: -> book, borrower unique, state one of lent/back default lent")
	b.look("generation-new-form")
	b.run(chromedp.EmulateViewport(320, 700))
	b.drawn()
	b.fits("the form in a very narrow window")
	b.run(chromedp.EmulateViewport(looks[0].width, looks[0].height))

	// A mistake in the text is told at its line, and the rows stay.
	b.tabTo("The spec, which is what is sent")
	b.press(kb.End) // the first line
	eventually(t, "the end of the first line is there", func() bool { return b.eval("document.activeElement.id") == "spec-text" })
	b.run(chromedp.KeyEvent("x"))
	b.visible("spec-mistake")
	if told := b.text("#spec-mistake"); !strings.Contains(told, "Line ") {
		t.Errorf("the mistake is told as %q", told)
	}
	if b.eval("document.getElementById('spec-rows').matches('.stale:disabled') && document.getElementById('spec-text').getAttribute('aria-invalid') === 'true'") != "true" {
		t.Error("the rows are not marked as stale, or the text as wrong")
	}
	b.look("generation-new-mistake")
	b.press(kb.Backspace)
	eventually(t, "the mistake is gone", func() bool { return b.eval("!document.getElementById('spec-mistake')") == "true" })

	b.follow("Generate this", "Generation")
	b.text("#pull-line")
	b.follow("See the project", "")
	b.see("#arch")
	b.follow("Continue", "Continue")
	b.visible("spec-form")
	b.fill("r0-f1-max", "900")
	b.holds("pages: integer 1..900")
	eventually(t, "the change is told", func() bool {
		return strings.Contains(b.eval("document.getElementById('spec-note').innerText"), "book.pages")
	})
	b.look("generation-new-continue")
	b.follow("Generate this", "Generation")
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
	tests := exec.CommandContext(t.Context(), "go", "test", "./...")
	tests.Dir, tests.Env = folder, append(os.Environ(), "GOPROXY=off", "GOFLAGS=-mod=mod", "GOWORK=off")
	if out, err := tests.CombinedOutput(); err != nil {
		t.Errorf("the project's tests: %v\n%s", err, out)
	}
	if found, err := exec.CommandContext(t.Context(), "grep", "-rl", "900", folder).Output(); err != nil || len(found) == 0 {
		t.Errorf("the change is not in the project: %v", err)
	}
}

// inView reports whether an element is in the window, whole.
func (b *browser) inView(id string) bool {
	b.t.Helper()
	return b.eval(`(r => r.top >= 0 && r.bottom <= innerHeight)(document.getElementById("`+id+`").getBoundingClientRect())`) == "true"
}

// ringed fails where what has the focus has no ring.
func (b *browser) ringed() {
	b.t.Helper()
	const ring = `(e => { const s = getComputedStyle(e);
		return s.outlineStyle === "solid" && parseFloat(s.outlineWidth) >= 2 ? "" : e.outerHTML.slice(0, 200); })(document.activeElement)`
	if bare := b.eval(ring); bare != "" {
		b.t.Errorf("no ring is at %s", bare)
	}
}

// cutOff lists the choices of the form that are wider than their controls.
const cutOff = `(() => {
	const pen = document.createElement("canvas").getContext("2d");
	return [...document.querySelectorAll("#spec-rows select")].filter((e) => {
		const s = getComputedStyle(e);
		pen.font = s.font;
		return pen.measureText(e.selectedOptions[0].text).width > e.clientWidth - parseFloat(s.paddingLeft) - parseFloat(s.paddingRight);
	}).map((e) => e.id + ": " + e.selectedOptions[0].text).join();
})()`

// What the box cannot read opens the form and starts nothing: the page begins with what
// was not understood, and no key that is pressed twice sends the spec below.
// Promise: console-spec-journey
func TestASentenceThatIsNotReadLeadsToTheForm(t *testing.T) {
	t.Parallel()
	i := start(t)
	b := i.browse()
	b.run(emulation.SetFocusEmulationEnabled(true)) // a new page of a browser without a window has none
	b.setUp(i.setUpLink())
	b.generate("teach my parrot to sing", "New generation")
	b.visible("not-understood")
	b.focused("not-understood")
	b.ringed()
	if !b.inView("not-understood") {
		t.Error("what was not understood is out of view")
	}
	if kept := b.eval("document.getElementById('prompt').value"); kept != "teach my parrot to sing" {
		t.Errorf("the box has %q", kept)
	}
	b.look("generation-new-suggested")
	b.press(kb.Enter + kb.Enter)
	b.titled("New generation")
	b.follow("Correct the form", "New generation")
	for {
		b.press(kb.Tab)
		b.ringed()
		if b.eval("document.activeElement.id") == "spec-text" {
			break
		}
		if b.eval("document.activeElement.closest('#spec-form') !== null") != "true" {
			t.Fatal("Tab leaves the form before its text")
		}
	}
	for _, size := range looks[1:3] { // rows that do not fit, and a text that has a mistake
		b.run(chromedp.EmulateViewport(size.width, size.height))
		b.eval("document.getElementById('r0-f0-min').value = 'x'; document.getElementById('generate').click()")
		b.focused("spec-mistake")
		b.ringed()
		if !b.inView("spec-mistake") {
			t.Errorf("at %d the mistake of the rows is out of view", size.width)
		}
		b.shoot(fmt.Sprintf("generation-new-refused-rows-%d", size.width))
		b.eval("document.getElementById('spec-text').value = 'api\\nbook: title\\nloan: due: dat\\nshelf: name'; document.getElementById('generate').click()")
		b.focused("spec-text")
		b.ringed()
		if !b.inView("spec-mistake") || !b.inView("spec-text") {
			t.Errorf("at %d the mistake of the text is out of view", size.width)
		}
		if at := b.eval("(e => e.value.slice(0, e.selectionStart) + ' ' + e.getAttribute('aria-describedby'))(document.activeElement)"); at != "api\nbook: title\nloan: due: dat spec-mistake" {
			t.Errorf("at %d the cursor is behind %q", size.width, at)
		}
		b.shoot(fmt.Sprintf("generation-new-refused-text-%d", size.width))
		b.press(kb.Backspace + kb.Backspace + kb.Backspace + "date")
		eventually(t, "the mistake is gone", func() bool { return b.eval("!document.getElementById('spec-mistake')") == "true" })
		if cut := b.eval(cutOff); cut != "" {
			t.Errorf("at %d these choices are cut off: %s", size.width, cut)
		}
		b.eval("document.getElementById('spec').scrollIntoView()")
		b.shoot(fmt.Sprintf("generation-new-usual-%d", size.width))
	}
	b.forgive("422")
	b.follow("Generate this", "Generation")
	b.text("#pull-line")

	// And without scripts: a button does what typing does otherwise.
	b.run(emulation.SetScriptExecutionDisabled(true))
	b.open("/console/generations/new")
	b.run(chromedp.Click("#spec summary", chromedp.ByQuery))
	for n, do := range []string{"#r0-add", "#spec-form > .no-script"} {
		b.run(chromedp.SetValue("#r0-noun", fmt.Sprintf("thing%d", n), chromedp.ByQuery), chromedp.Click(do, chromedp.ByQuery, chromedp.NodeVisible))
		b.holds(fmt.Sprintf("thing%d: name, field", n))
	}
	b.run(chromedp.Click("#generate", chromedp.ByQuery))
	b.titled("Generation")
}
