package template

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// content decides what an API serves, a page shows or a command does.
func (p *plan) content(r *reading) error {
	s := &p.spec
	if s.Kind == kindSite {
		return p.sections(r)
	}
	if p.old == nil && s.Kind == kindCommand && len(r.Operations) > 0 {
		if s.Operations = r.Operations; len(r.things) > 0 {
			return r.refuse(fmt.Sprintf("Not understood: %q.", plural(r.things[0].singular)))
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
	s := &p.spec
	for _, section := range r.removed {
		if len(s.Sections)+len(r.Sections) == 1 {
			return r.refuse(fmt.Sprintf("%s is all that the page shows and cannot be removed; add another section first.", section))
		}
		s.Sections = slices.DeleteFunc(s.Sections, func(other string) bool { return other == section })
		p.note("sections", "removed the section "+section)
	}
	for _, section := range r.Sections {
		switch {
		case slices.Contains(s.Sections, section):
			p.already = append(p.already, "the page has the section "+section)
		case len(s.Sections) >= maxSections:
			r.leave(section, fmt.Sprintf("a page has at most %d sections", maxSections))
		default:
			s.Sections = append(s.Sections, section)
			p.note("sections", "added the section "+section)
		}
	}
	if p.old == nil {
		s.Subject = r.Subject
		p.reasons["subject"] = "what the request says the page is for"
	}
	if len(s.Sections) == 0 {
		s.Sections = usualFor(cmp.Or(s.Subject, strings.ToLower(r.Title)))
		p.reasons["sections"] = "the request names no part of a page; these are usual"
	}
	return nil
}

// usualFor is what a page shows when the request does not say. A coffee shop
// serves before it sells.
func usualFor(subject string) []string {
	const otherwise = "about,services,contact"
	usual := otherwise
	for _, w := range strings.Fields(subject) {
		if found := tables["usual"][singular(w)]; found != "" && (usual == otherwise || singular(w) != "shop" && singular(w) != "store") {
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
	s := &p.spec
	wanted := r.resourceOf(t)
	i := s.find(t.singular)
	switch {
	case i < 0 && s.Kind == kindCommand && len(s.Resources)+len(s.Operations) > 0:
		r.leave(wanted.Plural, "a command keeps one kind of record")
	case i < 0 && len(s.Resources) == maxResources:
		r.leave("/"+wanted.Plural, fmt.Sprintf("a project has at most %d resources", maxResources))
	case i < 0:
		s.Resources = append(s.Resources, wanted)
		p.note("resources", "added the resource "+wanted.Plural)
	default:
		for _, f := range wanted.Fields {
			if res := &s.Resources[i]; !res.has(f.Name) && len(res.Fields) < maxFields {
				res.Fields = append(res.Fields, f)
				p.note("resources", fmt.Sprintf("added the field %s to %s", f.Name, res.Plural))
			}
		}
	}
}

// resourceOf makes a resource of a thing: with the fields that were named, or
// else those that one expects of it. A todo with tags has a title, too.
func (r *reading) resourceOf(t *thing) resource {
	out := resource{Singular: t.singular, Plural: plural(t.singular), Fields: slices.Clone(t.fields)}
	for i, f := range strings.Split(cmp.Or(tables["has"][t.singular], "name:string"), ",") {
		name, kind, _ := strings.Cut(f, ":")
		if len(t.fields) == 0 || i == 0 && name == "title" && out.Required() == "" {
			out.Fields = slices.Insert(out.Fields, min(i, len(out.Fields)), field{name, kind})
		}
	}
	for _, parent := range t.parents {
		name := parent + "_id"
		out.Fields = slices.DeleteFunc(out.Fields, func(f field) bool { return f.Name == name })
		out.Fields = append(out.Fields, field{name, kindRef + parent})
	}
	return out
}

// remove takes resources and fields away.
func (p *plan) remove(r *reading) error {
	s := &p.spec
	for _, name := range r.removed {
		fieldName, of, isField := strings.Cut(name, " of ")
		i := s.find(cmp.Or(of, name))
		if i < 0 {
			continue
		}
		res := &s.Resources[i]
		if isField && len(res.Fields) == 1 || !isField && len(s.Resources) == 1 {
			return r.refuse(name + " is all that there is and cannot be removed; add another first.")
		}
		if isField {
			res.Fields = slices.DeleteFunc(res.Fields, func(f field) bool { return f.Name == fieldName })
			p.note("resources", "removed the field "+name)
			continue
		}
		p.note("resources", "removed the resource "+res.Plural)
		s.Resources = slices.Delete(s.Resources, i, i+1)
		for k := range s.Resources {
			s.Resources[k].Fields = slices.DeleteFunc(s.Resources[k].Fields, func(f field) bool { return f.Of() == name && len(s.Resources[k].Fields) > 1 })
		}
	}
	return nil
}
