package template

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"regexp"
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
	isSpec  bool              // the prompt is a spec, also where it has a mistake in its first line
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
		prompt, q.given, q.isSpec = text, maps.Clone(constraints), true
		delete(q.given, "spec")
	}
	if !begun {
		return q.begin(prompt)
	}
	q.old, q.now = &old, old
	q.former = state[stateFormer] != "" || state[stateSpec] == "" && old.Kind == spec.API
	return q.change(prompt)
}

// neutral is how long a prompt may be that leaves all that is made to the constraints.
const neutral = 500

// begin reads a request for a new project.
func (q request) begin(prompt string) (request, error) {
	var said english.Reading
	var err error
	if q.isSpec = q.isSpec || spec.IsSpec(prompt); !q.isSpec {
		q.source = "the request"
		said = english.Read(prompt)
		q.isSpec = !said.Sure && spec.Resembles(prompt)
	}
	if q.isSpec {
		said = english.Reading{Sure: true}
		said.Spec, err = spec.Parse(prompt)
		if first := (spec.Spec{}); err != nil && len(q.given) > 0 && first.ReadLine(prompt) == nil {
			said.Spec, err = first, nil // a first line alone, whose records the constraints have
		}
	}
	constraints, _ := spec.Spec{}.Override(q.given)
	if len(constraints.Records)+len(constraints.Sections) > 0 && len(said.NotUnderstood) == 0 && len(prompt) <= neutral {
		said.Sure = true
	}
	var wrong error
	q.open, wrong = said.Spec.Override(q.given)
	err = cmp.Or(err, wrong)
	q.usual = said.Usual
	q.now, q.guesses, wrong = q.open.Complete()
	switch err = cmp.Or(err, wrong); {
	case err != nil:
		return q, q.cannot(err, q.open)
	case !said.Sure:
		return q, q.notRead(said)
	}
	q.done = []string{"Began the project"}
	return q, nil
}

// change reads a request for a change of a project.
func (q request) change(prompt string) (request, error) {
	said, err := q.changePrompt(prompt)
	if err == nil || errors.Is(err, change.ErrNothing) {
		var with spec.Spec
		if with, err = q.now.Override(q.given); with.String() != q.now.String() {
			err = cmp.Or(err, q.step(with.String()))
		}
	}
	near := q.now
	if wrong, ok := errors.AsType[*change.Error](err); ok {
		near = wrong.Near
	}
	switch {
	case err != nil:
		return q, q.cannot(err, near)
	case !said.Sure:
		return q, q.notRead(said)
	case len(q.done) == 0:
		return q, q.cannot(change.ErrNothing, near)
	}
	tables := q.tables()
	if !tables.Documents && stack.ViewOf(*q.old).SQL() {
		tables.Have = []string{"migrations/" + q.old.Store + "/0001.sql"} // the project's files are not known here
	}
	if _, _, err := schema.Migrations(tables); err != nil {
		return q, q.cannot(err, *q.old)
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
	if err == nil || errors.Is(err, change.ErrNothing) || q.isSpec || spec.IsSpec(prompt) {
		return english.Reading{Sure: true}, err
	}
	said := english.Change(prompt, *q.old)
	wrong, _ := errors.AsType[*change.Error](err)
	if (!said.Sure || said.Lines == "") && (wrong.Fits || isLines.MatchString(prompt)) {
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
	read := change.Read
	if q.isSpec {
		read = change.Replace
	}
	now, done, renames, err := read(text, q.now)
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
func (q request) notRead(said english.Reading) error {
	what, way := "the request does not say of what", "Send the spec below, edit it first"
	if q.old != nil {
		what = "the request names no change"
	}
	switch {
	case len(said.NotUnderstood) > 0:
		what = "did not understand " + quoted(said.NotUnderstood[:min(len(said.NotUnderstood), 12)])
	case len(said.Bare) > 0:
		what = "the request names no fields of " + quoted(said.Bare)
	}
	refusal := q.cannot(nil, q.now)
	if refusal.Suggestion.Unchanged {
		way = "Nothing of the request was read: edit the spec of the project, which is below"
	}
	refusal.Message = fmt.Sprintf("The template engine makes HTTP APIs and static sites from a spec, and %s. "+
		"%s, or ask a service whose engine is a model or an agent.", what, way)
	refusal.Suggestion.Understood = append(refusal.Suggestion.Understood, said.Understood...)
	refusal.Suggestion.NotUnderstood = append(refusal.Suggestion.NotUnderstood, said.NotUnderstood...)
	return refusal
}

func lines(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == '\n' })
}

func quoted(words []string) string { return `"` + strings.Join(words, `", "`) + `"` }

// cannot refuses a request, with what is sound of a spec that can be sent in its place.
func (q request) cannot(err error, near spec.Spec) *engine.Error {
	refusal := unresolvable("%v", err)
	text := near.Sound().String()
	refusal.Suggestion = &svc.Suggestion{
		Spec: text, Understood: []string{}, NotUnderstood: []string{}, Unchanged: q.old != nil && text == q.old.String(),
	}
	return refusal
}

func internal(err error) error {
	return &engine.Error{Code: engine.CodeInternal, Message: "The template engine failed; this is a defect of the service.", Err: err}
}

func unresolvable(format string, args ...any) *engine.Error {
	text := fmt.Sprintf(format, args...)
	return &engine.Error{Code: engine.CodeConstraintUnresolvable, Message: strings.ToUpper(text[:1]) + text[1:] + "."}
}
