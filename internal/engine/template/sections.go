package template

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/project"
	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/words"
)

// sections decides what a page shows.
func (p *plan) sections(r *reading) error {
	if err := p.lose(r); err != nil {
		return err
	}
	for _, section := range r.Sections {
		switch {
		case slices.Contains(p.Sections, section):
			p.already = append(p.already, "the page has the section "+section)
		case len(p.Sections) >= project.MaxSections:
			r.leave(section, fmt.Sprintf("a page has at most %d sections", project.MaxSections))
		default:
			p.Sections = append(p.Sections, section)
			p.note("sections", "added the section "+section)
		}
	}
	if err := p.move(r); err != nil {
		return err
	}
	if p.old == nil {
		if p.Subject = r.Subject; r.Title+r.Subject == "" && len(r.Sections) == 0 {
			return r.refuse("The request does not say what it is for.")
		}
		p.reasons["subject"] = "what the request says the page is for"
	}
	if len(p.Sections) == 0 {
		p.Sections = usualFor(p.Subject, strings.ToLower(r.Title))
		if slices.ContainsFunc(r.Tokens, func(t words.Token) bool { return t.Low == "portfolio" && !t.Quoted && !t.Capital }) {
			p.Sections = usualFor("portfolio", "")
		}
		p.reasons["sections"] = "the request names no part of a page; these are usual"
		r.leave("sections", "none were told; usual are "+english.List(p.Sections))
	}
	return nil
}

// factsOf are the facts that a section shows, by how it looks; elsewhere the foot of the page tells them.
var factsOf = map[string][]string{"contact": {"email", "phone"}, "hours": {"hours"}, "location": {"address"}}

// lose takes sections and facts from a page. What a section shows goes with the last one that shows it.
func (p *plan) lose(r *reading) error {
	looks := func(section string) string { return tables["layout"][strings.ReplaceAll(section, "-", " ")] }
	for _, section := range r.removed {
		if len(p.Sections)+len(r.Sections) == 1 {
			return r.refuse(fmt.Sprintf("%s is all that the page shows and cannot be removed; add another section first.", section))
		}
		p.Sections = slices.DeleteFunc(p.Sections, func(other string) bool { return other == section })
		p.note("sections", "removed the section "+section)
		if !slices.ContainsFunc(p.Sections, func(other string) bool { return looks(other) == looks(section) }) {
			for _, key := range factsOf[looks(section)] {
				if p.Decided(key).Text() != "" {
					p.set(key, "")
				}
			}
		}
	}
	for _, key := range r.dropped {
		p.set(key, "")
	}
	return nil
}

// move gives sections other names and places.
func (p *plan) move(r *reading) error {
	for _, m := range r.moves {
		i := slices.Index(p.Sections, m.Section)
		if i < 0 || slices.Contains(p.Sections, m.Other) == (m.Where == "renamed") && m.Other != "" {
			return r.refuse(fmt.Sprintf("What becomes of the section %s is told twice.", m.Section))
		}
		if m.Where == "renamed" {
			p.Sections[i] = m.Other
			p.note("sections", fmt.Sprintf("renamed the section %s to %s", m.Section, m.Other))
			continue
		}
		before := slices.Clone(p.Sections)
		p.Sections = slices.Delete(p.Sections, i, i+1)
		to := map[string]int{"last": len(p.Sections), "before": slices.Index(p.Sections, m.Other), "behind": slices.Index(p.Sections, m.Other) + 1}[m.Where]
		p.Sections = slices.Insert(p.Sections, max(to, 0), m.Section)
		if slices.Equal(before, p.Sections) {
			p.already = append(p.already, "the section "+m.Section+" stands there")
		} else {
			p.note("sections", "moved the section "+m.Section)
		}
	}
	return nil
}

// usualFor is what a page shows when the request does not say, by what somebody or something is, and not by what stands before
// or behind that: a school bus company, a talk at the museum. A coffee shop serves before it sells; any word of a name tells.
func usualFor(subject, name string) []string {
	is := func(table, w string) bool { _, is := tables[table][w]; return is }
	all := strings.Fields(cmp.Or(subject, name))
	if i := slices.IndexFunc(all, func(w string) bool { return is("usual-until", w) }); i > 0 {
		all = all[:i]
	}
	found := ""
	for i, w := range all {
		w = english.Singular(w)
		usual := cmp.Or(tables["usual"][all[max(0, i-1)]+" "+w], tables["usual"][w])
		serves := (w == "shop" || w == "store") && found != "" && !strings.Contains(found, "gallery") && !strings.Contains(found, "events")
		if head := subject == "" || i+1 == len(all) || is("usual-behind", all[i+1]) || is("usual-before", w); head && usual != "" && !serves {
			found = usual
		}
	}
	return strings.Split(cmp.Or(found, "about,contact"), ",")
}
