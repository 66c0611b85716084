package stack_test

import (
	"bufio"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/bundle-delivery/svc/internal/engine/template/schema"
	"github.com/bundle-delivery/svc/internal/engine/template/spec"
	"github.com/bundle-delivery/svc/internal/engine/template/stack"
	"github.com/bundle-delivery/svc/internal/testkit/needs"
	"github.com/bundle-delivery/svc/internal/testkit/pgtest"
	"github.com/bundle-delivery/svc/internal/testkit/toolbox"
)

// testToken is what the services of tests accept.
const testToken = "0123456789abcdef0123"

// need ends a test whose tool is missing.
func need(t *testing.T, tool string) {
	t.Helper()
	needs.Program(t, tool, "scripts/ensure-tools.sh installs it")
}

// project writes the files of a new project, with its migrations, into a folder.
func project(t *testing.T, s spec.Spec) (dir string) {
	t.Helper()
	dir, _ = continued(t, schema.Change{Now: s}, nil)
	return dir
}

// continued writes a project after a change into a folder of its own, with the
// migrations that it had, and returns all of them.
func continued(t *testing.T, c schema.Change, had []stack.File) (dir string, all []stack.File) {
	t.Helper()
	p := stack.ViewOf(c.Now)
	p.Former = c.Documents
	for _, m := range had {
		c.Have = append(c.Have, m.Path)
	}
	added, _, err := schema.Migrations(c)
	if err != nil {
		t.Fatal(err)
	}
	dir, all = t.TempDir(), append(slices.Clone(had), added...)
	for _, m := range all {
		p.Migrations = append(p.Migrations, strings.TrimPrefix(m.Path, "migrations/"))
		write(t, dir, m.Path, m.Content)
	}
	files, err := stack.Render(p)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		write(t, dir, f.Path, f.Content)
	}
	return dir, all
}

func write(t *testing.T, dir, path string, content []byte) {
	t.Helper()
	full := filepath.Join(dir, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(full, content, 0o644); err != nil {
		t.Fatal(err)
	}
}

// command runs a program in dir and returns its output; a failure ends the test.
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

// service starts a generated program, waits for the line of its log that names the
// port, and returns its port and a function that stops it.
func service(t *testing.T, dir string, env []string, name string, args ...string) (port string, stop func() error) {
	t.Helper()
	address, err := toolbox.FreeAddress()
	if err != nil {
		t.Fatal(err)
	}
	_, port, err = net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), "PORT="+port), env...)
	cmd.Stderr = os.Stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(stdout)
	for line := ""; !strings.Contains(line, port); {
		if line, err = lines.ReadString('\n'); err != nil {
			t.Fatalf("%s did not start: %v", name, err)
		}
	}
	go func() { _, _ = io.Copy(io.Discard, lines) }() // a full pipe would stop the service
	return port, func() error {
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			return err
		}
		return cmd.Wait()
	}
}

// emptyDatabase returns the address of a PostgreSQL database of its own.
func emptyDatabase(t *testing.T) string {
	t.Helper()
	cluster := pgtest.Start(t)
	return cluster.Address(cluster.Database(t))
}
