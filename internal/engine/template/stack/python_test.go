package stack_test

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/engine/template/schema"
	"github.com/bundle-delivery/svc/internal/engine/template/spec"
	"github.com/bundle-delivery/svc/internal/engine/template/stack"
	"github.com/bundle-delivery/svc/internal/testkit/needs"
)

// python returns an interpreter. One for PostgreSQL has the driver, which Debian
// installs for its own.
func python(t *testing.T, store string) string {
	t.Helper()
	need(t, "python3")
	if store != spec.Postgres {
		return "python3"
	}
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		if exec.CommandContext(t.Context(), name, "-c", "import psycopg").Run() == nil {
			return name
		}
	}
	needs.Missing(t, "psycopg is missing: scripts/ensure-tools.sh installs it")
	return ""
}

// checkPython compiles a project and runs its own tests.
func checkPython(t *testing.T, program, dir string, env ...string) {
	t.Helper()
	command(t, dir, env, program, "-W", "error", "-m", "compileall", "-q", "app", "tests")
	out := command(t, dir, env, program, "-W", "error", "-m", "unittest", "discover", "-v", "-s", "tests", "-t", ".")
	if strings.Contains(out, "skipped") {
		t.Errorf("not everything was tested:\n%s", out)
	}
}

// Promise: template-builds, template-stores, template-sql, template-fields
func TestPythonAPIs(t *testing.T) {
	t.Parallel()
	for _, store := range spec.Stores {
		t.Run(store, func(t *testing.T) {
			t.Parallel()
			program := python(t, store)
			auth := spec.None
			if slices.Contains([]string{spec.File, spec.Postgres}, store) {
				auth = spec.Token
			}
			var env, settings []string
			if store == spec.Postgres {
				env, settings = []string{"TEST_DATABASE_URL=" + emptyDatabase(t)}, []string{"DATABASE_URL=" + emptyDatabase(t)}
			}
			s := everything(spec.Python, store, auth)
			dir := project(t, s)
			checkPython(t, program, dir, env...)
			checkAPI(t, s, dir, settings, program, "-m", "app")
		})
	}
}

