package template

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/engine/template/change"
	"github.com/bundle-delivery/svc/internal/engine/template/english"
	"github.com/bundle-delivery/svc/internal/engine/template/schema"
	"github.com/bundle-delivery/svc/internal/engine/template/spec"
	"github.com/bundle-delivery/svc/internal/engine/template/stack"
)

// request is what a prompt, constraints and the project's state ask for.
type request struct {
	old     *spec.Spec // nil: a new project
	now     spec.Spec  // complete
	guesses []spec.Guess
	given   map[string]string // the constraints
	open    spec.Spec         // what was named, without guesses
	usual   []string          // nouns of the records whose fields nobody named
	source  string            // what names all that is neither guessed nor a constraint
	done    []string          // what the run does, in words
	renames []spec.Rename
	state   map[string]string // of the project
	former  bool              // an earlier version kept records as JSON documents

	kept       []string // what the database keeps although the spec no longer has it
	allRenames []stack.Renames
	renamed    string // allRenames in the state
}

// read reads a request.
func read(prompt string, constraints, state map[string]string) (request, error) {
	old, begun, err := spec.FromState(state)
	if err != nil {
		return request{}, unresolvable("%v", err)
	}
	q := request{state: state, given: constraints, source: "the spec", kept: lines(state[stateKept])}
	if text := constraints["spec"]; text != "" { // a constraint wins over the prompt
		prompt, q.given = text, maps.Clone(constraints)
		delete(q.given, "spec")
	}
	if !begun {
		return q.begin(prompt)
	}
	q.old, q.now = &old, old
	q.former = state[stateFormer] != "" || state[stateSpec] == "" && old.Kind == spec.API
	return q.change(prompt)
}

// begin reads a request for a new project.
func (q request) begin(prompt string) (request, error) {
	said := english.Reading{Sure: true}
	var err error
	if spec.IsSpec(prompt) {
		said.Spec, err = spec.Parse(prompt)
		if first := (spec.Spec{}); err != nil && len(q.given) > 0 && first.ReadLine(prompt) == nil {
			said.Spec, err = first, nil // a first line alone, whose records the constraints have
		}
	} else {
		q.source = "the request"
		said = english.Read(prompt)
	}
	if err == nil {
		said.Spec, err = said.Spec.Override(q.given)
	}
	if err == nil {
		q.open, q.usual = said.Spec, said.Usual
		q.now, q.guesses, err = said.Spec.Complete()
	}
	switch {
	case err != nil:
		return q, cannot(err, nearest(prompt, said.Spec))
	case !said.Sure:
		return q, notRead(q.now, said)
	}
	q.done = []string{"Began the project"}
	return q, nil
}

// change reads a request for a change of a project.
func (q request) change(prompt string) (request, error) {
	said, err := q.changePrompt(prompt)
	if err == nil || errors.Is(err, change.ErrNothing) {
		var with spec.Spec
		if with, err = q.now.Override(q.given); err == nil && with.String() != q.now.String() {
			err = q.step(with.String())
		}
	}
	switch {
	case err != nil:
		return q, cannot(err, *q.old)
	case !said.Sure:
		return q, notRead(q.now, said)
	case len(q.done) == 0:
		return q, cannot(change.ErrNothing, *q.old)
	}
	tables := q.tables()
	if !tables.Documents && stack.ViewOf(*q.old).SQL() {
		tables.Have = []string{"migrations/" + q.old.Store + "/0001.sql"} // the project's files are not known here
	}
	if _, _, err := schema.Migrations(tables); err != nil {
		return q, cannot(err, *q.old)
	}
	return q, nil
}

// tables is what happens to the tables of the project's database, without its files.
// The database of the version before specs has JSON documents.
func (q request) tables() schema.Change {
	documents := q.old != nil && q.state[stateSpec] == "" && stack.ViewOf(*q.old).SQL()
	return schema.Change{Old: q.old, Now: q.now, Renames: q.renames, Kept: q.kept, Documents: documents}
}

// isLines matches what only lines of change have: book.title, note: title, or an option
// and its value alone.
var isLines = regexp.MustCompile(`[A-Za-z0-9]\.[A-Za-z]|[A-Za-z)]:|^(?i:store|database|port|auth|license|kind|language|name) \S+$`)

