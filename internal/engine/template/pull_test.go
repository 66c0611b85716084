package template_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/bundlezip"
	"github.com/bundle-delivery/svc/internal/merge"
)

func strategy(path string) bundlezip.MergeStrategy {
	_, strategy := bundlezip.DefaultPlacement(path)
	return strategy
}

// pull brings the next state of a project into a folder that holds the last
// one, as the client does: files are merged by their strategies, and those that
// are no longer there are deleted.
func pull(t *testing.T, dir string, before, after *project) {
	t.Helper()
	for path := range before.files {
		if _, ok := after.files[path]; ok {
			continue
		}
		if err := os.Remove(filepath.Join(dir, filepath.FromSlash(path))); err != nil {
			t.Fatal(err)
		}
	}
	for path, f := range after.files {
		full := filepath.Join(dir, filepath.FromSlash(path))
		content := f.content
		current, err := os.ReadFile(full)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		if err == nil {
			result := merge.Merge(strategy(path), merge.Input{
				Path: path, Current: current, Base: before.files[path].content, Incoming: f.content, Owner: "proj_x",
			})
			if len(result.Conflicts) > 0 {
				t.Errorf("%s: %v", path, result.Conflicts)
			}
			content = result.Content
		}
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// copyOf keeps a state while the project goes on.
func (p *project) copyOf() *project {
	c := newProject()
	for path, f := range p.files {
		c.files[path] = f
	}
	return c
}

func TestAGoProjectWithoutItsDatabaseBuildsOnTopOfTheLastPull(t *testing.T) {
	t.Parallel()
	p := begin(t, "a todo list API in Go with PostgreSQL", nil)
	first := p.copyOf()
	p.ask(t, "store the data in a file", nil)
	second := p.copyOf()
	p.ask(t, "remove the database", nil)
	checkTree(t, p)

	// Someone pulled every state, someone else left one out.
	for _, between := range []*project{second, first} {
		dir := first.write(t)
		pull(t, dir, first, between)
		pull(t, dir, between, p)
		env := []string{"GOFLAGS=-mod=readonly -trimpath -buildvcs=false", "GOWORK=off"}
		command(t, dir, env, "go", "test", "-vet=all", "./...")
	}
	for name, text := range map[string]string{"README": string(p.files["README.md"].content), "memory": p.memory} {
		if !strings.Contains(text, "by hand") || !strings.Contains(text, "compose.yaml") {
			t.Errorf("the %s does not say what stays:\n%s", name, text)
		}
	}

	// The database comes back as if it had never been away.
	p.ask(t, "use PostgreSQL", nil)
	if got := string(p.files["internal/store/postgres.go"].content); got != string(first.files["internal/store/postgres.go"].content) {
		t.Errorf("postgres.go = %s", got)
	}
}

func TestATypeScriptProjectWithoutItsDatabaseBuildsOnTopOfTheLastPull(t *testing.T) {
	t.Parallel()
	need(t, "node")
	need(t, "npm")
	p := begin(t, "a Node API for products with PostgreSQL", nil)
	first := p.copyOf()
	p.ask(t, "remove the database", nil)
	checkTree(t, p)
	dir := first.write(t)
	pull(t, dir, first, p)
	install(t, dir) // fails when package.json and its lock differ
	command(t, dir, nil, "npm", "test")
}

func TestAPythonProjectWithoutItsDatabaseWorksOnTopOfTheLastPull(t *testing.T) {
	t.Parallel()
	for _, database := range []string{"a database", "PostgreSQL"} {
		p := begin(t, "a Python API for recipes with "+database, nil)
		first := p.copyOf()
		p.ask(t, "remove the database", nil)
		checkTree(t, p)
		dir := first.write(t)
		pull(t, dir, first, p)
		command(t, dir, []string{"PYTHONDONTWRITEBYTECODE=1"}, "python3", "-W", "error", "-m", "unittest", "discover", "-s", "tests", "-t", ".")
	}
}
