package schema_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bundle-delivery/svc/internal/engine/template/schema"
	"github.com/bundle-delivery/svc/internal/engine/template/spec"
	"github.com/bundle-delivery/svc/internal/engine/template/stack"
)

// documents are the tables of earlier versions, which differed in the type of body.
var documents = map[string][]string{
	spec.SQLite: {
		`CREATE TABLE documents (position INTEGER PRIMARY KEY AUTOINCREMENT, collection TEXT NOT NULL, id TEXT NOT NULL, body TEXT NOT NULL, UNIQUE (collection, id))`,
		`CREATE TABLE refs (collection TEXT NOT NULL, id TEXT NOT NULL, of_collection TEXT NOT NULL, of_id TEXT NOT NULL, FOREIGN KEY (collection, id) REFERENCES documents (collection, id) ON DELETE CASCADE, FOREIGN KEY (of_collection, of_id) REFERENCES documents (collection, id))`,
		`CREATE UNIQUE INDEX authors__name ON documents (json_extract(body, '$.name')) WHERE collection = 'authors' AND json_extract(body, '$.name') <> ''`,
	},
	spec.Postgres: {
		`CREATE TABLE documents (collection text NOT NULL, id text NOT NULL, body json NOT NULL, position bigint GENERATED ALWAYS AS IDENTITY, PRIMARY KEY (collection, id))`,
		`CREATE INDEX documents_in_order ON documents (collection, position)`,
		`CREATE TABLE refs (collection text NOT NULL, id text NOT NULL, of_collection text NOT NULL, of_id text NOT NULL, FOREIGN KEY (collection, id) REFERENCES documents ON DELETE CASCADE, FOREIGN KEY (of_collection, of_id) REFERENCES documents)`,
		`CREATE UNIQUE INDEX authors__name ON documents (md5(body->>'name')) WHERE collection = 'authors' AND body->>'name' <> ''`,
	},
}

// former is a spec as the state of an earlier version is read.
func former(store string) spec.Spec {
	return spec.Spec{Kind: spec.API, Language: spec.Go, Store: store, Port: 8080, Name: "former", Records: []spec.Record{
		{Noun: "document", Plural: "documents", Fields: []spec.Field{
			{Name: "title", Kind: spec.Text, Need: spec.Required},
			{Name: "tags", Kind: spec.Text, Need: spec.Optional},
			{Name: "done", Kind: spec.Boolean, Need: spec.Optional},
			{Name: "pages", Kind: spec.Integer, Min: "1", Need: spec.Optional},
			{Name: "price", Kind: spec.Number, Need: spec.Optional},
			{Name: "due", Kind: spec.Date, Need: spec.Optional},
			{Name: "seen", Kind: spec.DateTime, Need: spec.Optional},
			{Name: "author", To: "author", Need: spec.Optional},
			{Name: "state", Kind: spec.Text, Need: spec.Required, Choices: []string{"open", "shut"}, Default: "open", HasDefault: true},
		}},
		{Noun: "author", Plural: "authors", Fields: []spec.Field{{Name: "name", Kind: spec.Text, Need: spec.Required, Unique: true}}},
	}}
}

func insert(collection, id, body string) string {
	return "INSERT INTO documents (collection, id, body) VALUES ('" + collection + "', '" + id + "', '" + body + "')"
}

