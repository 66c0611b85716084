// Package change reads what is to become different about a project of the default
// engine: lines such as
//
//	add book.pages: integer
//	rename book.title headline
//	store sqlite
//
// or a whole spec in place of the old one.
package change

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/spec"
)

// ErrNothing is the error of a change after which nothing is different.
var ErrNothing = errors.New("nothing to do: the project has all of this already")

// Read reads lines of change, or a whole spec, and returns the complete spec that a
// project has then, what is different in words, and the renames in their order.
// A change after which nothing is different is an error.
func Read(text string, old spec.Spec) (now spec.Spec, done []string, renames []spec.Rename, err error) {
	e := &editor{Spec: old.Clone()}
	if spec.IsSpec(text) {
		err = e.replace(text)
	} else {
		err = e.edit(text)
	}
	if err == nil {
		now, _, err = e.Complete()
	}
	if err != nil {
		return spec.Spec{}, nil, nil, err
	}
	if done = told(old, now, e.renames); len(done) == 0 {
		return spec.Spec{}, nil, nil, ErrNothing
	}
	return now, done, e.renames, nil
}

// editor is a spec under change.
type editor struct {
	spec.Spec
	renames []spec.Rename
}

// replace puts another spec in place of the old one. What it leaves open stays.
func (e *editor) replace(text string) error {
	old := e.Spec
	now, err := spec.Parse(text)
	if err != nil {
		return err
	}
	now.Language, now.Store, now.Auth = cmp.Or(now.Language, old.Language), cmp.Or(now.Store, old.Store), cmp.Or(now.Auth, old.Auth)
	now.Port, now.License, now.Name = cmp.Or(now.Port, old.Port), cmp.Or(now.License, old.License), cmp.Or(now.Name, old.Name)
	for _, each := range [][3]string{{"kind", old.Kind, now.Kind}, {"language", old.Language, now.Language}, {"name", old.Name, now.Name}} {
		if each[1] != each[2] {
			return fmt.Errorf("the %s of a project stays %s; make a new project for %s", each[0], each[1], each[2])
		}
	}
	if e.Spec, _, err = now.Complete(); err == nil {
		e.findRenames(old)
	}
	return err
}

// findRenames takes one field for another if nothing but its name is different, at
// the same place, and one record for another likewise.
func (e *editor) findRenames(old spec.Spec) {
	if len(old.Records) != len(e.Records) {
		return
	}
	for i, was := range old.Records {
		now := e.Records[i]
		if e.Find(was.Noun) < 0 && old.Find(now.Noun) < 0 && (spec.Record{Noun: now.Noun, Plural: now.Plural, Fields: was.Fields}).String() == now.String() {
			e.renames = append(e.renames, spec.Rename{From: was.Noun, To: now.Noun})
		}
		if was.Noun != now.Noun || len(was.Fields) != len(now.Fields) {
			continue
		}
		for k, f := range was.Fields {
			g := now.Fields[k]
			gone, fresh := now.Find(f.Name, f.To) < 0, was.Find(g.Name, g.To) < 0
			if f.Name, g.Name = "x", "x"; gone && fresh && f.String() == g.String() {
				e.renames = append(e.renames, spec.Rename{Record: now.Noun, From: was.Fields[k].Name, To: now.Fields[k].Name})
			}
		}
	}
}

// edit applies lines of change in their order.
func (e *editor) edit(text string) error {
	lines := spec.Split(text)
	if len(lines) == 0 {
		return errors.New("the change is empty; write a line such as add book.pages: integer")
	}
	for _, line := range lines {
		if err := e.line(line); err != nil {
			return fmt.Errorf("%q: %w", short(line), err)
		}
	}
	return nil
}

func (e *editor) line(line string) error {
	verb, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	first, _, _ := strings.Cut(rest, " ")
	site := e.Kind == spec.Site && (first == "section" || first == "text")
	switch verb = strings.ToLower(verb); {
	case verb == "add" && site:
		return e.setSite(rest, true)
	case verb == "add":
		return e.add(rest)
	case verb == "remove" && site:
		return e.removeSite(rest)
	case verb == "remove":
		return e.remove(rest)
	case verb == "rename":
		return e.rename(rest)
	case e.Kind == spec.Site && (verb == "section" || verb == "text"):
		return e.setSite(line, false)
	case slices.Contains([]string{"store", "database", "port", "auth", "cors", "license"}, verb):
		return e.set(verb, rest)
	case slices.Contains([]string{"kind", "language", "name"}, verb):
		return fmt.Errorf("the %s of a project stays; make a new project", verb)
	}
	if noun, fields, ok := cutPath(line); ok {
		return e.rules(noun, fields)
	}
	if e.Kind == spec.Site {
		return errors.New("it is not a change; write add section ..., remove section ..., section menu: ..., text phone: ..., port 9200, or license mit")
	}
	return errors.New("it is not a change; write add ..., remove ..., rename ..., book.title unique, store sqlite, port 9200, auth token, cors, or license mit")
}

