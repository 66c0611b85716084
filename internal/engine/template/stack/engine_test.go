package stack_test

import (
	"bytes"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/engine/template"
	"github.com/bundle-delivery/svc/internal/engine/template/spec"
	"github.com/bundle-delivery/svc/internal/engine/template/stack"
)

// made is a project as runs of the engine leave it.
type made struct {
	files  map[string][]byte
	ports  map[string]engine.Port
	state  map[string]string
	memory string
}

// begun makes a project.
func begun(t *testing.T, prompt string, constraints map[string]string) *made {
	t.Helper()
	m := &made{files: map[string][]byte{}, ports: map[string]engine.Port{}, state: map[string]string{}}
	m.generate(t, prompt, constraints)
	return m
}

// copy returns the project as it is now.
func (m *made) copy() *made {
	return &made{files: maps.Clone(m.files), ports: maps.Clone(m.ports), state: maps.Clone(m.state), memory: m.memory}
}

// generate continues the project as a run does.
func (m *made) generate(t *testing.T, prompt string, constraints map[string]string) {
	t.Helper()
	now := m.copy() // the engine reads the project as it was
	p := engine.Project{
		State: maps.Clone(m.state), Memory: m.memory,
		Open: func(path string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(m.files[path])), nil },
	}
	for _, path := range slices.Sorted(maps.Keys(m.files)) {
		p.Files = append(p.Files, engine.FileInfo{Path: path, Size: int64(len(m.files[path]))})
	}
	for _, name := range slices.Sorted(maps.Keys(m.ports)) {
		p.Ports = append(p.Ports, m.ports[name])
	}
	err := template.New().Generate(t.Context(), engine.Request{Prompt: prompt, Constraints: constraints, Project: p, Attempt: 1}, func(o engine.Output) error {
		switch o := o.(type) {
		case engine.File:
			now.files[o.Path] = o.Content
		case engine.Delete:
			delete(now.files, o.Path)
		case engine.StateUpdate:
			now.state[o.Key] = o.Value
		case engine.MemoryUpdate:
			now.memory = o.Content
		case engine.Port:
			now.ports[o.Name] = o
		}
		return nil
	})
	if err != nil {
		t.Fatalf("%s\n%v\n%v", prompt, constraints, err)
	}
	*m = *now
}

// spec returns what the project is.
func (m *made) spec(t *testing.T) spec.Spec {
	t.Helper()
	return parsed(t, m.state["spec"])
}

// workshop builds projects with the tools of this machine.
type workshop struct{ npm packages }

// workshopFor returns a workshop for projects in these languages.
func workshopFor(t *testing.T, languages ...string) workshop {
	t.Helper()
	var w workshop
	if slices.Contains(languages, spec.TypeScript) {
		w.npm = installPackages(t)
	}
	return w
}

// build writes the project into a folder of its own, builds it, passes its own tests,
// and returns the folder with the command that starts its program.
func (w workshop) build(t *testing.T, m *made) (dir string, run []string) {
	t.Helper()
	s := m.spec(t)
	dir = t.TempDir()
	for path, content := range m.files {
		write(t, dir, path, content)
	}
	var env []string
	if s.Store == spec.Postgres {
		env = append(env, "TEST_DATABASE_URL="+emptyDatabase(t))
	}
	switch {
	case s.Kind == spec.Site:
		need(t, "node")
		if out := command(t, dir, nil, "npm", "test"); !strings.Contains(out, "# fail 0") || strings.Contains(out, "# pass 0") {
			t.Errorf("the site failed its tests:\n%s", out)
		}
		run = []string{"node", "serve.mjs"}
	case s.Language == spec.Go:
		env = append(env, goFlags...)
		program := filepath.Join(dir, "bin", "app")
		command(t, dir, env, "go", "build", "-o", program, ".")
		command(t, dir, env, "go", "vet", "./...")
		if out := command(t, dir, env, "go", "test", "-v", "./..."); strings.Contains(out, "--- SKIP") || !strings.Contains(out, "--- PASS") {
			t.Errorf("not everything was tested:\n%s", out)
		}
		run = []string{program}
	case s.Language == spec.Python:
		program := python(t, s.Store)
		checkPython(t, program, dir, env...)
		run = []string{program, "-m", "app"}
	case s.Language == spec.TypeScript:
		w.npm.use(t, s, dir)
		if out := command(t, dir, env, "npm", "test"); !strings.Contains(out, "# skipped 0\n") || !strings.Contains(out, "# fail 0\n") || strings.Contains(out, "# pass 0\n") {
			t.Errorf("not everything was tested:\n%s", out)
		}
		run = []string{"node", "dist/src/main.js"}
	}
	return dir, run
}

// serve starts the program of a project, lets do ask it, and stops it.
func serve(t *testing.T, m *made, dir string, env, run []string, do func(a *api)) {
	t.Helper()
	s := m.spec(t)
	a := &api{t: t, p: stack.ViewOf(s)}
	if s.Auth == spec.Token {
		a.token = testToken
	}
	port, stop := service(t, dir, append(slices.Clone(env), "API_TOKEN="+testToken), run[0], run[1:]...)
	a.base = "http://127.0.0.1:" + port
	do(a)
	if err := stop(); err != nil {
		t.Errorf("the service ended with %v", err)
	}
}

// chance returns a generator whose seed is that of the environment, or new. The test
// prints it, so that a choice can be repeated.
func chance(t *testing.T) *rand.Rand {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	if text := os.Getenv("SEED"); text != "" {
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatalf("SEED: %v", err)
		}
		seed = n
	}
	t.Logf("SEED=%d repeats the choice", seed)
	return rand.New(rand.NewPCG(seed, seed))
}
