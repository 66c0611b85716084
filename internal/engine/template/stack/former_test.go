package stack_test

import (
	"archive/zip"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/engine/template"
	"github.com/bundle-delivery/svc/internal/engine/template/spec"
	"github.com/bundle-delivery/svc/internal/engine/template/stack"
	"github.com/bundle-delivery/svc/internal/testkit/needs"
	"github.com/bundle-delivery/svc/internal/testkit/pgtest"
)

// former is a project of the version before specs, which kept records as JSON
// documents; testdata/former/README.md says how it was made.
type former struct {
	*made
	name string
	rows map[string][]object // by plural, as its own program answered
}

func formerProject(t *testing.T, name string) former {
	t.Helper()
	var kept struct {
		State  map[string]string
		Memory string
		Ports  map[string]engine.Port
		Rows   map[string][]object
	}
	decoder := json.NewDecoder(strings.NewReader(read(t, "testdata/former", name+".json")))
	decoder.UseNumber()
	if err := decoder.Decode(&kept); err != nil {
		t.Fatal(err)
	}
	f := former{&made{map[string][]byte{}, kept.Ports, kept.State, kept.Memory}, name, kept.Rows}
	archive, err := zip.OpenReader("testdata/former/" + name + ".zip")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = archive.Close() }() // it was only read
	for _, file := range archive.File {
		content, err := file.Open()
		if err != nil {
			t.Fatal(err)
		}
		f.files[file.Name], err = io.ReadAll(content)
		if err := errors.Join(err, content.Close()); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

// load writes the rows into a new store, after edit has changed the dump, and returns the
// settings that lead to it.
func (f former) load(t *testing.T, edit func(string) string) (settings []string) {
	t.Helper()
	store := f.state["database"]
	file := f.name + map[string]string{spec.SQLite: ".sql", spec.Postgres: ".sql", spec.File: ".data"}[store]
	text := edit(read(t, "testdata/former", file))
	if store == spec.Postgres {
		address := emptyDatabase(t)
		if err := pgtest.Exec(t.Context(), address, text); err != nil {
			t.Fatal(err)
		}
		return []string{"DATABASE_URL=" + address}
	}
	path := filepath.Join(t.TempDir(), "records")
	if store == spec.File {
		write(t, filepath.Dir(path), "records", []byte(text))
		return []string{"DATA_FILE=" + path}
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	_, err = db.ExecContext(t.Context(), text)
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	return []string{"DATABASE_FILE=" + path}
}

// asNow is a value that the former program answered as a field has it today: what was
// empty is none, a list is its entries one a line, and a time is in UTC.
func asNow(t *testing.T, f stack.Field, old any) any {
	t.Helper()
	if list, is := old.([]any); is {
		var entries []string
		for _, each := range list {
			entries = append(entries, fmt.Sprint(each))
		}
		old = strings.Join(entries, "\n")
	}
	if old == nil || old == "" {
		return nil
	}
	switch f.Kind {
	case spec.Money:
		n, ok := new(big.Rat).SetString(fmt.Sprint(old))
		if !ok {
			t.Fatalf("%v is no number", old)
		}
		return n.FloatString(2)
	case spec.DateTime:
		at, err := time.Parse(time.RFC3339, fmt.Sprint(old))
		if err != nil {
			t.Fatal(err)
		}
		return strings.Replace(at.UTC().Format("2006-01-02T15:04:05.000Z"), ".000Z", "Z", 1)
	}
	return old
}

// checkRows compares what a program answers with what the former one did.
func (f former) checkRows(a *api) {
	a.t.Helper()
	for _, r := range a.p.Records {
		_, text := a.ask("GET", path(r)+"?limit=100", nil, 200)
		decoder := json.NewDecoder(strings.NewReader(text))
		decoder.UseNumber()
		var got []object
		if err := decoder.Decode(&got); err != nil {
			a.t.Fatalf("%v: %s", err, text)
		}
		if len(got) != len(f.rows[r.Plural]) || len(got) == 0 {
			a.t.Fatalf("there are %d %s, were %d", len(got), r.Plural, len(f.rows[r.Plural]))
		}
		for i, old := range f.rows[r.Plural] { // in the order in which they were made
			if got[i]["id"] != old["id"] {
				a.t.Fatalf("record %d of %s is %v, was %v", i, r.Plural, got[i]["id"], old["id"])
			}
			for _, field := range r.Fields {
				if want := asNow(a.t, field, old[field.Column]); got[i][field.Column] != want && (want == nil || !equal(field, got[i][field.Column], want)) {
					a.t.Errorf("%s of %s %.30q is %v, was %v", field.Column, r.Plural, fmt.Sprint(old["title"], old["name"]), got[i][field.Column], old[field.Column])
				}
			}
		}
	}
}

// cents is the title of the book whose price is no amount of money: it has three decimals.
const cents = "Money to be refused"

func (f former) book(title string) object {
	return f.rows["books"][slices.IndexFunc(f.rows["books"], func(o object) bool { return o["title"] == title })]
}

// checkFormer continues a project of the former version. Its program finds the rows of
// the former one.
func checkFormer(t *testing.T, w workshop, name string) (f former, dir string, run, settings []string) {
	t.Helper()
	f = formerProject(t, name)
	f.generate(t, "add book.shelf: integer\nport 9300", nil)
	dir, run = w.build(t, f.made)
	if f.rows == nil { // kept in memory
		return f, dir, run, nil
	}
	settings = f.load(t, func(text string) string { return text })
	serve(t, f.made, dir, settings, run, func(a *api) {
		f.checkRows(a)
		a.ask("DELETE", fmt.Sprint("/authors/", f.rows["authors"][0]["id"]), nil, 409)
		a.ask("POST", "/books", object{"title": "A second", "isbn": "quo'te"}, 409)
		a.ask("POST", "/books", object{"title": "To an author who is gone", "author_id": "nobody"}, 422)
	})
	serve(t, f.made, dir, settings, run, f.checkRows) // nothing is migrated twice
	return f, dir, run, settings
}

// checkFormerMoney makes money of a number: after a continuation, and at once out of the
// documents. A price that is no amount of money stops it.
func checkFormerMoney(t *testing.T, w workshop, f former, dir string, run, settings []string) {
	t.Helper()
	var (
		text = func(text string) string { return text }
		id   = fmt.Sprint(f.book(cents)["id"])
		good = fmt.Sprint(f.book("Everything")["id"])
	)
	stops := func(dir string, settings, run []string) {
		t.Helper()
		out := refused(t, dir, append(slices.Clone(settings), "API_TOKEN="+testToken), run)
		if !strings.Contains(out, id) || !strings.Contains(out, "price") || strings.Contains(out, good) {
			t.Errorf("the price that is no money is not named alone:\n%s", out)
		}
	}
	second := f.copy()
	second.generate(t, "book.price: money", nil)
	dir2, run2 := w.build(t, second)
	stops(dir2, settings, run2)
	serve(t, f.made, dir, settings, run, func(a *api) { // the store is as it was
		f.checkRows(a)
		kept := a.object("GET", "/books/"+id, nil, 200)
		f.book(cents)["price"] = json.Number("12.34")
		a.ask("PUT", "/books/"+id, with(kept, "price", f.book(cents)["price"]), 200)
	})
	serve(t, second, dir2, settings, run2, f.checkRows)

	f = formerProject(t, f.name)
	f.generate(t, "book.price: money", nil)
	dir, run = w.build(t, f.made)
	stops(dir, f.load(t, text), run)
	settings = f.load(t, func(text string) string { return strings.Replace(text, "12.345", "12.34", 1) })
	f.book(cents)["price"] = json.Number("12.34")
	serve(t, f.made, dir, settings, run, f.checkRows)
}

// formerAPIs are all languages with all stores.
func formerAPIs() (out []string) {
	for _, language := range spec.Languages {
		for _, store := range spec.Stores {
			out = append(out, language+"-"+store)
		}
	}
	return out
}

// The rows that programs of the version before specs made are all there, and the same,
// after a project was continued: in each language, from each store.
func TestRowsOfFormerProgramsArrive(t *testing.T) {
	t.Parallel()
	needs.Long(t, "continuing the projects of the version before specs, with their rows, in each language with each store")
	w := workshopFor(t, spec.TypeScript)
	for _, name := range formerAPIs() {
		t.Run(name, func(t *testing.T) {
			f, dir, run, settings := checkFormer(t, w, name)
			if f.rows != nil {
				checkFormerMoney(t, w, f, dir, run, settings)
			}
		})
	}
}

// One project of the version before specs, by chance.
func TestRowsOfAFormerProgramArrive(t *testing.T) {
	t.Parallel()
	all := slices.DeleteFunc(formerAPIs(), func(name string) bool { return strings.HasSuffix(name, spec.Memory) })
	name := all[chance(t).IntN(len(all))]
	language, _, _ := strings.Cut(name, "-")
	t.Run(name, func(t *testing.T) { checkFormer(t, workshopFor(t, language), name) })
}

// A continued project has the files of a new one with the same spec, and no other: what
// the former version wrote beside them would not fit.
func TestFormerProjectsKeepNoFilesOfTheFormerVersion(t *testing.T) {
	t.Parallel()
	for _, name := range append(formerAPIs(), "site") {
		f := formerProject(t, name)
		f.generate(t, "port 9300", nil)
		fresh := begun(t, f.state["spec"], nil)
		for path := range f.files {
			if fresh.files[path] == nil && !strings.HasPrefix(path, "migrations/") {
				t.Errorf("%s still has %s", name, path)
			}
		}
		for path := range fresh.files {
			if f.files[path] == nil && !strings.HasPrefix(path, "migrations/") {
				t.Errorf("%s has no %s", name, path)
			}
		}
	}
}

func TestAFormerSiteContinues(t *testing.T) {
	t.Parallel()
	f := formerProject(t, "site")
	f.generate(t, "add section prices: Bread from 4.20\ntext email: hello@example.com", nil)
	dir, _ := workshop{}.build(t, f.made)
	page := show(t, read(t, dir, "site/index.html"))
	for _, want := range []string{"title: Bakery", "header: bakery in Bristol", "prices: Bread from 4.20", "contact: +44 117 496 0123", "contact: hello@example.com"} {
		if !slices.Contains(page.texts, want) {
			t.Errorf("the page has no %q:\n%q", want, page.texts)
		}
	}
}

func TestFormerCommandsAreRefusedByName(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"go-command", "python-command"} {
		f := formerProject(t, name)
		for _, prompt := range []string{"license mit", "use the MIT license", "api\nbook: title"} {
			err := template.Reader().Check(prompt, nil, f.state)
			if refused, ok := errors.AsType[*engine.Error](err); !ok || refused.Code != engine.CodeConstraintUnresolvable || !strings.Contains(refused.Message, "(command)") {
				t.Errorf("%s, %q: %v", name, prompt, err)
			}
		}
	}
}

// Every fixture is of a test.
func TestFormerProjectsAreAllTested(t *testing.T) {
	t.Parallel()
	found, err := filepath.Glob("testdata/former/*.json")
	if err != nil || len(found) != len(formerAPIs())+3 {
		t.Errorf("%v %v", found, err)
	}
	for _, name := range append(formerAPIs(), "site", "go-command", "python-command") {
		if _, err := os.Stat("testdata/former/" + name + ".zip"); err != nil {
			t.Error(err)
		}
	}
}
