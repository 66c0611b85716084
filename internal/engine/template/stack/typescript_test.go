package stack_test

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	_ "modernc.org/sqlite" // the driver

	"github.com/bundle-delivery/svc/internal/engine/template/schema"
	"github.com/bundle-delivery/svc/internal/engine/template/spec"
	"github.com/bundle-delivery/svc/internal/engine/template/stack"
)

// packages has, for a store, a folder with the packages of a project in TypeScript.
type packages map[string]string

// installPackages installs the packages of the projects with the two databases, from their
// lock files. The others need nothing more.
func installPackages(t *testing.T) packages {
	t.Helper()
	need(t, "node")
	need(t, "npm")
	out := packages{}
	for _, store := range []string{spec.SQLite, spec.Postgres} {
		out[store] = project(t, minimal(store))
		npmInstall(t, out[store])
	}
	out[spec.Memory], out[spec.File] = out[spec.SQLite], out[spec.SQLite]
	npmInstall(t, project(t, minimal(spec.Memory)), "--dry-run")
	return out
}

func npmInstall(t *testing.T, dir string, more ...string) {
	t.Helper()
	command(t, dir, nil, "npm", append([]string{"ci", "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"}, more...)...)
	lock, err := os.ReadFile(filepath.Join(dir, "package-lock.json"))
	if err != nil || bytes.Contains(lock, []byte("resolved")) || bytes.Contains(lock, []byte("://")) {
		t.Errorf("the lock file has addresses: %v", err)
	}
}

// use lets a project use the packages.
func (p packages) use(t *testing.T, s spec.Spec, dir string) string {
	t.Helper()
	if err := os.Symlink(filepath.Join(p[s.Store], "node_modules"), filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// build writes a project, compiles it and runs its own tests.
func (p packages) build(t *testing.T, s spec.Spec) (dir string) {
	t.Helper()
	dir = p.use(t, s, project(t, s))
	var env []string
	if s.Store == spec.Postgres {
		env = []string{"TEST_DATABASE_URL=" + emptyDatabase(t)}
	}
	if out := command(t, dir, env, "npm", "test"); !strings.Contains(out, "# skipped 0\n") {
		t.Errorf("something was not tested:\n%s", out)
	}
	return dir
}

// storeOf returns settings with which a project keeps its records in a place of its own.
func storeOf(t *testing.T, s spec.Spec) []string {
	t.Helper()
	if s.Store == spec.Postgres {
		return []string{"DATABASE_URL=" + emptyDatabase(t)}
	}
	path := filepath.Join(t.TempDir(), "data", "records")
	return []string{"DATABASE_FILE=" + path, "DATA_FILE=" + path}
}

// minimal is a spec that uses as little as possible.
func minimal(store string) spec.Spec {
	return spec.Spec{
		Kind: spec.API, Language: spec.TypeScript, Store: store, Port: 9100, Auth: spec.None, License: spec.None, Name: "small",
		Records: []spec.Record{{Noun: "note", Plural: "notes", Fields: []spec.Field{{Name: "text", Kind: spec.Text}}}},
	}
}

// reserved is a spec whose names mean something in TypeScript, and whose texts would
// end a literal.
func reserved() spec.Spec {
	odd := []string{`"; throw 1; //`, `'\x41' ${x} %s`, "é 😀", `back\`, "`*/"}
	s := minimal(spec.SQLite)
	s.Name, s.CORS, s.Records = "default", true, []spec.Record{
		{Noun: "class", Plural: "class", Fields: []spec.Field{
			{Name: "constructor", Kind: spec.String, Unique: true},
			{Name: "hasownproperty", Kind: spec.String},
			{Name: "new", Kind: spec.String, Choices: odd, Default: odd[1], HasDefault: true},
			{Name: "then", Kind: spec.Text},
			{Name: "number", Kind: spec.Number, Min: "-1.50"},
			{Name: "delete", Kind: spec.Money, Min: "-10", Default: "7.5", HasDefault: true},
			{Name: "date", Kind: spec.DateTime, Min: "2020-01-01T00:00:00+02:00", Default: "2026-01-31T01:30:00.25+02:00", HasDefault: true},
		}},
		{Noun: "record", Plural: "index", Fields: []spec.Field{{Name: "class", To: "class"}, {Name: "import", To: "class", Unique: true}, {Name: "await", Kind: spec.Boolean}}},
		{Noun: "index", Plural: "constructor", Fields: []spec.Field{{Name: "infer", To: "index", Need: spec.Optional, Unique: true}, {Name: "let", Kind: spec.Text}}},
		{Noun: "line 2", Plural: "async", Fields: []spec.Field{{Name: "rowid", Kind: spec.Integer}, {Name: "kind", Kind: spec.String}}},
		{Noun: "line2", Plural: "b", Fields: []spec.Field{{Name: "q", Kind: spec.Boolean}}},
		{Noun: "lab test", Plural: "lab tests", Fields: []spec.Field{{Name: "name", Kind: spec.String}}},
		{Noun: "test", Plural: "tests", Fields: []spec.Field{{Name: "name", Kind: spec.String}}},
		{Noun: "d", Plural: "ds", Fields: []spec.Field{{Name: "name", Kind: spec.String}}},
		{Noun: "com 1", Plural: "com 1s", Fields: []spec.Field{{Name: "name", Kind: spec.String}}},
		{Noun: "promise", Plural: "array", Fields: []spec.Field{{Name: "toString", Kind: spec.String}}},
	}
	return s
}

// Promise: template-builds, template-stores, template-sql, template-fields
func TestTypeScriptAPIs(t *testing.T) {
	t.Parallel()
	installed := installPackages(t)
	little := minimal(spec.Memory)
	little.Auth = spec.Token
	specs := map[string]spec.Spec{"any name": reserved(), "little": little}
	for _, store := range spec.Stores {
		auth := spec.None
		if store == spec.File || store == spec.Postgres {
			auth = spec.Token
		}
		specs[store] = everything(spec.TypeScript, store, auth)
	}
	for name, s := range specs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := installed.build(t, s)
			checkAPI(t, s, dir, storeOf(t, s), "node", "dist/src/main.js")
		})
	}
	for _, store := range []string{spec.SQLite, spec.Postgres} {
		t.Run("continuation with "+store, func(t *testing.T) {
			t.Parallel()
			checkContinuation(t, installed, store)
		})
	}
	t.Run("former data files", func(t *testing.T) {
		t.Parallel()
		checkFormerFiles(t, installed)
	})
}

