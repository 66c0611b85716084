package template

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/engine/template/schema"
	"github.com/bundle-delivery/svc/internal/engine/template/stack"
	"github.com/bundle-delivery/svc/internal/text/plaintext"
)

// emitter emits what becomes different about a project, until it is stopped.
type emitter struct {
	ctx     context.Context //nolint:containedctx // an emitter lives as long as the call
	req     engine.Request
	out     func(engine.Output) error
	err     error            // why it was stopped
	sizes   map[string]int64 // of the project's files
	written int              // bytes
}

func (e *emitter) emit(o engine.Output) {
	if e.err = cmp.Or(e.err, e.ctx.Err()); e.err == nil {
		e.err = e.out(o)
	}
}

// tree emits the files and ports of a project. A port that is no longer used stays
// declared, since a declaration cannot be taken back, but stands in no file.
func (e *emitter) tree(before, now tree) {
	for _, path := range slices.Sorted(maps.Keys(now.files)) {
		e.write(path, now.files[path])
	}
	for _, path := range slices.Sorted(maps.Keys(before.files)) {
		if _, known := e.sizes[path]; known && now.files[path] == nil {
			e.emit(engine.Delete{Path: path})
		}
	}
	for _, port := range now.ports {
		e.emit(port)
	}
	for _, old := range before.ports {
		if !slices.ContainsFunc(now.ports, func(p engine.Port) bool { return p.Name == old.Name }) {
			e.emit(engine.Port{Name: old.Name, Port: old.Port})
		}
	}
}

// write emits a file that differs from the project's, or that a finding names.
func (e *emitter) write(path string, content []byte) {
	action := engine.ActionGenerateFile
	if slices.ContainsFunc(e.req.Findings, func(s string) bool { return strings.Contains(s, path) }) {
		action = engine.ActionRepairFile
	}
	if e.err != nil || action == engine.ActionGenerateFile && e.has(path, content) {
		return
	}
	e.emit(engine.ToolStatus{Action: action, File: path})
	for line := range strings.Lines(string(content)) {
		e.emit(engine.Token{File: path, Delta: line})
	}
	e.emit(engine.File{Path: path, Content: content})
	e.written += len(content)
}

// has reports whether the project holds the file as it should be. No file is empty.
func (e *emitter) has(path string, content []byte) bool {
	if e.sizes[path] != int64(len(content)) {
		return false
	}
	file, err := e.req.Project.Open(path)
	var held []byte
	if err == nil {
		held, err = io.ReadAll(file)
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		e.err = internal(fmt.Errorf("reading %s: %w", path, err))
	}
	return bytes.Equal(held, content)
}

// finish emits the end and the usage: one token for every four bytes, roughly as
// models count.
func (e *emitter) finish() {
	asked := len(fmt.Sprint(e.req.Prompt, e.req.Constraints, e.req.Findings))
	e.emit(engine.ToolStatus{Action: engine.ActionFinalize})
	e.emit(engine.Usage{Model: engineName, InputTokens: int64(asked+3) / 4, OutputTokens: int64(e.written+3) / 4})
}

// decisions are the project's state: the spec, what it says in single values, and what
// stores still have of earlier specs, with the reason for each.
func (q *request) decisions() []engine.StateUpdate {
	out := []engine.StateUpdate{
		{Key: stateEngine, Value: engineName, Reason: "this project is written from templates, the same for the same spec"},
		{Key: stateSpec, Value: q.now.String(), Reason: "the whole description of the project; change a line of it to change the project"},
	}
	values := q.now.Constraints()
	for _, key := range []string{"kind", "language", "name", "store", "port", "auth", "license", "cors"} {
		if values[key] != "" {
			out = append(out, engine.StateUpdate{Key: key, Value: values[key], Reason: q.reason(key)})
		}
	}
	for _, r := range q.now.Records {
		var fields []string
		for _, f := range r.Fields {
			fields = append(fields, f.Name)
		}
		out = append(out, engine.StateUpdate{Key: "record " + r.Noun, Value: strings.Join(fields, ", "), Reason: q.reason("record " + r.Noun)})
	}
	var former, why string
	switch {
	case q.former && slices.Contains(q.kept, schema.Removed):
		former, why = "moved", "; the first migration moves them"
	case q.former:
		former, why = "read", "; a service with a file store reads them in its data file"
	}
	return append(out,
		engine.StateUpdate{Key: stateFormer, Value: former, Reason: "an earlier version kept the records as JSON documents" + why},
		engine.StateUpdate{Key: stateKept, Value: strings.Join(q.kept, "\n"), Reason: "the database keeps what the spec no longer has"},
		engine.StateUpdate{Key: stateRenames, Value: q.renamed, Reason: "the former names of records and fields; a service with a file store finds them in its data file"},
	)
}

// reason says why a value is as it is.
func (q *request) reason(key string) string {
	for _, g := range q.guesses {
		if g.What == key {
			return g.Why
		}
	}
	noun, record := strings.CutPrefix(key, "record ")
	switch {
	case q.given[key] != "" || key == "store" && q.given["database"] != "":
		return "the constraint " + key + " says so"
	case q.old == nil && key == "auth" && q.open.Auth == "":
		return "no authentication is asked for"
	case q.old == nil && key == "license" && q.open.License == "":
		return "no licence is named"
	case record && slices.Contains(q.usual, noun):
		return "no field is named; these are usual"
	case q.source == "":
		return "as before"
	}
	return q.source + " names it"
}

const history = "## History\n\n"

// maxHistory is how many entries a history keeps, the first and the newest: a run whose
// memory is too long fails.
const maxHistory = 200

// memory writes the project's memory: its spec, and the history of the old memory
// with what this run does, unless another attempt of the run has written that.
func (q *request) memory(old string) string {
	b := "# " + plaintext.Markdown(stack.ViewOf(q.now).Title) + "\n\nThis project is made from a spec. Change a line of it to change the project.\n\n"
	b += "    " + strings.ReplaceAll(strings.TrimSpace(q.now.String()), "\n", "\n    ") + "\n\n" + history
	_, old, _ = strings.Cut(old, history)
	var all []string
	for _, line := range lines(old) {
		_, text, _ := strings.Cut(line, ". ") // behind its number
		all = append(all, text)
	}
	if done := plaintext.Line(strings.Join(q.done, "; ")+".", 300); len(all) == 0 || all[len(all)-1] != done {
		all = append(all, done)
	}
	for i, text := range slices.Delete(all, 1, max(1, len(all)-maxHistory+1)) {
		b += fmt.Sprintf("%d. %s\n", i+1, text)
	}
	return b
}
