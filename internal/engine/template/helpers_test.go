package template_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/engine/template"
)

// project is what a run keeps between requests.
type project struct {
	files  map[string][]byte
	ports  map[string]engine.Port
	state  map[string]string
	memory string
}

func newProject() *project {
	return &project{files: map[string][]byte{}, ports: map[string]engine.Port{}, state: map[string]string{}}
}

func (p *project) forEngine() engine.Project {
	out := engine.Project{
		State: maps.Clone(p.state), Memory: p.memory,
		Open: func(path string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(p.files[path])), nil },
	}
	for _, path := range slices.Sorted(maps.Keys(p.files)) {
		out.Files = append(out.Files, engine.FileInfo{Path: path, Size: int64(len(p.files[path]))})
	}
	for _, name := range slices.Sorted(maps.Keys(p.ports)) {
		out.Ports = append(out.Ports, p.ports[name])
	}
	return out
}

// generate asks the engine once and returns all that it emits.
func generate(ctx context.Context, req engine.Request) ([]engine.Output, error) {
	req.Attempt = max(req.Attempt, 1)
	var out []engine.Output
	err := template.New().Generate(ctx, req, func(o engine.Output) error {
		out = append(out, o)
		return nil
	})
	return out, err
}

// ask sends a prompt, applies the answer to the project as a run does, and returns
// the paths that were written, sorted.
func (p *project) ask(t *testing.T, prompt string, constraints map[string]string) []string {
	t.Helper()
	out, err := generate(t.Context(), engine.Request{Prompt: prompt, Constraints: constraints, Project: p.forEngine()})
	if err != nil {
		t.Fatalf("%q: %v", prompt, err)
	}
	return p.apply(t, out)
}

func (p *project) apply(t *testing.T, out []engine.Output) (written []string) {
	t.Helper()
	told := map[string]*strings.Builder{}
	for _, o := range out {
		switch o := o.(type) {
		case engine.Token:
			if told[o.File] == nil {
				told[o.File] = &strings.Builder{}
			}
			told[o.File].WriteString(o.Delta)
		case engine.File:
			if told[o.Path] == nil || told[o.Path].String() != string(o.Content) {
				t.Errorf("the tokens of %s are not its content", o.Path)
			}
			p.files[o.Path] = o.Content
			written = append(written, o.Path)
		case engine.Delete:
			delete(p.files, o.Path)
			written = append(written, "-"+o.Path)
		case engine.StateUpdate:
			p.state[o.Key] = o.Value
		case engine.MemoryUpdate:
			p.memory = o.Content
		case engine.Port:
			p.ports[o.Name] = o
		}
	}
	slices.Sort(written)
	return written
}

func begin(t *testing.T, prompt string, constraints map[string]string) *project {
	t.Helper()
	p := newProject()
	p.ask(t, prompt, constraints)
	return p
}

// refusal returns the error with which a request is refused. The spec that it
// suggests is one that the engine takes.
func (p *project) refusal(t *testing.T, prompt string, constraints map[string]string) *engine.Error {
	t.Helper()
	checked := template.Reader().Check(prompt, constraints, p.state)
	_, err := generate(t.Context(), engine.Request{Prompt: prompt, Constraints: constraints, Project: p.forEngine()})
	refused, ok := errors.AsType[*engine.Error](err)
	if !ok || refused.Code != engine.CodeConstraintUnresolvable {
		t.Fatalf("%q: %v", prompt, err)
	}
	if checked == nil || checked.Error() != err.Error() {
		t.Errorf("%q: the reader says %v, the engine %v", prompt, checked, err)
	}
	if refused.Suggestion != nil && len(p.files) == 0 {
		if _, err := generate(t.Context(), engine.Request{Prompt: refused.Suggestion.Spec}); err != nil {
			t.Errorf("%q: the suggestion is refused: %v\n%s", prompt, err, refused.Suggestion.Spec)
		}
	}
	return refused
}