func (e *editor) set(key, value string) error {
	if value == "" && key != "cors" {
		return fmt.Errorf("%s needs a value", key)
	}
	now, err := e.Override(map[string]string{key: cmp.Or(value, "on")})
	if err != nil {
		return errors.Unwrap(err) // a constraint is named before it
	}
	e.Spec = now
	return nil
}

// cutPath splits NOUN.FIELD, with what follows the field.
func cutPath(text string) (noun, fields string, ok bool) {
	at := strings.IndexByte(text, '.')
	if at < 0 || strings.HasPrefix(text[at:], "..") || strings.ContainsAny(text[:at], ":,(") {
		return "", "", false
	}
	return bare(text[:at]), strings.TrimSpace(text[at+1:]), true
}

// bare takes the quotes off a name, which has none itself.
func bare(name string) string { return strings.TrimSpace(strings.ReplaceAll(name, `"`, "")) }

// record returns a record by its noun or its plural.
func (e *editor) record(noun string) (*spec.Record, error) {
	var nouns []string
	for i, r := range e.Records {
		if nouns = append(nouns, r.Noun); same(r.Noun, noun) || same(r.Plural, noun) {
			return &e.Records[i], nil
		}
	}
	return nil, spec.Unknown(noun, "a record of the project", nouns)
}

func same(a, b string) bool { return spec.ColumnName(a) == spec.ColumnName(b) }

// field returns the index of a field by its name.
func field(r *spec.Record, name string) (int, error) {
	var names []string
	for i, f := range r.Fields {
		if names = append(names, f.Name); same(f.Name, name) || f.Column() == spec.ColumnName(name) {
			return i, nil
		}
	}
	return 0, spec.Unknown(name, "a field of "+r.Noun, names)
}

// add adds a record, or fields to one.
func (e *editor) add(text string) error {
	noun, rest, ok := cutPath(text)
	if !ok {
		return e.addRecord(text)
	}
	r, err := e.record(noun)
	if err != nil {
		return err
	}
	fields, err := spec.ParseFields(rest)
	for _, f := range fields {
		at, missing := field(r, f.Name)
		if missing != nil {
			r.Fields = append(r.Fields, f)
		} else if got := r.Fields[at]; f.String() != (spec.Field{Name: f.Name}).String() && f.String() != got.String() {
			return fmt.Errorf("%s has this field as %q; write %q without add to change it", r.Noun, got, r.Noun+"."+f.String())
		}
	}
	return err
}

func (e *editor) addRecord(text string) error {
	read, err := spec.ParsePart(spec.API, text)
	if err != nil {
		return err
	}
	for _, r := range read.Records {
		old, missing := e.record(r.Noun)
		if missing != nil {
			e.Records = append(e.Records, r)
		} else if old.String() != r.String() {
			return fmt.Errorf("there is a record %s already; write a line such as add %s.pages: integer", old.Noun, old.Noun)
		}
	}
	return nil
}

// remove removes a record to which no other refers, or a field.
func (e *editor) remove(text string) error {
	noun, name, isField := cutPath(text)
	if !isField {
		noun = bare(text)
	}
	r, err := e.record(noun)
	if err != nil {
		return err
	}
	if isField {
		return removeField(r, bare(name))
	}
	eachReference(&e.Spec, r.Noun, func(other *spec.Record, f *spec.Field) {
		if err == nil && other.Noun != r.Noun {
			err = fmt.Errorf("%s.%s refers to it; write remove %[1]s.%[2]s before", other.Noun, f.Name)
		}
	})
	if err != nil {
		return err
	}
	gone := r.Noun
	e.Records = slices.DeleteFunc(e.Records, func(r spec.Record) bool { return r.Noun == gone })
	return nil
}

// removeField removes a field. The one that is first then stays as it was required.
func removeField(r *spec.Record, name string) error {
	at, err := field(r, name)
	switch {
	case err != nil:
		return err
	case len(r.Fields) == 1:
		return fmt.Errorf("%s has no other field; write remove %[1]s", r.Noun)
	}
	if next := &r.Fields[1]; at == 0 && next.Need == "" && next.To == "" {
		next.Need = spec.Optional
	}
	r.Fields = slices.Delete(r.Fields, at, at+1)
	return nil
}

