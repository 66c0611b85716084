package template_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// write puts the project into a folder of its own.
func (p *project) write(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for path, f := range p.files {
		full := filepath.Join(dir, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, f.content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// command runs a program in dir and gives its output; a failure ends the test.
func command(t *testing.T, dir string, env []string, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

func TestGoProjectsPassTheirOwnTests(t *testing.T) {
	t.Parallel()
	p := begin(t, "A todo list API with tags and due dates in Go", nil)
	for _, step := range []string{
		"", "add a JSON file database and authentication", "add an endpoint for comments and enable CORS",
		"rename to Team Board", "use a PostgreSQL database",
	} {
		if step != "" {
			p.ask(t, step, nil)
		}
		checkGo(t, step, p)
	}
}

func checkGo(t *testing.T, step string, p *project) {
	t.Helper()
	dir := p.write(t)
	if out := command(t, dir, nil, "gofmt", "-s", "-l", "."); out != "" {
		t.Errorf("after %q not formatted: %s", step, out)
	}
	env := []string{"GOFLAGS=-mod=readonly -trimpath -buildvcs=false", "GOWORK=off", "DATABASE_URL=", "TEST_DATABASE_URL="}
	command(t, dir, env, "go", "vet", "./...")
	command(t, dir, env, "go", "test", "./...")
	command(t, dir, env, "go", "build", "-o", filepath.Join(dir, "bin", "app"), ".")
}
