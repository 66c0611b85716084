package postgres

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
	*runner
	sqlshared.Runs
}

// insertRun has the run belong to a project that exists, and to an account that
// does: both are locked against deletion.
const insertRun = `
WITH owner AS (
  SELECT p.id AS project_id, a.id AS account_id FROM projects p, accounts a WHERE p.id = $3 AND a.id = $2 FOR KEY SHARE),
made AS (
  INSERT INTO runs (id, account_id, project_id, prompt, constraints, status, epoch, losses, bundle_id, last_event, untold, created_at)
  SELECT $1, account_id, project_id, $4, $5, 'queued', 0, 0, '', 0, false, $6::bigint FROM owner
  ON CONFLICT DO NOTHING RETURNING 1)
SELECT (SELECT count(*) FROM owner), (SELECT count(*) FROM made)`

func (s runs) Insert(ctx context.Context, r svc.Run) error {
	constraints, err := column.MapText(r.Constraints)
	if err != nil {
		return err
	}
	return s.insertLater(ctx, "insert a run", insertRun,
		r.ID, r.AccountID, r.ProjectID, r.Prompt, constraints, r.CreatedAt.UnixMilli())
}

// claimNext makes queued runs running ones. It reads the queue, which is bounded,
// and for each project in it what that and its account have running: never all
// that run, which may be a thousand times as many. Both are counted and not joined,
// since a join may be made by reading everything; and the runs that are locked are
// found by their ids, in the order in which they are wanted and as many as are, and not
// by reading the queue once more for each (hence the condition that no index has). A run
// that somebody holds (it is being claimed or cancelled) is passed over, so that no
// process waits for another; of those who claim at the same moment each counts what the
// others had before. The limit stands in the text: a plan is kept for it, where one for
// any limit would be made anew each time.
const claimNext = `
WITH queue AS MATERIALIZED (
  SELECT id, account_id, project_id, created_at FROM runs WHERE status = 'queued'),
first AS MATERIALIZED (
  SELECT DISTINCT ON (project_id) id, account_id, project_id, created_at FROM queue ORDER BY project_id, created_at, id),
free AS (
  SELECT id, account_id, created_at FROM first
  WHERE (SELECT count(*) FROM runs AS busy WHERE busy.project_id = first.project_id AND busy.status = 'running') = 0),
turns AS MATERIALIZED (
  SELECT id, created_at, row_number() OVER (PARTITION BY account_id ORDER BY created_at, id)
    + (SELECT count(*) FROM runs AS busy WHERE busy.account_id = free.account_id AND busy.status = 'running') AS turn
  FROM free),
next AS MATERIALIZED (
  SELECT runs.id FROM (SELECT * FROM turns ORDER BY turn, created_at, id) AS turns JOIN runs ON runs.id = turns.id
  WHERE runs.status || '' = 'queued'
  ORDER BY turns.turn, turns.created_at, turns.id LIMIT %d
  FOR UPDATE OF runs SKIP LOCKED)
UPDATE runs SET status = 'running', epoch = epoch + 1, lease = $2, started_at = coalesce(started_at, $1)
FROM next WHERE runs.id = next.id RETURNING ` + sqlshared.RunColumns

// Claim is tried again when two who claim at the same moment took two runs of one
// project, which an index refuses: one of these runs was inserted late.
func (s runs) Claim(ctx context.Context, now, lease time.Time, limit int) (claimed []svc.Run, err error) {
	claim := func() error {
		claimed, err = sqlshared.Rows(ctx, s, fmt.Sprintf(claimNext, limit), []any{now.UnixMilli(), lease.UnixMilli()}, sqlshared.RunFields)
		return err
	}
	if s.tx != nil {
		err = claim()
	} else {
		err = retryRaces(ctx, claim)
	}
	return claimed, within("claim runs", err)
}

// retakeLost takes runs whose lease has ended. They are found first and changed by their
// ids, as an array: what that costs is the same for the planner whatever the time is,
// so that the plan is kept. With a join it looked cheaper for a known time, at which
// nothing is lost, and was made anew for every look, at ten times the cost.
const retakeLost = `
UPDATE runs SET epoch = epoch + 1, losses = losses + 1, lease = $2
WHERE id = ANY (ARRAY(
  SELECT id FROM runs WHERE status = 'running' AND lease < $1 ORDER BY lease, id LIMIT %d FOR UPDATE SKIP LOCKED))
RETURNING ` + sqlshared.RunColumns

