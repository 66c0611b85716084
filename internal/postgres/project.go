package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/column"
)

type projects struct{ *runner }

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

var insertProject = ownedByAccount(
	`INSERT INTO projects (` + projectColumns + `)
	 SELECT $2, id, $3, $4::bigint, $5::bigint, $6::bigint,
	   $7, $8::bigint, $9::bigint, $10::bigint, $11::bytea, $12, $13, $14::bigint FROM owner`)

func (s projects) Insert(ctx context.Context, p svc.Project) error {
	state, err := column.MapText(p.State)
	if err != nil {
		return err
	}
	return within("insert a project", s.insert(ctx, insertProject,
		p.AccountID, p.ID, p.Name, p.CreatedAt.UnixMilli(), p.UpdatedAt.UnixMilli(), p.Revision,
		p.Pack.Blob, p.Pack.Extent.Files, p.Pack.Extent.Bytes, p.Pack.Size, p.Pack.SHA256[:],
		state, p.Memory, p.MemoryRevision))
}

func (s projects) Get(ctx context.Context, accountID, id string) (p svc.Project, err error) {
	err = s.row(ctx, `SELECT `+projectColumns+` FROM projects WHERE id = $1 AND account_id = $2`,
		[]any{id, accountID}, projectFields(&p))
	return p, within("get a project", err)
}

func (s projects) List(ctx context.Context, accountID string, after *svc.Cursor, limit int) ([]svc.Project, error) {
	createdAt, id := place(after)
	all, err := rows(ctx, s.runner,
		`SELECT `+listedColumns+` FROM projects
		 WHERE account_id = $1 AND (created_at, id) < ($2, $3)
		 ORDER BY created_at DESC, id DESC LIMIT $4`,
		[]any{accountID, createdAt, id, limit}, projectFields)
	return all, within("list projects", err)
}

// advanceProject has the shape that insert reads: the project is the owner of
// its next state.
const advanceProject = `
WITH owner AS (SELECT id FROM projects WHERE id = $1 AND account_id = $2),
made AS (
  UPDATE projects SET name = $4, updated_at = $5, revision = $3,
    pack_blob = $6, pack_files = $7, pack_bytes = $8, pack_size = $9, pack_sha256 = $10,
    state = $11, memory = $12, memory_revision = $13
  WHERE id = $1 AND account_id = $2 AND revision = $3::bigint - 1 RETURNING 1)
SELECT (SELECT count(*) FROM owner), (SELECT count(*) FROM made)`

func (s projects) Advance(ctx context.Context, p svc.Project) error {
	state, err := column.MapText(p.State)
	if err != nil {
		return err
	}
	return within("advance a project", s.insert(ctx, advanceProject,
		p.ID, p.AccountID, p.Revision, p.Name, p.UpdatedAt.UnixMilli(),
		p.Pack.Blob, p.Pack.Extent.Files, p.Pack.Extent.Bytes, p.Pack.Size, p.Pack.SHA256[:],
		state, p.Memory, p.MemoryRevision))
}

// Delete locks the project first: nobody can give it a bundle or a pack between
// the statement that discards the blobs and the one that deletes. A bundle has
// the account of its project, so what another account asks for finds nothing.
func (s projects) Delete(ctx context.Context, accountID, id string, garbageDue time.Time) error {
	var gone int64
	err := s.together(ctx, func(b *pgx.Batch) {
		b.Queue(`SELECT 1 FROM projects WHERE id = $1 AND account_id = $2 FOR UPDATE`, id, accountID)
		b.Queue(discard(`SELECT blob FROM bundles WHERE project_id = $1 AND account_id = $3 AND blob <> ''
			UNION SELECT pack_blob FROM projects WHERE id = $1 AND account_id = $3 AND pack_blob <> ''`),
			id, garbageDue.UnixMilli(), accountID)
		b.Queue(`UPDATE accounts SET pending_bytes = pending_bytes - lost.size
			FROM (SELECT sum(size)::bigint AS size FROM bundles
			      WHERE project_id = $1 AND account_id = $2 AND status = 'pending_download') AS lost
			WHERE accounts.id = $2 AND lost.size > 0`, id, accountID)
		b.Queue(tally(`SELECT account_id, status, -count(*),
			-coalesce(sum(size) FILTER (WHERE status = 'pending_download'), 0)
			FROM bundles WHERE project_id = $1 AND account_id = $2 GROUP BY account_id, status`), id, accountID)
		b.Queue(`DELETE FROM projects WHERE id = $1 AND account_id = $2`, id, accountID).
			Exec(func(tag pgconn.CommandTag) error {
				gone = tag.RowsAffected()
				return nil
			})
	})
	if err == nil && gone == 0 {
		err = svc.ErrNotFound
	}
	return within("delete a project", err)
}
