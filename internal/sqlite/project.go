package sqlite

import (
	"context"
	"math"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/column"
)

type projects struct{ runner }

const projectColumns = `id, account_id, name, created_at, updated_at, revision,
	pack_blob, pack_files, pack_bytes, pack_size, pack_sha256, state, memory, memory_revision`

// listedColumns are those of a project in a list, which leaves the memory out.
const listedColumns = `id, account_id, name, created_at, updated_at, revision,
	pack_blob, pack_files, pack_bytes, pack_size, pack_sha256, state, '' AS memory, memory_revision`

func projectFields(p *svc.Project) []any {
	return []any{
		&p.ID, &p.AccountID, &p.Name, (*column.Stamp)(&p.CreatedAt), (*column.Stamp)(&p.UpdatedAt), &p.Revision,
		&p.Pack.Blob, &p.Pack.Extent.Files, &p.Pack.Extent.Bytes, &p.Pack.Size, (*column.Digest)(&p.Pack.SHA256),
		(*column.Map)(&p.State), &p.Memory, &p.MemoryRevision,
	}
}

func (s projects) Insert(ctx context.Context, p svc.Project) error {
	state, err := column.MapText(p.State)
	if err != nil {
		return err
	}
	return s.write(ctx, func(c *conn) error {
		_, err := c.exec(
			`INSERT INTO projects (`+projectColumns+`)
			 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
			p.ID, p.AccountID, p.Name, p.CreatedAt.UnixMilli(), p.UpdatedAt.UnixMilli(), p.Revision,
			p.Pack.Blob, p.Pack.Extent.Files, p.Pack.Extent.Bytes, p.Pack.Size, p.Pack.SHA256[:],
			state, p.Memory, p.MemoryRevision)
		return within("insert a project", err)
	})
}

func (s projects) Get(ctx context.Context, accountID, id string) (p svc.Project, err error) {
	err = s.read(ctx, func(c *conn) error {
		return within("get a project", c.row(
			`SELECT `+projectColumns+` FROM projects WHERE id = $1 AND account_id = $2`,
			[]any{id, accountID}, projectFields(&p)))
	})
	return p, err
}

func (s projects) List(ctx context.Context, accountID string, after *svc.Cursor, limit int) (all []svc.Project, err error) {
	createdAt, id := place(after)
	err = s.read(ctx, func(c *conn) error {
		all, err = rows(c,
			`SELECT `+listedColumns+` FROM projects
			 WHERE account_id = $1 AND (created_at, id) < ($2, $3)
			 ORDER BY created_at DESC, id DESC LIMIT $4`,
			[]any{accountID, createdAt, id, limit}, projectFields)
		return within("list projects", err)
	})
	return all, err
}

func (s projects) Advance(ctx context.Context, p svc.Project) error {
	state, err := column.MapText(p.State)
	if err != nil {
		return err
	}
	return s.write(ctx, func(c *conn) error {
		n, err := c.exec(
			`UPDATE projects SET name = $4, updated_at = $5, revision = $3,
			   pack_blob = $6, pack_files = $7, pack_bytes = $8, pack_size = $9, pack_sha256 = $10,
			   state = $11, memory = $12, memory_revision = $13
			 WHERE id = $1 AND account_id = $2 AND revision = $3 - 1`,
			p.ID, p.AccountID, p.Revision, p.Name, p.UpdatedAt.UnixMilli(),
			p.Pack.Blob, p.Pack.Extent.Files, p.Pack.Extent.Bytes, p.Pack.Size, p.Pack.SHA256[:],
			state, p.Memory, p.MemoryRevision)
		if err != nil || n == 1 {
			return within("advance a project", err)
		}
		var revision int64
		if err := c.row(`SELECT revision FROM projects WHERE id = $1 AND account_id = $2`,
			[]any{p.ID, p.AccountID}, []any{&revision}); err != nil {
			return within("advance a project", err)
		}
		return within("advance a project", svc.ErrConflict)
	})
}

func (s projects) Delete(ctx context.Context, accountID, id string, garbageDue time.Time) error {
	return s.write(ctx, func(c *conn) error {
		var pack string
		if err := c.row(`SELECT pack_blob FROM projects WHERE id = $1 AND account_id = $2`,
			[]any{id, accountID}, []any{&pack}); err != nil {
			return within("delete a project", err)
		}
		if err := c.discardAll(
			`SELECT blob FROM bundles WHERE project_id = $1 AND blob <> ''
			 UNION SELECT pack_blob FROM projects WHERE id = $1 AND pack_blob <> ''`, id, garbageDue); err != nil {
			return within("discard the blobs of a project", err)
		}
		lost, err := rows(c,
			`SELECT status, count(*), sum(CASE status WHEN 'pending_download' THEN size ELSE 0 END)
			 FROM bundles WHERE project_id = $1 GROUP BY status`, []any{id}, tallyFields)
		if err != nil {
			return within("count the bundles of a project", err)
		}
		for _, t := range lost {
			if err := c.count(accountID, t.Status, -t.Count, -t.Bytes); err != nil {
				return within("count the bundles of a project", err)
			}
		}
		return within("delete a project", c.one(`DELETE FROM projects WHERE id = $1`, id))
	})
}

// place is a cursor as two values to compare with; that of no cursor lies
// before the newest record.
func place(after *svc.Cursor) (createdAt int64, id string) {
	if after == nil {
		return math.MaxInt64, ""
	}
	return after.CreatedAt.UnixMilli(), after.ID
}
