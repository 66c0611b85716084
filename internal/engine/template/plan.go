package template

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// plan is what becomes of a request: the spec of the project, why it is so, and
// what was done to it.
type plan struct {
	spec    spec
	old     *spec             // nil for a new project
	reasons map[string]string // by key of the state
	said    string            // what the run did, for the history
	done    []string
	already []string
}

// planOf plans a new project, or the change of one that this engine began.
func planOf(old *spec, prompt string, c constraints) (plan, error) {
	r := read(prompt, old)
	c.override(r)
	if old != nil && r.Language != "" && r.Language != old.Language {
		return plan{}, unresolvable("language %q cannot be met: the project is locked to %s; begin a new project for another language.", r.Language, old.Language)
	}
	if err := r.verdict(); err != nil {
		return plan{}, err
	}
	p := plan{old: old, reasons: map[string]string{}}
	if old != nil {
		p.spec = old.clone()
	}
	for _, step := range []func(*reading) error{p.ground, p.content, p.name, p.settle} {
		if err := step(r); err != nil {
			return plan{}, err
		}
	}
	p.leave(r)
	about := map[string]any{"begun": old == nil, "spec": &p.spec, "done": p.done, "already": p.already, "given": r.given, "left": r.Left}
	if old != nil && len(p.done) == 0 { // a run that did nothing would look like one that did
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
	s := &p.spec
	p.reasons[stateKeyEngine] = "this project is written from templates, the same for the same request"
	p.reasons["kind"], p.reasons["language"] = "asked for", "asked for"
	s.Kind, s.Language = r.Kind, r.Language
	if s.Language == "" {
		s.Language = languages[s.Kind][0]
		if r.scripted && s.Kind != kindSite {
			s.Language = langPython
		}
		p.reasons["language"] = "the request names no language; this one needs nothing but its standard library here"
	}
	if !slices.Contains(languages[s.Kind], s.Language) {
		return r.refuse(fmt.Sprintf("%s is not written in %s.", tables["called"][s.Kind], tables["called"][s.Language]))
	}
	return nil
}

// choices are the settings that are one of a few values, with the usual one and
// why it is.
var choices = []struct{ key, usual, why string }{
	{"database", none, "none was asked for; records live in memory behind an interface"},
	{"auth", none, "none was asked for; everyone who reaches the port may use the API"},
	{"cors", "off", "not asked for; browsers of other origins stay out"},
	{"license", none, "none was asked for; all rights stay with the owner"},
}

// settle takes what was asked for of the settings that every project has, and
// the usual for what was not.
func (p *plan) settle(r *reading) error {
	s := &p.spec
	if r.Module != "" && s.Language != langGo {
		return r.refuse("A module path is for Go.")
	}
	if s.Kind == kindCommand {
		r.Port = 0
	} else if p.old == nil && r.Port == 0 {
		s.decided("port").set(tables["usual-port"][s.Language])
		p.reasons["port"] = "the usual port for " + s.Language
	}
	for _, key := range []string{"port", "module", "place", "email"} {
		if wish := r.decided(key).Text(); wish != "" {
			p.set(key, wish)
		}
	}
	for _, choice := range choices {
		wish, values := r.decided(choice.key).Text(), s.valuesOf(choice.key)
		inFile := s.Kind == kindCommand && (wish == dbFile || wish == dbAny) // as a command's records are anyway
		switch {
		case wish == dbAny && s.Kind == kindAPI:
			p.set(choice.key, values[1])
		case len(values) == 1 && (wish == "" || wish == choice.usual || inFile): // this kind of project has no such setting
		case wish == "" && p.old == nil:
			s.decided(choice.key).set(choice.usual)
			p.reasons[choice.key] = choice.why
		case wish != "" && !slices.Contains(values, wish):
			return r.refuse(fmt.Sprintf("%s %s cannot be had with %s.", choice.key, wish, tables["called"][s.Language]))
		case wish != "":
			p.set(choice.key, wish)
		}
	}
	if p.old != nil && s.Database != p.old.Database && p.old.Database != none {
		if !slices.Contains(s.Former, p.old.Database) {
			s.Former = append(s.Former, p.old.Database)
		}
		p.reasons["former_databases"] = "a folder that was pulled before keeps what was configured for it"
		p.done = append(p.done, "in a folder pulled before, compose.yaml and .env keep the settings of the old database, and its records stay where they are, until they are removed by hand")
	}
	return nil
}

// set decides something that was asked for.
func (p *plan) set(key, value string) {
	d := p.spec.decided(key)
	before := d.Text()
	if p.old != nil && before == value {
		p.already = append(p.already, key+" is "+value)
		return
	}
	d.set(value)
	p.note(key, fmt.Sprintf("%s from %s to %s", key, cmp.Or(before, "none"), value))
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
	s := &p.spec
	if name := slug(r.Title); name != "" && (name != s.Name || r.Title != s.Title) {
		p.note("name", fmt.Sprintf("name from %s to %s", s.Name, name))
		p.reasons["title"] = p.reasons["name"]
		s.Name, s.Title = name, r.Title
	}
	if s.Name != "" {
		return nil
	}
	p.reasons["name"], p.reasons["title"] = "made of what the project is about", "made of what the project is about"
	s.Title = r.Title
	switch {
	case s.Kind == kindSite:
		s.Name = cmp.Or(slug(s.Subject+" site"), "my-site")
		s.Title = cmp.Or(s.Title, cleanTitle(titleOf(strings.ReplaceAll(s.Subject, " ", "-"))))
	case len(s.Operations) > 0:
		s.Name = s.Operations[0]
	case s.Kind == kindCommand:
		s.Name = s.Resources[0].Plural
	default:
		s.Name = s.Resources[0].Singular + "-api"
	}
	if r.Module != "" {
		s.Name = cmp.Or(slug(r.Module[strings.LastIndex(r.Module, "/")+1:]), s.Name)
	}
	s.Title = cmp.Or(s.Title, titleOf(s.Name))
	return nil
}

// leave adds what the request names and the project does not get.
func (p *plan) leave(r *reading) {
	s := &p.spec
	p.reasons["left_out"] = "named in a request and not in the project"
	for _, each := range r.Left {
		if each = strings.ReplaceAll(oneLine(each, 200), ";", ","); !slices.Contains(s.Left, each) {
			s.Left = append(s.Left, each)
		}
	}
	for len(s.Left) > 0 && len(strings.Join(s.Left, "; ")) > maxLeftOut {
		s.Left = s.Left[1:]
	}
}

// InWords describes the spec in one phrase.
func (s spec) InWords() string { return say("describe", &s) }

// Plurals are the names of the resources.
func (s spec) Plurals() (out []string) {
	for _, r := range s.Resources {
		out = append(out, r.Plural)
	}
	return out
}
