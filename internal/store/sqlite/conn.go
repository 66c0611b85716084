package sqlite

import (
	"errors"
	"fmt"

	"zombiezen.com/go/sqlite"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/store/sqlshared"
)

// conn is one connection, which keeps the statements it has prepared: their
// texts are constants of this package, so there are not many. It serves one
// goroutine at a time.
type conn struct {
	raw *sqlite.Conn
	// failure is the first error that was more than a refused statement. SQLite
	// may then have rolled back the transaction, and whatever came next would
	// be committed alone: nothing may come next.
	failure error
}

// dial opens a connection to a file that is there.
func dial(path string, pragmas ...string) (*conn, error) {
	raw, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	if err != nil {
		return nil, fmt.Errorf("open a database connection: %w", explain(err))
	}
	c := &conn{raw: raw}
	for _, p := range pragmas {
		if _, err := c.exec("PRAGMA " + p); err != nil {
			return nil, errors.Join(fmt.Errorf("set up a database connection: %w", err), raw.Close())
		}
	}
	return c, nil
}

// note remembers an error after which the connection's transaction is void. That
// of a constraint is none: the statement has changed nothing, and the transaction
// goes on.
func (c *conn) note(err error) error {
	if err == nil {
		return nil
	}
	err = explain(err)
	if c.failure == nil && resultCode(err).ToPrimary() != sqlite.ResultConstraint {
		c.failure = err
	}
	return err
}

// query has read go through the rows of a query, which is no longer under way
// when it returns.
func (c *conn) query(query string, args []any, read func(sqlshared.Cursor) error) (err error) {
	if c.failure != nil {
		return c.failure
	}
	s, err := c.raw.Prepare(query)
	if err != nil {
		return c.note(err)
	}
	defer func() { err = c.note(errors.Join(err, s.Reset())) }()
	if err := bind(s, args); err != nil {
		return err
	}
	return read(&cursor{stmt: s})
}

// cursor goes through the rows of a statement.
type cursor struct {
	stmt *sqlite.Stmt
	err  error
}

// Next implements [sqlshared.Cursor].
func (r *cursor) Next() (found bool) {
	found, r.err = r.stmt.Step()
	return found
}

// Scan implements [sqlshared.Cursor].
func (r *cursor) Scan(dest ...any) error {
	for i, to := range dest {
		if err := scan(r.stmt, i, to); err != nil {
			return fmt.Errorf("read column %d: %w", i+1, err)
		}
	}
	return nil
}

// Err implements [sqlshared.Cursor].
func (r *cursor) Err() error { return r.err }

// exec runs a statement and tells how many rows it changed.
func (c *conn) exec(query string, args ...any) (int64, error) {
	err := c.query(query, args, func(found sqlshared.Cursor) error {
		found.Next() // does it all: nobody asks for rows
		return found.Err()
	})
	return int64(c.raw.Changes()), err
}

// row reads the first row of a query into the destinations. svc.ErrNotFound
// when there is none.
func (c *conn) row(query string, args, dest []any) error {
	some := false
	err := c.query(query, args, func(found sqlshared.Cursor) error {
		if some = found.Next(); some {
			return found.Scan(dest...)
		}
		return found.Err()
	})
	if err == nil && !some {
		return svc.ErrNotFound
	}
	return err
}

// rows reads every row of a query; fields names the places in v that the
// columns go to.
func rows[T any](c *conn, query string, args []any, fields func(v *T) []any) (all []T, err error) {
	err = c.query(query, args, func(found sqlshared.Cursor) error {
		all, err = sqlshared.Collect(found, fields)
		return err
	})
	return all, err
}

// one runs a statement that is to change one row. svc.ErrNotFound when it
// changed none.
func (c *conn) one(query string, args ...any) error {
	return sqlshared.Changed(c.exec(query, args...))
}
