package stack

import (
	"testing"
	"testing/fstest"

	"github.com/bundle-delivery/svc/internal/engine/template/spec"
)

// Promise: template-rendered
func TestTemplatesAreRendered(t *testing.T) {
	t.Parallel()
	all := parse(fstest.MapFS{
		"templates/go/README.md.tmpl":       {Data: []byte("# {{markdown .Name}}\n\n")},
		"templates/go/main.go.tmpl":         {Data: []byte("package main\nfunc main ( ) { }")},
		"templates/go/model/PART.go.tmpl":   {Data: []byte("package model\n// {{.Record.Plural}} are there.\n")},
		"templates/go/empty.tmpl":           {Data: []byte("{{if false}}x{{end}}\n")},
		"templates/go/LICENSE@this.tmpl":    {Data: []byte("{{if true}}\n   THIS\n{{end}}\n")},
		"templates/go/LICENSE@that.tmpl":    {Data: []byte("{{if false}}\n   THAT\n{{end}}\n")},
		"templates/python/__main__.py.tmpl": {Data: []byte("pass")},
	})
	p := ViewOf(spec.Spec{Name: "books", Records: []spec.Record{{Noun: "book", Plural: "books"}, {Noun: "author", Plural: "authors"}}})
	got, err := render(all["go"], p)
	if err != nil {
		t.Fatal(err)
	}
	want := []File{
		{"LICENSE", []byte("   THIS\n")},
		{"README.md", []byte("# books\n")},
		{"main.go", []byte("package main\n\nfunc main() {}\n")},
		{"model/author.go", []byte("package model\n\n// authors are there.\n")},
		{"model/book.go", []byte("package model\n\n// books are there.\n")},
	}
	if len(got) != len(want) {
		t.Fatalf("%d files, want %d: %s", len(got), len(want), got)
	}
	for i := range want {
		if got[i].Path != want[i].Path || string(got[i].Content) != string(want[i].Content) {
			t.Errorf("%s: %q, want %s: %q", got[i].Path, got[i].Content, want[i].Path, want[i].Content)
		}
	}
}

// Promise: template-rendered
func TestGoThatIsNoneIsAnError(t *testing.T) {
	t.Parallel()
	all := parse(fstest.MapFS{"templates/go/a.go.tmpl": {Data: []byte("func")}})
	if files, err := render(all["go"], Project{}); err == nil {
		t.Errorf("%s", files)
	}
}