// changePrompt applies a prompt: a whole spec, lines of change, or English that is
// read for certain. What is none of these changes as much as was read of it.
func (q *request) changePrompt(prompt string) (english.Reading, error) {
	err := q.step(prompt)
	if err == nil || errors.Is(err, change.ErrNothing) || spec.IsSpec(prompt) {
		return english.Reading{Sure: true}, err
	}
	said := english.Change(prompt, *q.old)
	if (!said.Sure || said.Lines == "") && isLines.MatchString(prompt) {
		return english.Reading{Sure: true}, err
	}
	q.source = "the request"
	if said.Lines == "" {
		said.Sure = said.Sure && len(q.given) > 0 // constraints alone change it
		return said, nil
	}
	err = q.step(said.Lines)
	if !said.Sure { // the project as it is will do as a suggestion
		err = nil
	}
	return said, err
}

// step applies lines of change, or a whole spec.
func (q *request) step(text string) error {
	now, done, renames, err := change.Read(text, q.now)
	if err != nil {
		return err
	}
	q.now, q.done, q.renames = now, append(q.done, done...), append(q.renames, renames...)
	return nil
}

// again repeats the request of an earlier attempt, which has already locked what the
// prompt asked for: the files of the project's spec are written once more.
func again(state map[string]string, cause error) (request, error) {
	old, begun, err := spec.FromState(state)
	if err != nil || !begun || state[stateSpec] == "" {
		return request{}, cause
	}
	return request{old: &old, now: old, state: state, kept: lines(state[stateKept]), former: state[stateFormer] != ""}, nil
}

// notRead refuses a request that was not understood as a whole.
func notRead(near spec.Spec, said english.Reading) error {
	what := "the request does not say of what"
	switch {
	case len(said.NotUnderstood) > 0:
		what = "did not understand " + quoted(said.NotUnderstood[:min(len(said.NotUnderstood), 12)])
	case len(said.Bare) > 0:
		what = "the request names no fields of " + quoted(said.Bare)
	}
	refusal := cannot(fmt.Errorf("the template engine makes HTTP APIs and static sites from a spec, and %s. "+
		"Send the spec below, edit it first, or ask a service whose engine is a model or an agent", what), near)
	refusal.Suggestion.Understood = append(refusal.Suggestion.Understood, said.Understood...)
	refusal.Suggestion.NotUnderstood = append(refusal.Suggestion.NotUnderstood, said.NotUnderstood...)
	return refusal
}

func lines(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == '\n' })
}

func quoted(words []string) string { return `"` + strings.Join(words, `", "`) + `"` }

// cannot refuses a request, with a spec that can be sent in its place.
func cannot(err error, near spec.Spec) *engine.Error {
	refusal := unresolvable("%v", err)
	refusal.Suggestion = &svc.Suggestion{Spec: near.String(), Understood: []string{}, NotUnderstood: []string{}}
	return refusal
}

// nearest returns a spec that can be sent in place of one that cannot: the lines of
// the text that have no mistake, what was read without the constraints, or the first
// line with something to begin with.
func nearest(text string, read spec.Spec) (near spec.Spec) {
	all := strings.Split(text, "\n")
	for range 100 {
		s, err := spec.Parse(strings.Join(all, "\n"))
		if err == nil {
			read = s
		}
		wrong, located := errors.AsType[*spec.Error](err)
		if !located || wrong.Line < 1 || wrong.Line > len(all) {
			break
		}
		all = slices.Delete(all, wrong.Line-1, wrong.Line)
	}
	first, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	for _, s := range []spec.Spec{read, beginning(first), beginning("api")} { // the last is complete
		var err error
		if near, _, err = s.Complete(); err == nil {
			break
		}
	}
	return near
}

// beginning is a spec of a first line, if it is one, and something to begin with.
func beginning(line string) spec.Spec {
	var s spec.Spec
	if s.ReadLine(line) != nil {
		s = spec.Spec{}
	}
	if s.Records = []spec.Record{{Noun: "item"}}; s.Kind == spec.Site {
		s.Records, s.Sections = nil, []spec.Section{{Name: "about"}, {Name: "contact"}}
	}
	return s
}

func internal(err error) error {
	return &engine.Error{Code: engine.CodeInternal, Message: "The template engine failed; this is a defect of the service.", Err: err}
}

func unresolvable(format string, args ...any) *engine.Error {
	text := fmt.Sprintf(format, args...)
	return &engine.Error{Code: engine.CodeConstraintUnresolvable, Message: strings.ToUpper(text[:1]) + text[1:] + "."}
}