func TestDocumentsBecomeRows(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, store string, open func() *database) {
		now := former(store)
		now.Records[0].Fields = append(slices.Clone(now.Records[0].Fields), spec.Field{Name: "extra", Kind: spec.Money, Default: "1.5", HasDefault: true})
		old := former(store)
		files, kept := migrations(t, schema.Change{Old: &old, Now: now, Documents: true})
		if len(files) != 2 || !strings.HasSuffix(files[0].Path, "/0001_documents_and_authors.sql") || !strings.HasSuffix(files[1].Path, "/0002_change_documents.sql") || !slices.Contains(kept, schema.Removed) {
			t.Fatalf("%v %v", files, kept)
		}
		db := open()
		db.exec(t, documents[store]...)
		db.exec(t,
			insert("documents", "b", `{"id": "b", "title": "It''s", "tags": ["one", "two"], "done": true, "pages": 12, "price": 2.5, "due": "2024-02-29", "seen": "2026-01-31T10:30:00.250+01:00", "author_id": "a", "state": "shut"}`),
			insert("authors", "a", `{"name": "Ann"}`),
			insert("documents", "c", `{"title": "Bare", "tags": [], "done": false, "pages": null, "price": 0, "due": "", "seen": "", "author_id": ""}`),
			insert("gone", "x", `{"name": "stays"}`),
			"INSERT INTO refs (collection, id, of_collection, of_id) VALUES ('documents', 'b', 'authors', 'a')",
		)
		if err := db.migrate(files); err != nil {
			t.Fatal(err)
		}
		text := `, CAST("extra" AS TEXT), "due", "seen"`
		if store == spec.Postgres {
			text = `, CAST(("extra" * 100)::int AS TEXT), "due"::text, replace(to_char("seen" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MSZ'), '.000', '')`
		}
		got := db.rows(t, `SELECT "id", "title", replace("tags", chr, '/'), CASE WHEN "done" THEN 'yes' ELSE 'no' END, "pages", CAST("price" AS TEXT), "author_id", "state"`+text+
			map[string]string{spec.SQLite: ` FROM "documents", (SELECT char(10) AS chr)`, spec.Postgres: ` FROM "documents", (SELECT chr(10) AS chr) AS c`}[store])
		want := []string{"b|It's|one/two|yes|12|2.5|a|shut|150|2024-02-29|2026-01-31T09:30:00.250Z", "c|Bare||no||0.0||open|150||"}
		if store == spec.Postgres {
			want[1] = "c|Bare||no||0||open|150||"
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		if got := db.rows(t, `SELECT collection, id FROM removed_documents`); !slices.Equal(got, []string{"gone|x"}) {
			t.Errorf("removed_documents = %v", got)
		}
		fresh, empty := open(), open()
		if err := fresh.migrate(files); err != nil {
			t.Fatalf("a new database: %v", err)
		}
		made, _ := migrations(t, schema.Change{Now: now})
		if err := empty.migrate(made); err != nil {
			t.Fatal(err)
		}
		same := func(lines []string) []string {
			return slices.DeleteFunc(lines, func(line string) bool { return strings.Contains(line, "removed_documents") })
		}
		for _, db := range []*database{db, fresh} {
			if diff := cmp.Diff(empty.shape(t), same(db.shape(t))); diff != "" {
				t.Error(diff)
			}
		}
	})
}

func TestDocumentsThatBreakRulesStopTheMigration(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, store string, open func() *database) {
		for body, says := range map[string]string{
			`{"title": ""}`: "title of documents is required, but missing",
			`{"title": "` + strings.Repeat("x", 10_001) + `"}`: "title of documents breaks its rules: length(title) BETWEEN 1 AND 10000",
			`{"title": "x", "pages": 0}`:                       "pages of documents breaks its rules",
			`{"title": "x", "pages": "many"}`:                  "pages of documents is not of the kind integer",
			`{"title": "x", "due": "2026-02-30"}`:              "due of documents is not of the kind date",
			`{"title": "x", "seen": "yesterday"}`:              "seen of documents is not of the kind datetime",
			`{"title": "x", "author_id": "nobody"}`:            "author_id of documents does not lead to one of authors",
			`{"title": "x", "state": "ajar"}`:                  "state of documents breaks its rules",
			`{"title": "x", "price": {"a": 1}}`:                "price of documents is not of the kind number",
		} {
			db, old := open(), former(store)
			files, _ := migrations(t, schema.Change{Old: &old, Now: old, Documents: true})
			db.exec(t, documents[store]...)
			db.exec(t, insert("documents", "good", `{"title": "good"}`), insert("documents", "bad", body))
			err := db.migrate(files)
			var stop stopped
			if !errors.As(err, &stop) || !strings.Contains(stop.message, says) || !slices.Equal(stop.ids, []string{"bad"}) {
				t.Errorf("%.60s: %v", body, err)
			}
			if got := db.rows(t, `SELECT id FROM documents`); len(got) != 2 {
				t.Errorf("%.60s: the documents are %v", body, got)
			}
		}
	})
}