// refusal starts a program that must end with an error, which it returns.
func refusal(t *testing.T, dir string, env []string, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if err == nil {
		t.Errorf("the service did not end with an error:\n%s", out)
	}
	return string(out)
}

// checkContinuation changes a project: its records stay, a record that cannot be kept
// stops the migration, and the version before no longer starts.
func checkContinuation(t *testing.T, installed packages, store string) {
	t.Helper()
	old := parsed(t, "api in typescript with "+store+"\nbook: title, pages: integer, price: money, done: boolean")
	now := parsed(t, "api in typescript with "+store+"\nbook: title, pages: integer required, price: money, done: boolean, note\nloan: -> book")
	files, _, err := schema.Migrations(schema.Change{Now: old})
	if err != nil {
		t.Fatal(err)
	}
	more, _, err := schema.Migrations(schema.Change{Old: &old, Now: now, Have: []string{files[0].Path}})
	if err != nil || len(more) != 1 {
		t.Fatal(more, err)
	}
	before, after := installed.use(t, old, project(t, old)), installed.use(t, now, project(t, now))
	if err := os.RemoveAll(filepath.Join(after, "migrations")); err != nil {
		t.Fatal(err)
	}
	for _, m := range slices.Concat(files, more) {
		write(t, after, m.Path, m.Content)
	}
	env := storeOf(t, now)
	for _, dir := range []string{before, after} {
		command(t, dir, nil, "npm", "run", "build")
	}
	serve := func(dir string, do func(*api)) {
		t.Helper()
		port, stop := service(t, dir, env, "node", "dist/src/main.js")
		do(&api{t: t, base: "http://127.0.0.1:" + port})
		if err := stop(); err != nil {
			t.Errorf("the service ended with %v", err)
		}
	}
	var good, bad object
	serve(before, func(a *api) {
		good = a.object("POST", "/books", object{"title": "Emma", "pages": 300, "price": "999999999999999.99", "done": true}, 201)
		bad = a.object("POST", "/books", object{"title": "Ulysses"}, 201)
	})
	id := fmt.Sprint(bad["id"])
	out := refusal(t, after, env, "node", "dist/src/main.js")
	for _, want := range []string{filepath.Base(more[0].Path), "pages of books", id} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in the error: %s", want, out)
		}
	}
	if strings.Contains(out, fmt.Sprint(good["id"])) {
		t.Errorf("the error names a record that can be kept: %s", out)
	}
	serve(before, func(a *api) { a.object("PUT", "/books/"+id, object{"title": "Ulysses", "pages": 900}, 200) })
	if store == spec.SQLite { // programs in other languages leave a write-ahead log
		db, err := sql.Open("sqlite", strings.TrimPrefix(env[0], "DATABASE_FILE="))
		if err != nil {
			t.Fatal(err)
		}
		_, err = db.ExecContext(t.Context(), "PRAGMA journal_mode = WAL")
		if err := errors.Join(err, db.Close()); err != nil {
			t.Fatal(err)
		}
	}
	serve(after, func(a *api) {
		kept, _ := a.list("/books", 200)
		if len(kept) != 2 || fmt.Sprint(kept[0]) != fmt.Sprint(with(good, "note", nil)) || kept[1]["id"] != id {
			t.Errorf("kept %v", kept)
		}
		a.ask("POST", "/loans", object{"book_id": id}, 201)
		a.ask("DELETE", "/books/"+id, nil, 409)
	})
	if out := refusal(t, before, env, "node", "dist/src/main.js"); !strings.Contains(out, filepath.Base(more[0].Path)) {
		t.Errorf("the version before opened the database: %s", out)
	}
}

