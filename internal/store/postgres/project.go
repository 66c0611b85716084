package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/store/sqlshared"
)

type projects struct {
	*runner
	sqlshared.Projects
}

var insertProject = ownedByAccount(
	`INSERT INTO projects (` + sqlshared.ProjectColumns + `)
	 SELECT $2, id, $3, $4::bigint, $5::bigint, $6::bigint,
	   $7, $8::bigint, $9::bigint, $10::bigint, $11::bytea, $12, $13, $14::bigint, $15::text, $16::text FROM owner`)

func (s projects) Insert(ctx context.Context, p svc.Project) error {
	state, err := sqlshared.ProjectState(p)
	if err != nil {
		return err
	}
	values := []any{p.AccountID, p.ID, p.Name, p.CreatedAt.UnixMilli(), p.UpdatedAt.UnixMilli(), p.Revision}
	return within("insert a project", s.insert(ctx, insertProject, append(values, state...)...))
}

// advanceProject has the shape that insert reads: the project is the owner of
// its next state.
const advanceProject = `
WITH owner AS (SELECT id FROM projects WHERE id = $1 AND account_id = $2),
made AS (
  UPDATE projects SET name = coalesce(nullif($4, ''), name), updated_at = $5, revision = $3,
    pack_blob = $6, pack_files = $7, pack_bytes = $8, pack_size = $9, pack_sha256 = $10,
    state = $11, memory = $12, memory_revision = $13, push = $14, provenance = $15
  WHERE id = $1 AND account_id = $2 AND revision = $3::bigint - 1 RETURNING 1)
SELECT (SELECT count(*) FROM owner), (SELECT count(*) FROM made)`

func (s projects) Advance(ctx context.Context, p svc.Project) error {
	state, err := sqlshared.ProjectState(p)
	if err != nil {
		return err
	}
	values := []any{p.ID, p.AccountID, p.Revision, p.Name, p.UpdatedAt.UnixMilli()}
	return within("advance a project", s.insert(ctx, advanceProject, append(values, state...)...))
}

// Delete locks the project first: nobody can give it a bundle or a pack between
// the statement that discards the blobs and the one that deletes. A bundle has
// the account of its project, so what another account asks for finds nothing.
func (s projects) Delete(ctx context.Context, accountID, id string, garbageDue time.Time) error {
	var gone int64
	err := s.batch(ctx, func(b *pgx.Batch) {
		b.Queue(`SELECT 1 FROM projects WHERE id = $1 AND account_id = $2 FOR UPDATE`, id, accountID)
		b.Queue(discard(`SELECT blob FROM bundles WHERE project_id = $1 AND account_id = $3 AND blob <> ''
			UNION SELECT pack_blob FROM projects WHERE id = $1 AND account_id = $3 AND pack_blob <> ''
			UNION SELECT provenance::json ->> 'base_pack' FROM projects
			WHERE id = $1 AND account_id = $3 AND provenance::json ->> 'base_pack' <> ''`),
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
	return within("delete a project", sqlshared.Changed(gone, err))
}
