package schema_test

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver of PostgreSQL
	_ "modernc.org/sqlite"             // the driver of SQLite

	"github.com/bundle-delivery/svc/internal/engine/template/schema"
	"github.com/bundle-delivery/svc/internal/engine/template/spec"
	"github.com/bundle-delivery/svc/internal/engine/template/stack"
	"github.com/bundle-delivery/svc/internal/testkit/pgtest"
)

// database is one of either kind, and the runner that the package describes.
type database struct {
	*sql.DB
	store   string
	applied map[string]bool
}

// databases opens an empty database of a kind whenever it is called.
func databases(t *testing.T, store string) func() *database {
	t.Helper()
	var cluster *pgtest.Cluster
	if store == spec.Postgres {
		cluster = pgtest.Start(t)
	}
	folder, n := t.TempDir(), 0
	return func() *database {
		n++
		driver, source := "sqlite", "file:"+filepath.Join(folder, fmt.Sprint(n, ".db"))
		if cluster != nil {
			driver, source = "pgx", cluster.Address(cluster.Database(t))
		}
		db, err := sql.Open(driver, source)
		if err != nil {
			t.Fatal(err)
		}
		db.SetMaxOpenConns(1)
		t.Cleanup(func() { _ = db.Close() })
		return &database{db, store, map[string]bool{}}
	}
}

// migrate runs the migrations that it has not run.
func (db *database) migrate(files []stack.File) error {
	ctx := context.Background()
	if db.store == spec.SQLite {
		if _, err := db.ExecContext(ctx, "PRAGMA foreign_keys = OFF"); err != nil {
			return err
		}
	}
	for _, f := range files {
		if db.applied[f.Path] || !strings.HasPrefix(f.Path, "migrations/"+db.store+"/") {
			continue
		}
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		for statement := range strings.SplitSeq(string(f.Content), "\n\n") {
			if err := run(ctx, tx, statement); err != nil {
				_ = tx.Rollback()
				return fmt.Errorf("%s: %w\n%s", f.Path, err, statement)
			}
		}
		if err := tx.Commit(); err != nil {
			return err
		}
		db.applied[f.Path] = true
	}
	if db.store == spec.SQLite {
		_, err := db.ExecContext(ctx, "PRAGMA foreign_keys = ON")
		return err
	}
	return nil
}

func run(ctx context.Context, tx *sql.Tx, statement string) error {
	message, stop := strings.CutPrefix(statement, "-- stop: ")
	if !stop {
		_, err := tx.ExecContext(ctx, statement)
		return err
	}
	message, _, _ = strings.Cut(message, "\n")
	rows, err := tx.QueryContext(ctx, statement)
	if err != nil {
		return err
	}
	defer rows.Close()
	var ids []string
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return err
		}
		ids = append(ids, id)
	}
	if err := rows.Err(); err != nil || len(ids) == 0 {
		return err
	}
	return stopped{message, ids}
}

// stopped is what a check found.
type stopped struct {
	message string
	ids     []string
}

func (s stopped) Error() string { return s.message + ": " + strings.Join(s.ids, ", ") }

