package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/store/sqlshared"
)

// Name says which database this is, without a password.
func (s *Store) Name() string { return s.name }

// Loaded says whether the records of an origin have been moved into this
// database.
func (s *Store) Loaded(ctx context.Context, origin string) (there bool, err error) {
	err = s.Row(ctx, `SELECT EXISTS (SELECT 1 FROM origins WHERE id = $1)`, []any{origin}, []any{&there})
	return there, within("look what was moved here", err)
}

// CheckEmpty says whether no table holds anything. svc.ErrConflict, with the name of
// one that does, when not.
func (s *Store) CheckEmpty(ctx context.Context) error {
	l := &loader{db: s.pool}
	return l.checkEmpty(ctx)
}

// Load moves the records of an origin into this database, which has to be empty,
// in one transaction: they are all here, and Loaded says so, or none of them is.
// svc.ErrConflict when the database holds something. While it goes on nobody
// else can write.
func (s *Store) Load(ctx context.Context, origin string, fill func(svc.Loader) error) error {
	tx, err := s.pool.Begin(ctx)
	if err != nil {
		return fmt.Errorf("begin to load: %w", explain(ctx, err))
	}
	// Of what is not committed; the context may be over.
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	l := &loader{db: tx}
	if err := l.prepare(ctx); err != nil {
		return err
	}
	if err := fill(l); err != nil {
		return err
	}
	if err := l.analyse(ctx); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `INSERT INTO origins (id, moved_at) VALUES ($1, `+clockMillis+`)`, origin); err != nil {
		return fmt.Errorf("note what was loaded: %w", explain(ctx, err))
	}
	if err := tx.Commit(ctx); err != nil {
		return fmt.Errorf("commit what was loaded: %w", explain(ctx, err))
	}
	return nil
}

// loader is [svc.Loader] in a transaction.
type loader struct{ db copier }

type copier interface {
	Exec(ctx context.Context, query string, args ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, query string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, query string, args ...any) pgx.Row
	CopyFrom(ctx context.Context, table pgx.Identifier, columns []string, source pgx.CopyFromSource) (int64, error)
}

// prepare keeps others from writing and makes sure that there is nothing. No
// limit of the server on statements is meant for this one.
func (l *loader) prepare(ctx context.Context) error {
	if _, err := l.db.Exec(ctx, `SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL lock_timeout = '10s'`); err != nil {
		return fmt.Errorf("prepare to load: %w", explain(ctx, err))
	}
	tables, err := l.Tables(ctx)
	if err != nil {
		return err
	}
	names := []string{pgx.Identifier{"origins"}.Sanitize()}
	for _, t := range tables {
		names = append(names, pgx.Identifier{t.Name}.Sanitize())
	}
	if _, err := l.db.Exec(ctx, `LOCK TABLE `+strings.Join(names, ", ")+` IN EXCLUSIVE MODE`); err != nil {
		return fmt.Errorf("keep others from writing; stop every svcd that uses the database: %w", explain(ctx, err))
	}
	return l.checkEmpty(ctx)
}

// analyse tells the database what the tables hold now: its own look at them comes
// a minute later, and until then it would choose bad plans.
func (l *loader) analyse(ctx context.Context) error {
	tables, err := l.Tables(ctx)
	if err != nil {
		return err
	}
	for _, t := range tables {
		if _, err := l.db.Exec(ctx, `ANALYZE `+pgx.Identifier{t.Name}.Sanitize()); err != nil {
			return fmt.Errorf("look at the table %s: %w", t.Name, explain(ctx, err))
		}
	}
	return nil
}

func (l *loader) checkEmpty(ctx context.Context) error {
	tables, err := l.Tables(ctx)
	if err != nil {
		return err
	}
	tables = append(tables, svc.Table{Name: "origins"})
	for _, t := range tables {
		var some bool
		if err := l.db.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM `+pgx.Identifier{t.Name}.Sanitize()+`)`).Scan(&some); err != nil {
			return fmt.Errorf("look into the table %s: %w", t.Name, explain(ctx, err))
		}
		if some {
			return fmt.Errorf("%w: its table %s is not empty", svc.ErrConflict, t.Name)
		}
	}
	return nil
}

// Tables implements [svc.Loader].
func (l *loader) Tables(ctx context.Context) ([]svc.Table, error) {
	found, err := l.db.Query(ctx, `SELECT table_name::text, array_agg(column_name::text ORDER BY column_name::text COLLATE "C")
		FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
		WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' GROUP BY table_name ORDER BY 1`)
	if err != nil {
		return nil, fmt.Errorf("list the tables: %w", explain(ctx, err))
	}
	defer found.Close()
	all, err := sqlshared.Collect(found, func(t *svc.Table) []any { return []any{&t.Name, &t.Columns} })
	if err != nil {
		return nil, fmt.Errorf("list the tables: %w", explain(ctx, err))
	}
	return slices.DeleteFunc(all, func(t svc.Table) bool { return slices.Contains(sqlshared.OwnTables, t.Name) }), nil
}

