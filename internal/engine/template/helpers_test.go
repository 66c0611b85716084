package template_test

import (
	"bytes"
	"context"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/engine/template"
)

// project is what a run would keep between requests.
type project struct {
	files  map[string]file
	ports  map[string]engine.Port
	state  map[string]string
	memory string
}

type file struct {
	content []byte
	place   engine.Placement
}

func newProject() *project {
	return &project{files: map[string]file{}, ports: map[string]engine.Port{}, state: map[string]string{}}
}

func (p *project) forEngine() engine.Project {
	out := engine.Project{
		State: maps.Clone(p.state), Memory: p.memory,
		Open: func(path string) (io.ReadCloser, error) {
			return io.NopCloser(bytes.NewReader(p.files[path].content)), nil
		},
	}
	for _, path := range slices.Sorted(maps.Keys(p.files)) {
		f := p.files[path]
		out.Files = append(out.Files, engine.FileInfo{Path: path, Size: int64(len(f.content)), Place: f.place})
	}
	for _, name := range slices.Sorted(maps.Keys(p.ports)) {
		out.Ports = append(out.Ports, p.ports[name])
	}
	return out
}

// shared is the engine of all tests, as a server has one for all runs.
var shared = sync.OnceValue(template.New)

// generate asks the engine once and gives everything it said.
func generate(ctx context.Context, req engine.Request) ([]engine.Output, error) {
	var out []engine.Output
	err := shared().Generate(ctx, req, func(o engine.Output) error {
		out = append(out, o)
		return nil
	})
	return out, err
}

// ask sends a prompt, applies the answer to the project as a run would, and
// gives the paths that were written.
func (p *project) ask(t *testing.T, prompt string, constraints map[string]string) []string {
	t.Helper()
	out, err := generate(t.Context(), engine.Request{Prompt: prompt, Constraints: constraints, Project: p.forEngine(), Attempt: 1})
	if err != nil {
		t.Fatalf("%q: %v", prompt, err)
	}
	return p.apply(t, out)
}

func (p *project) apply(t *testing.T, out []engine.Output) []string {
	t.Helper()
	told := map[string]*strings.Builder{}
	var written []string
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
			p.files[o.Path] = file{o.Content, o.Place}
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
	return written
}

func begin(t *testing.T, prompt string, constraints map[string]string) *project {
	t.Helper()
	p := newProject()
	p.ask(t, prompt, constraints)
	return p
}
