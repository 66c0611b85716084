package template

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/project"

	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/history"
	"github.com/bundle-delivery/svc/internal/plaintext"
)

// plan is what becomes of a request: the spec of the project, why it is so, and what was done.
type plan struct {
	spec
	old     *spec             // nil for a new project
	reasons map[string]string // by key of the state
	said    string            // what the run did, for the history
	done    []string
	already []string
}

// planOf plans a new project, or the change of one that this engine began.
func planOf(old *spec, prompt string, c constraints) (plan, error) {
	r := readFor(prompt, old)
	c.override(r)
	if old != nil && r.Language != "" && r.Language != old.Language {
		return plan{}, unresolvable("language %q cannot be met: the project is locked to %s; begin a new project for another language.", r.Language, old.Language)
	}
	if err := r.verdict(); err != nil {
		return plan{}, err
	}
	p := plan{old: old, reasons: map[string]string{}, already: r.already}
	if old != nil {
		p.spec = old.Clone()
	}
	for _, step := range []func(*reading) error{p.ground, p.content, p.name, p.settle} {
		if err := step(r); err != nil {
			return plan{}, err
		}
	}
	p.leave(r)
	about := map[string]any{"begun": old == nil, "spec": &p.spec, "done": p.done, "already": p.already, "given": r.given, "left": r.Left}
	if old != nil && len(p.done) == 0 { // a run that did nothing would look like one that did
		about["left"] = slices.DeleteFunc(slices.Clone(r.Left), understood)
		return plan{}, r.refuse(say("nothing", about))
	}
	p.said = say("history", about)
	return p, nil
}

// ground decides the kind and the language of a new project; they stay.
func (p *plan) ground(r *reading) error {
	if p.old != nil {
		return nil
	}
	p.reasons[project.StateKey] = "this project is written from templates, the same for the same request"
	p.reasons["kind"], p.reasons["language"] = "asked for", "asked for"
	p.Kind, p.Language = r.Kind, r.Language
	if p.Language == "" {
		p.Language = project.Languages[p.Kind][0]
		if r.scripted && p.Kind != project.Site {
			p.Language = project.Python
		}
		p.reasons["language"] = "the request names no language; this one needs nothing but its standard library here"
		if p.Kind == project.Site {
			p.reasons["language"] = "HTML and CSS, which browsers read as they are"
		}
	}
	if !slices.Contains(project.Languages[p.Kind], p.Language) {
		return r.refuse(fmt.Sprintf("%s is not written in %s.", tables["called"][p.Kind], tables["called"][p.Language]))
	}
	return nil
}

// choices are the settings that are one of a few values, with the usual one and why it is.
var choices = []struct{ key, usual, why string }{
	{"database", none, "none was asked for; records live in memory behind an interface"},
	{"auth", none, "none was asked for; everyone who reaches the port may use the API"},
	{"cors", "off", "not asked for; browsers of other origins stay out"},
	{"license", none, "none was asked for; all rights stay with the owner"},
}

// settle takes what was asked for of the settings, and the usual for what was not.
func (p *plan) settle(r *reading) error {
	if r.Module != "" && p.Language != project.Go {
		return r.refuse("A module path is for Go.")
	}
	if p.Kind == project.Command {
		if p.old != nil && r.Port > 0 {
			r.leave(fmt.Sprintf("port %d", r.Port), "a command listens on none")
		}
		r.Port = 0
	} else if p.old == nil && r.Port == 0 {
		p.Decided("port").Set(tables["usual-port"][p.Language])
		p.reasons["port"] = "the usual port for " + p.Language
		if p.Kind == project.Site {
			p.reasons["port"] = "the usual port for a site that is tried at home"
		}
	}
	if r.PageSize > 0 && p.Kind != project.API {
		r.leave(fmt.Sprintf("%d per page", r.PageSize), "only an API has pages of records")
		r.PageSize = 0
	}
	if moved := p.old != nil && r.Place != "" && r.Place != p.Place; moved && p.Address != "" && r.Address == "" {
		return r.refuse(fmt.Sprintf("The page tells the address %s, which would not be in %s: tell the new one too.", p.Address, r.Place))
	}
	for _, key := range []string{"port", "module", "place", "email", "phone", "hours", "address", "when", "page_size"} {
		if wish := r.Decided(key).Text(); wish != "" {
			p.set(key, wish)
		}
	}
	for _, choice := range choices {
		wish, values := r.Decided(choice.key).Text(), p.ValuesOf(choice.key)
		inFile := p.Kind == project.Command && (wish == project.File || wish == project.AnyDatabase) // as a command's records are anyway
		switch {
		case wish == project.AnyDatabase && p.Kind == project.API:
			p.set(choice.key, values[1])
			p.reasons[choice.key] = "a request that asks for any database gets this one"
		case len(values) == 1 && (wish == "" || wish == choice.usual || inFile): // this kind of project has no such setting
		case wish == "" && p.old == nil:
			p.Decided(choice.key).Set(choice.usual)
			p.reasons[choice.key] = choice.why
		case wish != "" && !slices.Contains(values, wish):
			return r.refuse(fmt.Sprintf("%s %s cannot be had with %s.", choice.key, wish, tables["called"][p.Language]))
		case wish != "":
			p.set(choice.key, wish)
		}
	}
	if p.old != nil && p.Database != p.old.Database && p.old.Database != none {
		if !slices.Contains(p.Former, p.old.Database) {
			p.Former = append(p.Former, p.old.Database)
		}
		p.reasons["former_databases"] = "a folder that was pulled before keeps what was configured for it"
		p.done = append(p.done, "in a folder pulled before, compose.yaml and .env keep the settings of the old database, and its records stay where they are, until they are removed by hand")
	}
	return nil
}

