package sqlite

import (
	"context"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/store/sqlshared"
)

type projects struct {
	runner
	sqlshared.Projects
}

func (s projects) Insert(ctx context.Context, p svc.Project) error {
	state, err := sqlshared.ProjectState(p)
	if err != nil {
		return err
	}
	_, err = s.Exec(ctx,
		`INSERT INTO projects (`+sqlshared.ProjectColumns+`)
		 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`,
		append([]any{p.ID, p.AccountID, p.Name, p.CreatedAt.UnixMilli(), p.UpdatedAt.UnixMilli(), p.Revision}, state...)...)
	return within("insert a project", err)
}

func (s projects) Advance(ctx context.Context, p svc.Project) error {
	state, err := sqlshared.ProjectState(p)
	if err != nil {
		return err
	}
	return s.write(ctx, func(c *conn) error {
		n, err := c.exec(
			`UPDATE projects SET name = coalesce(nullif($4, ''), name), updated_at = $5, revision = $3,
			   pack_blob = $6, pack_files = $7, pack_bytes = $8, pack_size = $9, pack_sha256 = $10,
			   state = $11, memory = $12, memory_revision = $13, push = $14, provenance = $15
			 WHERE id = $1 AND account_id = $2 AND revision = $3 - 1`,
			append([]any{p.ID, p.AccountID, p.Revision, p.Name, p.UpdatedAt.UnixMilli()}, state...)...)
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
		lost, err := c.discardBlobsOf("project_id", "id", id, garbageDue)
		if err != nil {
			return within("delete a project", err)
		}
		for _, t := range lost {
			if err := c.count(accountID, t.Status, -t.Count, -t.Bytes); err != nil {
				return within("count the bundles of a project", err)
			}
		}
		return within("delete a project", c.one(`DELETE FROM projects WHERE id = $1`, id))
	})
}
