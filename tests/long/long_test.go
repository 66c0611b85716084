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
	if got := cksum("42 cluster\n"); got != 3081934795 { // as cksum(1) says
		t.Errorf("the checksum is %d", got)
	}
	all := []test{
		{name: "outage", minutes: 2},
		{name: "kills-runs", minutes: 3},
		{name: "full-disk", minutes: 1},
		{name: "templates", minutes: 3},
		{name: "cluster", minutes: 1},
		{name: "million", minutes: 2},
		{name: "newer-schema", minutes: 1},
		{name: "proxies", minutes: 1},
		{name: "openapi", minutes: 1},
	}
	for seed, want := range map[string]string{
		"42": "newer-schema million templates proxies full-disk",
		"7":  "outage openapi newer-schema kills-runs cluster",
	} {
		if got := namesOf(sampleOf(slices.Clone(all), 8, seed)); got != want {
			t.Errorf("SEED=%s chooses %s, want %s", seed, got, want)
		}
	}
}

func TestTheEnvironmentChooses(t *testing.T) {
	choice := func(env map[string]string) []test {
		t.Helper()
		s, err := readSettings(func(name string) string { return env[name] }, time.Unix(42, 0))
		if err != nil {
			t.Fatal(err)
		}
		chosen, err := choose(s)
		if err != nil {
			t.Fatal(err)
		}
		return chosen
	}
	if got := namesOf(choice(nil)); got != namesOf(table(settings{})) {
		t.Errorf("by default %s run", got)
	}
	if got := namesOf(choice(map[string]string{"ONLY": "kills|faults|full-disk"})); got != "kills-bundles kills-runs kills-pushes faults full-disk" {
		t.Errorf("a regular expression chooses %s", got)
	}
	if got := namesOf(choice(map[string]string{"ONLY": "^cluster$"})); got != "cluster" {
		t.Errorf("a whole name chooses %s", got)
	}
	minutes := 0
	for _, c := range choice(map[string]string{"SAMPLE": "8"}) {
		minutes += c.minutes
	}
	if minutes > 8 {
		t.Errorf("a sample of 8 minutes takes %d", minutes)
	}
	for _, c := range choice(map[string]string{"SAMPLE": "1000"}) {
		if c.unrepeatable {
			t.Errorf("%s is in a sample, and no seed repeats it", c.name)
		}
	}
	kills := choice(map[string]string{"ONLY": "kills-runs", "KILLS": "500", "SEED": "7"})[0].line()
	if !strings.Contains(kills, "-torture.kills 500 -torture.seed 7") {
		t.Errorf("500 kills with a seed are asked for by %s", kills)
	}
	for _, wrong := range []map[string]string{{"SAMPLE": "long"}, {"ONLY": "("}, {"ONLY": "no-such-test"}} {
		s, err := readSettings(func(name string) string { return wrong[name] }, time.Unix(42, 0))
		if err == nil {
			_, err = choose(s)
		}
		if err == nil {
			t.Errorf("%v chooses something", wrong)
		}
	}
}

func namesOf(tests []test) string {
	var names []string
	for _, t := range tests {
		names = append(names, t.name)
	}
	return strings.Join(names, " ")
}
