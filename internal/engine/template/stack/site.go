package stack

import (
	"fmt"
	"hash/fnv"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/bundle-delivery/svc/internal/engine/template/spec"
	"github.com/bundle-delivery/svc/internal/plaintext"
)

// Page is what the page of a site shows: what its spec has, and nothing else.
type Page struct {
	Sections []PageSection
	Footer   []Shown // facts that no section shows
	Link     *Shown  // the button at the top
	Palette  Palette
	Initial  string // of the title, for the icon; may be empty
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

// Palette is the look of a site: colours for a light and a dark background, as they
// stand in a style sheet, the font of headings, and the radius of corners.
type Palette struct {
	Light, Dark  Colors
	Font, Radius string
}

// Colors are the colours of a page.
type Colors struct{ Back, Soft, Text, Muted, Accent, OnAccent, Line string }

var palettes = []Palette{
	{ // clay
		Colors{"#fffaf5", "#f7ebdf", "#2b1d16", "#6b5346", "#a03d17", "#ffffff", "#e6d3c3"},
		Colors{"#1b1411", "#271c17", "#f5e9e0", "#c4ac9d", "#ffab85", "#2b1109", "#443229"},
		`ui-serif, "Iowan Old Style", Palatino, Georgia, serif`, "0.25rem",
	},
	{ // sea
		Colors{"#ffffff", "#eaf3f7", "#10222c", "#4a626e", "#0b5f87", "#ffffff", "#cfe0e8"},
		Colors{"#0f171c", "#17232a", "#e4eef3", "#9db4bf", "#79c7ee", "#06222f", "#2b3d47"},
		`system-ui, sans-serif`, "999px",
	},
	{ // moss
		Colors{"#fbfcf7", "#edf2e0", "#1c2416", "#56624a", "#3d6615", "#ffffff", "#d6dfc2"},
		Colors{"#131710", "#1c2217", "#e9f0e0", "#aab89b", "#b3d97d", "#1a2808", "#38422c"},
		`Seravek, "Gill Sans", Candara, Ubuntu, sans-serif`, "0.75rem",
	},
}

// belongs has the names of sections in which a fact is looked for.
var belongs = map[string]*regexp.Regexp{
	"phone": contact, "email": contact, "link": contact,
	"hours":   regexp.MustCompile(`(?i)\b(hours|opening times)\b`),
	"address": regexp.MustCompile(`(?i)\b(location|venue|address|directions|getting there|where we are|(find|visit) us)\b`),
}

var contact = regexp.MustCompile(`(?i)\b(contact|contacts|get in touch|reach us|rsvp)\b`)

// Page arranges the texts of a site. A fact stands in the first section to which it
// belongs, else in the footer.
func (p Project) Page() Page {
	var out Page
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(p.Name))
	out.Palette = palettes[hash.Sum32()%uint32(len(palettes))]
	if at := strings.IndexFunc(p.Title, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }); at >= 0 {
		out.Initial = strings.ToUpper(string([]rune(p.Title[at:])[:1]))
	}
	taken := map[string]bool{"top": true, "content": true, "navigation": true}
	shown := map[string]bool{"title": true, "tagline": true}
	for _, s := range p.Sections {
		section := PageSection{ID: freeID(s.Name, taken), Title: plaintext.Capital(s.Name)}
		if s.Text != "" {
			section.Shown = append(section.Shown, textOf(s.Text))
		}
		for _, f := range p.Facts {
			if where := belongs[f.Key]; where == nil || !where.MatchString(s.Name) || shown[f.Key] {
				continue
			}
			shown[f.Key] = true
			if !strings.Contains(s.Text, f.Value) {
				section.Shown = append(section.Shown, factOf(f))
			}
		}
		out.Sections = append(out.Sections, section)
	}
	for _, f := range p.Facts {
		fact := factOf(f)
		if f.Key == "link" {
			out.Link = &fact
		} else if !shown[f.Key] {
			out.Footer = append(out.Footer, fact)
		}
	}
	return out
}

// freeID makes the id of a section, and takes it together with that of its heading.
func freeID(name string, taken map[string]bool) string {
	base := plaintext.Slug(name)
	if base == "" {
		base = "section"
	}
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
