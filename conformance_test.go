package svc_test

import (
	"bytes"
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
)

var (
	// promiseRow is a row of docs/conformance.md.
	promiseRow = regexp.MustCompile("(?m)^\\| `([a-z0-9-]+)` \\| \\S.* \\|$")
	// marker is a comment that says which promises a test holds, also one that is
	// written wrong.
	marker = regexp.MustCompile(`(?mi)^[ \t]*(?://|#)[ \t]*promises?:.*$`)
	// properMarker is one that is written right.
	properMarker = regexp.MustCompile(`^(?://|#) Promise: ([a-z0-9-]+(?:, [a-z0-9-]+)*)$`)
)

// Every promise of docs/conformance.md has a test that names it in a marker, every
// marker names promises of the document, and only tests have markers.
func TestEveryPromiseIsHeld(t *testing.T) {
	document, err := os.ReadFile(filepath.Join("docs", "conformance.md"))
	if err != nil {
		t.Fatal(err)
	}
	var promises []string
	for _, row := range promiseRow.FindAllSubmatch(document, -1) {
		promises = append(promises, string(row[1]))
	}
	rows := bytes.Count(document, []byte("\n| ")) - bytes.Count(document, []byte("\n| id | promise |\n"))
	if len(promises) < 100 || len(promises) != rows {
		t.Fatalf("docs/conformance.md has %d rows, and %d promises of the proper form", rows, len(promises))
	}
	held := map[string]bool{}
	err = filepath.WalkDir(".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		for _, found := range markersIn(t, path) {
			proper := properMarker.FindStringSubmatch(found)
			if proper == nil {
				t.Errorf("%s: %q is no marker: write Promise: and ids, with commas between", path, found)
				continue
			}
			for id := range strings.SplitSeq(proper[1], ", ") {
				held[id] = true
				if !slices.Contains(promises, id) {
					t.Errorf("%s holds %s, which docs/conformance.md does not promise", path, id)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, id := range promises {
		if slices.Contains(promises[:i], id) {
			t.Errorf("docs/conformance.md has %s twice", id)
		}
		if !held[id] {
			t.Errorf("no test holds %s", id)
		}
	}
}

// markersIn returns the markers of a file's tests; others are errors.
func markersIn(t *testing.T, path string) (markers []string) {
	t.Helper()
	isScript := filepath.Ext(path) == ".txtar"
	if !isScript && filepath.Ext(path) != ".go" {
		return nil
	}
	source, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !marker.Match(source) {
		return nil
	}
	if isScript {
		// What follows the first name of a file is no part of the script.
		source, _, _ = bytes.Cut(source, []byte("\n-- "))
		return marker.FindAllString(string(source), -1)
	}
	parsed, err := parser.ParseFile(token.NewFileSet(), path, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ofTests := map[*ast.CommentGroup]bool{}
	for _, d := range parsed.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && strings.HasSuffix(path, "_test.go") && isTest(f) {
			ofTests[f.Doc] = true
		}
	}
	for _, group := range parsed.Comments {
		for _, c := range group.List {
			if !marker.MatchString(c.Text) {
				continue
			}
			if !ofTests[group] {
				t.Errorf("%s: %q stands at something that is no test", path, c.Text)
			}
			markers = append(markers, c.Text)
		}
	}
	return markers
}

var testName = regexp.MustCompile(`^(Test|Fuzz)([^a-z]|$)`)

// isTest reports whether go test runs a function by itself.
func isTest(f *ast.FuncDecl) bool {
	if f.Recv != nil || !testName.MatchString(f.Name.Name) || f.Type.Params.NumFields() != 1 {
		return false
	}
	pointer, ok := f.Type.Params.List[0].Type.(*ast.StarExpr)
	if !ok {
		return false
	}
	of, ok := pointer.X.(*ast.SelectorExpr)
	return ok && (of.Sel.Name == "T" || of.Sel.Name == "F")
}
