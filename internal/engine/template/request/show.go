package request

import (
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/project"
	"github.com/bundle-delivery/svc/internal/plaintext"
)

const oneOnly = "a page tells one of them"

// fact takes what a request tells of the owner of a page.
func (b *builder) fact(f span, prep string, adjacent bool) {
	switch f.role {
	case mailFact:
		b.once(&b.Email, f.text)
	case phoneFact:
		b.once(&b.Phone, f.text)
	case dayFact:
		b.once(&b.When, f.text)
	case addressFact:
		b.once(&b.Address, f.text)
	case hoursFact:
		b.hours(f.text)
	case linkFact:
		b.leave(f.text, "links are yours to add")
	case titleName:
		b.once(&b.Title, f.text)
	case placeName, regionName:
		b.place(f, prep, adjacent)
	case partName:
		b.part(strings.Join(strings.Fields(plaintext.Slug(f.text)), "-"))
	case otherName:
		b.leave(strings.TrimSpace(prep+" "+f.text), yoursToSay)
	}
}

// once takes a fact of which a page tells one.
func (b *builder) once(to *string, text string) {
	switch {
	case *to == text:
	case *to != "":
		b.leave(text, oneOnly)
	case to != &b.Title && to != &b.Email && to != &b.Phone && !project.AsTold(text):
		b.leave(text, "yours to fill in")
	default:
		*to = text
	}
}

// hours adds to the opening hours.
func (b *builder) hours(text string) {
	all := strings.TrimPrefix(b.Hours+", "+strings.ReplaceAll(text, "&", "and"), ", ")
	if !project.AsTold(all) {
		b.leave(text, "yours to fill in")
		return
	}
	b.Hours = all
}

// place takes where something is: a town, or a house in one.
func (b *builder) place(f span, prep string, adjacent bool) {
	words := strings.Fields(f.text)
	house := b.Text.Is("page-hall", strings.ToLower(words[len(words)-1]))
	switch {
	case b.Place == "":
		b.Place = f.text
	case strings.Contains(b.Place, f.text) || strings.Contains(b.Address, f.text):
	case f.role == regionName:
		b.Place = plaintext.Title(b.Place + " " + f.text)
	case prep == "near" || prep == "in" && adjacent && b.Text.Is("page-hall", last(b.Place)):
		b.Place = plaintext.Title(b.Place + " " + prep + " " + f.text)
	case house && b.Address == "" && project.AsTold(f.text):
		b.Address = f.text
	default:
		b.leave(f.text, oneOnly)
	}
}

func last(text string) string {
	words := strings.Fields(strings.ToLower(text))
	return words[len(words)-1]
}

// subject takes what a page is about.
func (b *builder) subject(all []string) {
	text := strings.NewReplacer("b&b", "bed and breakfast", "B&B", "bed and breakfast", "'", "", "&", "and").Replace(strings.Join(all, " "))
	if who, what, in := strings.Cut(text, " in "); in && (b.Text.Is("discipline", last(what)) ||
		strings.HasSuffix(what, "ology")) { // a student in marine biology
		text = what + " " + who
	}
	text = plaintext.Line(text, plaintext.MaxTitle)
	switch {
	case b.Subject == text:
	case b.Subject != "", len(strings.Fields(text)) > project.MaxSubject:
		b.leave(text, yoursToSay)
	default:
		b.Subject = text
	}
}

// part takes a section of a page.
func (b *builder) part(slug string) {
	for _, calls := range []string{"section-for-", "section-about-", "section-on-"} {
		slug = strings.TrimPrefix(slug, calls)
	}
	switch {
	case slices.Contains(b.Sections, slug):
	case project.NotSectionName(slug):
		b.leave(strings.ReplaceAll(slug, "-", " "), yoursToSay)
	default:
		b.Sections = append(b.Sections, slug)
	}
}