// set decides something that was asked for.
func (p *plan) set(key, value string) {
	d := p.spec.Decided(key)
	before := d.Text()
	if p.old != nil && before == value {
		p.already = append(p.already, key+" is "+cmp.Or(value, none))
		return
	}
	d.Set(value)
	p.note(key, fmt.Sprintf("%s from %s to %s", key, cmp.Or(before, none), cmp.Or(value, none)))
}

func (p *plan) note(key, what string) {
	p.reasons[key] = "asked for"
	if p.old != nil {
		p.reasons[key] = "asked for in a later request"
	}
	p.done = append(p.done, what)
}

// name decides what the project is called.
func (p *plan) name(r *reading) error {
	if name := project.Slug(r.Title); name != "" && (name != p.Name || r.Title != p.Title) {
		p.note("name", fmt.Sprintf("name from %s to %s", p.Name, name))
		p.reasons["title"] = p.reasons["name"]
		p.Name, p.Title = name, r.Title
	}
	if p.Name != "" {
		return nil
	}
	p.reasons["name"], p.reasons["title"] = "made of what the project is about", "made of what the project is about"
	p.Title = r.Title
	switch {
	case p.Kind == project.Site:
		p.Name = cmp.Or(project.Slug(p.Subject+" site"), "my-site")
		p.Title = cmp.Or(p.Title, plaintext.Title(spelled(p.Subject)))
	case len(p.Operations) > 0:
		p.Name = p.Operations[0]
	case p.Kind == project.Command:
		p.Name = project.Slug(p.Resources[0].Plural)
	default:
		p.Name = project.Slug(p.Resources[0].Singular + "-api")
	}
	if r.Module != "" {
		p.Name = cmp.Or(project.Slug(r.Module[strings.LastIndex(r.Module, "/")+1:]), p.Name)
	}
	p.Title = cmp.Or(p.Title, plaintext.Spelled(p.Name))
	return nil
}

// spelled gives a subject as a title, with the hyphens that it has: T-Shirt Printing.
func spelled(subject string) string {
	title := plaintext.Spelled(strings.ReplaceAll(subject, " ", "-"))
	for _, word := range strings.Fields(subject) {
		if first, rest, is := strings.Cut(word, "-"); is {
			for _, second := range []string{rest, plaintext.Capital(rest)} {
				title = strings.Replace(title, plaintext.Capital(first)+" "+second, plaintext.Capital(first)+"-"+second, 1)
			}
		}
	}
	return title
}

// leave adds what the request names and the project does not get.
func (p *plan) leave(r *reading) {
	p.reasons["left_out"] = "named in a request and not in the project"
	linked := slices.ContainsFunc(p.Resources, func(res resource) bool {
		return slices.ContainsFunc(res.Fields, func(f field) bool { return f.Of() != "" })
	})
	p.Left = slices.DeleteFunc(p.Left, func(left string) bool { // what an earlier request did not tell, and this one does
		return strings.HasPrefix(left, "relations of ") && (linked || len(p.Resources) < 2)
	})
	for _, each := range r.Left {
		if each = strings.ReplaceAll(plaintext.Line(each, 200), ";", ","); !slices.Contains(p.Left, each) {
			p.Left = append(p.Left, each)
		}
	}
	for len(p.Left) > 0 && len(strings.Join(p.Left, "; ")) > project.MaxLeftOut {
		p.Left = p.Left[1:]
	}
}

