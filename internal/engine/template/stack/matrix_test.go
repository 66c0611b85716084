package stack_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/engine/template/spec"
	"github.com/bundle-delivery/svc/internal/testkit/needs"
)

// changed are the versions of a library: the first, and the changes that lead to the
// second and the third. Together they have every change that moves rows.
var changed = []string{
	`
author: name, email unique
book: title, isbn, year: integer, price: money, due date: date, seen at: datetime, lent: boolean default false, notes: text, -> author
shelf: room, book -> book optional
`,
	`add book.pages: integer default 1
add loan: -> book, borrower required, due date: date
rename book.title headline
remove shelf`,
	`book.year 1500..2100
book.isbn unique
remove book.notes
rename author writer
add writer.born: date
add review: text, writer -> writer optional
loan.borrower ..60`,
}

// kept has the records of a store by the plural of their kind, in their order.
type kept map[string][]object

// move gives the records the form that a change gives them.
func (k kept) move(plural string, how func(o object)) {
	for _, o := range k[plural] {
		how(o)
	}
}

// check compares the records with those that a program answers.
func (k kept) check(a *api) {
	a.t.Helper()
	for _, r := range a.p.Records {
		got, total := a.list(path(r), 200)
		if len(got) != len(k[r.Plural]) || total != fmt.Sprint(len(got)) {
			a.t.Errorf("there are %d (%s) of %s, want %d", len(got), total, r.Plural, len(k[r.Plural]))
			continue
		}
		for i, want := range k[r.Plural] {
			if !maps.EqualFunc(got[i], want, func(x, y any) bool { return fmt.Sprint(x) == fmt.Sprint(y) }) {
				a.t.Errorf("a record of %s is\n%v, want\n%v", r.Plural, got[i], want)
			}
		}
	}
	if len(k) != len(a.p.Records) {
		a.t.Errorf("the records are of %d kinds, want %d", len(a.p.Records), len(k))
	}
}

// create makes a record, and keeps what the program answered.
func (k kept) create(a *api, plural string, body object) object {
	a.t.Helper()
	made := a.object("POST", "/"+plural, body, 201)
	k[plural] = append(k[plural], made)
	return made
}

// checkCell makes an API with a store, and changes it twice. Each of its three programs
// is built, passes its own tests, and finds the records of the one before it.
func checkCell(t *testing.T, w workshop, language, store string) {
	t.Helper()
	m := begun(t, "api in "+language+" with "+store+changed[0], nil)
	dir, run := w.build(t, m)
	settings := storeOf(t, m.spec(t))
	rows := kept{}
	var ann, first, second object
	serve(t, m, dir, settings, run, func(a *api) {
		ann = rows.create(a, "authors", object{"name": "Ann O'Neil \"the \\ quill\"", "email": "ann@example.com"})
		bo := rows.create(a, "authors", object{"name": "Bo 李 😀"})
		first = rows.create(a, "books", object{
			"title": "Emma; DROP TABLE books", "isbn": "1", "year": 1815, "price": "19.99", "due_date": "2024-02-29",
			"seen_at": "2026-01-31T23:30:00.250+02:00", "lent": true, "notes": "two\nlines", "author_id": ann["id"],
		})
		second = rows.create(a, "books", object{"title": "Ünïcödé", "isbn": "1", "year": 1400, "price": "9007199254740.93", "author_id": bo["id"]})
		rows.create(a, "books", object{"title": "Bare", "author_id": ann["id"]})
		rows.create(a, "shelves", object{"room": "East", "book_id": first["id"]})
		rows.check(a)
	})

	lasting := store != spec.Memory
	forget := func() {
		for plural := range rows {
			if !lasting {
				rows[plural] = nil
			}
		}
	}
	m.generate(t, changed[1], nil)
	dir, run = w.build(t, m)
	delete(rows, "shelves")
	rows["loans"] = nil
	rows.move("books", func(o object) {
		o["headline"], o["pages"] = o["title"], 1
		delete(o, "title")
	})
	forget()
	serve(t, m, dir, settings, run, func(a *api) {
		rows.check(a)
		if !lasting {
			ann = rows.create(a, "authors", object{"name": "Ann"})
			first = rows.create(a, "books", object{"headline": "Emma", "author_id": ann["id"]})
			second = rows.create(a, "books", object{"headline": "Persuasion", "author_id": ann["id"]})
		}
		rows.create(a, "loans", object{"book_id": first["id"], "borrower": "Cy"})
		a.ask("DELETE", fmt.Sprint("/books/", first["id"]), nil, 409)
		a.ask("POST", "/books", object{"title": "A former name", "headline": "x", "author_id": ann["id"]}, 400)
		a.ask("GET", "/shelves", nil, 404)
	})

	before, beforeRun, beforeMade := dir, run, m.copy()
	m.generate(t, changed[2], nil)
	dir, run = w.build(t, m)
	if lasting { // the second book breaks two of the new rules
		out := refused(t, dir, settings, run)
		if !strings.Contains(out, fmt.Sprint(second["id"])) {
			t.Errorf("the record that breaks a rule is not named:\n%s", out)
		}
		serve(t, beforeMade, before, settings, beforeRun, func(a *api) {
			rows.check(a)
			second["isbn"], second["year"] = "2", 1500
			a.ask("PUT", fmt.Sprint("/books/", second["id"]), second, 200)
		})
	}
	rows["writers"], rows["reviews"] = rows["authors"], nil
	delete(rows, "authors")
	rows.move("writers", func(o object) { o["born"] = nil })
	rows.move("books", func(o object) {
		o["writer_id"] = o["author_id"]
		delete(o, "author_id")
		delete(o, "notes")
	})
	forget()
	serve(t, m, dir, settings, run, func(a *api) {
		rows.check(a)
		if lasting {
			a.ask("POST", "/books", object{"headline": "Again", "isbn": "1", "writer_id": ann["id"]}, 409)
			a.ask("POST", "/books", object{"headline": "Old", "year": 1499, "writer_id": ann["id"]}, 422)
			a.ask("DELETE", fmt.Sprint("/writers/", ann["id"]), nil, 409)
		}
		a.check()
	})
}

// Each language keeps its records in each store, through two changes of its spec.
func TestEveryLanguageMigratesEveryStore(t *testing.T) {
	t.Parallel()
	needs.Long(t, "two migrations of a project in each language with each store, with their rows")
	w := workshopFor(t, spec.TypeScript)
	for _, language := range spec.Languages {
		for _, store := range spec.Stores {
			t.Run(language+" with "+store, func(t *testing.T) { checkCell(t, w, language, store) })
		}
		t.Run(language+" renames", func(t *testing.T) { checkRenames(t, w, language) })
	}
}

// One language with one store that outlives its program, by chance.
func TestALanguageMigratesAStore(t *testing.T) {
	t.Parallel()
	by := chance(t)
	stores := slices.DeleteFunc(slices.Clone(spec.Stores), func(store string) bool { return store == spec.Memory })
	language, store := spec.Languages[by.IntN(len(spec.Languages))], stores[by.IntN(len(stores))]
	t.Run(language+" with "+store, func(t *testing.T) { checkCell(t, workshopFor(t, language), language, store) })
}
