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
		"portfolio page for a stonemason":              {"<h1>Stonemason</h1>", `id="portfolio"`, `id="contact"`},
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

// What a page says of its owner stands where one looks for it, or at its end.
func TestPagesShowWhatWasToldOfTheirOwner(t *testing.T) {
	t.Parallel()
	need(t, "node")
	for sections, want := range map[string][]string{
		"about,contact,opening-hours,location": {"<p><a href=\"tel:+44(0)20-79460000\">+44 (0)20-7946 0000</a></p>\n      </section>", "<p>Mon-Fri 8:00-17:00, closed on Sundays</p>\n      </section>", "You find us in Leeds. 5 St. John&#39;s Road</p>"},
		"about":                                {"<p>5 St. John&#39;s Road, Leeds</p>\n      <p>Mon-Fri 8:00-17:00, closed on Sundays</p>\n      <p><a href=\"tel:+44(0)20-79460000\">+44 (0)20-7946 0000</a></p>\n      <p><a href=\"mailto:mia@crust.example\">mia@crust.example</a></p>\n    </footer>"},
	} {
		p := begin(t, "a website for a bakery in Leeds", nil)
		for key, value := range map[string]string{
			"sections": sections, "phone": "+44 (0)20-7946 0000", "hours": "Mon-Fri 8:00-17:00, closed on Sundays", "address": "5 St. John's Road", "email": "mia@crust.example", "when": "12 June 2026",
		} {
			p.state[key] = value
		}
		p.ask(t, "rename it to Zebra", nil)
		checkTree(t, p)
		page := string(p.files["site/index.html"].content)
		for _, part := range append(want, "A bakery in Leeds, 12 June 2026. On this page") {
			if !strings.Contains(page, part) {
				t.Errorf("with the sections %s the page has no %q:\n%s", sections, part, page)
			}
		}
		if strings.Contains(page, "say here when you are open") || strings.Contains(page, "hello@example.com") {
			t.Errorf("the page tells something else:\n%s", page)
		}
		command(t, p.write(t), nil, "npm", "test")
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
	listed := begin(t, "a website with about, menu, prices, faq, team, news, events, gallery, jobs, contact, classes and courses", nil)
	if got := strings.Split(listed.state["sections"], ","); len(got) != 10 || slices.Contains(got, "classes") || !strings.Contains(listed.memory, "Left out: classes") {
		t.Errorf("sections = %v\n%s", got, listed.memory)
	}
}
