package change

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/spec"
)

// edit applies lines of change in their order.
func (e *editor) edit(text string) error {
	lines := spec.Split(text)
	if len(lines) == 0 {
		return errors.New("the change is empty; write a line such as add book.pages: integer")
	}
	for _, line := range lines {
		if err := e.line(line); err != nil {
			return fmt.Errorf("%.80q: %w", line, err)
		}
	}
	return nil
}

func (e *editor) line(line string) error {
	verb, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	noun, field, isField := cutPath(line)
	switch verb = strings.ToLower(verb); {
	case verb == "add":
		return e.add(rest)
	case verb == "remove":
		return e.remove(rest)
	case verb == "rename":
		return e.renameLine(rest)
	case slices.Contains([]string{"store", "database", "port", "auth", "cors", "license"}, verb):
		return e.set(verb, rest)
	case slices.Contains([]string{"kind", "language", "name"}, verb):
		return fmt.Errorf("the %s of a project stays; make a new project", verb)
	case e.Kind == spec.Site:
		return e.setText(line)
	case isField:
		return e.rules(noun, field)
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
	var names []string
	for i, r := range e.Records {
		if names = append(names, r.Noun); !same(r.Noun, noun) && !same(r.Plural, noun) {
			continue
		}
		names = nil
		for k, f := range r.Fields {
			if names = append(names, f.Name); same(f.Name, name) || f.Column() == spec.ColumnName(name) {
				return &e.Records[i], k, nil
			}
		}
		if name == "" {
			return &e.Records[i], -1, nil
		}
		return nil, 0, spec.Unknown(name, "a field of "+r.Noun, names)
	}
	return nil, 0, spec.Unknown(noun, "a record of the project", names)
}

// add adds fields to a record, or a record, a section or a text.
func (e *editor) add(text string) error {
	noun, rest, isField := cutPath(text)
	if !isField || e.Kind == spec.Site {
		read, err := spec.ParsePart(e.Kind, text)
		e.Records, e.Sections, e.Facts = append(e.Records, read.Records...), append(e.Sections, read.Sections...), append(e.Facts, read.Facts...)
		return err
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
		read, err := spec.ParsePart(e.Kind, text)
		parts := len(e.Sections) + len(e.Facts)
		e.Sections = slices.DeleteFunc(e.Sections, func(x spec.Section) bool { return read.FindSection(x.Name) >= 0 })
		e.Facts = slices.DeleteFunc(e.Facts, func(f spec.Fact) bool {
			return slices.ContainsFunc(read.Facts, func(gone spec.Fact) bool { return gone.Key == f.Key })
		})
		if err == nil && len(e.Sections)+len(e.Facts) == parts {
			err = fmt.Errorf("the site has no %s", text)
		}
		return err
	}
	noun, name, _ := strings.Cut(bare(text), ".")
	r, at, err := e.find(noun, name)
	switch {
	case err != nil:
		return err
	case at < 0:
		gone := r.Noun
		e.Records = slices.DeleteFunc(e.Records, func(r spec.Record) bool { return r.Noun == gone })
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

// renameLine reads OLD NEW, or OLD to NEW, of a record or of NOUN.FIELD.
func (e *editor) renameLine(text string) error {
	words := strings.Fields(bare(text))
	err := errors.New("it needs two names; write rename book.title headline, or rename book volume")
	for n := len(words) - 1; n > 0; n-- { // the longest name that there is
		noun, name, _ := strings.Cut(strings.Join(words[:n], " "), ".")
		to := strings.TrimPrefix(strings.Join(words[n:], " "), "to ")
		var r *spec.Record
		var at int
		if r, at, err = e.find(noun, name); err != nil {
			continue
		}
		if at >= 0 {
			e.rename(r.Noun, r.Fields[at], to)
		} else {
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

// setText gives a section or a text of a site other words.
func (e *editor) setText(line string) error {
	read, err := spec.ParsePart(e.Kind, line)
	for _, x := range read.Sections {
		at := e.FindSection(x.Name)
		if at < 0 {
			return fmt.Errorf("there is no section %q; write add section %[1]s", x.Name)
		}
		e.Sections[at].Text = x.Text
	}
	for _, f := range read.Facts {
		e.SetFact(f)
	}
	return err
}
