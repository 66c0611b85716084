package validate

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bundle-delivery/svc/internal/sandbox"
	"github.com/bundle-delivery/svc/internal/testkit/needs"
)

func TestMain(m *testing.M) {
	for _, inside := range []func([]string) (int, bool){Inside, sandbox.Inside} {
		if code, asked := inside(os.Args); asked {
			os.Exit(code)
		}
	}
	os.Exit(m.Run())
}

// treeOf makes a tree of texts.
func treeOf(files map[string]string) Tree {
	t := Tree{Open: func(path string) (io.ReadCloser, error) {
		content, ok := files[path]
		if !ok {
			return nil, fs.ErrNotExist
		}
		return io.NopCloser(strings.NewReader(content)), nil
	}}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		t.Files = append(t.Files, File{Path: name, Size: int64(len(files[name])), Executable: strings.HasSuffix(name, ".sh")})
	}
	return t
}

// boxes gives the sandbox of this machine.
func boxes(t *testing.T) *sandbox.Sandbox {
	t.Helper()
	s, err := sandbox.New(sandbox.Config{})
	if err != nil {
		needs.Missing(t, "%v: install bubblewrap", err)
	}
	return s
}

func validator(t *testing.T, c Config) *Validator {
	t.Helper()
	c.Program = "/proc/self/exe"
	v := New(c)
	t.Cleanup(func() {
		if err := v.Close(); err != nil {
			t.Error(err)
		}
	})
	return v
}

// try tries a tree as all new.
func try(t *testing.T, v *Validator, before, files map[string]string) (Report, []Check) {
	t.Helper()
	var told []Check
	trial := v.NewTrial("acct", treeOf(before), time.Time{}, func(c Check) error {
		told = append(told, c)
		return nil
	})
	return tryIn(t, trial, before, files), told
}

// tryIn tries a tree in a trial that has begun.
func tryIn(t *testing.T, trial *Trial, before, files map[string]string) Report {
	t.Helper()
	report, err := trial.Try(t.Context(), treeOf(files), func(path string) bool { return files[path] != before[path] }, false)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// shown is a report in one text.
func shown(r Report) string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s\n", r.Status)
	for _, c := range r.Checks {
		fmt.Fprintf(&text, "  %s: %s (%s)\n", c.Name, c.Status, c.Detail)
	}
	for _, f := range r.Findings {
		fmt.Fprintf(&text, "  > %s\n", f)
	}
	return text.String()
}

// toolFolder gives a toolchain that lies where only root can go a place where the
// user of the sandbox can reach it, without copying it.
func toolFolder(t *testing.T, home string) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "svc-validate-test-*") //nolint:usetesting // the test's own folder is for its owner alone
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	err = errors.Join(os.Chmod(dir, 0o755), filepath.WalkDir(home, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(home, name)
		if err != nil {
			return err
		}
		if strings.HasPrefix(rel, "share") && d.IsDir() {
			return filepath.SkipDir
		}
		to := filepath.Join(dir, rel)
		switch {
		case rel == ".":
			return nil
		case d.IsDir():
			return os.Mkdir(to, 0o755)
		default:
			return os.Link(name, to)
		}
	}))
	if err != nil {
		needs.Missing(t, "%v: a toolchain that others can read", err)
	}
	return dir
}

// testCache is a folder for what Go has built, kept between tests: it holds what
// comes with Go, and nothing of any test.
func testCache(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("svc-test-go-base-%d", os.Geteuid()))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}
