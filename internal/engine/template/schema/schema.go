// Package schema writes the SQL migrations of a project: the first creates its
// tables, and each later one follows from the difference of two specs.
//
// # Files
//
// A migration is migrations/sqlite/0001_books_and_loans.sql or
// migrations/postgres/0001_books_and_loans.sql. A file that was delivered never
// changes. A project that has migrations for a database gets every later one for it
// too, so that it can return to that database. When it has migrations for both,
// migrations/sqlite-to-postgres.sql and migrations/postgres-to-sqlite.sql print the
// statements that move its records from one to the other. They stop at a database that
// has not run all of its migrations; migrations/move.sh, of package stack, runs those first.
//
// # The runner
//
// A file is a list of statements separated by blank lines; no statement contains one.
// A statement whose first line is "-- stop: MESSAGE" is a check: it selects the ids of
// the records that a later statement could not keep. A runner, in Go, Python and
// TypeScript alike,
//
//   - creates schema_migrations(version integer primary key, name text, applied_at text),
//     and refuses a database that has a version above its own last one, by name;
//   - sets PRAGMA foreign_keys = OFF before the first migration and ON after the
//     last (SQLite ignores the pragma inside a transaction, and needs it off to
//     replace a table that others refer to);
//   - runs each missing migration in order, in a transaction that also records it:
//     BEGIN IMMEDIATE in SQLite; in PostgreSQL SELECT pg_advisory_xact_lock(7205759)
//     first, and then asks again whether the migration is missing;
//   - rolls back when a check returns rows: the error has the name of the file, MESSAGE
//     and the first column of the rows.
//
// # Tables
//
// Every record has a table with the name of its path: id (text, chosen by the service),
// _position (the order of insertion; the underscore keeps it apart from fields) and a
// column for each field. SQLite has money in cents, a boolean as 0 or 1, and a date and a
// datetime, in UTC, as text. A unique field has the index <table>__<column>: the text
// behind the two underscores names the field in PostgreSQL's error; SQLite's ends with
// <table>.<column>.
//
// A column or table that the spec no longer has stays, without its rules, so that
// rows can be inserted without it. A field or record that is added again under the
// same name gets it back.
//
// The package compares what the tables were with what they become; the statements
// are in the templates of sql/, one file for each database.
package schema

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/spec"
	"github.com/bundle-delivery/svc/internal/engine/template/stack"
)

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
func Migrations(c Change) (files []stack.File, kept []string, err error) {
	if len(c.Have) == 0 && !c.Documents {
		c.Old = nil // it had no tables
	}
	var now []table
	var moves []stack.File // from one database to the other
	for _, d := range []dialect{sqlite, postgres} {
		if !c.uses(d) {
			continue
		}
		var added []stack.File
		if added, now, err = d.migrations(c); err != nil {
			return nil, nil, err
		}
		to := map[dialect]dialect{sqlite: postgres, postgres: sqlite}[d]
		text, err := d.render("move", map[string]any{"Tables": now, "Last": last(c.Have, d) + len(added)})
		if err != nil {
			return nil, nil, err
		}
		files, moves = append(files, added...), append(moves, stack.File{Path: fmt.Sprintf("migrations/%s-to-%s.sql", d, to), Content: text})
	}
	if len(moves) == 2 && len(files) > 0 {
		files = append(files, moves...)
	}
	for _, t := range now {
		for _, col := range t.Columns {
			if col.Kept {
				kept = append(kept, t.Name+"."+col.Name+" "+col.Kind)
			}
		}
	}
	if c.Documents && c.Old != nil || slices.Contains(c.Kept, Removed) {
		kept = append(kept, Removed)
	}
	return files, kept, nil
}

// begins reports whether a database has the documents of an earlier version.
func (c Change) begins(d dialect) bool {
	return c.Documents && c.Old != nil && dialect(c.Old.Store) == d && last(c.Have, d) == 0
}

// uses reports whether a database needs migrations.
func (c Change) uses(d dialect) bool {
	return dialect(c.Now.Store) == d || last(c.Have, d) > 0 || c.begins(d)
}

// migrations returns the files that a change adds for a database, and its tables.
func (d dialect) migrations(c Change) (files []stack.File, now []table, err error) {
	var before []table
	if c.Old != nil {
		before = d.tables(*c.Old, c.Kept)
	}
	if now, err = compare(before, d.tables(c.Now, nil), c.Renames); err != nil {
		return nil, nil, err
	}
	number := last(c.Have, d)
	add := func(name, statements string, of []table) {
		text, failed := d.render(statements, of)
		if err = cmp.Or(err, failed); text != nil {
			number++
			files = append(files, stack.File{Path: fmt.Sprintf("migrations/%s/%04d_%s.sql", d, number, name), Content: text})
		}
	}
	if c.begins(d) {
		add(names(before), "documents", fromTexts(before))
	} else if number == 0 {
		add(names(now), "create", now)
		return files, now, err
	}
	add("change_"+names(slices.DeleteFunc(slices.Clone(now), table.same)), "change", now)
	return files, now, err
}

// last returns the number of the last migration for a database.
func last(have []string, d dialect) (number int) {
	for _, p := range have {
		text, _, _ := strings.Cut(path.Base(p), "_")
		if n, err := strconv.Atoi(text); err == nil && path.Dir(p) == "migrations/"+string(d) {
			number = max(number, n)
		}
	}
	return number
}

// names names a migration after the tables that it creates or changes.
func names(tables []table) string {
	var all []string
	for _, t := range tables {
		all = append(all, t.Name)
	}
	if len(all) > 3 {
		all = append(all[:2], strconv.Itoa(len(all)-2)+"_more")
	}
	return strings.Join(all, "_and_")
}
