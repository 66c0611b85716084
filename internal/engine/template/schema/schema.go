// Package schema writes the SQL migrations of a project: the first creates its
// tables, and each later one follows from the difference of two specs.
//
// # Files
//
// A migration is migrations/sqlite/0001_books_and_loans.sql or
// migrations/postgres/0001_books_and_loans.sql. A file that was delivered never
// changes. A project that has migrations for a database gets every later one for
// it too, so that it can return to that database. When a project has migrations
// for both, migrations/sqlite-to-postgres.sql and migrations/postgres-to-sqlite.sql
// print the statements that move its records from one to the other.
//
// # The runner
//
// The same files run in Go, Python and TypeScript. A file is a list of statements
// separated by blank lines; no statement contains one. A statement whose first line
// is "-- stop: MESSAGE" is a check: it selects the ids of the records that a later
// statement could not keep. A runner
//
//   - creates schema_migrations(version integer primary key, name text, applied_at text);
//   - refuses a database that has a version above its own last one, by name;
//   - sets PRAGMA foreign_keys = OFF before the first migration and ON after the
//     last (SQLite ignores the pragma inside a transaction, and needs it off to
//     replace a table that others refer to);
//   - runs each missing migration in order, in a transaction of its own that also
//     records it: BEGIN IMMEDIATE in SQLite; in PostgreSQL
//     SELECT pg_advisory_xact_lock(7205759) first, and then asks again whether the
//     migration is missing;
//   - fails when a check returns rows: the error has the name of the file, MESSAGE
//     and the first column of the rows. The transaction is rolled back.
//
// # Tables
//
// Every record has a table with the name of its path. Its columns are id (text,
// chosen by the service), _position (the order of insertion; the underscore keeps it
// apart from fields) and one for each field. Money is stored in cents in SQLite and
// as numeric(18,2) in PostgreSQL, a boolean as 0 or 1 in SQLite, a date and a
// datetime as text in SQLite, the second in UTC. A unique field has the index
// <table>__<column>, so that the text behind the two underscores names the field in
// PostgreSQL's error; SQLite's error ends with <table>.<column>.
//
// A column or table that the spec no longer has stays, without its rules, so that
// rows can be inserted without it. A field or record that is added again under the
// same name gets it back.
package schema

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/spec"
)

// Migration is a file of a project.
type Migration struct {
	Path    string
	Content []byte
}

// Change describes what happens to the tables of a project.
type Change struct {
	Old     *spec.Spec    // nil: the project is new, or its tables are
	Now     spec.Spec     // complete
	Renames []spec.Rename // in the order in which they happen
	Have    []string      // paths of the migrations that the project has
	Kept    []string      // what Migrations returned for the change before
	// Documents reports that Old kept one table of JSON documents. The first
	// migration then creates the tables of Old and moves the documents.
	Documents bool
}

// Removed is the table of the documents that no record of a spec claims.
const Removed = "removed_documents"

// Migrations returns the files that a change adds to a project, and the columns that
// the database keeps although the spec no longer has them ("books.isbn string").
// It returns no files when the tables stay as they are or no store has any.
// The error names a field and says what to write instead.
func Migrations(c Change) (files []Migration, kept []string, err error) {
	stores := c.stores()
	if len(stores) == 0 {
		return nil, nil, nil
	}
	if len(c.Have) == 0 && !c.Documents {
		c.Old = nil // it had no tables
	}
	d, err := compare(c)
	if err != nil {
		return nil, nil, err
	}
	for _, store := range stores {
		in, next := dialect(store), 1+last(c.Have, store)
		add := func(name string, statements []string) {
			if len(statements) > 0 {
				files = append(files, Migration{
					Path:    fmt.Sprintf("migrations/%s/%04d_%s.sql", store, next, name),
					Content: []byte(strings.Join(statements, "\n\n") + "\n"),
				})
				next++
			}
		}
		switch {
		case next == 1 && c.Documents && c.Old != nil && c.Old.Store == store:
			before := tablesOf(*c.Old, nil)
			add(names(before), in.fromDocuments(before))
			add(d.name(), in.apply(d))
		case next == 1:
			add(names(d.now), in.createAll(d.now))
		default:
			add(d.name(), in.apply(d))
		}
	}
	if len(stores) == 2 && len(files) > 0 {
		files = append(files, moves(d.now)...)
	}
	for _, t := range d.now {
		for _, col := range t.columns {
			if col.kept {
				kept = append(kept, t.name+"."+col.name+" "+col.kind)
			}
		}
	}
	if c.Documents && c.Old != nil || slices.Contains(c.Kept, Removed) {
		kept = append(kept, Removed)
	}
	return files, kept, nil
}

// stores lists the databases that need migrations.
func (c Change) stores() []string {
	var out []string
	for _, store := range []string{spec.SQLite, spec.Postgres} {
		if c.Now.Store == store || last(c.Have, store) > 0 || c.Documents && c.Old != nil && c.Old.Store == store {
			out = append(out, store)
		}
	}
	return out
}

// last returns the number of the last migration for a database.
func last(have []string, store string) (number int) {
	for _, p := range have {
		if path.Dir(p) != "migrations/"+store {
			continue
		}
		text, _, _ := strings.Cut(path.Base(p), "_")
		if n, err := strconv.Atoi(text); err == nil {
			number = max(number, n)
		}
	}
	return number
}

// table is a table as it is in a database.
type table struct {
	name    string
	noun    string // empty: the spec no longer has it
	columns []column
}

// ref is the kind of a column that refers to another table.
const ref = "ref"

// column is a column as it is in a database.
type column struct {
	name, kind       string // kind is one of spec.Kinds, or ref
	target, to       string // of a reference: a table, and its noun
	required, unique bool
	min, max         string
	choices          string // as SQL writes a list
	def              string // empty: none
	field            string // its name in the spec
	kept             bool   // the spec no longer has it
}

// tablesOf returns the tables of a spec, with what was kept of earlier ones.
func tablesOf(s spec.Spec, kept []string) []table {
	var out []table
	names := map[string]string{}
	for _, r := range s.Records {
		names[r.Noun] = spec.ColumnName(r.Plural)
	}
	for _, r := range s.Records {
		t := table{name: names[r.Noun], noun: r.Noun}
		for i, f := range r.Fields {
			col := column{
				name: f.Column(), field: f.Name, kind: f.Kind, required: r.Required(i),
				unique: f.Unique, min: f.Min, max: f.Max, def: f.Default,
			}
			if f.To != "" {
				col.kind, col.target, col.to = ref, names[f.To], f.To
			}
			for _, choice := range f.Choices {
				if f.Kind != spec.Integer {
					choice = literal(choice)
				}
				col.choices += ", " + choice
			}
			col.choices = strings.TrimPrefix(col.choices, ", ")
			t.columns = append(t.columns, col)
		}
		out = append(out, t)
	}
	for _, entry := range kept {
		where, kind, _ := strings.Cut(entry, " ")
		name, col, ok := strings.Cut(where, ".")
		if !ok {
			continue
		}
		i := slices.IndexFunc(out, func(t table) bool { return t.name == name })
		if i < 0 {
			i, out = len(out), append(out, table{name: name})
		}
		out[i].columns = append(out[i].columns, column{name: col, kind: kind, kept: true})
	}
	return out
}

// names names a migration after the tables that it creates.
func names(tables []table) string {
	var all []string
	for _, t := range tables {
		all = append(all, t.name)
	}
	if len(all) > 3 {
		all = append(all[:2], strconv.Itoa(len(all)-2)+"_more")
	}
	return strings.Join(all, "_and_")
}
