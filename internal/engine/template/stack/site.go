package stack

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/bundle-delivery/svc/internal/engine/template/spec"
	"github.com/bundle-delivery/svc/internal/text/plaintext"
)

// Page is what the page of a site shows: what its spec has, and nothing else.
type Page struct {
	Sections []PageSection
	Footer   []Shown // facts that no section shows
	Link     *Shown  // the button at the top
	Palette  string  // the look of the site, of which styles.css has three
	Initial  string  // of the title, for the icon; may be empty
}

// PageSection is a section of a page.
type PageSection struct {
	ID    string // of the element
	Title string
	Shown []Shown
}

// Shown is a text on a page.
type Shown struct {
	Text  string
	Items []string // of a list, in place of Text
	Href  string   // of a link; empty: no link
}

// belongs has the names of sections in which a fact is looked for.
var belongs = map[string]*regexp.Regexp{
	"phone": contact, "email": contact, "link": contact,
	"hours":   regexp.MustCompile(`(?i)\b(hours|opening times)\b`),
	"address": regexp.MustCompile(`(?i)\b(location|venue|address|directions|getting there|where we are|(find|visit) us)\b`),
}

var contact = regexp.MustCompile(`(?i)\b(contact|contacts|get in touch|reach us|rsvp)\b`)

// Page arranges the texts of a site. A fact goes into the first section to which it
// belongs, else in the footer.
func (p Project) Page() Page {
	var out Page
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(p.Name))
	out.Palette = []string{"clay", "sea", "moss"}[hash.Sum32()%3]
	if at := strings.IndexFunc(p.Title, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }); at >= 0 {
		out.Initial = strings.ToUpper(string([]rune(p.Title[at:])[:1]))
	}
	taken := map[string]bool{"top": true, "content": true, "navigation": true}
	for _, s := range p.Sections {
		section := PageSection{ID: freeID(s.Name, taken), Title: plaintext.Capital(s.Name)}
		if s.Text != "" {
			section.Shown = append(section.Shown, textOf(s.Text))
		}
		out.Sections = append(out.Sections, section)
	}
	for _, f := range p.Facts {
		fact, at := factOf(f), -1
		if where := belongs[f.Key]; where != nil {
			at = slices.IndexFunc(p.Sections, func(s spec.Section) bool { return where.MatchString(s.Name) })
		}
		switch {
		case f.Key == "title" || f.Key == "tagline": // at the top
		case at >= 0 && !strings.Contains(p.Sections[at].Text, f.Value):
			out.Sections[at].Shown = append(out.Sections[at].Shown, fact)
		case at < 0 && f.Key != "link":
			out.Footer = append(out.Footer, fact)
		}
		if f.Key == "link" {
			out.Link = &fact
		}
	}
	return out
}

// freeID makes the id of a section, and reserves it together with that of its heading.
func freeID(name string, taken map[string]bool) string {
	base := cmp.Or(plaintext.Slug(name), "section")
	id := base
	for n := 2; taken[id] || taken[id+"-title"]; n++ {
		id = fmt.Sprint(base, "-", n)
	}
	taken[id], taken[id+"-title"] = true, true
	return id
}

var sentenceEnd = regexp.MustCompile(`[.!?](\s|$)`)

// textOf makes a list of a text with semicolons and without sentences.
func textOf(text string) Shown {
	items := strings.Split(strings.TrimSuffix(text, ";"), "; ")
	if len(items) < 2 || sentenceEnd.MatchString(text) {
		return Shown{Text: text}
	}
	for i, item := range items {
		items[i] = strings.TrimPrefix(strings.TrimSpace(item), "- ")
	}
	return Shown{Items: slices.DeleteFunc(items, func(item string) bool { return item == "" })}
}

var notDialed = regexp.MustCompile(`[^+0-9]`)

func factOf(f spec.Fact) Shown {
	switch f.Key {
	case "phone":
		dialed := f.Value
		if dialed[0] == '+' {
			dialed = strings.Replace(dialed, "(0)", "", 1) // is dialed only within the country
		}
		return Shown{Text: f.Value, Href: "tel:" + notDialed.ReplaceAllString(dialed, "")}
	case "email":
		return Shown{Text: f.Value, Href: "mailto:" + f.Value}
	case "link":
		_, text, _ := strings.Cut(f.Value, "://")
		return Shown{Text: strings.TrimSuffix(text, "/"), Href: f.Value}
	}
	return textOf(f.Value)
}