// rename gives a record or a field another name: OLD NEW, or OLD to NEW.
func (e *editor) rename(text string) error {
	noun, rest, isField := cutPath(text)
	if !isField {
		rest = text
	}
	words := strings.Fields(bare(rest))
	err := errors.New("it needs two names; write rename book.title headline, or rename book volume")
	for n := len(words) - 1; n > 0; n-- { // the longest name that there is
		from, to := strings.Join(words[:n], " "), strings.TrimPrefix(strings.Join(words[n:], " "), "to ")
		var r *spec.Record
		if r, err = e.record(cmp.Or(noun, from)); err == nil && !isField {
			return e.renameRecord(r, to)
		}
		if err == nil {
			var at int
			if at, err = field(r, from); err == nil {
				e.renameField(r, &r.Fields[at], to)
				return nil
			}
		}
	}
	return err
}

func (e *editor) renameField(r *spec.Record, f *spec.Field, to string) {
	if f.Name != to {
		e.renames = append(e.renames, spec.Rename{Record: r.Noun, From: f.Name, To: to})
	}
	f.Name = to
}

// renameRecord renames a record, and the references to it that have no other name.
func (e *editor) renameRecord(r *spec.Record, to string) error {
	from := r.Noun
	if other, err := e.record(to); err == nil && other.Noun != from {
		return fmt.Errorf("there is a record %s already; choose another name", other.Noun)
	}
	if from == to {
		return nil
	}
	r.Noun, r.Plural = to, ""
	for i, done := range e.renames {
		if done.Record == from {
			e.renames[i].Record = to
		}
	}
	e.renames = append(e.renames, spec.Rename{From: from, To: to})
	eachReference(&e.Spec, from, func(r *spec.Record, f *spec.Field) {
		if f.To = to; f.Name == from {
			e.renameField(r, f, to)
		}
	})
	return nil
}

// rules gives a field another kind or more rules.
func (e *editor) rules(noun, text string) error {
	r, err := e.record(noun)
	if err != nil {
		return err
	}
	fields, err := spec.ParseFields(text)
	if err != nil {
		return err
	}
	f := fields[0]
	at, err := field(r, f.Name)
	if err != nil {
		return err
	}
	g := &r.Fields[at]
	switch {
	case len(fields) > 1:
		return errors.New("one line changes one field; write a line for each")
	case f.To != "" && f.To != g.To:
		return fmt.Errorf("a field does not become a reference; write remove %s.%s and add a reference", r.Noun, g.Name)
	case f.String() == (spec.Field{Name: f.Name}).String():
		return errors.New("a kind or a rule is missing; write it behind the field")
	}
	if f.Kind != "" && f.Kind != g.Kind { // the rules of the old kind do not fit
		*g = spec.Field{Name: g.Name, Kind: f.Kind, Need: g.Need, Unique: g.Unique}
	}
	g.Need, g.Unique = cmp.Or(f.Need, g.Need), f.Unique || g.Unique
	if f.Min+f.Max != "" {
		g.Min, g.Max = f.Min, f.Max
	}
	if f.Choices != nil {
		g.Choices = f.Choices
	}
	if f.HasDefault {
		g.Default, g.HasDefault = f.Default, true
	}
	return nil
}

// setSite adds a section or a text, or gives one another text.
func (e *editor) setSite(line string, add bool) error {
	read, err := spec.ParsePart(spec.Site, line)
	for _, x := range read.Sections {
		switch at := e.FindSection(x.Name); {
		case at < 0 && add:
			e.Sections = append(e.Sections, x)
		case at < 0:
			return fmt.Errorf("there is no section %q; write add section %[1]s", x.Name)
		case add && x.Text != "" && x.Text != e.Sections[at].Text:
			return fmt.Errorf("there is a section %q already; write section %[1]s: ... without add to change it", x.Name)
		case !add:
			e.Sections[at].Text = x.Text
		}
	}
	for _, f := range read.Facts {
		e.Facts = append(slices.DeleteFunc(e.Facts, func(old spec.Fact) bool { return old.Key == f.Key }), f)
	}
	return err
}

func (e *editor) removeSite(line string) error {
	read, err := spec.ParsePart(spec.Site, line)
	for _, x := range read.Sections {
		at := e.FindSection(x.Name)
		if at < 0 {
			var names []string
			for _, y := range e.Sections {
				names = append(names, y.Name)
			}
			return spec.Unknown(x.Name, "a section of the site", names)
		}
		e.Sections = slices.Delete(e.Sections, at, at+1)
	}
	for _, f := range read.Facts {
		before := len(e.Facts)
		if e.Facts = slices.DeleteFunc(e.Facts, func(old spec.Fact) bool { return old.Key == f.Key }); len(e.Facts) == before {
			return fmt.Errorf("the site has no text %s", f.Key)
		}
	}
	return err
}

func short(line string) string {
	if r := []rune(line); len(r) > 80 {
		return string(r[:80]) + "…"
	}
	return line
}
