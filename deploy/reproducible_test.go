//go:build unix

package deploy

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/testkit/needs"
)

// TestBuildsAreReproducible builds both programs twice from the same commit, in
// folders of different names: with caches that are empty, and with those of this
// machine, which other folders and times have filled.
// Promise: release-reproducible
func TestBuildsAreReproducible(t *testing.T) {
	needs.Long(t, "both programs built with empty caches and with full ones")
	downloads := strings.TrimSpace(output(t, "..", nil, "go", "env", "GOMODCACHE")) + "/cache/download"
	caches := t.TempDir()
	build := func(name string, env ...string) string {
		// A long name and a short one: a path that got into a program would show.
		tree := filepath.Join(t.TempDir(), name)
		output(t, "..", nil, "git", "clone", "--quiet", "--no-hardlinks", ".", tree)
		output(t, tree, append(env, "CGO_ENABLED=0", "GOFLAGS=-modcacherw"), "make", "build")
		return filepath.Join(tree, "bin")
	}
	first := build("a", "GOPROXY=file://"+downloads, "GONOSUMDB=*", "GONOSUMCHECK=1", "GOSUMDB=off",
		"GOCACHE="+filepath.Join(caches, "build"), "GOMODCACHE="+filepath.Join(caches, "modules"))
	second := build(strings.Repeat("another-", 10))
	for _, program := range []string{"svc", "svc-mcp", "svcd"} {
		a, err := os.ReadFile(filepath.Join(first, program))
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(filepath.Join(second, program))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(a, b) {
			t.Errorf("%s is not the same twice", program)
		}
	}
}

// output runs a command that has to succeed.
func output(t *testing.T, dir string, env []string, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, stderr.Bytes())
	}
	return string(out)
}