// memoryOf writes the memory document from what was understood, never from the prompt.
func memoryOf(s spec, old, said string) string { return say("memory", &s) + history.Add(old, said) }

// content decides what an API serves, a page shows or a command does.
func (p *plan) content(r *reading) error {
	if p.Kind == project.Site {
		return p.sections(r)
	}
	if p.old == nil && p.Kind == project.Command && len(r.Operations) > 0 {
		if p.Operations = r.Operations; len(r.things) > 0 {
			return r.refuse(fmt.Sprintf("Not understood: %q.", english.Plural(r.things[0].singular)))
		}
		p.reasons["operations"] = "asked for"
		return nil
	}
	if p.old == nil && len(r.things) == 0 {
		return r.refuse("The request does not say what it is for.")
	}
	for k, t := range r.things { // todos for garden jobs, with a month
		if p.old == nil && p.Kind == project.Command && k > 0 && len(t.fields) > 0 {
			return r.refuse(fmt.Sprintf("A command keeps one kind of record, and not %q too.", strings.ReplaceAll(english.Plural(t.singular), "_", " ")))
		}
	}
	for _, o := range r.Operations {
		if !slices.Contains(p.Operations, o) {
			p.Operations = append(p.Operations, o)
			p.note("operations", "it "+tables["does"][o]+" too")
		}
	}
	for _, t := range r.things {
		p.add(r, t)
	}
	if len(p.Decided("resources").Text()) > project.MaxState {
		return r.refuse("These are more fields and rules than a project can have.")
	}
	if err := p.remove(r); err != nil {
		return err
	}
	return p.rename(r)
}

// add makes a resource of a thing, or gives a resource the fields that it has not.
func (p *plan) add(r *reading, t *thing) {
	wanted := r.resourceOf(t)
	for k, f := range wanted.Fields {
		if f.Unique && len(wanted.Plural)+len(f.Name) > project.MaxUnique {
			wanted.Fields[k].Unique = false
			r.leave("unique "+f.Name, "the name is too long for it")
		}
	}
	i := p.Find(t.singular)
	switch {
	case i < 0 && p.Kind == project.Command && len(p.Resources)+len(p.Operations) > 0:
		r.leave(wanted.Plural, "a command keeps one kind of record")
	case i < 0 && len(p.Resources) == project.MaxResources:
		r.leave("/"+wanted.Plural, fmt.Sprintf("a project has at most %d resources", project.MaxResources))
	case i < 0:
		p.Resources = append(p.Resources, wanted)
		p.note("resources", "added the resource "+wanted.Plural)
	default:
		for _, f := range wanted.Fields {
			res := &p.Resources[i]
			k := slices.IndexFunc(res.Fields, func(other field) bool { return other.Name == f.Name })
			switch {
			case k < 0 && len(res.Fields) < project.MaxFields:
				if f.Of() != "" && res.Has(f.Of()) {
					r.leave(f.Of()+" of "+res.Plural+" as a reference", "it stays as it is beside "+f.Name+", until it is removed")
				}
				res.Fields = append(res.Fields, f)
				p.note("resources", fmt.Sprintf("added the field %s to %s", f.Name, res.Plural))
			case k >= 0 && res.Fields[k].Kind != f.Kind:
				res.Fields[k] = f
				p.forget(f.Name)
				p.note("resources", fmt.Sprintf("the field %s of %s is %s now", f.Name, res.Plural, f.In().Words))
			case k >= 0 && !reflect.DeepEqual(res.Fields[k].Rules, f.Rules):
				res.Fields[k].Rules = f.Rules
				p.note("resources", fmt.Sprintf("changed the rules of the field %s of %s", f.Name, res.Plural))
			}
		}
	}
}

