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
	p := begin(t, "A todo API in Go with title, done, tags and due date", nil)
	for _, step := range []string{
		"", "store the data in a JSON file and add authentication", "add parking spots to todos, enable CORS and rename it to Team Board", "switch to sqlite",
	} {
		if step != "" {
			p.ask(t, step, nil)
		}
		checkGo(t, p)
	}
}

// Words of the language and its library must not get in the way of the code.
func TestGoProjectWithAwkwardWords(t *testing.T) {
	t.Parallel()
	checkGo(t, begin(t, "a service in Go", map[string]string{"resources": "types,funcs,errors,strings,models,stores,maps,contexts"}))
}

// checkGo has a project test itself, asks it where it keeps todos in a file, and gives what the tests said.
func checkGo(t *testing.T, p *project, env ...string) string {
	t.Helper()
	dir, said := buildGo(t, p, env...)
	if p.state["database"] == "file" {
		checkService(t, dir, "/todos", nil, filepath.Join(dir, "bin", "app"))
	}
	return said
}

// buildGo formats, vets, builds and tests a project, and gives what the tests said.
func buildGo(t *testing.T, p *project, env ...string) (dir, said string) {
	t.Helper()
	dir = p.write(t)
	if out := command(t, dir, nil, "gofmt", "-s", "-l", "."); out != "" {
		t.Errorf("not formatted: %s", out)
	}
	// Without its path in the binaries, an unchanged project comes out of the build cache.
	env = append(env, "GOFLAGS=-mod=readonly -trimpath -buildvcs=false", "GOWORK=off")
	command(t, dir, env, "go", "build", "-o", filepath.Join(dir, "bin", "app"), ".")
	return dir, command(t, dir, env, "go", "test", "-v", "-vet=all", "./...")
}
