package sqlite

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/column"
)

type runs struct{ runner }

const runColumns = `id, account_id, project_id, prompt, constraints, status, epoch, lease, losses,
	cancel_requested_at, bundle_id, error, cost, last_event, created_at, started_at, finished_at`

func runFields(r *svc.Run) []any {
	return []any{
		&r.ID, &r.AccountID, &r.ProjectID, &r.Prompt, (*column.Map)(&r.Constraints), &r.Status, &r.Epoch, (*column.Stamp)(&r.Lease), &r.Losses,
		(*column.Stamp)(&r.CancelRequestedAt), &r.BundleID, &column.Object[svc.RunError]{To: &r.Error}, &column.Object[svc.Cost]{To: &r.Cost}, &r.LastEvent,
		(*column.Stamp)(&r.CreatedAt), (*column.Stamp)(&r.StartedAt), (*column.Stamp)(&r.FinishedAt),
	}
}

func (s runs) Insert(ctx context.Context, r svc.Run) error {
	constraints, err := column.MapText(r.Constraints)
	if err != nil {
		return err
	}
	return s.write(ctx, func(c *conn) error {
		_, err := c.exec(
			`INSERT INTO runs (id, account_id, project_id, prompt, constraints, status, epoch, losses, bundle_id, last_event, untold, created_at)
			 VALUES ($1, $2, $3, $4, $5, 'queued', 0, 0, '', 0, 0, $6)`,
			r.ID, r.AccountID, r.ProjectID, r.Prompt, constraints, r.CreatedAt.UnixMilli())
		return within("insert a run", err)
	})
}

func (s runs) Get(ctx context.Context, accountID, id string) (r svc.Run, err error) {
	err = s.read(ctx, func(c *conn) error {
		return within("get a run", c.run(accountID, id, &r))
	})
	return r, err
}

func (c *conn) run(accountID, id string, r *svc.Run) error {
	return c.row(`SELECT `+runColumns+` FROM runs WHERE id = $1 AND account_id = $2`, []any{id, accountID}, runFields(r))
}

func (s runs) List(ctx context.Context, q svc.RunQuery) (all []svc.Run, err error) {
	createdAt, id := place(q.After)
	query := `SELECT ` + runColumns + ` FROM runs WHERE account_id = $1 AND (created_at, id) < ($2, $3) AND ($5 = '' OR status = $5)
		ORDER BY created_at DESC, id DESC LIMIT $4`
	args := []any{q.AccountID, createdAt, id, q.Limit, q.Status}
	if q.ProjectID != "" {
		query = `SELECT ` + runColumns + ` FROM runs WHERE account_id = $1 AND (created_at, id) < ($2, $3) AND ($5 = '' OR status = $5)
			AND project_id = $6 ORDER BY created_at DESC, id DESC LIMIT $4`
		args = append(args, q.ProjectID)
	}
	err = s.read(ctx, func(c *conn) error {
		all, err = rows(c, query, args, runFields)
		return within("list runs", err)
	})
	return all, err
}

func (s runs) Waiting(ctx context.Context, accountID string) (n svc.QueueLength, err error) {
	err = s.read(ctx, func(c *conn) error {
		return within("count queued runs", c.row(
			`SELECT count(*), coalesce(sum(account_id = $1), 0) FROM runs WHERE status = 'queued'`,
			[]any{accountID}, []any{&n.All, &n.Account}))
	})
	return n, err
}

func (s runs) Position(ctx context.Context, id string) (n int, err error) {
	err = s.read(ctx, func(c *conn) error {
		return within("find the place of a run", c.row(
			`SELECT count(*) FROM runs AS q, runs AS mine
			 WHERE mine.id = $1 AND mine.status = 'queued' AND q.status = 'queued'
			   AND (q.created_at, q.id) <= (mine.created_at, mine.id)`,
			[]any{id}, []any{&n}))
	})
	return n, err
}

