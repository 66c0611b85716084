package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// score is what became of one trial.
type score struct {
	Trial  string   `json:"trial"`
	Made   bool     `json:"made"`   // a bundle was delivered
	Builds bool     `json:"builds"` // what was delivered
	Tests  bool     `json:"tests"`  // its own, and there are some
	Kept   int      `json:"kept"`   // of the constraints
	Asked  int      `json:"asked"`
	Tokens int64    `json:"tokens"`
	USD    float64  `json:"usd"`
	Took   string   `json:"took"`
	Notes  []string `json:"notes,omitempty"`
}

// points are one for each of: delivered, builds, passes its tests, keeps all.
func (s score) points() int {
	n := 0
	for _, ok := range []bool{s.Made, s.Builds, s.Tests, s.Made && s.Kept == s.Asked} {
		if ok {
			n++
		}
	}
	return n
}

// stepTime is how long one build or test may take.
const stepTime = 5 * time.Minute

// judge builds and tests what lies in a folder. What a model wrote is run here:
// the evaluation belongs on a machine that has nothing to lose.
func (s *score) judge(ctx context.Context, dir string, r result, t trial) {
	for _, c := range t.kept {
		s.Asked++
		if c.ok(r) {
			s.Kept++
		} else {
			s.note("not kept: %s", c.what)
		}
	}
	build, test := steps(r)
	if test == nil && build == nil {
		s.note("nothing that could be built was found")
		return
	}
	s.Builds = s.all(ctx, dir, build)
	s.Tests = s.Builds && s.all(ctx, dir, test)
}

// steps are the commands that build and test a project of its kind.
func steps(r result) (build, test [][]string) {
	has := func(name string) bool { _, ok := r.files[name]; return ok }
	python := r.has(func(name string) bool { return filepath.Ext(name) == ".py" })
	switch {
	case has("go.mod"):
		if !r.has(func(name string) bool { return strings.HasSuffix(name, "_test.go") }) {
			return [][]string{{"go", "build", "./..."}}, [][]string{{"false"}}
		}
		return [][]string{{"go", "build", "./..."}, {"go", "vet", "./..."}}, [][]string{{"go", "test", "./..."}}
	case has("package.json"):
		install := []string{"npm", "install"}
		if has("package-lock.json") {
			install = []string{"npm", "ci"}
		}
		return [][]string{append(install, "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"), {"npm", "run", "build", "--if-present"}}, [][]string{{"npm", "test"}}
	case python:
		where := "."
		if r.has(func(name string) bool { return strings.HasPrefix(name, "tests/") }) {
			where = "tests"
		}
		return [][]string{{"python3", "-m", "compileall", "-q", "."}}, [][]string{{"python3", "-m", "unittest", "discover", "-s", where, "-t", "."}}
	case has("index.html"), has("public/index.html"), has("site/index.html"):
		return nil, [][]string{} // a page builds by being there, and is looked at by its checks
	}
	return nil, nil
}

func (s *score) all(ctx context.Context, dir string, commands [][]string) bool {
	for _, c := range commands {
		ctx, cancel := context.WithTimeout(ctx, stepTime)
		cmd := exec.CommandContext(ctx, c[0], c[1:]...) //nolint:gosec // the commands are those above
		cmd.Dir = dir
		cmd.Env = environment()
		cmd.WaitDelay = time.Second
		out, err := cmd.CombinedOutput()
		cancel()
		if err != nil {
			lines := strings.Split(strings.TrimSpace(string(out)), "\n")
			s.note("%s: %v: %s", strings.Join(c, " "), err, strings.Join(lines[max(0, len(lines)-3):], " | "))
			return false
		}
	}
	return true
}

// environment is what builds need: no key of any provider is among it.
func environment() []string {
	kept := slices.DeleteFunc(os.Environ(), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return strings.HasSuffix(name, "_KEY") || strings.HasSuffix(name, "_TOKEN") || strings.HasSuffix(name, "_SECRET") || strings.HasPrefix(name, "SVC")
	})
	return append(kept, "GOFLAGS=-mod=mod -buildvcs=false", "GOWORK=off", "PYTHONDONTWRITEBYTECODE=1")
}

func (s *score) note(format string, args ...any) {
	s.Notes = append(s.Notes, fmt.Sprintf(format, args...))
}

// unpack writes the files of a result below a folder.
func (r result) unpack(dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }() // nothing is buffered
	for name, text := range r.files {
		if parent := filepath.Dir(name); parent != "." {
			if err := root.MkdirAll(parent, 0o750); err != nil {
				return err
			}
		}
		if err := root.WriteFile(name, []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}
