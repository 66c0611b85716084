package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// nowhere takes nothing, as a pipe that nobody reads.
type nowhere struct{}

func (nowhere) Write([]byte) (int, error) { return 0, errors.New("nobody reads this") }

// An import that cannot say what it left out has not gone well.
func TestWhatIsLeftOutIsSaid(t *testing.T) {
	t.Parallel()
	data, dir := filepath.Join(t.TempDir(), "data"), t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte("package main\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("main.go", filepath.Join(dir, "linked.go")); err != nil {
		t.Fatal(err)
	}
	if code, _, text := runMain(t, nil, "account", "create", "--email", email, "--plan", "developer", "--data-dir", data); code != exitOK {
		t.Fatalf("exit %d: %s", code, text)
	}
	describe := []string{"project", "import", dir, "--account", email, "--dry-run", "--data-dir", data}
	code, out, text := runMain(t, nil, describe...)
	if code != exitOK || !strings.Contains(text, "left out linked.go") || !strings.Contains(out, "main.go") || strings.Contains(out, "linked.go") {
		t.Errorf("exit %d, stdout %q, stderr %q", code, out, text)
	}
	var stdout bytes.Buffer
	code = Main(t.Context(), describe, Streams{In: strings.NewReader(""), Out: &stdout, Err: nowhere{}, Program: "svcd"}, nil)
	if code != exitFailure || stdout.Len() > 0 {
		t.Errorf("where nobody hears of it: exit %d, stdout %q", code, stdout.String())
	}
}