func (s runs) StartedSince(ctx context.Context, since time.Time, limit int) (n int, first time.Time, err error) {
	err = s.read(ctx, func(c *conn) error {
		return within("count started runs", c.row(
			`SELECT count(*), min(started_at)
			 FROM (SELECT started_at FROM runs WHERE started_at >= $1 ORDER BY started_at DESC LIMIT $2)`,
			[]any{since.UnixMilli(), limit}, []any{&n, (*column.Stamp)(&first)}))
	})
	return n, first, err
}

// nextRun is the queued run that is to start. It reads the queue, which is
// bounded, and for each run in it what its project and its account have running:
// never all that run.
const nextRun = `
SELECT q.id FROM runs AS q
WHERE q.status = 'queued'
  AND NOT EXISTS (SELECT 1 FROM runs AS busy INDEXED BY runs_running_by_project WHERE busy.project_id = q.project_id AND busy.status = 'running')
ORDER BY (SELECT count(*) FROM runs AS busy INDEXED BY runs_running_by_account WHERE busy.account_id = q.account_id AND busy.status = 'running'),
  q.created_at, q.id LIMIT 1`

func (s runs) Claim(ctx context.Context, now, lease time.Time) (r svc.Run, err error) {
	err = s.write(ctx, func(c *conn) error {
		var id string
		if err := c.row(nextRun, nil, []any{&id}); err != nil {
			return within("find the next run", err)
		}
		return within("claim a run", c.row(
			`UPDATE runs SET status = 'running', epoch = epoch + 1, lease = $3, started_at = coalesce(started_at, $2)
			 WHERE id = $1 RETURNING `+runColumns,
			[]any{id, now.UnixMilli(), lease.UnixMilli()}, runFields(&r)))
	})
	return r, err
}

func (s runs) Retake(ctx context.Context, now, lease time.Time) (r svc.Run, err error) {
	err = s.write(ctx, func(c *conn) error {
		return within("retake a run", c.row(
			`UPDATE runs SET epoch = epoch + 1, losses = losses + 1, lease = $2
			 WHERE id = (SELECT id FROM runs WHERE status = 'running' AND lease < $1 ORDER BY lease, id LIMIT 1)
			 RETURNING `+runColumns,
			[]any{now.UnixMilli(), lease.UnixMilli()}, runFields(&r)))
	})
	return r, err
}

func (s runs) Renew(ctx context.Context, claims []svc.RunClaim, lease time.Time) (held []svc.RunClaim, err error) {
	pairs := make([][2]any, len(claims))
	for i, claim := range claims {
		pairs[i] = [2]any{claim.ID, claim.Epoch}
	}
	text, err := json.Marshal(pairs)
	if err != nil {
		return nil, fmt.Errorf("renew leases: %w", err)
	}
	err = s.write(ctx, func(c *conn) error {
		held, err = rows(c,
			`UPDATE runs SET lease = $2 WHERE status = 'running' AND (id, epoch) IN
			   (SELECT value ->> 0, value ->> 1 FROM json_each($1)) RETURNING id, epoch`,
			[]any{string(text), lease.UnixMilli()},
			func(claim *svc.RunClaim) []any { return []any{&claim.ID, &claim.Epoch} })
		return within("renew leases", err)
	})
	return held, err
}

func (s runs) CancelRequested(ctx context.Context, ids []string) (found []string, err error) {
	text, err := listText(ids)
	if err != nil {
		return nil, err
	}
	err = s.read(ctx, func(c *conn) error {
		found, err = rows(c,
			`SELECT id FROM runs WHERE id IN (SELECT value FROM json_each($1)) AND cancel_requested_at IS NOT NULL`,
			[]any{text}, func(id *string) []any { return []any{id} })
		return within("look for cancelled runs", err)
	})
	return found, err
}

