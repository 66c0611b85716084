// Package sqlshared implements the steps on records whose SQL is the same in
// SQLite and in PostgreSQL, and holds the column lists and fields that the
// adapters share for the others.
//
// Its invariants:
//
//   - A step here is one statement. What needs several, a lock, or what only one
//     of the databases can say is a step of the adapter, which embeds the type of
//     its noun and adds what is missing.
//   - Arguments are texts, integers, bytes, truth values or nil: what both
//     drivers take without being told a type.
//   - A statement that only reads goes through DB.Row and DB.Query, one that
//     writes through DB.Exec: SQLite has different connections for them.
package sqlshared

import (
	"context"
	"fmt"
	"math"

	svc "github.com/bundle-delivery/svc"
)

// DB runs the statements of steps: each alone, as a transaction of its own, or
// all in the transaction that the steps belong to. Its errors say what they mean
// here: svc.ErrNotFound where there is no row, svc.ErrConflict where a name is
// taken.
type DB interface {
	// Row reads the first row of a query into the destinations.
	Row(ctx context.Context, query string, args, dest []any) error
	// Query has read go through the rows of a query, once again from the start
	// when the database wants the statement to be tried again.
	Query(ctx context.Context, query string, args []any, read func(Cursor) error) error
	// Exec runs a statement that writes, and tells how many rows it changed.
	Exec(ctx context.Context, query string, args ...any) (int64, error)
}

// Cursor goes through rows.
type Cursor interface {
	Next() bool
	Scan(dest ...any) error
	Err() error
}

// Rows reads every row of a query; fields names the places in v that the columns
// go to.
func Rows[T any](ctx context.Context, db DB, query string, args []any, fields func(v *T) []any) (all []T, err error) {
	err = db.Query(ctx, query, args, func(found Cursor) error {
		all, err = Collect(found, fields)
		return err
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

// Collect reads what a cursor has left.
func Collect[T any](found Cursor, fields func(v *T) []any) (all []T, err error) {
	for found.Next() {
		var v T
		if err := found.Scan(fields(&v)...); err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, found.Err()
}

// Itself is the field of a record that is one value.
func Itself[T any](v *T) []any { return []any{v} }

// One runs a statement that is to change one row. svc.ErrNotFound when it changed
// none.
func One(ctx context.Context, db DB, query string, args ...any) error {
	return Changed(db.Exec(ctx, query, args...))
}

// Changed is what became of a statement that was to change a row.
// svc.ErrNotFound when it changed none.
func Changed(n int64, err error) error { return orElse(svc.ErrNotFound, n, err) }

func orElse(missing error, n int64, err error) error {
	if err == nil && n == 0 {
		return missing
	}
	return err
}

// Within says what was being done when an error came up.
func Within(doing string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// Place is a cursor as two values to compare with; that of no cursor lies before
// the newest record.
func Place(after *svc.Cursor) (createdAt int64, id string) {
	if after == nil {
		return math.MaxInt64, ""
	}
	return after.CreatedAt.UnixMilli(), after.ID
}