// rows returns a query's answer as text, sorted.
func (db *database) rows(t testing.TB, query string) []string {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for rows.Next() {
		values, targets := make([]sql.NullString, len(columns)), make([]any, len(columns))
		for i := range values {
			targets[i] = &values[i]
		}
		if err := rows.Scan(targets...); err != nil {
			t.Fatal(err)
		}
		var line []string
		for _, v := range values {
			line = append(line, v.String)
		}
		out = append(out, strings.Join(line, "|"))
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	slices.Sort(out)
	return out
}

func (db *database) exec(t testing.TB, statements ...string) {
	t.Helper()
	for _, statement := range statements {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

var (
	definition  = regexp.MustCompile(`(?s)^CREATE TABLE "?\w+"? \(\s*(.*)\)$`)
	between     = regexp.MustCompile(`,\s+("\w+" [A-Z])`)
	postgresSQL = []string{
		`SELECT 'column', table_name, column_name, data_type, is_nullable, coalesce(column_default, ''), coalesce(numeric_scale, 0) FROM information_schema.columns WHERE table_schema = 'public'`,
		`SELECT 'constraint', conname, conrelid::regclass, pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND contype IN ('c', 'f')`,
		`SELECT 'index', indexdef FROM pg_indexes WHERE schemaname = 'public' AND indexname NOT LIKE '%\_position\_key%' AND indexname NOT LIKE '%\_pkey%'`,
	}
)

// shape describes the tables of a database, line by line.
func (db *database) shape(t testing.TB) (out []string) {
	t.Helper()
	if db.store == spec.Postgres {
		for _, query := range postgresSQL {
			out = append(out, db.rows(t, query)...)
		}
		return out
	}
	for _, line := range db.rows(t, `SELECT tbl_name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite%'`) {
		name, text, _ := strings.Cut(line, "|")
		parts := definition.FindStringSubmatch(text)
		if parts == nil {
			out = append(out, line)
			continue
		}
		for column := range strings.SplitSeq(between.ReplaceAllString(parts[1], "\x00$1"), "\x00") {
			out = append(out, name+": "+strings.TrimSpace(column))
		}
	}
	return out
}

func both(t *testing.T, test func(t *testing.T, store string, open func() *database)) {
	t.Helper()
	for _, store := range []string{spec.SQLite, spec.Postgres} {
		t.Run(store, func(t *testing.T) {
			t.Parallel()
			test(t, store, databases(t, store))
		})
	}
}

// library is a spec with something of everything.
func library(store string) spec.Spec {
	return spec.Spec{Kind: spec.API, Language: spec.Go, Store: store, Port: 8080, Name: "library", Records: []spec.Record{
		{Noun: "loan", Plural: "loans", Fields: []spec.Field{
			{Name: "book", To: "book"},
			{Name: "borrower", Kind: spec.String, Need: spec.Required},
			{Name: "due date", Kind: spec.Date},
			{Name: "state", Kind: spec.String, Choices: []string{"lent", "o'back"}, Default: "lent", HasDefault: true},
		}},
		{Noun: "book", Plural: "books", Fields: []spec.Field{
			{Name: "title", Kind: spec.String},
			{Name: "isbn", Kind: spec.String, Unique: true, Min: "10", Max: "13"},
			{Name: "year", Kind: spec.Integer, Min: "1450", Max: "2100"},
			{Name: "price", Kind: spec.Money, Min: "0"},
			{Name: "sequel of", To: "book", Need: spec.Optional},
			{Name: "done", Kind: spec.Boolean, Default: "false", HasDefault: true},
			{Name: "weight", Kind: spec.Number},
			{Name: "seen", Kind: spec.DateTime},
			{Name: "review", Kind: spec.Text, Unique: true},
		}},
	}}
}

func migrations(t testing.TB, c schema.Change) (files []stack.File, kept []string) {
	t.Helper()
	files, kept, err := schema.Migrations(c)
	if err != nil {
		t.Fatal(err)
	}
	return files, kept
}

// Promise: template-sql
func TestANewProjectGetsItsTables(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, store string, open func() *database) {
		files, kept := migrations(t, schema.Change{Now: library(store)})
		if len(files) != 1 || files[0].Path != "migrations/"+store+"/0001_loans_and_books.sql" || kept != nil {
			t.Fatalf("%v, %v", files, kept)
		}
		db := open()
		if err := db.migrate(files); err != nil {
			t.Fatal(err)
		}
		db.exec(t, `INSERT INTO "books" ("id", "title", "isbn", "price") VALUES ('b', 'Emma', '0123456789', 1250)`, `INSERT INTO "loans" ("id", "book_id", "borrower") VALUES ('l', 'b', 'Ann')`)
		for _, bad := range []string{
			`INSERT INTO "books" ("id") VALUES ('x')`,
			`INSERT INTO "books" ("id", "title") VALUES ('b', 'Again')`,
			`INSERT INTO "books" ("id", "title", "year") VALUES ('x', 'Early', 1449)`,
			`INSERT INTO "books" ("id", "title", "isbn") VALUES ('x', 'Taken', '0123456789')`,
			`INSERT INTO "books" ("id", "title", "isbn") VALUES ('x', 'Short', '012345678')`,
			`INSERT INTO "books" ("id", "title", "sequel_of_id") VALUES ('x', 'Lost', 'nobody')`,
			`INSERT INTO "loans" ("id", "book_id", "borrower", "state") VALUES ('x', 'b', 'Ann', 'gone')`,
			`INSERT INTO "loans" ("id", "book_id", "borrower", "due_date") VALUES ('x', 'b', 'Ann', '2026-02-30')`,
			`DELETE FROM "books"`,
		} {
			if _, err := db.ExecContext(t.Context(), bad); err == nil {
				t.Errorf("%s was accepted", bad)
			}
		}
	})
}