// checkFormerFiles starts projects with data files of earlier versions.
func checkFormerFiles(t *testing.T, installed packages) {
	t.Helper()
	s := parsed(t, "api in typescript with file\nbook: title, isbn unique, tags: text, price: money, state default new")
	p := stack.ViewOf(s)
	p.Former = true
	files, err := stack.Render(p)
	if err != nil {
		t.Fatal(err)
	}
	dir := installed.use(t, s, t.TempDir())
	for _, f := range files {
		write(t, dir, f.Path, f.Content)
	}
	command(t, dir, nil, "npm", "run", "build")
	data := func(content string) []string {
		write(t, dir, "old.json", []byte(content))
		return []string{"DATA_FILE=old.json"}
	}
	want := object{"id": "1", "title": "Emma", "isbn": nil, "tags": "a\nb", "price": "12.50", "state": "new"}
	book := `"title": "Emma", "isbn": "", "tags": ["a", "b"], "price": 12.5, "gone": 1`
	for _, content := range []string{
		`{"books": [{"id": "1", ` + book + `}], "removed": [{"id": "2"}]}`,
		`{"books": [{"id": "1", "body": {` + book + `}}], "removed": [{"id": "2"}]}`,
		`{"books": {"1": {"id": "1", ` + book + `}}, "removed": {"2": {"id": "2"}}}`,
	} {
		port, stop := service(t, dir, data(content), "node", "dist/src/main.js")
		a := &api{t: t, p: p, base: "http://127.0.0.1:" + port}
		if got := a.object("GET", "/books/1", nil, 200); !maps.Equal(got, want) {
			t.Errorf("%s\n%v, want %v", content, got, want)
		}
		a.ask("POST", "/books", object{"title": "Persuasion"}, 201)
		if err := stop(); err != nil {
			t.Errorf("the service ended with %v", err)
		}
		if kept, err := os.ReadFile(filepath.Join(dir, "old.json")); err != nil || !bytes.Contains(kept, []byte(`"removed"`)) {
			t.Errorf("records of a kind that was removed are lost: %s, %v", kept, err)
		}
	}
	for content, want := range map[string]string{
		`{"books": [{"id": "a", "title": ""}]}`:                                                       "books a: title is required",
		`{"books": [{"id": "a", "title": "x", "isbn": "1"}, {"id": "b", "title": "x", "isbn": "1"}]}`: "another record has the same isbn",
		`{"books": 5}`: "old.json",
	} {
		if out := refusal(t, dir, data(content), "node", "dist/src/main.js"); !strings.Contains(out, want) {
			t.Errorf("%s: %s, want %s", content, out, want)
		}
	}
}
