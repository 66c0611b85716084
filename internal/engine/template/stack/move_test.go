package stack_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/engine/template/spec"
)

// shells are the programs that the README names, with what leads to both databases.
type shells struct{ file, address string }

// run runs SQL in the shell of a database, which must accept it, and returns what it prints.
func (s shells) run(t *testing.T, store, text string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-d", s.address)
	if store == spec.SQLite {
		cmd = exec.CommandContext(t.Context(), "sqlite3", "-bail", s.file)
	}
	cmd.Stdin = strings.NewReader(text)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s\n%s", store, err, text, out)
	}
	return strings.TrimSpace(string(out))
}

// migrate runs the migrations of a new database, as the program does when it starts.
func (s shells) migrate(t *testing.T, store string, m *made) {
	t.Helper()
	text := "CREATE TABLE schema_migrations (version integer PRIMARY KEY, name text NOT NULL, applied_at text NOT NULL);\n"
	var names []string
	for path, content := range m.files {
		if dir, name := filepath.Split(path); dir == "migrations/"+store+"/" && strings.HasSuffix(name, ".sql") {
			names = append(names, name)
			text += string(content)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		text += "INSERT INTO schema_migrations VALUES (" + name[:4] + ", '" + name + "', 'now');\n"
	}
	if len(names) != 1 {
		t.Fatalf("%s has the migrations %v", store, names)
	}
	s.run(t, store, text)
}

// moving is the command of the README that moves the records.
var moving = regexp.MustCompile("(?s)The records were in .*?\n```sh\n(.*?)```")

// move runs the command of the README in a shell that knows nothing of the project.
func (s shells) move(t *testing.T, m *made) (out string, err error) {
	t.Helper()
	dir := t.TempDir()
	for path, content := range m.files {
		write(t, dir, path, content)
	}
	block := moving.FindStringSubmatch(read(t, dir, "README.md"))
	if block == nil {
		t.Fatalf("the README does not move the records:\n%s", m.files["README.md"])
	}
	write(t, dir, ".env", []byte("PORT=1\nDATABASE_FILE="+s.file+"\nDATABASE_URL="+s.address+"\n"))
	cmd := exec.CommandContext(t.Context(), "sh", "-c", block[1])
	cmd.Dir, cmd.Env = dir, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + dir}
	write(t, dir, ".sqliterc", []byte(".headers on\n.mode box\n"))
	text, err := cmd.CombinedOutput()
	if left, _ := filepath.Glob(filepath.Join(dir, "tmp.*")); left != nil {
		t.Errorf("%v stays", left)
	}
	return string(text), err
}

func bothShells(t *testing.T) shells {
	t.Helper()
	need(t, "sqlite3")
	need(t, "psql")
	dir := t.TempDir()
	write(t, dir, "records.db", nil)
	return shells{filepath.Join(dir, "records.db"), emptyDatabase(t)}
}

var otherStore = map[string]string{spec.SQLite: spec.Postgres, spec.Postgres: spec.SQLite}

