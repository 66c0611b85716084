package template_test

import (
	"slices"
	"strings"
	"testing"
)

func TestStaticSitesPassTheirOwnTests(t *testing.T) {
	t.Parallel()
	need(t, "node")
	p := begin(t, `A landing page for a bakery called "Sunny Bakery" with a menu, opening hours, family recipes and contact`, nil)
	for _, step := range []string{
		"", "add a pricing section and a gallery", `rename to "<b>Tom & Co</b>"`, "remove the gallery and add all of about, faq, newsletter, location and team",
	} {
		if step != "" {
			p.ask(t, step, nil)
		}
		command(t, p.write(t), nil, "npm", "test")
	}
}

func TestPagesAreAboutWhatWasAskedFor(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string][]string{
		"a landing page for a coffee shop": {
			"<title>Coffee Shop</title>", "<h1>Coffee Shop</h1>", "A coffee shop. On this page: about, menu, opening hours, location and contact.", `<h2 id="menu-title">Menu</h2>`, "Espresso", `id="contact"`,
		},
		"a site for a rock band with tour dates, music and merch": {
			"<h1>Rock Band</h1>", `<a href="#tour-dates">Tour dates</a>`, `<h2 id="music-title">Music</h2>`, "T-shirt", "On this page: tour dates, music and merch.",
		},
		`a website for an architect called "Ada & Co"`: {"<h1>Ada &amp; Co</h1>", "An architect.", `id="portfolio"`},
	} {
		p := begin(t, prompt, nil)
		checkTree(t, p)
		for _, part := range want {
			if page := string(p.files["site/index.html"].content); !strings.Contains(page, part) {
				t.Errorf("%q: the page has no %q:\n%s", prompt, part, page)
			}
		}
	}
}

func TestSectionsOfAnyNameComeAndGo(t *testing.T) {
	t.Parallel()
	p := begin(t, "a site for a rock band with tour dates and music", nil)
	for _, step := range []struct{ prompt, want string }{
		{"add a fan club section", "tour-dates,music,fan-club"},
		{"remove the tour dates section and add a section for our crew", "music,fan-club,crew"},
		{"remove the fan club section", "music,crew"},
		{"add merch", "music,crew,merch"},
	} {
		p.ask(t, step.prompt, nil)
		if got := p.state["sections"]; got != step.want {
			t.Errorf("%q: sections = %s, want %s", step.prompt, got, step.want)
		}
	}
	if p.state["subject"] != "rock band" {
		t.Errorf("subject = %q", p.state["subject"])
	}
	listed := begin(t, "a website with aa, bb, cc, dd, ee, ff, gg, hh, ii, jj, kk and ll", nil)
	if got := strings.Split(listed.state["sections"], ","); len(got) != 10 || slices.Contains(got, "kk") || !strings.Contains(listed.memory, "Left out: kk") {
		t.Errorf("sections = %v\n%s", got, listed.memory)
	}
}
