package svc_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	namedTest   = regexp.MustCompile("`([a-z][a-zA-Z0-9/_]*|\\.):((?:Test|Fuzz)[A-Za-z0-9_]+)`")
	namedScript = regexp.MustCompile("`([a-zA-Z0-9/_-]+\\.txtar)`")
)

// The list of promises is only worth something while the tests that it names
// are there.
func TestEveryNamedTestExists(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("docs", "conformance.md"))
	if err != nil {
		t.Fatal(err)
	}
	named := namedTest.FindAllStringSubmatch(string(text), -1)
	if len(named) < 50 {
		t.Fatalf("only %d tests were found in the document: has its form changed?", len(named))
	}
	known := map[string]map[string]bool{}
	for _, n := range named {
		folder, name := n[1], n[2]
		if known[folder] == nil {
			known[folder] = testsIn(t, folder)
		}
		if !known[folder][name] {
			t.Errorf("docs/conformance.md names %s in %s, and there is no such test", name, folder)
		}
	}
	for _, n := range namedScript.FindAllStringSubmatch(string(text), -1) {
		if _, err := os.Stat(filepath.FromSlash(n[1])); err != nil {
			t.Errorf("docs/conformance.md names the script %s: %v", n[1], err)
		}
	}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "| ") && !strings.HasPrefix(line, "| promise |") && !namedTest.MatchString(line) && !namedScript.MatchString(line) {
			t.Errorf("a promise without a test: %s", line)
		}
	}
}

func testsIn(t *testing.T, folder string) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(filepath.FromSlash(folder), "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil {
				names[f.Name.Name] = true
			}
		}
	}
	return names
}