// resourceOf makes a resource with the fields that were named, or else those that one expects of it.
func (r *reading) resourceOf(t *thing) resource {
	out := resource{Singular: t.singular, Plural: english.Plural(t.singular), Fields: slices.Clone(t.fields)}
	last := t.singular[strings.LastIndex(t.singular, "_")+1:]
	if is("has-alone", last) {
		last = t.singular
	}
	for i, f := range strings.Split(cmp.Or(tables["has"][last], tables["has-too"][last], "name:string"), ",") {
		name, kind, _ := strings.Cut(f, ":")
		first := append(out.Required(), "")[0]
		said := first == "author" || is("said", last) // quotes with author and source
		untold := !t.whole && i == 0 && !out.Has(name) && (name == "title" && (first == "" || is("no-title", first)) || name == "text" && said && !out.Has(last) && !out.Has("words"))
		if slices.ContainsFunc(r.things, func(o *thing) bool { return english.Plural(o.singular) == name }) { // recipes and their ingredients
			continue
		}
		if !t.link && (len(t.fields) == 0 || untold) {
			out.Fields = slices.Insert(out.Fields, min(i, len(out.Fields)), field{Name: name, Kind: kind})
		}
		if !t.link && len(t.fields) > 0 && untold {
			r.leave("only what was told of "+strings.ReplaceAll(out.Plural, "_", " "), "they have a "+name+" too, by which they are told apart")
		}
	}
	for _, parent := range t.parents {
		name := parent.singular + "_id"
		out.Fields = slices.DeleteFunc(out.Fields, func(f field) bool { return f.Name == name || f.Name == parent.singular && f.Kind == kindString })
		out.Fields = append(out.Fields, field{Name: name, Kind: project.Ref + parent.singular})
	}
	return out
}

// remove takes resources and fields away.
func (p *plan) remove(r *reading) error {
	for _, name := range r.removed {
		fieldName, of, isField := strings.Cut(name, " of ")
		i := p.Find(cmp.Or(of, name))
		if i < 0 {
			continue
		}
		res := &p.Resources[i]
		if isField && len(res.Fields) == 1 || !isField && len(p.Resources) == 1 {
			return r.refuse(name + " is all that there is and cannot be removed; add another first.")
		}
		if isField {
			res.Fields = slices.DeleteFunc(res.Fields, func(f field) bool { return f.Name == fieldName })
			p.forget(fieldName)
			p.note("resources", "removed the field "+name)
			continue
		}
		p.note("resources", "removed the resource "+res.Plural)
		p.forget(res.Plural)
		p.Resources = slices.Delete(p.Resources, i, i+1)
		for k := range p.Resources {
			p.Resources[k].Fields = slices.DeleteFunc(p.Resources[k].Fields, func(f field) bool {
				refers := f.Of() == name && len(p.Resources[k].Fields) > 1
				if refers {
					p.note("resources", fmt.Sprintf("removed the field %s of %s", f.Name, p.Resources[k].Singular))
				}
				return refers
			})
		}
	}
	return nil
}

// forget takes away what was told as left out of a field that is gone, or another one now.
func (p *plan) forget(name string) {
	of := " of " + strings.ReplaceAll(name, "_", " ") + " ("
	p.Left = slices.DeleteFunc(p.Left, func(left string) bool {
		return strings.HasPrefix(left, "a kind for "+name+" (") || strings.Contains(left, of)
	})
}

// rename gives resources and fields other names. What refers to a resource follows it.
func (p *plan) rename(r *reading) error {
	for _, each := range r.renamed {
		i := p.Find(each.Thing)
		if i < 0 || each.Field == "" && p.Find(each.To) >= 0 || each.Field != "" && (!p.Resources[i].Has(each.Field) || p.Resources[i].Has(each.To)) {
			return r.refuse(fmt.Sprintf("What becomes of %s is told twice.", cmp.Or(each.Field, each.Thing)))
		}
		res := &p.Resources[i]
		if each.Field != "" {
			k := slices.IndexFunc(res.Fields, func(f field) bool { return f.Name == each.Field })
			res.Fields[k].Name = each.To
			p.forget(each.Field)
			p.note("resources", fmt.Sprintf("renamed the field %s of %s to %s", each.Field, res.Plural, each.To))
			continue
		}
		p.note("resources", fmt.Sprintf("renamed the resource %s to %s", res.Plural, english.Plural(each.To)))
		p.forget(res.Plural)
		res.Singular, res.Plural = each.To, english.Plural(each.To)
		for k := range p.Resources {
			for n, f := range p.Resources[k].Fields {
				if f.Of() == each.Thing {
					p.Resources[k].Fields[n].Name, p.Resources[k].Fields[n].Kind = strings.Replace(f.Name, each.Thing, each.To, 1), project.Ref+each.To
				}
			}
		}
	}
	if len(r.renamed) > 0 && project.BadResources(p.Resources) {
		return r.refuse(fmt.Sprintf("Nothing can be called %s here.", r.renamed[0].To))
	}
	return nil
}
