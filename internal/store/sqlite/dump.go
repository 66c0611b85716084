package sqlite

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/store/column"
	"github.com/bundle-delivery/svc/internal/store/sqlshared"
)

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
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	type reference struct{ table, owner string }
	references, err := rows(d.conn, `SELECT t.name, coalesce(k."table", '') FROM sqlite_schema t
		LEFT JOIN pragma_foreign_key_list(t.name) k WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' ORDER BY t.name`,
		nil, func(r *reference) []any { return []any{&r.table, &r.owner} })
	if err != nil {
		return nil, within("list the tables", err)
	}
	owners := map[string][]string{}
	for _, r := range references {
		if !slices.Contains(sqlshared.OwnTables, r.table) {
			owners[r.table] = append(owners[r.table], r.owner)
		}
	}
	for _, name := range ownersFirst(owners) {
		columns, err := rows(d.conn, `SELECT name FROM pragma_table_info($1) ORDER BY name`, []any{name}, sqlshared.Itself[string])
		if err != nil {
			return nil, within("list the columns of "+name, err)
		}
		sorted = append(sorted, svc.Table{Name: name, Columns: columns})
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
	for _, name := range slices.Sorted(maps.Keys(owners)) {
		visit(name)
	}
	return sorted
}

// Rows implements [svc.Dump].
func (d *dump) Rows(ctx context.Context, t svc.Table) iter.Seq2[[]any, error] {
	query := `SELECT "` + strings.Join(t.Columns, `", "`) + `" FROM "` + t.Name + `"`
	row, places := make([]any, len(t.Columns)), make([]any, len(t.Columns))
	for i := range row {
		places[i] = &row[i]
	}
	return func(yield func([]any, error) bool) {
		for _, err := range each(ctx, d.conn, query, nil, func(*struct{}) []any { return places }) {
			if !yield(row, err) {
				return
			}
		}
	}
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
	return each(ctx, c, pointedAt, nil, func(ref *svc.BlobRef) []any {
		return []any{&ref.Key, &ref.Size, (*column.Digest)(&ref.SHA256), &ref.Owner}
	})
}

// Runs implements [svc.Dump].
func (d *dump) Runs(ctx context.Context, since time.Time) iter.Seq2[svc.RunClaim, error] {
	return each(ctx, d.conn, `SELECT id, epoch FROM runs WHERE finished_at IS NULL OR finished_at > $1 ORDER BY id`,
		[]any{since.UnixMilli()}, sqlshared.ClaimFields)
}

// each reads rows one by one, as rows does all of them. An error is the last that
// it yields.
func each[T any](ctx context.Context, c *conn, query string, args []any, fields func(v *T) []any) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		enough, over := false, ctx.Err()
		err := c.query(query, args, func(found sqlshared.Cursor) error {
			for over == nil && found.Next() {
				var v T
				if err := found.Scan(fields(&v)...); err != nil {
					return err
				}
				if enough = !yield(v, nil); enough {
					return nil
				}
				over = ctx.Err()
			}
			return found.Err()
		})
		switch {
		case enough:
		case err != nil:
			yield(none, fmt.Errorf("read rows: %w", err))
		case over != nil:
			yield(none, over)
		}
	}
}