// The command of the README moves every record to another database, also when the same
// change renames, adds and removes records and fields.
func TestRecordsMoveBetweenDatabases(t *testing.T) {
	t.Parallel()
	for from, to := range otherStore {
		t.Run(from, func(t *testing.T) {
			t.Parallel()
			s := bothShells(t)
			m := begun(t, "api in go with "+from+`
book: title, isbn, price: money, weight: number, seen: datetime, due: date, done: boolean, review: text, -> author optional
author: name, born: integer
memo: line`, nil)
			s.migrate(t, from, m)
			line := map[string]string{spec.SQLite: "char(13, 10)", spec.Postgres: "chr(13) || chr(10)"}[from]
			escape := map[string]string{spec.SQLite: "char(27)", spec.Postgres: "chr(27)"}[from]
			truth := map[string]string{spec.SQLite: "1", spec.Postgres: "true"}[from]
			price := map[string]string{spec.SQLite: "125050", spec.Postgres: "1250.50"}[from]
			s.run(t, from, `INSERT INTO "authors" ("id", "name", "born") VALUES ('a', 'Ünïcödé 😀', -9007199254740991);
INSERT INTO "books" ("id", "title", "isbn", "price", "weight", "seen", "due", "done", "review", "author_id") VALUES
  ('b', 'It''s "\" $$ :name', '1', `+price+`, 0.1, '2026-01-31T09:30:00.250Z', '2024-02-29', `+truth+`, 'one' || `+line+` || 'two
.quit
' || `+escape+` || '[0m', 'a');
INSERT INTO "books" ("id", "title") VALUES ('c', 'Second');
INSERT INTO "memos" ("id", "line") VALUES ('m', 'stays');`)
			m.generate(t, "rename book.title headline\nremove book.isbn\nadd book.pages: integer default 7\nrename author writer\n"+
				"add purchase: note, -> book optional\nremove memo\nadd book.subtitle\nstore "+to, nil)
			s.migrate(t, to, m)
			if out, err := s.move(t, m); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			hex := map[string]string{spec.SQLite: "hex(%)", spec.Postgres: "upper(encode(convert_to(%, 'UTF8'), 'hex'))"}
			money := map[string]string{spec.SQLite: `CAST("price" AS TEXT)`, spec.Postgres: `("price" * 100)::bigint::text`}
			times := map[string]string{spec.SQLite: `"seen"`, spec.Postgres: `to_char("seen" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`}
			query := func(store string) string {
				return `SELECT "_position", "id", ` + strings.ReplaceAll(hex[store], "%", `"headline"`) + `, "isbn", ` + money[store] + `, "weight", ` + times[store] +
					`, "due", CASE WHEN "done" THEN 1 ELSE 0 END, ` + strings.ReplaceAll(hex[store], "%", `"review"`) + `, "writer_id", "pages", "subtitle" FROM "books" ORDER BY 1;
SELECT "id", "name", "born" FROM "writers"; SELECT "line" FROM "memos"; SELECT count(*) FROM "purchases";`
			}
			want := `1|b|4974277320225C22202424203A6E616D65|1|125050|0.1|2026-01-31T09:30:00.250Z|2024-02-29|1|6F6E650D0A74776F0A2E717569740A1B5B306D|a|7|
2|c|5365636F6E64||||||0|||7|
a|Ünïcödé 😀|-9007199254740991
stays
0`
			if old, got := s.run(t, from, query(from)), s.run(t, to, query(to)); old != want || got != want {
				t.Errorf("there are\n%s\nand were\n%s\nwant\n%s", got, old, want)
			}
			if out, err := s.move(t, m); err == nil || s.run(t, to, query(to)) != want {
				t.Errorf("the records were moved twice: %v\n%s", err, out)
			}
			s.run(t, to, `INSERT INTO "books" ("id", "headline") VALUES ('d', 'Next');`)
			before := len(m.files)
			m.generate(t, "add book.extra", nil)
			if len(m.files) != before+2 {
				t.Errorf("a change of both databases adds %d files", len(m.files)-before)
			}
		})
	}
}

