package sqlite

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/store/column"
	"github.com/bundle-delivery/svc/internal/store/sqlshared"
)

type runs struct {
	runner
	sqlshared.Runs
}

func (s runs) Insert(ctx context.Context, r svc.Run) error {
	constraints, err := column.MapText(r.Constraints)
	if err != nil {
		return err
	}
	_, err = s.Exec(ctx,
		`INSERT INTO runs (id, account_id, project_id, prompt, constraints, status, epoch, losses, bundle_id, last_event, untold, created_at)
		 VALUES ($1, $2, $3, $4, $5, 'queued', 0, 0, '', 0, 0, $6)`,
		r.ID, r.AccountID, r.ProjectID, r.Prompt, constraints, r.CreatedAt.UnixMilli())
	return within("insert a run", err)
}

// nextRuns are the queued runs that are to start, $3 at most. It reads the queue,
// which is bounded, and for each run in it what its project and its account have
// running: never all that run.
const nextRuns = `
WITH queue AS MATERIALIZED (
  SELECT q.id, q.account_id, q.project_id, q.created_at FROM runs AS q INDEXED BY runs_queued
  WHERE q.status = 'queued'
    AND NOT EXISTS (SELECT 1 FROM runs AS busy INDEXED BY runs_running_by_project WHERE busy.project_id = q.project_id AND busy.status = 'running')),
free AS (SELECT *, row_number() OVER (PARTITION BY project_id ORDER BY created_at, id) AS of_project FROM queue),
turns AS (
  SELECT id, created_at, row_number() OVER (PARTITION BY account_id ORDER BY created_at, id)
    + (SELECT count(*) FROM runs AS busy INDEXED BY runs_running_by_account WHERE busy.account_id = free.account_id AND busy.status = 'running') AS turn
  FROM free WHERE of_project = 1)
SELECT id FROM turns ORDER BY turn, created_at, id LIMIT $3`

func (s runs) Claim(ctx context.Context, now, lease time.Time, limit int) (claimed []svc.Run, err error) {
	err = s.write(ctx, func(c *conn) error {
		claimed, err = rows(c,
			`UPDATE runs SET status = 'running', epoch = epoch + 1, lease = $2, started_at = coalesce(started_at, $1)
			 WHERE id IN (`+nextRuns+`) RETURNING `+sqlshared.RunColumns,
			[]any{now.UnixMilli(), lease.UnixMilli(), limit}, sqlshared.RunFields)
		return within("claim runs", err)
	})
	return claimed, err
}

func (s runs) Retake(ctx context.Context, now, lease time.Time, limit int) (taken []svc.Run, err error) {
	err = s.write(ctx, func(c *conn) error {
		taken, err = rows(c,
			`UPDATE runs SET epoch = epoch + 1, losses = losses + 1, lease = $2
			 WHERE id IN (SELECT id FROM runs WHERE status = 'running' AND lease < $1 ORDER BY lease, id LIMIT $3)
			 RETURNING `+sqlshared.RunColumns,
			[]any{now.UnixMilli(), lease.UnixMilli(), limit}, sqlshared.RunFields)
		return within("retake runs", err)
	})
	return taken, err
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
			`UPDATE runs SET lease = max(lease, $2) WHERE status = 'running' AND (id, epoch) IN
			   (SELECT value ->> 0, value ->> 1 FROM json_each($1)) RETURNING id, epoch`,
			[]any{string(text), lease.UnixMilli()}, sqlshared.ClaimFields)
		return within("renew leases", err)
	})
	return held, err
}

func (s runs) CancelRequested(ctx context.Context, ids []string) ([]string, error) {
	text, err := listText(ids)
	if err != nil {
		return nil, err
	}
	found, err := sqlshared.Rows(ctx, s,
		`SELECT id FROM runs WHERE id IN (SELECT value FROM json_each($1)) AND cancel_requested_at IS NOT NULL`,
		[]any{text}, sqlshared.Itself[string])
	return found, within("look for cancelled runs", err)
}

func (s runs) SpendAll(ctx context.Context, costs map[svc.RunClaim]svc.Cost) error {
	return s.write(ctx, func(c *conn) error {
		for claim, cost := range costs {
			text, err := column.ObjectText(&cost)
			if err != nil {
				return err
			}
			if _, err := c.exec(sqlshared.SpendOne, claim.ID, claim.Epoch, text); err != nil {
				return within("note the cost of runs", err)
			}
		}
		return nil
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
		return within("request the end of a run", c.row(sqlshared.RunByID, []any{id, accountID}, sqlshared.RunFields(&r)))
	})
	return r, err
}

func (s runs) Prune(ctx context.Context, finishedBy time.Time, limit int) (int, error) {
	n, err := s.Exec(ctx,
		`DELETE FROM runs WHERE id IN (SELECT id FROM runs WHERE finished_at <= $1 AND untold = 0 ORDER BY finished_at, id LIMIT $2)`,
		finishedBy.UnixMilli(), limit)
	return int(n), within("prune runs", err)
}

// untoldRuns says 1, as its index does: SQLite takes true for something else.
const untoldRuns = `SELECT ` + sqlshared.RunColumns + ` FROM runs WHERE untold = 1 AND finished_at <= $1 ORDER BY finished_at, id LIMIT $2`

func (s runs) UnpublishedEnds(ctx context.Context, finished time.Time, limit int) ([]svc.Run, error) {
	all, err := sqlshared.Rows(ctx, s, untoldRuns, []any{finished.UnixMilli(), limit}, sqlshared.RunFields)
	return all, within("find runs whose end was not told", err)
}
