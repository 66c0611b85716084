package svc_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A test that is too long for every change is in the list of the long ones, and
// there it cannot pass by being skipped: no test is lost between the two.
func TestEveryLongTestIsInTheList(t *testing.T) {
	script, err := os.ReadFile("scripts/long.sh")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(script), "\nexport CI=true SVC_TEST_LONG=1\n") {
		t.Error("in scripts/long.sh a missing program is no failure")
	}
	cmd := exec.CommandContext(t.Context(), "scripts/long.sh")
	cmd.Env = append(os.Environ(), "LIST=1", "ONLY=", "SAMPLE=")
	list, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, list)
	}
	found := 0
	err = filepath.WalkDir(".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, d := range parsed.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || !callsLong(f) {
				continue
			}
			found++
			if !runsTest(string(list), filepath.ToSlash(filepath.Dir(path)), f.Name.Name) {
				t.Errorf("%s in %s is long, and nothing in scripts/long.sh runs it", f.Name.Name, path)
			}
		}
		return nil
	})
	if err != nil || found == 0 {
		t.Errorf("%d long tests were found (%v)", found, err)
	}
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

var chosenTests = regexp.MustCompile(`-run (\S+)`)

// runsTest says whether a command of the list runs a test of a folder as one of
// the long ones.
func runsTest(list, folder, name string) bool {
	where, inTests := strings.CutPrefix(folder, "tests/")
	for line := range strings.Lines(list) {
		if !strings.Contains(line, " ./"+where+" ") && !strings.HasSuffix(line, " ./"+where+"\n") ||
			strings.Contains(line, "-C tests") != inTests || strings.Contains(line, "SVC_TEST_LONG= ") {
			continue
		}
		if chosen := chosenTests.FindStringSubmatch(line); chosen == nil || regexp.MustCompile(chosen[1]).MatchString(name) {
			return true
		}
	}
	return false
}
