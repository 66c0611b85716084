package console

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Promise: console-keyboard
func TestTheConsoleIsUsedWithTheKeyboard(t *testing.T) {
	t.Parallel()
	i := start(t)
	b := i.browse()
	b.setUp(i.setUpLink())
	b.follow("Create a key", "API keys")
	b.tabTo("Name")
	b.press("laptop" + kb.Enter)
	b.see("#full-key")
	eventually(t, "the new key has the focus", func() bool { return b.eval("document.activeElement.id") == "new-key" })

	b.open("/console/generations/new")
	b.follow(b.eval("document.querySelector('.examples a').innerText"), "New generation")
	asked := b.eval("document.getElementById('prompt').value")
	if len(asked) < 12 {
		t.Fatalf("the example became %q", asked)
	}
	b.follow("Start", "Generation succeeded")
	run := b.eval("location.pathname")

	b.run(chromedp.KeyEvent("k", chromedp.KeyModifiers(input.ModifierCtrl)))
	b.visible("palette")
	b.focused("palette-q")
	first := b.eval("document.querySelector('.crumbs a:last-child').innerText")
	b.press(strings.ToLower(first[:4]))
	eventually(t, "the project is found", func() bool {
		return strings.Contains(b.eval("document.getElementById('palette-found').innerText"), first)
	})
	b.look("find-palette")
	b.run(chromedp.Focus("#palette-q", chromedp.ByQuery))
	b.press(kb.ArrowDown + kb.ArrowDown)
	eventually(t, "the project has the focus", func() bool { return strings.Contains(b.eval("document.activeElement.innerText"), first) })
	b.press(kb.Enter)
	b.titled(first)

	b.run(chromedp.KeyEvent("k", chromedp.KeyModifiers(input.ModifierCtrl)))
	b.visible("palette")
	b.focused("palette-q")
	b.press(asked[:12])
	eventually(t, "the run is found", func() bool {
		return b.eval("!!document.querySelector(`#palette-found a[href='"+run+"']`)") == "true"
	})
	b.run(chromedp.Focus("#palette-found a", chromedp.ByQuery))
	b.eval("const found = document.getElementById('palette-found'); found.innerHTML = found.innerHTML") // as new results do
	eventually(t, "the run has the focus", func() bool {
		b.press(kb.ArrowDown)
		return b.eval("document.activeElement.pathname") == run
	})
	b.press(kb.Enter)
	b.titled("Generation succeeded")
	if at := b.eval("location.pathname"); at != run {
		t.Errorf("finding the run leads to %s", at)
	}

	b.open("/console/settings")
	if title := b.eval("document.querySelector('time[data-local]').title"); !strings.HasSuffix(title, " UTC") {
		t.Errorf("a time of the clock says %q on hover", title)
	}
	ground := b.eval("getComputedStyle(document.documentElement).backgroundColor")
	b.run(chromedp.SetValue("#theme", "dark", chromedp.ByQuery))
	b.follow("Save colours", "Account")
	eventually(t, "the page is dark", func() bool {
		return b.eval("document.documentElement.dataset.theme") == "dark" && b.eval("getComputedStyle(document.documentElement).backgroundColor") != ground
	})
	b.look("settings-dark")
}

// Somebody who has to wait before the next try at a password sees the time run out.
// Promise: sign-in-countdown
func TestTheWaitBeforeASignInIsCountedDown(t *testing.T) {
	t.Parallel()
	i := start(t)
	i.setUp()
	b := i.browse()
	b.open("/console/sign-in")
	wait := "document.querySelector('time[data-wait]')"
	for tries := 0; b.eval("!!"+wait) != "true"; tries++ {
		if tries == 30 {
			t.Fatal("thirty wrong passwords are not too many")
		}
		b.titled("Sign in")
		b.eval("window.before = 'yes'; document.getElementById('email').value = '" + email + "'; document.getElementById('password').value = 'not the one'")
		b.eval("document.getElementById('password').form.requestSubmit()")
		eventually(t, "the try is answered", func() bool {
			return b.eval("document.readyState === 'complete' ? window.before || 'no' : ''") == "no"
		})
	}
	b.eval("window.before = 'yes'")
	b.look("sign-in-wait")
	eventually(t, "the wait is over", func() bool { return b.eval(wait+".textContent") == "a moment" })
	if b.eval("window.before") != "yes" || b.eval("new Date("+wait+".dateTime) <= Date.now()") != "true" {
		t.Error("it is over at another time, or on another page")
	}
	b.forgive("429")
	b.forgive("422")
	b.forgive("401")
}
