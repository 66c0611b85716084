package template

import (
	"slices"
	"strconv"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/engine/template/spec"
	"github.com/bundle-delivery/svc/internal/engine/template/stack"
	"github.com/bundle-delivery/svc/internal/history"
	"github.com/bundle-delivery/svc/internal/plaintext"
)

// decisions are the project's state: the spec, and what it says in single values
// with the reason for each.
func (q request) decisions() []engine.StateUpdate {
	s := q.now
	out := []engine.StateUpdate{
		{Key: stateEngine, Value: engineName, Reason: "this project is written from templates, the same for the same spec"},
		{Key: stateSpec, Value: s.String(), Reason: "the whole description of the project; change a line of it to change the project"},
	}
	set := func(key, value string) {
		if value != "" {
			out = append(out, engine.StateUpdate{Key: key, Value: value, Reason: q.reason(key)})
		}
	}
	set("kind", s.Kind)
	set("language", s.Language)
	set("name", s.Name)
	set("store", s.Store)
	set("port", strconv.Itoa(s.Port))
	set("auth", s.Auth)
	set("license", s.License)
	if s.CORS {
		set("cors", "on")
	}
	for _, r := range s.Records {
		fields := make([]string, 0, len(r.Fields))
		for _, f := range r.Fields {
			fields = append(fields, f.Name)
		}
		set("record "+r.Noun, strings.Join(fields, ", "))
	}
	if q.former {
		out = append(out, engine.StateUpdate{Key: stateFormer, Value: "moved", Reason: "an earlier version kept the records as JSON documents; the first migration moves them"})
	}
	if kept := strings.Join(q.kept, "\n"); kept != q.state[stateKept] {
		out = append(out, engine.StateUpdate{Key: stateKept, Value: kept, Reason: "the database keeps what the spec no longer has"})
	}
	return append(out, q.renamesDecision()...)
}

// reason says why a value is as it is.
func (q request) reason(key string) string {
	for _, g := range q.guesses {
		if g.What == key {
			return g.Why
		}
	}
	noun, record := strings.CutPrefix(key, "record ")
	switch {
	case q.old == nil && key == "auth" && q.open.Auth == "":
		return "no authentication is asked for"
	case q.old == nil && key == "license" && q.open.License == "":
		return "no licence is named"
	case record && slices.Contains(q.usual, noun):
		return "no field is named; these are usual"
	}
	if q.given[key] != "" || key == "store" && q.given["database"] != "" {
		return "the constraint " + key + " says so"
	}
	if q.source == "" {
		return "as before"
	}
	return q.source + " names it"
}

// memoryOf writes the project's memory: its spec, and what the runs did.
func memoryOf(q request, before string) string {
	var b strings.Builder
	b.WriteString("# " + plaintext.Markdown(stack.ViewOf(q.now).Title) + "\n\nThis project is made from a spec. Change a line of it to change the project.\n\n")
	for line := range strings.Lines(q.now.String()) {
		b.WriteString("    " + line)
	}
	b.WriteString("\n\n")
	return b.String() + history.Add(before, strings.Join(q.done, "; ")+".")
}

// Constraints are those that the engine understands.
func Constraints() (out []engine.Constraint) {
	for _, c := range spec.KnownConstraints() {
		out = append(out, engine.Constraint{Name: c.Name, Values: c.Values})
	}
	return out
}
