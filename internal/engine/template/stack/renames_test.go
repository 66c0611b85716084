package stack_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/engine/template/spec"
)

// checkRenames gives records other names whose data file is of an earlier program, and
// which all stay: when names change places, and where one is that of a removed record.
func checkRenames(t *testing.T, w workshop, language string) {
	t.Helper()
	m := begun(t, "api in "+language+" with file\nbook: title, code, year: integer\nnote: text, -> book optional\nmemo: line", nil)
	dir, run := w.build(t, m)
	settings := storeOf(t, m.spec(t))
	var book, note object
	serve(t, m, dir, settings, run, func(a *api) {
		book = a.object("POST", "/books", object{"title": "Emma", "code": "e", "year": 1815}, 201)
		note = a.object("POST", "/notes", object{"text": "good", "book_id": book["id"]}, 201)
		a.object("POST", "/memos", object{"line": "stays"}, 201)
	})
	first, firstRun, firstMade := dir, run, m.copy()

	m.generate(t, "remove memo\nrename book.title name\nrename book.code title\nrename book.name code", nil)
	m.generate(t, "rename book volume\nrename note memo\nmemo.text ..50", nil)
	dir, run = w.build(t, m)
	check := func(a *api) {
		if got := a.object("GET", fmt.Sprint("/volumes/", book["id"]), nil, 200); got["code"] != "Emma" || got["title"] != "e" || fmt.Sprint(got["year"]) != "1815" {
			t.Errorf("the book is %v", got)
		}
		if got := a.object("GET", fmt.Sprint("/memos/", note["id"]), nil, 200); got["text"] != "good" || got["volume_id"] != book["id"] {
			t.Errorf("the note is %v", got)
		}
		if all, _ := a.list("/memos", 200); len(all) != 1 {
			t.Errorf("the memos are %v", all)
		}
	}
	serve(t, m, dir, settings, run, check)
	serve(t, firstMade, first, settings, firstRun, func(a *api) { // what only read the file left it as it was
		a.object("GET", fmt.Sprint("/books/", book["id"]), nil, 200)
	})
	serve(t, m, dir, settings, run, func(a *api) {
		a.object("POST", "/volumes", object{"code": "new"}, 201)
		check(a)
	})
	serve(t, m, dir, settings, run, check) // nothing is renamed twice
	if out := refused(t, first, settings, firstRun); !strings.Contains(out, "newer than this program") {
		t.Errorf("the program of before says of the file of this one:\n%s", out)
	}
	_, file, _ := strings.Cut(settings[0], "=")
	if data := read(t, "/", file); !strings.Contains(data, "stays") {
		t.Errorf("the removed memos are lost:\n%s", data)
	}
}

// TypeScript, which is slow to build, is part of TestEveryLanguageMigratesEveryStore.
func TestRenamesReachDataFiles(t *testing.T) {
	t.Parallel()
	for _, language := range []string{spec.Go, spec.Python} {
		t.Run(language, func(t *testing.T) { checkRenames(t, workshop{}, language) })
	}
}

// Data files of the version before specs have other forms; what is renamed in them stays too.
func TestRenamesReachDataFilesOfFormerProjects(t *testing.T) {
	t.Parallel()
	for _, language := range []string{spec.Go, spec.Python} {
		f := formerProject(t, language+"-file")
		f.generate(t, "rename book.title headline\nrename author writer", nil)
		dir, run := workshop{}.build(t, f.made)
		settings := f.load(t, func(text string) string { return text })
		serve(t, f.made, dir, settings, run, func(a *api) {
			books, _ := a.list("/books?limit=100", 200)
			for i, old := range f.rows["books"] {
				if books[i]["headline"] != old["title"] || old["author_id"] != "" && books[i]["writer_id"] != old["author_id"] {
					t.Errorf("the book %v is now %v", old, books[i])
				}
			}
			if writers, _ := a.list("/writers", 200); len(writers) != len(f.rows["authors"]) || writers[0]["name"] != f.rows["authors"][0]["name"] {
				t.Errorf("the writers are %v", writers)
			}
		})
	}
}