// What cannot be read or kept stops the move before anything is written.
func TestNothingMovesUnlessAllDoes(t *testing.T) {
	t.Parallel()
	for from, to := range otherStore {
		t.Run(from, func(t *testing.T) {
			t.Parallel()
			s := bothShells(t)
			m := begun(t, "api in go with "+from+"\nbook: title, isbn\nnote: text", nil)
			s.migrate(t, from, m)
			s.run(t, from, `INSERT INTO "books" ("id", "title", "isbn") VALUES ('one', 'A', '1'), ('two', 'B', '1');
INSERT INTO "notes" ("id", "text") VALUES ('n', 'x');`)
			m.generate(t, "book.isbn unique\nstore "+to, nil)
			stopped := func(why ...string) {
				t.Helper()
				out, err := s.move(t, m)
				for _, text := range why {
					if err == nil || !strings.Contains(out, text) {
						t.Errorf("the move ended with %v, and not with %q:\n%s", err, text, out)
					}
				}
			}
			stopped("isbn of books is unique, but has a value twice|one\n", "|two\n", "0002_change_books.sql stopped")
			file := "migrations/" + from + "-to-" + to + ".sql"
			write(t, filepath.Dir(s.file), "move.sql", m.files[file])
			alone := exec.CommandContext(t.Context(), "psql", "-XAtq", "-d", s.address, "-f", filepath.Join(filepath.Dir(s.file), "move.sql"))
			if from == spec.SQLite {
				alone = exec.CommandContext(t.Context(), "sqlite3", "-bail", s.file, ".read "+filepath.Join(filepath.Dir(s.file), "move.sql"))
			}
			if out, err := alone.CombinedOutput(); err == nil || !strings.Contains(string(out), "has not run the migrations up to 2: run sh migrations/move.sh") || strings.Contains(string(out), "INSERT") {
				t.Errorf("the file alone ended with %v:\n%s", err, out)
			}
			s.run(t, from, `DELETE FROM "books" WHERE "id" = 'two';`)
			stopped("books") // the new database has no tables
			s.migrate(t, to, m)
			s.run(t, from, `ALTER TABLE "notes" RENAME COLUMN "text" TO "other";`)
			stopped("text")
			if got := s.run(t, to, `SELECT count(*) FROM "books";`); got != "0" {
				t.Errorf("%s books were moved, and no notes", got)
			}
			s.run(t, from, `ALTER TABLE "notes" RENAME COLUMN "other" TO "text";`)
			s.run(t, to, `INSERT INTO "notes" ("id", "text") VALUES ('n', 'there');`)
			stopped("nothing was moved")
			if got := s.run(t, to, `SELECT count(*) FROM "books";`); got != "0" {
				t.Errorf("%s books were moved beside a note that is there", got)
			}
			s.run(t, to, `DELETE FROM "notes";`)
			if out, err := s.move(t, m); err != nil || s.run(t, to, `SELECT "title" FROM "books";`) != "A" {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// A program finds the records that its earlier version kept in another database.
func TestAProgramFindsMovedRecords(t *testing.T) {
	t.Parallel()
	s := bothShells(t)
	settings := []string{"DATABASE_FILE=" + s.file, "DATABASE_URL=" + s.address}
	m := begun(t, "api in python with sqlite\nbook: title, pages: integer", nil)
	dir, run := workshop{}.build(t, m)
	var book object
	serve(t, m, dir, settings, run, func(a *api) { book = a.object("POST", "/books", object{"title": "A", "pages": 3}, 201) })
	for _, change := range []string{"rename book.title headline\nstore postgres", "rename book.headline name\nrename book volume\nstore sqlite"} {
		m.generate(t, change, nil)
		dir, run = workshop{}.build(t, m)
		if m.spec(t).Store == spec.SQLite {
			s.file += ".new"
			settings[0] += ".new"
		}
		serve(t, m, dir, settings, run, func(*api) {})
		if out, err := s.move(t, m); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	serve(t, m, dir, settings, run, func(a *api) {
		if got := a.object("GET", fmt.Sprint("/volumes/", book["id"]), nil, 200); got["name"] != "A" || fmt.Sprint(got["pages"]) != "3" {
			t.Errorf("the book is %v", got)
		}
	})
}

// The documents of the version before specs become rows before they move.
func TestDocumentsMoveBetweenDatabases(t *testing.T) {
	t.Parallel()
	for from, to := range otherStore {
		t.Run(from, func(t *testing.T) {
			t.Parallel()
			s := bothShells(t)
			f := formerProject(t, "go-"+from)
			name, value, _ := strings.Cut(f.load(t, func(text string) string { return text })[0], "=")
			if name == "DATABASE_FILE" {
				s.file = value
			} else {
				s.address = value
			}
			f.generate(t, "rename book.title headline\nstore "+to, nil)
			s.migrate(t, to, f.made)
			if out, err := s.move(t, f.made); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			for plural, rows := range f.rows {
				if got := s.run(t, to, `SELECT count(*) FROM "`+plural+`";`); got != fmt.Sprint(len(rows)) {
					t.Errorf("there are %s %s, want %d", got, plural, len(rows))
				}
			}
			if got := s.run(t, to, `SELECT "headline" FROM "books" ORDER BY "_position" LIMIT 1;`); got != f.rows["books"][0]["title"] {
				t.Errorf("the first book is %q, want %q", got, f.rows["books"][0]["title"])
			}
		})
	}
}
