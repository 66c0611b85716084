package pack_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/bundle/pack"
	"github.com/bundle-delivery/svc/internal/testkit/must"
	"github.com/bundle-delivery/svc/internal/testkit/needs"
	"github.com/bundle-delivery/svc/internal/text/ignore"
)

// described describes the import of a folder that may not be, and fails the test
// when that waits for something.
func described(t *testing.T, dir string, rules pack.ImportRules) error {
	t.Helper()
	ended := make(chan error, 1)
	go func() {
		_, _, err := (&pack.Packager{}).DescribeImport(t.Context(), svc.Account{}, dir, pack.ImportOptions{Rules: rules})
		ended <- err
	}()
	select {
	case err := <-ended:
		return err
	case <-time.After(20 * time.Second):
		t.Fatal("the import waits")
		return nil
	}
}

// A pattern that is passed over would import what it should have kept out.
// Promise: import-folder
func TestImportRefusesPatternsBeyondTheBounds(t *testing.T) {
	lines := func(n int) string { return strings.Repeat("a\n", n) }
	for name, test := range map[string]struct {
		files map[string]string
		rules pack.ImportRules
		says  string
	}{
		"large":         {map[string]string{".gitignore": "secret\n" + strings.Repeat("#", ignore.MaxFile)}, pack.ImportRules{}, ".gitignore has more than 65536 bytes"},
		"many":          {map[string]string{".gitignore": lines(600) + "secret\n", "web/.gitignore": lines(400)}, pack.ImportRules{}, "web/.gitignore exceeds 1000 patterns"},
		"open brackets": {map[string]string{".gitignore": "secret\n*[[:[:[:x]\n"}, pack.ImportRules{}, ".gitignore has a pattern in line 2"},
		"left out":      {nil, pack.ImportRules{LeaveOut: strings.Fields(lines(1001))}, "--leave-out exceeds 1000 patterns"},
		"rules":         {nil, pack.ImportRules{Files: make([]pack.FileRule, 1001)}, "more than 1000 rules"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := tree(t, map[string]string{"a.go": "", "secret": "s"})
			for path, text := range test.files {
				full := filepath.Join(dir, path)
				must.Do(t, errors.Join(os.MkdirAll(filepath.Dir(full), 0o700), os.WriteFile(full, []byte(text), 0o600)))
			}
			if err := described(t, dir, test.rules); svc.CodeOf(err) != svc.CodeInvalidRequest || !strings.Contains(err.Error(), test.says) {
				t.Errorf("%v", err)
			}
		})
	}
	t.Run("above", func(t *testing.T) {
		repository := tree(t, map[string]string{".git/HEAD": "", ".gitignore": strings.Repeat("#", ignore.MaxFile+1), "app/a.go": ""})
		if err := described(t, filepath.Join(repository, "app"), pack.ImportRules{}); svc.CodeOf(err) != svc.CodeInvalidRequest || !strings.Contains(err.Error(), "65536") {
			t.Errorf("%v", err)
		}
	})
}

// Promise: import-folder
func TestImportCostsLittleMemory(t *testing.T) {
	files := map[string]string{"a.go": ""}
	for i := range 8 {
		files[fmt.Sprintf("%d/.gitignore", i)] = strings.Repeat("a\n", 1<<19)
	}
	dir := tree(t, files)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err := described(t, dir, pack.ImportRules{})
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; err == nil || used > 64<<20 {
		t.Errorf("it took %d bytes: %v", used, err)
	}
}

// What is no plain file is neither waited for nor followed in the place of rules.
// Promise: import-folder
func TestImportWaitsForNoPipe(t *testing.T) {
	mkfifo := needs.Program(t, "mkfifo", "install coreutils")
	pipe := func(path string) {
		if out, err := exec.CommandContext(t.Context(), mkfifo, path).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	dir := tree(t, map[string]string{"a.go": "", "web/a.go": "", "all": "*\n"})
	pipe(filepath.Join(dir, ".gitignore"))
	must.Do(t, os.Symlink("../all", filepath.Join(dir, "web", ".gitignore")))
	if got := strings.Join(paths(describe(t, dir, pack.ImportRules{})), " "); got != "a.go all web/a.go" {
		t.Errorf("imported: %s", got)
	}
	pipe(filepath.Join(dir, pack.RulesFile))
	if err := described(t, dir, pack.ImportRules{}); svc.CodeOf(err) != svc.CodeInvalidRequest || !strings.Contains(err.Error(), "no regular file") {
		t.Errorf("%v", err)
	}
}
