package main

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

func TestTheConsoleIsUsedWithTheKeyboard(t *testing.T) {
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
	if prompt := b.eval("document.getElementById('prompt').value"); len(prompt) < 10 {
		t.Fatalf("the example became %q", prompt)
	}
	b.follow("Start", "Generation succeeded")

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
