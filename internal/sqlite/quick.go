package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"reflect"
)

// quickReader reads single rows past database/sql, straight from the driver.
// Looking up a key and its bundle is what most requests consist of, and half of
// its cost was database/sql's: locks that a connection with one user does not
// need, and a general conversion for each of some twenty columns.
type quickReader struct {
	conn  driver.ConnPrepareContext
	stmts map[string]driver.StmtQueryContext
	args  []driver.NamedValue
	cells []driver.Value
}

// attach takes the driver's side of a connection. It is used as long as the
// connection is, by the same goroutine.
func (q *quickReader) attach(raw *sql.Conn) error {
	q.stmts = map[string]driver.StmtQueryContext{}
	return raw.Raw(func(c any) error {
		var ok bool
		if q.conn, ok = c.(driver.ConnPrepareContext); !ok {
			return fmt.Errorf("the driver's connection is a %T, which prepares no statements", c)
		}
		return nil
	})
}

func (q *quickReader) close() error {
	var errs []error
	for _, s := range q.stmts {
		if c, ok := s.(driver.Stmt); ok {
			errs = append(errs, c.Close())
		}
	}
	return errors.Join(errs...)
}

func (q *quickReader) prepare(query string) (driver.StmtQueryContext, error) {
	if s, ok := q.stmts[query]; ok {
		return s, nil
	}
	prepared, err := q.conn.PrepareContext(context.Background(), query)
	if err != nil {
		return nil, err
	}
	s, ok := prepared.(driver.StmtQueryContext)
	if !ok {
		return nil, errors.Join(fmt.Errorf("the driver's statement is a %T, which cannot be asked", prepared), prepared.Close())
	}
	q.stmts[query] = s
	return s, nil
}

// row reads the first row; io.EOF when there is none.
func (q *quickReader) row(query string, args, dest []any) error {
	s, err := q.prepare(query)
	if err != nil {
		return err
	}
	q.args = q.args[:0]
	for i, a := range args {
		v, err := driver.DefaultParameterConverter.ConvertValue(a)
		if err != nil {
			return fmt.Errorf("argument %d: %w", i+1, err)
		}
		q.args = append(q.args, driver.NamedValue{Ordinal: i + 1, Value: v})
	}
	found, err := s.QueryContext(context.Background(), q.args)
	if err != nil {
		return err
	}
	return errors.Join(q.first(found, dest), found.Close())
}

func (q *quickReader) first(found driver.Rows, dest []any) error {
	columns := len(found.Columns())
	if columns != len(dest) {
		return fmt.Errorf("%d columns for %d places", columns, len(dest))
	}
	if cap(q.cells) < columns {
		q.cells = make([]driver.Value, columns)
	}
	cells := q.cells[:columns]
	if err := found.Next(cells); err != nil {
		return err // io.EOF too
	}
	for i, d := range dest {
		if err := assign(d, cells[i]); err != nil {
			return fmt.Errorf("column %d: %w", i+1, err)
		}
	}
	return nil
}

// assign puts a value of SQLite's where it belongs. Kinds are not mixed: tables
// are STRICT, so another kind is a mistake in a query.
func assign(dest any, value driver.Value) error {
	switch d := dest.(type) {
	case sql.Scanner:
		return d.Scan(value)
	case *[]byte:
		switch v := value.(type) {
		case nil:
			*d = nil
			return nil
		case []byte:
			*d = append([]byte{}, v...)
			return nil
		}
		return mismatch(dest, value)
	}
	switch to := reflect.ValueOf(dest).Elem(); v := value.(type) {
	case string:
		if to.Kind() == reflect.String {
			to.SetString(v)
			return nil
		}
	case int64:
		switch {
		case to.CanInt():
			to.SetInt(v)
			return nil
		case to.Kind() == reflect.Bool:
			to.SetBool(v != 0)
			return nil
		}
	case float64:
		if to.CanFloat() {
			to.SetFloat(v)
			return nil
		}
	}
	return mismatch(dest, value)
}

func mismatch(dest any, value driver.Value) error {
	return fmt.Errorf("%T does not fit into %T", value, dest)
}