func (s runs) Spend(ctx context.Context, claim svc.RunClaim, cost svc.Cost) error {
	text, err := column.ObjectText(&cost)
	if err != nil {
		return err
	}
	return s.write(ctx, func(c *conn) error {
		return within("note the cost of a run", unlessGone(c.one(
			`UPDATE runs SET cost = $3 WHERE id = $1 AND epoch = $2 AND status = 'running'`,
			claim.ID, claim.Epoch, text)))
	})
}

func (s runs) SpendAll(ctx context.Context, costs map[svc.RunClaim]svc.Cost) error {
	return s.write(ctx, func(c *conn) error {
		for claim, cost := range costs {
			text, err := column.ObjectText(&cost)
			if err != nil {
				return err
			}
			if _, err := c.exec(`UPDATE runs SET cost = $3 WHERE id = $1 AND epoch = $2 AND status = 'running'`,
				claim.ID, claim.Epoch, text); err != nil {
				return within("note the cost of runs", err)
			}
		}
		return nil
	})
}

func (s runs) Release(ctx context.Context, claim svc.RunClaim) error {
	return s.write(ctx, func(c *conn) error {
		return within("hand a run back", unlessGone(c.one(
			`UPDATE runs SET status = 'queued', lease = NULL WHERE id = $1 AND epoch = $2 AND status = 'running'`,
			claim.ID, claim.Epoch)))
	})
}

func (s runs) RequestCancel(ctx context.Context, accountID, id string, at time.Time) (r svc.Run, err error) {
	err = s.write(ctx, func(c *conn) error {
		if _, err := c.exec(
			`UPDATE runs SET cancel_requested_at = $3
			 WHERE id = $1 AND account_id = $2 AND cancel_requested_at IS NULL AND status IN ('queued', 'running')`,
			id, accountID, at.UnixMilli()); err != nil {
			return within("request the end of a run", err)
		}
		return within("request the end of a run", c.run(accountID, id, &r))
	})
	return r, err
}

func (s runs) Finish(ctx context.Context, from svc.RunStatus, r svc.Run) error {
	failure, err := column.ObjectText(r.Error)
	if err != nil {
		return err
	}
	cost, err := column.ObjectText(r.Cost)
	if err != nil {
		return err
	}
	return s.write(ctx, func(c *conn) error {
		return within("finish a run", unlessGone(c.one(
			`UPDATE runs SET status = $4, bundle_id = $5, error = $6, cost = $7, last_event = $8, finished_at = $9,
			   lease = NULL, untold = 1
			 WHERE id = $1 AND epoch = $2 AND status = $3`,
			r.ID, r.Epoch, from, r.Status, r.BundleID, failure, cost, r.LastEvent, r.FinishedAt.UnixMilli())))
	})
}

// unlessGone makes a conflict of a row that is no longer what the step was for.
func unlessGone(err error) error {
	if errors.Is(err, svc.ErrNotFound) {
		return svc.ErrConflict
	}
	return err
}

func (s runs) Renumber(ctx context.Context, id string, last int64) error {
	return s.write(ctx, func(c *conn) error {
		_, err := c.exec(`UPDATE runs SET last_event = $2 WHERE id = $1 AND untold = 1 AND last_event < $2`, id, last)
		return within("renumber the end of a run", err)
	})
}

func (s runs) Told(ctx context.Context, id string) error {
	return s.write(ctx, func(c *conn) error {
		_, err := c.exec(`UPDATE runs SET untold = 0 WHERE id = $1 AND untold = 1`, id)
		return within("note that a run was told", err)
	})
}

func (s runs) Untold(ctx context.Context, finished time.Time, limit int) (all []svc.Run, err error) {
	err = s.read(ctx, func(c *conn) error {
		all, err = rows(c,
			`SELECT `+runColumns+` FROM runs WHERE untold = 1 AND finished_at <= $1 ORDER BY finished_at, id LIMIT $2`,
			[]any{finished.UnixMilli(), limit}, runFields)
		return within("find runs whose end was not told", err)
	})
	return all, err
}