func TestChangesThatLoseValuesStop(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, store string, open func() *database) {
		for _, test := range []struct {
			was, now spec.Field
			values   []string // of the records r0, r1, ...
			ids      []string // nil: nothing stops
		}{
			{spec.Field{Kind: spec.Text}, spec.Field{Kind: spec.String}, []string{"'a'", "'a\nb'"}, []string{"r1"}},
			{spec.Field{Kind: spec.String}, spec.Field{Kind: spec.String, Max: "3"}, []string{"'abcd'", "'abc'", "NULL"}, []string{"r0"}},
			{spec.Field{Kind: spec.String}, spec.Field{Kind: spec.String, Choices: []string{"a", "b"}}, []string{"'a'", "'c'", "'d'"}, []string{"r1", "r2"}},
			{spec.Field{Kind: spec.String}, spec.Field{Kind: spec.String, Unique: true}, []string{"'a'", "'b'", "'a'", "NULL", "NULL"}, []string{"r0", "r2"}},
			{spec.Field{Kind: spec.String}, spec.Field{Kind: spec.String, Need: spec.Required}, []string{"'a'", "NULL"}, []string{"r1"}},
			{spec.Field{Kind: spec.String}, spec.Field{Kind: spec.String, Need: spec.Required, Default: "x", HasDefault: true}, []string{"'a'", "NULL"}, nil},
			{spec.Field{Kind: spec.String}, spec.Field{Kind: spec.Email}, []string{"'a@example.com'", "'a'", "'a b@example.com'"}, []string{"r1", "r2"}},
			{spec.Field{Kind: spec.String}, spec.Field{Kind: spec.URL}, []string{"'https://a.example'", "'ftp://a.example'"}, []string{"r1"}},
			{spec.Field{Kind: spec.String}, spec.Field{Kind: spec.UUID}, []string{"'00000000-0000-4000-8000-00000000000A'", "'0'"}, []string{"r1"}},
			{spec.Field{Kind: spec.String}, spec.Field{Kind: spec.Date}, []string{"'2026-02-28'", "'2026-02-29'", "'2026-2-1'", "'2026-02-28T'"}, []string{"r1", "r2", "r3"}},
			{spec.Field{Kind: spec.String}, spec.Field{Kind: spec.DateTime}, []string{"'2026-02-28T10:00:00+02:00'", "'2026-02-28'", "'2026-02-29T10:00:00Z'"}, []string{"r1", "r2"}},
			{spec.Field{Kind: spec.String}, spec.Field{Kind: spec.Money}, []string{"'12.5'", "'12.345'", "'a'", "'1e2'", "'-3'"}, []string{"r1", "r2", "r3"}},
			{spec.Field{Kind: spec.String}, spec.Field{Kind: spec.Boolean}, []string{"'true'", "'yes'"}, []string{"r1"}},
			{spec.Field{Kind: spec.Number}, spec.Field{Kind: spec.Integer}, []string{"1", "1.5", "1e300"}, []string{"r1", "r2"}},
			{spec.Field{Kind: spec.Number}, spec.Field{Kind: spec.Integer}, []string{"9007199254740991", "-9007199254740991", "9007199254740994"}, []string{"r2"}},
			{spec.Field{Kind: spec.String}, spec.Field{Kind: spec.Integer}, []string{"'9007199254740991'", "'-9007199254740991'", "'9007199254740992'"}, []string{"r2"}},
			{spec.Field{Kind: spec.Number}, spec.Field{Kind: spec.Money}, []string{"1.25", "1.255", "0.1", "1e15", "9007199254740.931", "1e-300"}, []string{"r1", "r3", "r4", "r5"}},
			{spec.Field{Kind: spec.Integer}, spec.Field{Kind: spec.Integer, Min: "0", Max: "9"}, []string{"-1", "0", "9", "10"}, []string{"r0", "r3"}},
			{spec.Field{Kind: spec.Integer}, spec.Field{Kind: spec.Number}, []string{"1"}, nil},
			{spec.Field{Kind: spec.Integer}, spec.Field{Kind: spec.String}, []string{"12"}, nil},
			{spec.Field{Kind: spec.Integer}, spec.Field{Kind: spec.Money}, []string{"12", "-1"}, nil},
			{spec.Field{Kind: spec.Boolean}, spec.Field{Kind: spec.Date}, []string{"NULL", "1 = 1"}, []string{"r1"}},
			{spec.Field{Kind: spec.Date}, spec.Field{Kind: spec.DateTime}, []string{"'2026-01-31'"}, nil},
			{spec.Field{Kind: spec.DateTime}, spec.Field{Kind: spec.Date}, []string{"'2026-01-31T00:00:00Z'", "'2026-01-31T00:00:01Z'"}, []string{"r1"}},
			{spec.Field{Name: "due date", Kind: spec.Date}, spec.Field{Name: "Due-date", Kind: spec.Date, Min: "2026-01-01"}, []string{"'2025-12-31'", "'2026-01-01'"}, []string{"r0"}},
			{spec.Field{Name: "note id", Kind: spec.String}, spec.Field{Name: "note", To: "note", Need: spec.Optional}, []string{"'r0'", "'nobody'", "NULL"}, []string{"r1"}},
		} {
			made := func(f spec.Field) spec.Spec {
				if f.Name == "" {
					f.Name = "value"
				}
				return spec.Spec{Kind: spec.API, Store: store, Records: []spec.Record{{Noun: "note", Plural: "notes", Fields: []spec.Field{{Name: "title", Kind: spec.String}, f}}}}
			}
			was, now := made(test.was), made(test.now)
			first, _ := migrations(t, schema.Change{Now: was})
			more, _ := migrations(t, schema.Change{Old: &was, Now: now, Have: []string{first[0].Path}})
			db := open()
			if err := db.migrate(first); err != nil {
				t.Fatal(err)
			}
			for i, value := range test.values {
				db.exec(t, `INSERT INTO "notes" ("id", "title", "`+was.Records[0].Fields[1].Column()+`") VALUES (`+literal(i)+`, 'x', `+value+`)`)
			}
			err := db.migrate(more)
			var stop stopped
			if errors.As(err, &stop); err != nil && stop.ids == nil || !slices.Equal(stop.ids, test.ids) {
				t.Errorf("%s to %s: %v", was.Records[0], now.Records[0], err)
			}
			if got := len(db.rows(t, `SELECT "id" FROM "notes"`)); got != len(test.values) {
				t.Errorf("%s to %s: %d records are left", was.Records[0], now.Records[0], got)
			}
		}
	})
}

