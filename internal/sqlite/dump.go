package sqlite

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/column"
)

// ofTheDatabase are the tables that tell of the database itself.
var ofTheDatabase = []string{"goose_db_version", "schema_terms", "origins"}

// dump is the writer's connection with the write lock held: what it reads cannot
// change, and nobody writes what would then be missing.
type dump struct {
	store *Store
	conn  *conn
}

// Dump begins to read everything. Until it is closed nobody can write, here or
// in another process.
func (s *Store) Dump(ctx context.Context) (svc.Dump, error) {
	c, err := s.writers.take(ctx)
	if err != nil {
		return nil, err
	}
	if err := c.begin(ctx); err != nil {
		s.writers.give(c)
		return nil, within("keep others from writing", err)
	}
	return &dump{store: s, conn: c}, nil
}

// Close implements [svc.Dump].
func (d *dump) Close() error {
	d.conn.rollback()
	err := d.conn.failure
	d.store.writers.give(d.conn)
	return err
}

// Tables implements [svc.Dump].
func (d *dump) Tables(ctx context.Context) (sorted []svc.Table, err error) {
	owners := map[string][]string{}
	for row, err := range d.query(ctx, `SELECT t.name, coalesce(k."table", '') FROM sqlite_schema t
		LEFT JOIN pragma_foreign_key_list(t.name) k WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' ORDER BY t.name`) {
		if err != nil {
			return nil, within("list the tables", err)
		}
		var name, owner string
		if err := errors.Join(assign(&name, row[0]), assign(&owner, row[1])); err != nil {
			return nil, within("list the tables", err)
		}
		if !slices.Contains(ofTheDatabase, name) {
			owners[name] = append(owners[name], owner)
		}
	}
	for _, name := range ownersFirst(owners) {
		t := svc.Table{Name: name}
		for row, err := range d.query(ctx, `SELECT name FROM pragma_table_info($1) ORDER BY name`, name) {
			var column string
			if err == nil {
				err = assign(&column, row[0])
			}
			if err != nil {
				return nil, within("list the columns of "+name, err)
			}
			t.Columns = append(t.Columns, column)
		}
		slices.Sort(t.Columns)
		sorted = append(sorted, t)
	}
	return sorted, nil
}

// ownersFirst sorts names so that each comes after those that it names.
func ownersFirst(owners map[string][]string) (sorted []string) {
	var visit func(name string)
	visit = func(name string) {
		if _, known := owners[name]; !known || slices.Contains(sorted, name) {
			return
		}
		for _, owner := range owners[name] {
			if owner != name {
				visit(owner)
			}
		}
		sorted = append(sorted, name)
	}
	names := make([]string, 0, len(owners))
	for name := range owners {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		visit(name)
	}
	return sorted
}

// Rows implements [svc.Dump].
func (d *dump) Rows(ctx context.Context, t svc.Table) iter.Seq2[[]any, error] {
	return d.query(ctx, `SELECT "`+strings.Join(t.Columns, `", "`)+`" FROM "`+t.Name+`"`)
}

// pointedAt are the blobs that records point at.
const pointedAt = `
SELECT pack_blob AS key, pack_size AS size, pack_sha256 AS sha256, 'project ' || id AS owner FROM projects WHERE pack_blob <> ''
UNION ALL
SELECT blob, size, sha256, 'bundle ' || id FROM bundles WHERE status = 'pending_download'
ORDER BY key`

// Blobs implements [svc.Dump].
func (d *dump) Blobs(ctx context.Context) iter.Seq2[svc.BlobRef, error] { return blobRefs(ctx, d.conn) }

func blobRefs(ctx context.Context, c *conn) iter.Seq2[svc.BlobRef, error] {
	return func(yield func(svc.BlobRef, error) bool) {
		for row, err := range queryRows(ctx, c, pointedAt) {
			var ref svc.BlobRef
			if err == nil {
				ref, err = blobRef(row)
			}
			if err != nil {
				yield(svc.BlobRef{}, within("list the blobs that records point at", err))
				return
			}
			if !yield(ref, nil) {
				return
			}
		}
	}
}

func blobRef(row []any) (ref svc.BlobRef, err error) {
	var sum column.Digest
	if err := sum.Scan(row[2]); err != nil {
		return svc.BlobRef{}, err
	}
	ref.SHA256 = sum
	for i, to := range map[int]any{0: &ref.Key, 1: &ref.Size, 3: &ref.Owner} {
		if err := assign(to, row[i]); err != nil {
			return svc.BlobRef{}, err
		}
	}
	return ref, nil
}

// Runs implements [svc.Dump].
func (d *dump) Runs(ctx context.Context, since time.Time) iter.Seq2[svc.RunClaim, error] {
	return func(yield func(svc.RunClaim, error) bool) {
		for row, err := range d.query(ctx, `SELECT id, epoch FROM runs WHERE finished_at IS NULL OR finished_at > $1 ORDER BY id`, since.UnixMilli()) {
			var run svc.RunClaim
			if err == nil {
				err = assign(&run.ID, row[0])
			}
			if err == nil {
				err = assign(&run.Epoch, row[1])
			}
			if !yield(run, within("list the runs", err)) || err != nil {
				return
			}
		}
	}
}

func (d *dump) query(ctx context.Context, query string, args ...any) iter.Seq2[[]any, error] {
	return queryRows(ctx, d.conn, query, args...)
}

// queryRows reads rows one by one. The text is not kept as a prepared statement.
func queryRows(ctx context.Context, c *conn, query string, args ...any) iter.Seq2[[]any, error] {
	return func(yield func([]any, error) bool) {
		if err := ctx.Err(); err != nil {
			yield(nil, err)
			return
		}
		found, err := c.raw.QueryContext(context.WithoutCancel(ctx), query, args...)
		if err != nil {
			yield(nil, explain(err))
			return
		}
		defer func() { _ = found.Close() }() // it was read
		names, err := found.Columns()
		if err != nil {
			yield(nil, explain(err))
			return
		}
		row, places := make([]any, len(names)), make([]any, len(names))
		for i := range row {
			places[i] = &row[i]
		}
		for found.Next() {
			err := found.Scan(places...)
			for i, v := range row {
				if b, ok := v.([]byte); ok && b == nil {
					row[i] = []byte{} // no bytes, which is not NULL
				}
			}
			if err == nil {
				err = ctx.Err()
			}
			if !yield(row, err) || err != nil {
				return
			}
		}
		if err := found.Err(); err != nil {
			yield(nil, fmt.Errorf("read rows: %w", explain(err)))
		}
	}
}
