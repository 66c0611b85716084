package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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

// spent adds what a generation cost.
func (s *score) spent(made outcome) {
	s.Tokens += made.InputTokens + made.OutputTokens
	s.USD += made.EstimatedCostUSD
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
	site := r.siteRoot()
	if build == nil && site == "" {
		s.note("nothing that could be built was found")
		return
	}
	s.Builds = s.all(ctx, dir, build) && s.site(r, site)
	s.Tests = s.Builds && s.all(ctx, dir, test)
	if s.Builds && len(test) == 0 {
		s.note("it has no tests of its own")
		s.Tests = false
	}
}

// site says whether the pages hold together, where there are some and nothing
// makes them at the time they are asked for.
func (s *score) site(r result, root string) bool {
	if _, server := r.files["go.mod"]; root == "" || server || r.has(isPython) {
		return true
	}
	wrong := brokenSite(r, root)
	slices.Sort(wrong)
	for _, each := range wrong[:min(len(wrong), 3)] {
		s.note("%s", each)
	}
	return len(wrong) == 0
}

// command is one step of building or testing.
type command struct {
	args []string
	// proof is what its output has to show, so that tests that test nothing do
	// not pass; nil: its exit is enough.
	proof *regexp.Regexp
}

var (
	goPassed     = regexp.MustCompile(`(?m)^--- PASS: Test`)
	pythonPassed = regexp.MustCompile(`(?m)^Ran [1-9][0-9]* tests? in|[1-9][0-9]* passed`)
	nodePassed   = regexp.MustCompile(`(?m)^[^\n]*\bpass\w*\b[^\n]*[1-9]|[1-9][0-9]* pass(?:ed|ing)|^ok [1-9]`)
)

func plainly(args ...string) command { return command{args: args} }

func isPython(name string) bool { return filepath.Ext(name) == ".py" }

// steps are the commands that build and test a project of its kind; no test is
// there if it has none.
func steps(r result) (build, test []command) {
	has := func(name string) bool { _, ok := r.files[name]; return ok }
	switch {
	case has("go.mod"):
		build = []command{plainly("go", "build", "./..."), plainly("go", "vet", "./...")}
		if r.has(func(name string) bool { return strings.HasSuffix(name, "_test.go") }) {
			test = []command{{[]string{"go", "test", "-v", "./..."}, goPassed}}
		}
	case has("package.json"):
		install := []string{"npm", "install"}
		if has("package-lock.json") {
			install = []string{"npm", "ci"}
		}
		build = []command{plainly(append(install, "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error")...), plainly("npm", "run", "build", "--if-present")}
		if strings.Contains(r.files["package.json"], `"test"`) {
			test = []command{{[]string{"npm", "test"}, nodePassed}}
		}
	case r.has(isPython):
		build = []command{plainly("python3", "-m", "compileall", "-q", ".")}
		if r.has(func(name string) bool { return isPython(name) && strings.Contains(filepath.Base(name), "test") }) {
			test = []command{{pythonTests(r), pythonPassed}}
		}
	}
	return build, test
}

// pythonTests are run by what they are written for.
func pythonTests(r result) []string {
	for name, text := range r.files {
		if isPython(name) && strings.Contains(text, "import pytest") {
			return []string{"python3", "-m", "pytest", "-q"}
		}
	}
	where := "."
	if r.has(func(name string) bool { return strings.HasPrefix(name, "tests/") }) {
		where = "tests"
	}
	return []string{"python3", "-m", "unittest", "discover", "-s", where, "-t", "."}
}

func (s *score) all(ctx context.Context, dir string, commands []command) bool {
	for _, c := range commands {
		if !s.one(ctx, dir, c) {
			return false
		}
	}
	return true
}

func (s *score) one(ctx context.Context, dir string, c command) bool {
	ctx, cancel := context.WithTimeout(ctx, stepTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.args[0], c.args[1:]...) //nolint:gosec // the commands are those above
	cmd.Dir = dir
	cmd.Env = environment()
	cmd.WaitDelay = 10 * time.Second
	out, err := cmd.CombinedOutput()
	if err == nil && c.proof != nil && !c.proof.Match(out) {
		err = errors.New("nothing was tested")
	}
	if err != nil {
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		s.note("%s: %v: %s", strings.Join(c.args, " "), err, strings.Join(lines[max(0, len(lines)-3):], " | "))
	}
	return err == nil
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
