package scaffold_test

import (
	"testing"
	"testing/fstest"
	"text/template"

	"github.com/bundle-delivery/svc/internal/scaffold"
)

// Promise: template-rendered
func TestAStackIsRendered(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{
		"stacks/common/README.md.tmpl":       {Data: []byte("# {{shout .}}\n\n")},
		"stacks/go/main.go.tmpl":             {Data: []byte("package main\nfunc main ( ) { }")},
		"stacks/go/model/PART.go.tmpl":       {Data: []byte("package model\n// {{.}} is one.\n")},
		"stacks/go/empty.tmpl":               {Data: []byte("{{if false}}x{{end}}\n")},
		"stacks/common/LICENSE@this.tmpl":    {Data: []byte("{{if true}}\n   THIS\n{{end}}\n")},
		"stacks/common/LICENSE@that.tmpl":    {Data: []byte("{{if false}}\n   THAT\n{{end}}\n")},
		"stacks/python/app/__main__.py.tmpl": {Data: []byte("pass")},
	}
	library := scaffold.Parse(files, "stacks", template.FuncMap{"shout": func(s string) string { return s + "!" }})
	got, err := library.Render("go", "books", map[string]any{"book": "Book", "author": "Author"})
	if err != nil {
		t.Fatal(err)
	}
	want := []scaffold.File{
		{Path: "LICENSE", Content: []byte("   THIS\n")},
		{Path: "README.md", Content: []byte("# books!\n")},
		{Path: "main.go", Content: []byte("package main\n\nfunc main() {}\n")},
		{Path: "model/author.go", Content: []byte("package model\n\n// Author is one.\n")},
		{Path: "model/book.go", Content: []byte("package model\n\n// Book is one.\n")},
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

func TestWhatIsCommonIsThereOnce(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{"s/common/README.md": {Data: []byte("read")}, "s/go/go.mod": {Data: []byte("module x")}}
	for stack, want := range map[string]int{"common": 1, "go": 2} {
		if got, err := scaffold.Parse(files, "s", nil).Render(stack, nil, nil); err != nil || len(got) != want {
			t.Errorf("%s has %d files, %v", stack, len(got), err)
		}
	}
}

// Promise: template-rendered
func TestGoThatIsNoneIsAnError(t *testing.T) {
	t.Parallel()
	library := scaffold.Parse(fstest.MapFS{"s/go/a.go.tmpl": {Data: []byte("func")}}, "s", nil)
	if files, err := library.Render("go", nil, nil); err == nil {
		t.Errorf("%s", files)
	}
}
