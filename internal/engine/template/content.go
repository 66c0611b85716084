package template

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/english"
)

// content decides what an API serves, a page shows or a command does.
func (p *plan) content(r *reading) error {
	if p.Kind == kindSite {
		return p.sections(r)
	}
	if p.old == nil && p.Kind == kindCommand && len(r.Operations) > 0 {
		if p.Operations = r.Operations; len(r.things) > 0 {
			return r.refuse(fmt.Sprintf("Not understood: %q.", english.Plural(r.things[0].singular)))
		}
		p.reasons["operations"] = "asked for"
		return nil
	}
	if p.old == nil && len(r.things) == 0 {
		return r.refuse("The request does not say what it is for.")
	}
	for _, t := range r.things {
		p.add(r, t)
	}
	return p.remove(r)
}

// sections decides what a page shows.
func (p *plan) sections(r *reading) error {
	for _, section := range r.removed {
		if len(p.Sections)+len(r.Sections) == 1 {
			return r.refuse(fmt.Sprintf("%s is all that the page shows and cannot be removed; add another section first.", section))
		}
		p.Sections = slices.DeleteFunc(p.Sections, func(other string) bool { return other == section })
		p.note("sections", "removed the section "+section)
	}
	for _, section := range r.Sections {
		switch {
		case slices.Contains(p.Sections, section):
			p.already = append(p.already, "the page has the section "+section)
		case len(p.Sections) >= maxSections:
			r.leave(section, fmt.Sprintf("a page has at most %d sections", maxSections))
		default:
			p.Sections = append(p.Sections, section)
			p.note("sections", "added the section "+section)
		}
	}
	if p.old == nil {
		if p.Subject = r.Subject; r.Title+r.Subject == "" && len(r.Sections) == 0 {
			return r.refuse("The request does not say what it is for.")
		}
		p.reasons["subject"] = "what the request says the page is for"
	}
	if len(p.Sections) == 0 {
		p.Sections = usualFor(cmp.Or(p.Subject, r.words(0, len(r.tokens))))
		p.reasons["sections"] = "the request names no part of a page; these are usual"
	}
	return nil
}

// usualFor is what a page shows when the request does not say: a coffee shop serves before it sells.
func usualFor(subject string) []string {
	const otherwise = "about,contact"
	usual := otherwise
	for _, w := range strings.Fields(subject) {
		if found := tables["usual"][english.Singular(w)]; found != "" && (usual == otherwise || english.Singular(w) != "shop" && english.Singular(w) != "store") {
			usual = found
		}
	}
	return strings.Split(usual, ",")
}

// find gives the place of a resource.
func (s *spec) find(singular string) int {
	return slices.IndexFunc(s.Resources, func(r resource) bool { return r.Singular == singular })
}

// add makes a resource of a thing, or gives a resource the fields that it has not.
func (p *plan) add(r *reading, t *thing) {
	wanted := r.resourceOf(t)
	i := p.find(t.singular)
	switch {
	case i < 0 && p.Kind == kindCommand && len(p.Resources)+len(p.Operations) > 0:
		r.leave(wanted.Plural, "a command keeps one kind of record")
	case i < 0 && len(p.Resources) == maxResources:
		r.leave("/"+wanted.Plural, fmt.Sprintf("a project has at most %d resources", maxResources))
	case i < 0:
		p.Resources = append(p.Resources, wanted)
		p.note("resources", "added the resource "+wanted.Plural)
	default:
		for _, f := range wanted.Fields {
			if res := &p.Resources[i]; !res.has(f.Name) && len(res.Fields) < maxFields {
				res.Fields = append(res.Fields, f)
				p.note("resources", fmt.Sprintf("added the field %s to %s", f.Name, res.Plural))
			}
		}
	}
}

// resourceOf makes a resource with the fields that were named, or else those that one expects of it.
func (r *reading) resourceOf(t *thing) resource {
	out := resource{Singular: t.singular, Plural: english.Plural(t.singular), Fields: slices.Clone(t.fields)}
	for i, f := range strings.Split(cmp.Or(tables["has"][t.singular[strings.LastIndex(t.singular, "_")+1:]], "name:string"), ",") {
		name, kind, _ := strings.Cut(f, ":")
		if len(t.fields) == 0 || i == 0 && name == "title" && !out.has(name) && (out.Required() == "" || is("no-title", out.Required())) {
			out.Fields = slices.Insert(out.Fields, min(i, len(out.Fields)), field{name, kind})
		}
	}
	for _, parent := range t.parents {
		name := parent.singular + "_id"
		out.Fields = slices.DeleteFunc(out.Fields, func(f field) bool { return f.Name == name || f.Name == parent.singular && f.Kind == kindString })
		out.Fields = append(out.Fields, field{name, kindRef + parent.singular})
	}
	return out
}

// remove takes resources and fields away.
func (p *plan) remove(r *reading) error {
	for _, name := range r.removed {
		fieldName, of, isField := strings.Cut(name, " of ")
		i := p.find(cmp.Or(of, name))
		if i < 0 {
			continue
		}
		res := &p.Resources[i]
		if isField && len(res.Fields) == 1 || !isField && len(p.Resources) == 1 {
			return r.refuse(name + " is all that there is and cannot be removed; add another first.")
		}
		if isField {
			res.Fields = slices.DeleteFunc(res.Fields, func(f field) bool { return f.Name == fieldName })
			p.note("resources", "removed the field "+name)
			continue
		}
		p.note("resources", "removed the resource "+res.Plural)
		p.Resources = slices.Delete(p.Resources, i, i+1)
		for k := range p.Resources {
			p.Resources[k].Fields = slices.DeleteFunc(p.Resources[k].Fields, func(f field) bool { return f.Of() == name && len(p.Resources[k].Fields) > 1 })
		}
	}
	return nil
}