// awkward is a spec whose names mean something in Python, and whose texts would end a literal.
func awkward(store string) spec.Spec {
	odd := []string{`"""`, `'\x41' {x} %s`, "\u00e9 \U0001f600", `back\`, "$$ '; --"}
	return spec.Spec{
		Kind: spec.API, Language: spec.Python, Store: store, Port: 9100, Auth: spec.None, License: spec.None, Name: "import",
		Records: []spec.Record{
			{Noun: "none", Plural: "nones", Fields: []spec.Field{
				{Name: "class", Kind: spec.String, Unique: true},
				{Name: "from", Kind: spec.Date},
				{Name: "type", Kind: spec.Integer},
				{Name: "self", Kind: spec.Text},
				{Name: "model", Kind: spec.String, Choices: odd, Default: odd[1], HasDefault: true},
				{Name: "date", Kind: spec.Date, Need: spec.Required},
				{Name: "int", Kind: spec.Integer, Min: "-7", Max: "12"},
				{Name: "str", Kind: spec.String},
				{Name: "dt", Kind: spec.DateTime},
				{Name: "fields", Kind: spec.Number, Max: "0.50"},
				{Name: "price", Kind: spec.Money, Default: "7.5", HasDefault: true},
				{Name: "datetime", Kind: spec.DateTime, Min: "2020-01-01T00:00:00+02:00", Default: "2026-01-31T01:30:00.25+02:00", HasDefault: true},
			}},
			{Noun: "model", Plural: "model", Fields: []spec.Field{{Name: "import", To: "none"}, {Name: "none", To: "none", Unique: true}, {Name: "lambda", Kind: spec.Boolean}}},
			{Noun: "line 2", Plural: "MODELS", Fields: []spec.Field{{Name: "record", To: "line 2", Need: spec.Optional, Unique: true}, {Name: "values", Kind: spec.Text}}},
			{Noun: "line2", Plural: "b", Fields: []spec.Field{{Name: "q", Kind: spec.Boolean}}},
		},
	}
}

func TestPythonAcceptsAnyName(t *testing.T) {
	t.Parallel()
	s, _, err := awkward(spec.SQLite).Complete()
	if err != nil {
		t.Fatal(err)
	}
	dir := project(t, s)
	program := python(t, s.Store)
	checkPython(t, program, dir)
	checkAPI(t, s, dir, nil, program, "-m", "app")
}

// What a project does not use is left out, which must leave programs behind.
func TestSmallPythonAPIs(t *testing.T) {
	t.Parallel()
	for _, store := range spec.Stores {
		for _, kind := range spec.Kinds {
			s := spec.Spec{
				Kind: spec.API, Language: spec.Python, Store: store, Port: 9100, Auth: spec.None, License: spec.None, Name: "small",
				Records: []spec.Record{{Noun: "note", Plural: "notes", Fields: []spec.Field{{Name: "value", Kind: kind, Need: spec.Optional}}}},
			}
			dir := project(t, s)
			env := []string{"PYTHONDONTWRITEBYTECODE=1"}
			out := command(t, dir, env, "python3", "-W", "error", "-m", "unittest", "discover", "-s", "tests", "-t", ".")
			if strings.Contains(out, "skipped") != (store == spec.Postgres) {
				t.Errorf("%s of %s: %s", kind, store, out)
			}
		}
	}
}

// refuseStart starts a service that must end with an error, which it returns.
func refuseStart(t *testing.T, dir string, env []string, program string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, "-m", "app")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if err == nil || strings.Contains(string(out), "Traceback") {
		t.Errorf("the service ended with %v:\n%s", err, out)
	}
	return string(out)
}

// A continuation keeps the records, stops at one that it cannot keep, and locks out
// the version before.
func TestPythonContinues(t *testing.T) {
	t.Parallel()
	for _, store := range []string{spec.SQLite, spec.Postgres} {
		t.Run(store, func(t *testing.T) {
			t.Parallel()
			program := python(t, store)
			settings := []string{"DATABASE_FILE=" + filepath.Join(t.TempDir(), "app.db")}
			if store == spec.Postgres {
				settings = []string{"DATABASE_URL=" + emptyDatabase(t)}
			}
			old := parsed(t, "api in python with "+store+"\nbook: title, pages: integer")
			now := parsed(t, "api in python with "+store+"\nbook: title, pages: integer required, note\nloan: -> book")
			oldDir, dir := project(t, old), project(t, now)
			files, _, err := schema.Migrations(schema.Change{Now: old})
			if err != nil {
				t.Fatal(err)
			}
			first := files[0].Path
			more, _, err := schema.Migrations(schema.Change{Old: &old, Now: now, Have: []string{first}})
			if err != nil || len(more) != 1 {
				t.Fatal(more, err)
			}
			if err := os.RemoveAll(filepath.Join(dir, "migrations")); err != nil {
				t.Fatal(err)
			}
			for _, m := range slices.Concat(files, more) {
				write(t, dir, m.Path, m.Content)
			}

			serve := func(dir string, s spec.Spec, do func(*api)) {
				t.Helper()
				port, stop := service(t, dir, settings, program, "-m", "app")
				do(&api{t: t, p: stack.ViewOf(s), base: "http://127.0.0.1:" + port})
				if err := stop(); err != nil {
					t.Errorf("the service ended with %v", err)
				}
			}
			var good, bad object
			serve(oldDir, old, func(a *api) {
				good = a.object("POST", "/books", object{"title": "Emma", "pages": 300}, 201)
				bad = a.object("POST", "/books", object{"title": "Ulysses"}, 201)
			})
			id, _ := bad["id"].(string)
			for _, want := range []string{filepath.Base(more[0].Path), "pages of books is required", id} {
				if out := refuseStart(t, dir, settings, program); !strings.Contains(out, want) || strings.Contains(out, fmt.Sprint(good["id"])) {
					t.Errorf("%q is not in the error: %s", want, out)
				}
			}
			serve(oldDir, old, func(a *api) { a.object("PUT", "/books/"+id, object{"title": "Ulysses", "pages": 900}, 200) })
			serve(dir, now, func(a *api) {
				kept, _ := a.list("/books", 200)
				if len(kept) != 2 || fmt.Sprint(kept[0]) != fmt.Sprint(with(good, "note", nil)) || kept[1]["id"] != id {
					t.Errorf("kept %v", kept)
				}
				a.ask("POST", "/loans", object{"book_id": id}, 201)
			})
			if out := refuseStart(t, oldDir, settings, program); !strings.Contains(out, filepath.Base(more[0].Path)) {
				t.Errorf("the version before opened the database: %s", out)
			}
		})
	}
}

// A data file that an earlier version wrote is read, with lists of texts as one text.
// One that clashes with the rules is refused with the record.
func TestPythonReadsFilesOfEarlierVersions(t *testing.T) {
	t.Parallel()
	program := python(t, spec.File)
	s := parsed(t, "api in python with file\nbook: title, isbn unique, tags: text, price: money, state default new")
	p := stack.ViewOf(s)
	p.Former = true
	dir := t.TempDir()
	files, err := stack.Render(p)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		write(t, dir, f.Path, f.Content)
	}
	checkPython(t, program, dir)
	data := func(content string) []string {
		write(t, dir, "old.json", []byte(content))
		return []string{"DATA_FILE=" + filepath.Join(dir, "old.json")}
	}
	port, stop := service(t, dir, data(`{"books": {"1": {"id": "1", "title": "Emma", "isbn": "", "tags": ["a", "b"], "price": 12.5}}, "gone": {"2": {"id": "2"}}}`), program, "-m", "app")
	a := &api{t: t, p: p, base: "http://127.0.0.1:" + port}
	want := object{"id": "1", "title": "Emma", "isbn": nil, "tags": "a\nb", "price": "12.50", "state": "new"}
	if got := a.object("GET", "/books/1", nil, 200); !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	a.ask("POST", "/books", object{"title": "Persuasion"}, 201)
	if err := stop(); err != nil {
		t.Errorf("the service ended with %v", err)
	}
	if kept, err := os.ReadFile(filepath.Join(dir, "old.json")); err != nil || !strings.Contains(string(kept), "gone") {
		t.Errorf("records of a kind that was removed are lost: %s, %v", kept, err)
	}
	for content, want := range map[string]string{
		`{"books": [{"id": "a", "title": ""}]}`:                                                       "books a: title is required",
		`{"books": [{"id": "a", "title": "x", "isbn": "1"}, {"id": "b", "title": "x", "isbn": "1"}]}`: "another record has the same isbn",
		`{"books": `: "old.json",
	} {
		if out := refuseStart(t, dir, data(content), program); !strings.Contains(out, want) {
			t.Errorf("%s: %s, want %s", content, out, want)
		}
	}
}
