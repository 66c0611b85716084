package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// repository is its folder, seen from this one.
const repository = "../.."

// A test that is too long for every change is in the table, and there it cannot pass
// by being skipped: no test is lost between the two.
func TestEveryLongTestIsInTheList(t *testing.T) {
	all := table(settings{})
	for _, f := range testsOfTheRepository(t) {
		if f.long && !slices.ContainsFunc(all, func(entry test) bool { return entry.holds(f) }) {
			t.Errorf("%s in %s is long, and nothing in the table runs it", f.name, f.folder)
		}
	}
}

// A name that is changed in one place alone would run nothing, and pass.
func TestEveryPatternOfTheListMatchesATest(t *testing.T) {
	functions := testsOfTheRepository(t)
	for _, entry := range table(settings{}) {
		if entry.command != nil {
			continue
		}
		for pattern := range strings.SplitSeq(entry.run, "|") {
			one := entry
			one.run = pattern
			if !slices.ContainsFunc(functions, one.runs) {
				t.Errorf("%s: %s matches no test in %s", entry.name, pattern, entry.folder)
			}
		}
	}
}

// function is a test of the repository.
type function struct {
	folder, name string
	long         bool
}

// runs reports whether the entry runs a test.
func (t test) runs(f function) bool {
	return t.command == nil && t.folder == f.folder && regexp.MustCompile(t.run).MatchString(f.name)
}

// holds reports whether the entry runs a test as one of the long ones.
func (t test) holds(f function) bool { return t.runs(f) && !slices.Contains(t.env, skipLong) }

// testsOfTheRepository finds the tests of both modules.
func testsOfTheRepository(t *testing.T) (all []function) {
	t.Helper()
	long := 0
	err := filepath.WalkDir(repository, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		folder, err := filepath.Rel(repository, filepath.Dir(path))
		if err != nil {
			return err
		}
		for _, d := range parsed.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				found := function{folder: filepath.ToSlash(folder), name: f.Name.Name, long: callsLong(f)}
				all = append(all, found)
				if found.long {
					long++
				}
			}
		}
		return nil
	})
	if err != nil || long == 0 {
		t.Fatalf("%d long tests were found (%v)", long, err)
	}
	return all
}

func callsLong(f *ast.FuncDecl) (found bool) {
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && s.Sel.Name == "Long" {
			x, named := s.X.(*ast.Ident)
			found = found || named && x.Name == "needs"
		}
		return !found
	})
	return found
}

// What is missing is a failure, in both lanes; and what fails does not keep the
// others from running, but fails the whole.
func TestAFailureFailsTheWholeAndStopsNoOther(t *testing.T) {
	long := []string{"sh", "-c", `test "$CI $SVC_TEST_LONG" = "true 1"`}
	chosen := []test{
		{name: "fails", lane: working, command: []string{"false"}},
		{name: "is-missing", lane: waiting, command: []string{"no-such-program"}},
		{name: "waits", lane: waiting, command: long},
		{name: "works", lane: working, command: long},
		{name: "is-short", lane: working, command: long, env: []string{skipLong}},
	}
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = null.Close() }()
	results := runLanes(t.Context(), chosen, null, null)
	if err := verdict(chosen, results); err == nil || err.Error() != "FAILED: fails, is-missing, is-short" {
		t.Errorf("the whole: %v", err)
	}
	if err := verdict(chosen[2:4], results); err != nil {
		t.Errorf("those that pass: %v", err)
	}
	if err := verdict(chosen[2:4], results[:0]); err == nil {
		t.Error("what never ended has passed")
	}
}

func TestASeedChoosesTheSameSample(t *testing.T) {
	choice := func(env map[string]string) string {
		s, err := readSettings(func(name string) string { return env[name] }, time.Unix(42, 0))
		if err != nil {
			t.Fatal(err)
		}
		chosen, err := choose(s)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, c := range chosen {
			names = append(names, c.name)
		}
		return strings.Join(names, " ")
	}
	for _, c := range []struct{ only, sample, seed, want string }{
		{"", "8", "42", "newer-schema million templates proxies full-disk"},
		{"", "8", "", "newer-schema million templates proxies full-disk"},
		{"", "8", "7", "outage former"},
		{"a", "3", "abc", "agents"},
		{"^cluster$", "", "", "cluster"},
		{"kills|faults|full-disk", "", "", "kills-bundles kills-runs kills-pushes faults full-disk"},
	} {
		if got := choice(map[string]string{"ONLY": c.only, "SAMPLE": c.sample, "SEED": c.seed}); got != c.want {
			t.Errorf("ONLY=%s SAMPLE=%s SEED=%s chooses %s, want %s", c.only, c.sample, c.seed, got, c.want)
		}
	}
	if got := strings.Fields(choice(map[string]string{"SAMPLE": "1000"})); len(got) != len(table(settings{}))-2 {
		t.Errorf("a sample of everything leaves out more than fuzzing and the race detector: %s", got)
	}
}
