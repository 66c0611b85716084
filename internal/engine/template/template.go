package template

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/bundle-delivery/svc/internal/engine"
)

// New returns the engine. It keeps nothing of a run and may be used by any
// number of runs at once.
func New() engine.Engine { return templates{parseLibrary()} }

type templates struct{ library library }

// Generate implements [engine.Engine].
func (e templates) Generate(ctx context.Context, req engine.Request, emit func(engine.Output) error) error {
	r := &run{req: req, emit: func(o engine.Output) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return emit(o)
	}}
	if err := r.emit(engine.ToolStatus{Action: engine.ActionPlan}); err != nil {
		return err
	}
	p, before, err := e.planFor(req)
	if err != nil {
		return err
	}
	t, err := e.library.render(p.spec)
	if err != nil {
		return internal(err)
	}
	if err := r.decide(p); err != nil {
		return err
	}
	if err := r.write(t); err != nil {
		return err
	}
	if err := r.clear(before, t); err != nil {
		return err
	}
	if err := r.declare(before, t); err != nil {
		return err
	}
	memory := req.Project.Memory
	if p.said != "" {
		memory = memoryOf(p.spec, memory, p.said)
	}
	if memory != req.Project.Memory {
		if err := r.emit(engine.MemoryUpdate{Content: memory}); err != nil {
			return err
		}
	}
	if err := r.emit(engine.ToolStatus{Action: engine.ActionFinalize}); err != nil {
		return err
	}
	return r.emit(engine.Usage{Model: engineName, InputTokens: inputTokens(req), OutputTokens: r.written})
}

func internal(err error) error {
	return &engine.Error{Code: engine.CodeInternal, Message: "the template engine failed; this is a defect of the service", Err: err}
}

// planFor decides whether a request begins, continues or mends a project. The
// tree that the old state stood for comes with it: what of it is no longer
// wanted will be deleted.
func (e templates) planFor(req engine.Request) (p plan, before tree, err error) {
	c, err := readConstraints(req.Constraints)
	if err != nil {
		return plan{}, tree{}, err
	}
	ours := req.Project.State[stateKeyEngine] == engineName
	if !ours && (req.Attempt > 1 || len(req.Project.Files) == 0) {
		p, err = begin(req.Prompt, c)
		return p, tree{}, err
	}
	if !ours {
		return plan{}, tree{}, unresolvable("the template engine continues only projects that it began, and this one has files of another engine; begin a new project.")
	}
	old, err := specOf(req.Project.State)
	if err != nil {
		return plan{}, tree{}, unresolvable("the project cannot be continued: %v; begin a new project.", err)
	}
	if before, err = e.library.render(old); err != nil {
		return plan{}, tree{}, internal(err)
	}
	p, err = carryOn(old, req.Prompt, c)
	if err != nil && req.Attempt > 1 {
		// The attempt before this one has already locked what the prompt asked
		// for; all that is left to do is to write the files again.
		return plan{spec: old}, before, nil
	}
	return p, before, err
}

// run is one call of Generate.
type run struct {
	req     engine.Request
	emit    func(engine.Output) error // fails once the run was stopped
	written int64                     // tokens
}

// decide locks the decisions that are new.
func (r *run) decide(p plan) error {
	for _, d := range p.spec.decisions() {
		text := d.text()
		if text == r.req.Project.State[d.key] {
			continue
		}
		if err := r.emit(engine.StateUpdate{Key: d.key, Value: text, Reason: p.reasons[d.key]}); err != nil {
			return err
		}
	}
	return nil
}

// write tells the files that differ from the project's, and those that a
// finding names.
func (r *run) write(t tree) error {
	for _, f := range t.files {
		blamed := slices.ContainsFunc(r.req.Findings, func(s string) bool { return strings.Contains(s, f.path) })
		same, err := r.has(f)
		if err != nil {
			return err
		}
		if same && !blamed {
			continue
		}
		action := engine.ActionGenerateFile
		if blamed {
			action = engine.ActionRepairFile
		}
		if err := r.emit(engine.ToolStatus{Action: action, File: f.path}); err != nil {
			return err
		}
		for piece := range pieces(string(f.content)) {
			if err := r.emit(engine.Token{File: f.path, Delta: piece}); err != nil {
				return err
			}
		}
		if err := r.emit(engine.File{Path: f.path, Content: f.content}); err != nil {
			return err
		}
		r.written += tokens(len(f.content))
	}
	return nil
}

// clear deletes what the project had by its old spec and has not by its new one.
func (r *run) clear(before, t tree) error {
	for _, f := range before.files {
		_, known := r.find(f.path)
		if !known || t.has(f.path) {
			continue
		}
		if err := r.emit(engine.Delete{Path: f.path}); err != nil {
			return err
		}
	}
	return nil
}

// declare tells the ports. One that is no longer used keeps its name, since
// there is no way to take it back, but stands in no file.
func (r *run) declare(before, t tree) error {
	ports := slices.Clone(t.ports)
	for _, old := range before.ports {
		if !slices.ContainsFunc(t.ports, func(p engine.Port) bool { return p.Name == old.Name }) {
			ports = append(ports, engine.Port{Name: old.Name, Port: old.Port})
		}
	}
	for _, port := range ports {
		if err := r.emit(port); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) find(path string) (engine.FileInfo, bool) {
	i := slices.IndexFunc(r.req.Project.Files, func(f engine.FileInfo) bool { return f.Path == path })
	if i < 0 {
		return engine.FileInfo{}, false
	}
	return r.req.Project.Files[i], true
}

// has reports whether the project holds the file as it should be.
func (r *run) has(f treeFile) (bool, error) {
	info, known := r.find(f.path)
	if !known || info.Size != int64(len(f.content)) || r.req.Project.Open == nil {
		return false, nil
	}
	file, err := r.req.Project.Open(f.path)
	if err != nil {
		return false, internal(fmt.Errorf("opening %s: %w", f.path, err))
	}
	content, err := io.ReadAll(io.LimitReader(file, info.Size+1))
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return false, internal(fmt.Errorf("reading %s: %w", f.path, err))
	}
	return bytes.Equal(content, f.content), nil
}

// pieceSize is about what a model says at once.
const pieceSize = 64

// pieces cuts text into pieces of up to pieceSize bytes, after white space
// where there is some and never inside a character.
func pieces(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for len(text) > 0 {
			n := min(pieceSize, len(text))
			if n < len(text) {
				if i := strings.LastIndexAny(text[:n], " \n\t"); i >= pieceSize/4 {
					n = i + 1
				}
				for !utf8.RuneStart(text[n]) {
					n--
				}
			}
			if !yield(text[:n]) {
				return
			}
			text = text[n:]
		}
	}
}

// bytesPerToken makes usage comparable with that of models, roughly.
const bytesPerToken = 4

func tokens(n int) int64 { return int64((n + bytesPerToken - 1) / bytesPerToken) }

func inputTokens(req engine.Request) int64 {
	n := len(req.Prompt)
	for _, key := range slices.Sorted(maps.Keys(req.Constraints)) {
		n += len(key) + len(req.Constraints[key])
	}
	for _, f := range req.Findings {
		n += len(f)
	}
	return tokens(n)
}
