package page

import (
	"slices"

	"github.com/bundle-delivery/svc/internal/plaintext"
	"github.com/bundle-delivery/svc/internal/words"
)

// Change reads a request that changes a page with sections.
func Change(x words.Text, sections []string) *Page {
	r := &reader{Page: &Page{}, changing: true}
	for _, sentence := range sentencesOf(withTables(x)) {
		verb := ""
		for _, c := range sentence {
			r.listing, r.whole = true, false
			for _, part := range c.changes() {
				if verb = r.change(part.bare(), verb, sections); verb == "" {
					r.Refuse(part.said())
				}
			}
			if len(c.asides) > 0 && !r.whole {
				r.Refuse(c.said())
			}
		}
	}
	return r.Page
}

// changes cuts a clause where another verb begins.
func (c clause) changes() []clause {
	for i := 1; i < len(c.Tokens); i++ {
		class := c.ClassAt(i)
		verb := class == "adding" || class == "removing" || class == "renaming" || c.Length(i, "page-now") > 1
		if verb && c.Is("page-and", c.At(i-1).Low) {
			return append([]clause{c.to(i - 1)}, c.from(i).changes()...)
		}
	}
	return []clause{c}
}

// change reads what is to be different, with the verb before it where it has none, and gives its verb; none where it is not
// understood.
func (r *reader) change(c clause, verb string, sections []string) string {
	m, n := c.Phrase(0)
	switch m.Class {
	case "adding", "removing", "renaming", "named":
		verb = m.Class
	default:
		n = 0
	}
	rest := c.from(n)
	for k := len(rest.Tokens); k > 0; k-- {
		if rest.Length(k-1, "page-whole") > 0 && rest.Length(k-1, "page-whole") == len(rest.Tokens)-k+1 { // to the page
			rest = rest.to(k - 1)
		}
	}
	switch {
	case len(c.Tokens) == 0:
		return "nothing"
	case verb == "renaming" || verb == "named":
		return map[bool]string{true: verb}[r.renamed(rest)]
	case verb == "removing":
		return map[bool]string{true: verb}[r.removes(rest, sections)]
	}
	if now := rest.Length(0, "page-now"); now > 1 || now > 0 && verb == "" {
		rest = rest.from(rest.Length(0, "page-now"))
	}
	if f := rest.factsFrom(0); f.end == len(rest.Tokens) && f.email+f.phone+f.hours+f.address != "" {
		r.take(f)
		return "adding"
	}
	if r.setting(c) {
		return "nothing"
	}
	if verb != "adding" {
		return ""
	}
	for _, each := range rest.items() {
		if f := each.factsFrom(0); f.end == len(each.Tokens) && f.email+f.phone+f.hours+f.address != "" {
			r.take(f)
		} else if !r.gains(each.bare(), sections) {
			return ""
		}
	}
	return verb
}

// gains reads a section that the page gets, and nothing that is only said of one that it has: the menu first.
func (r *reader) gains(c clause, sections []string) bool {
	name := c.name()
	if len(name.Tokens) == 0 {
		return len(c.Tokens) == 0
	}
	if said := len(name.Tokens) > 1 && slices.Contains(sections, plaintext.Slug(name.At(0).Low)); said && !name.exact() {
		return false
	}
	return r.part(c)
}

// removes reads sections that the page loses.
func (r *reader) removes(c clause, sections []string) bool {
	all := []clause{c}
	if !slices.Contains(sections, c.section()) {
		all = c.items()
	}
	for _, each := range all {
		section := each.bare().section()
		if !slices.Contains(sections, section) {
			return false
		}
		r.Removed = append(r.Removed, section)
	}
	return true
}

// renamed reads a new name.
func (r *reader) renamed(c clause) bool {
	c = c.from(c.After(0, "to", "as", "it"))
	if len(c.Tokens) == 0 || len(c.Tokens) > 6 {
		return false
	}
	return r.title(c.Written(0, len(c.Tokens)))
}