func TestWhatNoMigrationCanDo(t *testing.T) {
	t.Parallel()
	for says, f := range map[string]spec.Field{
		`write "extra: integer required default VALUE"`: {Kind: spec.Integer, Need: spec.Required},
		`write "extra -> author optional"`:              {To: "author"},
	} {
		old := former(spec.SQLite)
		now := former(spec.SQLite)
		f.Name = "extra"
		now.Records[0].Fields = append(slices.Clone(now.Records[0].Fields), f)
		if _, _, err := schema.Migrations(schema.Change{Old: &old, Now: now, Have: []string{"migrations/sqlite/0001_x.sql"}}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %s", err, says)
		}
	}
}

// A field that is removed and added again has its values again.
func TestRemovedFieldsComeBack(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, store string, open func() *database) {
		full := library(store)
		less := library(store)
		less.Records[1].Fields = slices.Delete(slices.Clone(less.Records[1].Fields), 1, 3) // isbn and year
		less.Records = less.Records[1:]
		db := open()
		first, _ := migrations(t, schema.Change{Now: full})
		second, kept := migrations(t, schema.Change{Old: &full, Now: less, Have: paths(first)})
		if want := []string{"books.isbn string", "books.year integer", "loans.book_id text", "loans.borrower string", "loans.due_date date", "loans.state string"}; !cmp.Equal(kept, want) {
			t.Errorf("kept %v, want %v", kept, want)
		}
		third, left := migrations(t, schema.Change{Old: &less, Now: full, Have: append(paths(first), paths(second)...), Kept: kept})
		if left != nil {
			t.Errorf("kept %v", left)
		}
		if err := db.migrate(first); err != nil {
			t.Fatal(err)
		}
		db.exec(t, `INSERT INTO "books" ("id", "title", "isbn", "year") VALUES ('b', 'Emma', '0123456789', 1815)`, `INSERT INTO "loans" ("id", "book_id", "borrower") VALUES ('l', 'b', 'Ann')`)
		if err := db.migrate(second); err != nil {
			t.Fatal(err)
		}
		db.exec(t, `INSERT INTO "books" ("id", "title") VALUES ('c', 'Persuasion')`)
		if err := db.migrate(third); err != nil {
			t.Fatal(err)
		}
		if got := db.rows(t, `SELECT "isbn", "year", "borrower" FROM "books" JOIN "loans" ON "book_id" = "books"."id"`); !cmp.Equal(got, []string{"0123456789|1815|Ann"}) {
			t.Errorf("%v", got)
		}
	})
}