// Retake passes over a run that somebody holds: its lease is being renewed, or
// another retakes it.
func (s runs) Retake(ctx context.Context, now, lease time.Time, limit int) ([]svc.Run, error) {
	taken, err := sqlshared.Rows(ctx, s, fmt.Sprintf(retakeLost, limit), []any{now.UnixMilli(), lease.UnixMilli()}, sqlshared.RunFields)
	return taken, within("retake runs", err)
}

func (s runs) Renew(ctx context.Context, claims []svc.RunClaim, lease time.Time) ([]svc.RunClaim, error) {
	ids, epochs := make([]string, len(claims)), make([]int64, len(claims))
	for i, claim := range claims {
		ids[i], epochs[i] = claim.ID, claim.Epoch
	}
	held, err := sqlshared.Rows(ctx, s,
		`UPDATE runs SET lease = greatest(lease, $3) FROM unnest($1::text[], $2::bigint[]) AS claim (id, epoch)
		 WHERE runs.id = claim.id AND runs.epoch = claim.epoch AND runs.status = 'running'
		 RETURNING runs.id, runs.epoch`,
		[]any{ids, epochs, lease.UnixMilli()}, sqlshared.ClaimFields)
	return held, within("renew leases", err)
}

func (s runs) CancelRequested(ctx context.Context, ids []string) ([]string, error) {
	found, err := sqlshared.Rows(ctx, s,
		`SELECT id FROM runs WHERE id = ANY($1::text[]) AND cancel_requested_at IS NOT NULL`, []any{ids}, sqlshared.Itself[string])
	return found, within("look for cancelled runs", err)
}

func (s runs) SpendAll(ctx context.Context, costs map[svc.RunClaim]svc.Cost) error {
	ids, epochs, texts := make([]string, 0, len(costs)), make([]int64, 0, len(costs)), make([]string, 0, len(costs))
	for claim, cost := range costs {
		text, err := json.Marshal(cost)
		if err != nil {
			return fmt.Errorf("note the cost of runs: %w", err)
		}
		ids, epochs, texts = append(ids, claim.ID), append(epochs, claim.Epoch), append(texts, string(text))
	}
	_, err := s.Exec(ctx,
		`UPDATE runs SET cost = spent.cost FROM unnest($1::text[], $2::bigint[], $3::text[]) AS spent (id, epoch, cost)
		 WHERE runs.id = spent.id AND runs.epoch = spent.epoch AND runs.status = 'running'`, ids, epochs, texts)
	return within("note the cost of runs", err)
}

func (s runs) RequestCancel(ctx context.Context, accountID, id string, at time.Time) (r svc.Run, err error) {
	err = s.Row(ctx,
		`UPDATE runs SET cancel_requested_at = CASE
		   WHEN cancel_requested_at IS NULL AND status IN ('queued', 'running') THEN $3 ELSE cancel_requested_at END
		 WHERE id = $1 AND account_id = $2 RETURNING `+sqlshared.RunColumns,
		[]any{id, accountID, at.UnixMilli()}, sqlshared.RunFields(&r))
	return r, within("request the end of a run", err)
}

const pruneRuns = `
WITH old AS MATERIALIZED (
  SELECT id FROM runs WHERE finished_at <= $1 AND NOT untold ORDER BY finished_at, id LIMIT $2 FOR UPDATE SKIP LOCKED)
DELETE FROM runs USING old WHERE runs.id = old.id`

func (s runs) Prune(ctx context.Context, finishedBy time.Time, limit int) (int, error) {
	n, err := s.Exec(ctx, pruneRuns, finishedBy.UnixMilli(), limit)
	return int(n), within("prune runs", err)
}

const unpublishedEnds = `SELECT ` + sqlshared.RunColumns + ` FROM runs WHERE untold AND finished_at <= $1 ORDER BY finished_at, id LIMIT $2`

func (s runs) UnpublishedEnds(ctx context.Context, finished time.Time, limit int) ([]svc.Run, error) {
	all, err := sqlshared.Rows(ctx, s, unpublishedEnds, []any{finished.UnixMilli(), limit}, sqlshared.RunFields)
	return all, within("find runs whose end was not told", err)
}
