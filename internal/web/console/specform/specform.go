// Package specform is the form in which people fill in a spec: its text, and rows that
// are read from the text and write it.
//
// The text is the truth. While it cannot be read, the form shows the rows of the last
// text that could, and marks them as stale. Rows that cannot be written leave the text
// as it is. Everything is a function of what a browser sends; nothing is kept.
package specform

import (
	"cmp"
	"errors"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/change"
	"github.com/bundle-delivery/svc/internal/engine/template/spec"
)

// start is the text that a form for a new project begins with.
const start = "api in go with sqlite\nitem: name\n"

// Form is what a page shows of a spec.
type Form struct {
	Text string // of the spec, as it was typed or as the rows write it
	Seen string // the text that the rows were read from
	Old  string // the present spec of the project that goes on; empty: a new project
	Rows Rows
	// Stale reports that the rows are those of Seen, because Text cannot be read.
	Stale   bool
	Mistake *Mistake
	Guesses []spec.Guess
	Changes []string // of Old, in words
	Focus   string   // the id of the control that has the focus next
}

// Mistake is what is wrong with a text or with its rows.
type Mistake struct {
	Line    int    // of the text, from 1; 0: the rows are wrong
	Source  string // of that line
	Message string
}

// Open returns the form of a text. Old is the present spec of the project that goes
// on. Without a text the form begins with Old, or with an example.
func Open(text, old string) *Form {
	f := &Form{Text: cmp.Or(plain(text), old, start), Old: old}
	f.read()
	return f
}

// Posted returns the form that a browser has sent: the fields prompt (the text), seen,
// old, those of the rows, and do (the button that was pressed). A text that was edited
// wins over its rows.
func Posted(v url.Values) *Form {
	f := &Form{Text: plain(v.Get("prompt")), Seen: plain(v.Get("seen")), Old: plain(v.Get("old"))}
	rows, edited := posted(v), f.Text != f.Seen
	f.fix(&rows)
	f.read()
	if !v.Has("rows") || edited && f.Stale {
		return f
	}
	if edited {
		rows = Open(f.Text, f.Old).Rows
	}
	f.Focus = rows.act(v.Get("do"))
	if !f.Stale && reflect.DeepEqual(rows, f.Rows) {
		return f
	}
	rows.filled()
	text, err := rows.text()
	if err == nil {
		f.Text = rewrite(f.Text, text)
		f.read()
		return f
	}
	f.Rows, f.Stale, f.Changes, f.Guesses = rows, false, nil, nil
	f.Mistake = &Mistake{Message: err.Error()}
	return f
}

// filled gives rows of another kind something to begin with.
func (r *Rows) filled() {
	if r.Kind == spec.Site && len(r.Sections) == 0 && len(r.Records) > 0 {
		r.act("add section")
	}
	if r.Kind == spec.API && len(r.Records) == 0 && len(r.Sections) > 0 {
		r.act("add record")
	}
}

// OpenLabel returns the words for an option that the text does not set, such as
// "usual (memory)": language, store, auth or license.
func (f *Form) OpenLabel(option string) string {
	word, s := "usual", spec.Spec{Kind: spec.API, Records: []spec.Record{{Noun: "item"}}}
	if f.Fixed() {
		old, err := spec.Parse(f.Old)
		if err != nil {
			return "as it is"
		}
		word, s = "as it is", old
	}
	if whole, _, err := s.Complete(); err == nil {
		s = whole
	}
	return word + " (" + map[string]string{"language": s.Language, "store": s.Store, "auth": s.Auth, "license": s.License}[option] + ")"
}

// Fixed reports that kind, language and name are those of a project that is there.
func (f *Form) Fixed() bool { return f.Old != "" }

// Lost reports that a field refers to a record that is not there.
func (f *Form) Lost(field Field) bool {
	to, is := strings.CutPrefix(field.Kind, refersTo)
	return is && !slices.ContainsFunc(f.Rows.Records, func(r Record) bool { return r.Noun == to })
}

// fix sets the rows that a project keeps; browsers do not send them.
func (f *Form) fix(r *Rows) {
	if old, err := spec.Stored(f.Old); err == nil && f.Fixed() {
		r.Kind, r.Language, r.Name = old.Kind, old.Language, old.Name
	}
}

// read reads the text: rows, guesses and changes, or what is wrong with it.
func (f *Form) read() {
	f.Mistake, f.Guesses, f.Changes = nil, nil, nil
	now, err := f.parse(f.Text)
	if err != nil {
		f.Mistake = f.mistake(err)
		if f.Fixed() && f.Text == f.Old { // it may have what is refused today, which the rows mend
			now, err = spec.Stored(f.Old)
		}
	}
	if err == nil {
		f.Rows, f.Seen, f.Stale = rowsOf(now), f.Text, false
		f.fix(&f.Rows)
		return
	}
	f.Stale = true
	for _, text := range []string{f.Seen, f.Old, start} {
		last, err := spec.Parse(text)
		if err != nil {
			last, err = spec.Stored(text)
		}
		if err == nil {
			f.Rows, f.Seen = rowsOf(last), text
			f.fix(&f.Rows)
			return
		}
	}
}

// parse reads a text, and finds what is guessed and what changes.
func (f *Form) parse(text string) (spec.Spec, error) {
	s, err := spec.Parse(text)
	if err != nil {
		return s, err
	}
	if !f.Fixed() {
		_, f.Guesses, err = s.Complete()
		return s, err
	}
	old, err := spec.Stored(f.Old)
	if err != nil {
		return s, err
	}
	_, f.Changes, _, err = change.Read(text, old)
	if errors.Is(err, change.ErrNothing) {
		err = nil
	}
	return s, err
}

// mistake returns what a page shows of an error, with the line that it is on.
func (f *Form) mistake(err error) *Mistake {
	m := &Mistake{Line: 1, Message: err.Error()}
	if wrong, ok := errors.AsType[*spec.Error](err); ok {
		m.Line, m.Message = max(wrong.Line, 1), wrong.Err.Error()
	}
	if lines := strings.Split(f.Text, "\n"); m.Line <= len(lines) {
		m.Source = lines[m.Line-1]
	}
	return m
}

// plain has the line ends that specs have; browsers send others.
func plain(text string) string {
	return strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
}