// Put implements [svc.Loader].
func (l *loader) Put(ctx context.Context, t svc.Table, rows iter.Seq2[[]any, error]) error {
	types, err := l.types(ctx, t)
	if err != nil {
		return err
	}
	next, stop := iter.Pull2(rows)
	defer stop()
	_, err = l.db.CopyFrom(ctx, pgx.Identifier{t.Name}, t.Columns, pgx.CopyFromFunc(func() ([]any, error) {
		row, err, more := next()
		if !more || err != nil {
			return nil, err
		}
		for i := range row {
			if row[i], err = toColumn(types[i], row[i]); err != nil {
				return nil, fmt.Errorf("column %s: %w", t.Columns[i], err)
			}
		}
		return row, nil
	}))
	if err != nil {
		return fmt.Errorf("fill the table %s: %w", t.Name, explain(ctx, err))
	}
	return nil
}

// types tells the type of each column of a table.
func (l *loader) types(ctx context.Context, t svc.Table) ([]string, error) {
	found, err := l.db.Query(ctx, `SELECT data_type::text FROM unnest($2::text[]) WITH ORDINALITY AS wanted (name, place)
		JOIN information_schema.columns ON column_name = wanted.name
		WHERE table_schema = current_schema() AND table_name = $1 ORDER BY place`, t.Name, t.Columns)
	if err != nil {
		return nil, fmt.Errorf("read the types of %s: %w", t.Name, explain(ctx, err))
	}
	defer found.Close()
	types, err := sqlshared.Collect(found, sqlshared.Itself[string])
	if err == nil && len(types) != len(t.Columns) {
		err = errors.New("it has other columns")
	}
	if err != nil {
		return nil, fmt.Errorf("read the types of %s: %w", t.Name, explain(ctx, err))
	}
	return types, nil
}

// toColumn turns a value of a dump into one of a column's type.
func toColumn(kind string, value any) (any, error) {
	switch v := value.(type) {
	case int64:
		if kind == "boolean" {
			return v != 0, nil
		}
	case string:
		if kind == "ARRAY" {
			var numbers []int64
			if err := json.Unmarshal([]byte(v), &numbers); err != nil {
				return nil, fmt.Errorf("read a list of numbers: %w", err)
			}
			return numbers, nil
		}
	}
	return value, nil
}

// Rows implements [svc.Loader].
func (l *loader) Rows(ctx context.Context, t svc.Table) iter.Seq2[[]any, error] {
	names := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = pgx.Identifier{c}.Sanitize()
	}
	return func(yield func([]any, error) bool) {
		found, err := l.db.Query(ctx, `SELECT `+strings.Join(names, ", ")+` FROM `+pgx.Identifier{t.Name}.Sanitize())
		if err != nil {
			yield(nil, fmt.Errorf("read the table %s: %w", t.Name, explain(ctx, err)))
			return
		}
		defer found.Close()
		for found.Next() {
			row, err := found.Values()
			for i := range row {
				if err == nil {
					row[i], err = fromColumn(row[i])
				}
			}
			if !yield(row, err) || err != nil {
				return
			}
		}
		if err := found.Err(); err != nil {
			yield(nil, fmt.Errorf("read the table %s: %w", t.Name, explain(ctx, err)))
		}
	}
}

// fromColumn is toColumn the other way round.
func fromColumn(value any) (any, error) {
	switch v := value.(type) {
	case nil, int64, string, []byte:
		return v, nil
	case int32:
		return int64(v), nil
	case bool:
		if v {
			return int64(1), nil
		}
		return int64(0), nil
	case []any:
		text, err := json.Marshal(v)
		return string(text), err
	}
	return nil, fmt.Errorf("a value of type %T has no form in a dump", value)
}
