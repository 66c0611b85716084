package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/sqlrecords"
)

// conn is one connection with the statements it has prepared. It serves one
// goroutine at a time.
type conn struct {
	raw   *sql.Conn
	stmts map[string]*sql.Stmt
	// failure is the first error that was more than a refused statement. SQLite
	// may then have rolled back the transaction, and whatever came next would
	// be committed alone: nothing may come next.
	failure error
	// committed tells rollback that there is nothing left to do.
	committed bool
}

func dial(ctx context.Context, db *sql.DB) (*conn, error) {
	raw, err := db.Conn(ctx)
	if err != nil {
		return nil, fmt.Errorf("open a database connection: %w", explain(err))
	}
	return &conn{raw: raw, stmts: make(map[string]*sql.Stmt)}, nil
}

// close ends the connection itself, rather than giving it back to database/sql,
// so that no state of it lives on.
func (c *conn) close() error {
	var errs []error
	for _, s := range c.stmts {
		errs = append(errs, s.Close())
	}
	err := c.raw.Raw(func(any) error { return driver.ErrBadConn })
	if err != nil && !errors.Is(err, driver.ErrBadConn) && !errors.Is(err, sql.ErrConnDone) {
		errs = append(errs, err)
	}
	if err := c.raw.Close(); err != nil && !errors.Is(err, sql.ErrConnDone) {
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// prepare gives the prepared form of a query. The texts are constants of this
// package, so there are not many.
func (c *conn) prepare(query string) (*sql.Stmt, error) {
	if c.failure != nil {
		return nil, c.failure
	}
	if s, ok := c.stmts[query]; ok {
		return s, nil
	}
	s, err := c.raw.PrepareContext(context.Background(), query)
	if err != nil {
		return nil, c.note(err)
	}
	c.stmts[query] = s
	return s, nil
}

// note remembers an error after which the connection's transaction is void.
func (c *conn) note(err error) error {
	if err == nil {
		return nil
	}
	err = explain(err)
	if !isRefusal(err) && c.failure == nil {
		c.failure = err
	}
	return err
}

// exec runs a statement and tells how many rows it changed.
func (c *conn) exec(query string, args ...any) (int64, error) {
	s, err := c.prepare(query)
	if err != nil {
		return 0, err
	}
	res, err := s.ExecContext(context.Background(), args...)
	if err != nil {
		return 0, c.note(err)
	}
	n, err := res.RowsAffected()
	return n, c.note(err)
}

// row reads the first row of a query into the destinations. svc.ErrNotFound
// when there is none.
func (c *conn) row(query string, args, dest []any) error {
	s, err := c.prepare(query)
	if err != nil {
		return err
	}
	err = s.QueryRowContext(context.Background(), args...).Scan(dest...)
	if errors.Is(err, sql.ErrNoRows) {
		return svc.ErrNotFound
	}
	return c.note(err)
}

// query has read go through the rows of a query.
func (c *conn) query(query string, args []any, read func(sqlrecords.Cursor) error) error {
	s, err := c.prepare(query)
	if err != nil {
		return err
	}
	found, err := s.QueryContext(context.Background(), args...)
	if err != nil {
		return c.note(err)
	}
	err = errors.Join(read(found), found.Close())
	if err == nil {
		err = found.Err() // closing may bring an error of its own to light
	}
	return c.note(err)
}

// rows reads every row of a query; fields names the places in v that the
// columns go to.
func rows[T any](c *conn, query string, args []any, fields func(v *T) []any) (all []T, err error) {
	err = c.query(query, args, func(found sqlrecords.Cursor) error {
		all, err = sqlrecords.Collect(found, fields)
		return err
	})
	return all, err
}

// one runs a statement that is to change one row. svc.ErrNotFound when it
// changed none.
func (c *conn) one(query string, args ...any) error {
	return sqlrecords.Changed(c.exec(query, args...))
}
