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

// Error is the error of a change that cannot be made.
type Error struct {
	Err  error
	Fits bool      // it is written as a change: a whole spec, or lines of which some can be read
	Near spec.Spec // what the project has with what is sound of the change
}

// Error returns the text of Err.
func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// Read reads lines of change, or a whole spec, and returns the complete spec that a
// project has then, what is different in words, and the renames in their order.
// A change after which nothing is different is an error, as every error an [Error].
func Read(text string, old spec.Spec) (now spec.Spec, done []string, renames []spec.Rename, err error) {
	if spec.Resembles(text) {
		return Replace(text, old)
	}
	e := &editor{Spec: old.Clone(), old: old.Clone()}
	return e.end(old, e.edit(text))
}

// Replace is [Read] for a text that is a whole spec, although it may have a mistake in
// its first line.
func Replace(text string, old spec.Spec) (now spec.Spec, done []string, renames []spec.Rename, err error) {
	e := &editor{Spec: old.Clone(), old: old.Clone(), fits: true}
	return e.end(old, e.replace(text))
}

// end returns the results of a change, or of its error.
func (e *editor) end(old spec.Spec, err error) (now spec.Spec, done []string, renames []spec.Rename, _ error) {
	near := e.Spec
	if err == nil {
		now, _, err = e.Complete()
		if _, _, wrong := old.Complete(); err != nil && wrong == nil {
			near = old // what the lines lead to is not sound as a whole
		}
	}
	if err == nil && now.String() == old.String() {
		err = ErrNothing
	}
	if err != nil {
		return spec.Spec{}, nil, nil, &Error{err, e.fits, near.Sound()}
	}
	return now, e.differences(now), e.renames, nil
}

// editor is a spec under change.
type editor struct {
	spec.Spec
	old     spec.Spec // with the names of the new one
	renames []spec.Rename
	fits    bool // see [Error]
}

// replace puts another spec in place of the old one. What it leaves open stays. With an
// error the spec is what is sound of it.
func (e *editor) replace(text string) error {
	old := e.old
	now, err := spec.Parse(text)
	now.Language, now.Store, now.Auth = cmp.Or(now.Language, old.Language), cmp.Or(now.Store, old.Store), cmp.Or(now.Auth, old.Auth)
	now.Port, now.License, now.Name = cmp.Or(now.Port, old.Port), cmp.Or(now.License, old.License), cmp.Or(now.Name, old.Name)
	for _, each := range [][3]string{{"kind", old.Kind, now.Kind}, {"language", old.Language, now.Language}, {"name", old.Name, now.Name}} {
		if each[1] != each[2] {
			err = cmp.Or(err, fmt.Errorf("the %s of a project stays %s; make a new project for %s", each[0], each[1], each[2]))
		}
	}
	now.Language, now.Name = old.Language, old.Name
	full, _, wrong := now.Complete()
	if err = cmp.Or(err, wrong); err != nil {
		full = now.Sound()
	}
	if now.Kind == old.Kind && len(now.Records)+len(now.Sections) > 0 {
		e.Spec = full
	}
	if err == nil && len(old.Records) == len(e.Records) {
		e.findRenames()
	}
	return err
}

// findRenames takes one record for another if nothing but its name is different, at
// the same place, and one field for another likewise.
func (e *editor) findRenames() {
	for i, now := range e.Records {
		was := e.old.Records[i]
		likeNow := spec.Record{Noun: now.Noun, Plural: now.Plural, Fields: was.Fields}
		if e.Find(was.Noun) < 0 && e.old.Find(now.Noun) < 0 && likeNow.String() == now.String() {
			e.rename("", spec.Field{Name: was.Noun}, now.Noun)
		}
	}
	for i, now := range e.Records {
		was := e.old.Records[i]
		for k := 0; was.Noun == now.Noun && len(was.Fields) == len(now.Fields) && k < len(now.Fields); k++ {
			f, g := was.Fields[k], now.Fields[k]
			gone, fresh := now.Find(f.Name, f.To) < 0, was.Find(g.Name, g.To) < 0
			if f.Name = g.Name; gone && fresh && f.String() == g.String() {
				e.rename(now.Noun, was.Fields[k], g.Name)
			}
		}
	}
}

// rename gives a field of a record, or a record, another name in both specs. The
// references to a record that have its name get the new one.
func (e *editor) rename(record string, f spec.Field, to string) {
	for i := range e.renames {
		if record == "" && e.renames[i].Record == f.Name {
			e.renames[i].Record = to
		}
	}
	e.renames = append(e.renames, spec.Rename{Record: record, From: f.Name, To: to})
	for _, s := range []*spec.Spec{&e.old, &e.Spec} {
		for i := range s.Records {
			r := &s.Records[i]
			if record == "" && r.Noun == f.Name {
				r.Noun, r.Plural = to, ""
			}
			for k := range r.Fields {
				switch g := &r.Fields[k]; {
				case record == r.Noun && g.Name == f.Name && g.To == f.To:
					g.Name = to
				case record == "" && g.To == f.Name:
					if g.To = to; g.Name == f.Name && s == &e.Spec {
						e.rename(r.Noun, *g, to)
					}
				}
			}
		}
	}
}

// differences says in words what is different from the old spec.
func (e *editor) differences(now spec.Spec) (out []string) {
	for _, r := range e.renames {
		out = append(out, "renamed "+strings.TrimPrefix(r.Record+"."+r.From, ".")+" to "+r.To)
	}
	before, after := pieces(e.old), pieces(now)
	for _, piece := range after {
		if !slices.Contains(before, piece) {
			out = append(out, fmt.Sprintf("now %.120s", piece))
		}
	}
	for _, piece := range before {
		if !slices.Contains(after, piece) {
			out = append(out, fmt.Sprintf("no longer %.120s", piece))
		}
	}
	if len(out) == 0 {
		return []string{"changed the order"}
	}
	return out
}

// pieces returns what can be different about a spec, a line for each.
func pieces(s spec.Spec) []string {
	out := []string{"store " + s.Store, fmt.Sprint("port ", s.Port), "auth " + s.Auth, "license " + s.License, map[bool]string{true: "cors on", false: "cors off"}[s.CORS]}
	for _, r := range s.Records {
		out = append(out, "record "+r.Noun+" /"+spec.ColumnName(cmp.Or(r.Plural, spec.PluralOf(r.Noun))))
		for i, f := range r.Fields {
			f.Need = map[bool]string{true: spec.Required, false: spec.Optional}[r.Required(i)]
			out = append(out, strings.Replace(r.Noun+"."+f.String(), ".-> ", " -> ", 1))
		}
	}
	site := spec.Spec{Sections: s.Sections, Facts: s.Facts}.String()
	return append(out, strings.Split(strings.TrimSpace(site), "\n")...)
}
