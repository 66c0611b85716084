package change

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/spec"
)

// edit applies lines of change in their order, but for those with an error. It returns
// the first error.
func (e *editor) edit(text string) (err error) {
	for i, line := range spec.Split(text) {
		if err != nil && i > 50 { // it is no text of changes
			break
		}
		before := e.Clone()
		if wrong := e.line(line); wrong != nil {
			e.Spec, err = before, cmp.Or(err, fmt.Errorf("%.80q: %w", line, wrong))
		} else {
			e.fits = true
		}
	}
	return err
}

func (e *editor) line(line string) error {
	verb, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	switch verb = strings.ToLower(verb); verb {
	case "add":
		return e.add(rest)
	case "remove":
		return e.remove(rest)
	case "rename":
		return e.renameLine(bare(rest))
	case "store", "database", "port", "auth", "cors", "license":
		if rest == "" && verb != "cors" {
			return fmt.Errorf("%s needs a value", verb)
		}
		now, err := e.Override(map[string]string{verb: cmp.Or(rest, "on")})
		if err != nil {
			return errors.Unwrap(err) // a constraint is named before it
		}
		e.Spec = now
		return nil
	case "kind", "language", "name":
		return fmt.Errorf("the %s of a project stays; make a new project", verb)
	case "section", "text":
		return e.site(line, false)
	}
	if noun, field, isField := cutPath(line); isField {
		return e.rules(noun, field)
	}
	return errors.New("it is not a change; write add ..., remove ..., rename ..., book.title unique, store sqlite, port 9200, auth token, cors, or license mit")
}

// cutPath splits NOUN.FIELD, with what follows the field.
func cutPath(text string) (noun, field string, ok bool) {
	noun, field, ok = strings.Cut(text, ".")
	return bare(noun), field, ok && !strings.ContainsAny(noun, ":,(") && !strings.HasPrefix(field, ".")
}

// bare takes the quotes off a name, which has none itself.
func bare(name string) string { return strings.TrimSpace(strings.ReplaceAll(name, `"`, "")) }

// find returns a record by its noun or its plural, and the index of its field of a
// name; without a name, -1.
func (e *editor) find(noun, name string) (*spec.Record, int, error) {
	same := func(a, b string) bool { return spec.ColumnName(a) == spec.ColumnName(b) }
	at := slices.IndexFunc(e.Records, func(r spec.Record) bool { return same(r.Noun, noun) || same(r.Plural, noun) })
	if at < 0 {
		var nouns []string
		for _, r := range e.Records {
			nouns = append(nouns, r.Noun)
		}
		return nil, -1, fmt.Errorf("the project has no record %.60q among %q", noun, nouns)
	}
	r := &e.Records[at]
	at = slices.IndexFunc(r.Fields, func(f spec.Field) bool { return same(f.Name, name) || same(f.Column(), name) })
	if at < 0 && name != "" {
		return nil, -1, fmt.Errorf("there is no field %.60q in %.200q", name, r)
	}
	return r, at, nil
}

// add adds fields to a record, or a record, a section or a text.
func (e *editor) add(text string) error {
	noun, rest, isField := cutPath(text)
	if !isField || e.Kind == spec.Site {
		return e.ReadLine(text)
	}
	r, _, err := e.find(noun, "")
	if err != nil {
		return err
	}
	fields, err := spec.ParseFields(rest)
	r.Fields = append(r.Fields, fields...)
	return err
}

// remove removes a field of a record, or a record, a section or a text. The field
// that is a record's first then stays as it was required.
func (e *editor) remove(text string) error {
	if e.Kind == spec.Site {
		return e.site(text, true)
	}
	noun, name, _ := strings.Cut(bare(text), ".")
	r, at, err := e.find(noun, name)
	switch {
	case err != nil:
		return err
	case at < 0:
		e.Records = slices.Delete(e.Records, e.Find(r.Noun), e.Find(r.Noun)+1)
		return nil
	case len(r.Fields) == 1:
		return fmt.Errorf("%s has no other field; write remove %[1]s", r.Noun)
	}
	if next := &r.Fields[1]; at == 0 && next.Need == "" && next.To == "" {
		next.Need = spec.Optional
	}
	r.Fields = slices.Delete(r.Fields, at, at+1)
	return nil
}

// longestNames is more than the bytes of any two names. Longer lines are not tried: the
// cost of a line would grow with the square of its length.
const longestNames = 2 * (spec.MaxNoun + spec.MaxField)

// renameLine reads OLD NEW, or OLD to NEW, of a record or of NOUN.FIELD.
func (e *editor) renameLine(text string) error {
	words := strings.Fields(text)
	err := errors.New("it needs two names; write rename book.title headline, or rename book volume")
	for n := len(words) - 1; n > 0 && len(text) < longestNames; n-- { // the longest name that there is
		noun, name, _ := strings.Cut(strings.Join(words[:n], " "), ".")
		to := strings.TrimPrefix(strings.Join(words[n:], " "), "to ")
		r, at, missing := e.find(noun, name)
		_, more, _ := strings.Cut(to, " and ")
		switch err = missing; {
		case err != nil:
			continue
		case words[n] == "to" && strings.Contains(more, " to ") || strings.Contains(more, " "):
			e.fits = true
			return errors.New("one line renames one thing; write a line for each")
		case at >= 0:
			e.rename(r.Noun, r.Fields[at], to)
		default:
			e.rename("", spec.Field{Name: r.Noun}, to)
		}
		return nil
	}
	return err
}

// rules gives a field another kind or more rules.
func (e *editor) rules(noun, text string) error {
	fields, err := spec.ParseFields(text)
	if err != nil {
		return err
	}
	f := fields[0]
	r, at, err := e.find(noun, f.Name)
	if err != nil {
		return err
	}
	g := &r.Fields[at]
	if len(fields) > 1 || f.To != "" && f.To != g.To {
		return fmt.Errorf("one line changes the kind or the rules of one field; write a line for each, and for a reference remove %s.%s and add it", r.Noun, g.Name)
	}
	if f.Kind != "" && f.Kind != g.Kind { // the rules of the old kind do not fit
		*g = spec.Field{Name: g.Name, Kind: f.Kind, Need: g.Need, Unique: g.Unique}
	}
	g.Need, g.Unique = cmp.Or(f.Need, g.Need), f.Unique || g.Unique
	g.Default, g.HasDefault = cmp.Or(f.Default, g.Default), f.HasDefault || g.HasDefault
	if f.Min+f.Max != "" {
		g.Min, g.Max = f.Min, f.Max
	}
	if f.Choices != nil {
		g.Choices = f.Choices
	}
	return nil
}

// site removes a section or a text of a site, or gives it other words.
func (e *editor) site(line string, remove bool) error {
	read := spec.Spec{Kind: e.Kind}
	err := read.ReadLine(line)
	for _, f := range read.Facts {
		if e.SetFact(f); remove {
			e.Facts = e.Facts[:len(e.Facts)-1]
		}
	}
	for _, x := range read.Sections {
		at := e.FindSection(x.Name)
		if at < 0 {
			return fmt.Errorf("there is no section %q%s", x.Name, map[bool]string{false: "; write add section " + x.Name}[remove])
		}
		if e.Sections[at].Text = x.Text; remove {
			e.Sections = slices.Delete(e.Sections, at, at+1)
		}
	}
	return err
}
