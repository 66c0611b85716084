// Package telling tells whoever asked for a project what of it becomes different.
package telling

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/scaffold"
)

// Run is one call of an engine. Once it was stopped it says nothing more.
type Run struct {
	Err     error // why it was stopped
	req     engine.Request
	ctx     context.Context //nolint:containedctx // a run lives as long as the call
	out     func(engine.Output) error
	defect  func(error) error
	known   map[string]engine.FileInfo // the project's files
	written int64                      // tokens
}

// New begins a run; defect makes the error of a file that the project has and that cannot be read.
func New(ctx context.Context, req engine.Request, out func(engine.Output) error, defect func(error) error) *Run {
	r := &Run{ctx: ctx, req: req, out: out, defect: defect, known: map[string]engine.FileInfo{}}
	for _, f := range req.Project.Files {
		r.known[f.Path] = f
	}
	return r
}

// Emit tells one thing.
func (r *Run) Emit(o engine.Output) {
	if r.Err = cmp.Or(r.Err, r.ctx.Err()); r.Err == nil {
		r.Err = r.out(o)
	}
}

// Write tells a file that differs from the project's, or that a finding names.
func (r *Run) Write(f scaffold.File) {
	blamed := slices.ContainsFunc(r.req.Findings, func(s string) bool { return strings.Contains(s, f.Path) })
	if r.Err != nil || r.has(f) && !blamed {
		return
	}
	action := engine.ActionGenerateFile
	if blamed {
		action = engine.ActionRepairFile
	}
	r.Emit(engine.ToolStatus{Action: action, File: f.Path})
	for line := range strings.Lines(string(f.Content)) {
		r.Emit(engine.Token{File: f.Path, Delta: line})
	}
	r.Emit(engine.File{Path: f.Path, Content: f.Content})
	r.written += tokens(len(f.Content))
}

// Delete tells that a file goes, if the project has it.
func (r *Run) Delete(path string) {
	if _, known := r.known[path]; known {
		r.Emit(engine.Delete{Path: path})
	}
}

// Declare tells the ports. One that is no longer used keeps its name, since
// there is no way to take it back, but stands in no file.
func (r *Run) Declare(before, ports []engine.Port) {
	for _, port := range ports {
		r.Emit(port)
	}
	for _, old := range before {
		if !slices.ContainsFunc(ports, func(p engine.Port) bool { return p.Name == old.Name }) {
			r.Emit(engine.Port{Name: old.Name, Port: old.Port})
		}
	}
}

// Finish tells that all was told, and how much that was: one token for every four
// bytes, which makes usage roughly comparable with that of models.
func (r *Run) Finish(model string) {
	n := len(r.req.Prompt) + len(strings.Join(r.req.Findings, ""))
	for key, value := range r.req.Constraints {
		n += len(key) + len(value)
	}
	r.Emit(engine.ToolStatus{Action: engine.ActionFinalize})
	r.Emit(engine.Usage{Model: model, InputTokens: tokens(n), OutputTokens: r.written})
}

func tokens(bytes int) int64 { return int64((bytes + 3) / 4) }

// has reports whether the project holds the file as it should be.
func (r *Run) has(f scaffold.File) bool {
	info, known := r.known[f.Path]
	if !known || info.Size != int64(len(f.Content)) || r.req.Project.Open == nil {
		return false
	}
	file, err := r.req.Project.Open(f.Path)
	var content []byte
	if err == nil {
		content, err = io.ReadAll(io.LimitReader(file, info.Size+1))
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		r.Err = r.defect(fmt.Errorf("reading %s: %w", f.Path, err))
	}
	return bytes.Equal(content, f.Content)
}