func paths(files []stack.File) (out []string) {
	for _, f := range files {
		out = append(out, f.Path)
	}
	return out
}

func TestNothingIsWrittenWhereNoTableChanges(t *testing.T) {
	t.Parallel()
	old := library(spec.SQLite)
	now := library(spec.SQLite)
	now.Port = 9000
	memory := library(spec.Memory)
	for _, c := range []schema.Change{{Old: &old, Now: now, Have: []string{"migrations/sqlite/0001_x.sql"}}, {Now: memory}, {Old: &memory, Now: memory}} {
		if files, kept := migrations(t, c); files != nil || kept != nil {
			t.Errorf("%v %v", files, kept)
		}
	}
}

// No amount passes through a float, which holds 15 digits.
func TestMoneyStaysExact(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, store string, open func() *database) {
		for was, cents := range map[string]map[string]string{
			spec.String:  {"999999999999999.99": "99999999999999999", "-999999999999999.99": "-99999999999999999", "-0.05": "-5", "12.5": "1250", "12": "1200"},
			spec.Integer: {"999999999999999": "99999999999999900", "-999999999999999": "-99999999999999900", "0": "0"},
			spec.Number: {
				"999999999999999": "99999999999999900", "9007199254740.93": "900719925474093", "70368744177663.87": "7036874417766387", "-0.07": "-7", "1.1": "110", "12": "1200",
			},
		} {
			made := func(kind string) spec.Spec {
				return spec.Spec{Kind: spec.API, Store: store, Records: []spec.Record{{Noun: "note", Plural: "notes", Fields: []spec.Field{{Name: "title", Kind: spec.String}, {Name: "value", Kind: kind}}}}}
			}
			old, now := made(was), made(spec.Money)
			first, _ := migrations(t, schema.Change{Now: old})
			second, _ := migrations(t, schema.Change{Old: &old, Now: now, Have: paths(first)})
			db := open()
			if err := db.migrate(first); err != nil {
				t.Fatal(err)
			}
			var want []string
			for amount, cents := range cents {
				db.exec(t, `INSERT INTO "notes" ("id", "title", "value") VALUES ('`+amount+`', 'x', '`+amount+`')`)
				want = append(want, amount+"|"+cents)
			}
			if err := db.migrate(second); err != nil {
				t.Fatalf("%s: %v", was, err)
			}
			slices.Sort(want)
			got := db.rows(t, `SELECT "id", `+map[string]string{spec.SQLite: `"value"`, spec.Postgres: `("value" * 100)::bigint`}[store]+` FROM "notes"`)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: %s", was, diff)
			}
		}
	})
}

// A name that a field has left is free for another one, wherever that stands.
func TestNamesThatWereLeftAreFree(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, store string, open func() *database) {
		made := func(fields ...spec.Field) spec.Spec {
			return spec.Spec{Kind: spec.API, Store: store, Records: []spec.Record{{Noun: "book", Plural: "books", Fields: fields}}}
		}
		old := made(spec.Field{Name: "title", Kind: spec.String})
		now := made(spec.Field{Name: "title", Kind: spec.Text, Need: spec.Optional}, spec.Field{Name: "headline", Kind: spec.String, Need: spec.Required})
		first, _ := migrations(t, schema.Change{Now: old})
		second, _ := migrations(t, schema.Change{Old: &old, Now: now, Have: paths(first), Renames: []spec.Rename{{Record: "book", From: "title", To: "headline"}}})
		db := open()
		if err := db.migrate(first); err != nil {
			t.Fatal(err)
		}
		db.exec(t, `INSERT INTO "books" ("id", "title") VALUES ('b', 'Emma')`)
		if err := db.migrate(second); err != nil {
			t.Fatal(err)
		}
		if got := db.rows(t, `SELECT "headline", "title" FROM "books"`); !cmp.Equal(got, []string{"Emma|"}) {
			t.Errorf("%v", got)
		}
	})
}
