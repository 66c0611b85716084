package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/column"
)

type runs struct{ *runner }

const runColumns = `runs.id, runs.account_id, project_id, prompt, constraints, status, epoch, lease, losses,
	cancel_requested_at, bundle_id, error, cost, last_event, created_at, started_at, finished_at`

func runFields(r *svc.Run) []any {
	return []any{
		&r.ID, &r.AccountID, &r.ProjectID, &r.Prompt, (*column.Map)(&r.Constraints), &r.Status, &r.Epoch, (*column.Stamp)(&r.Lease), &r.Losses,
		(*column.Stamp)(&r.CancelRequestedAt), &r.BundleID, &column.Object[svc.RunError]{To: &r.Error}, &column.Object[svc.Cost]{To: &r.Cost}, &r.LastEvent,
		(*column.Stamp)(&r.CreatedAt), (*column.Stamp)(&r.StartedAt), (*column.Stamp)(&r.FinishedAt),
	}
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
	return within("insert a run", s.insert(ctx, insertRun,
		r.ID, r.AccountID, r.ProjectID, r.Prompt, constraints, r.CreatedAt.UnixMilli()))
}

func (s runs) Get(ctx context.Context, accountID, id string) (r svc.Run, err error) {
	err = s.row(ctx, `SELECT `+runColumns+` FROM runs WHERE id = $1 AND account_id = $2`,
		[]any{id, accountID}, runFields(&r))
	return r, within("get a run", err)
}

func (s runs) List(ctx context.Context, q svc.RunQuery) ([]svc.Run, error) {
	createdAt, id := place(q.After)
	query := `SELECT ` + runColumns + ` FROM runs WHERE account_id = $1 AND (created_at, id) < ($2, $3) AND ($5 = '' OR status = $5)`
	args := []any{q.AccountID, createdAt, id, q.Limit, string(q.Status)}
	if q.ProjectID != "" {
		query += ` AND project_id = $6`
		args = append(args, q.ProjectID)
	}
	all, err := rows(ctx, s.runner, query+` ORDER BY created_at DESC, id DESC LIMIT $4`, args, runFields)
	return all, within("list runs", err)
}

func (s runs) Waiting(ctx context.Context, accountID string) (n svc.QueueLength, err error) {
	err = s.row(ctx,
		`SELECT count(*), count(*) FILTER (WHERE account_id = $1) FROM runs WHERE status = 'queued'`,
		[]any{accountID}, []any{&n.All, &n.Account})
	return n, within("count queued runs", err)
}

func (s runs) Position(ctx context.Context, id string) (n int, err error) {
	err = s.row(ctx,
		`SELECT count(*) FROM runs AS q, runs AS mine
		 WHERE mine.id = $1 AND mine.status = 'queued' AND q.status = 'queued'
		   AND (q.created_at, q.id) <= (mine.created_at, mine.id)`,
		[]any{id}, []any{&n})
	return n, within("find the place of a run", err)
}

func (s runs) StartedSince(ctx context.Context, since time.Time, limit int) (n int, first time.Time, err error) {
	err = s.row(ctx,
		`SELECT count(*), min(started_at)
		 FROM (SELECT started_at FROM runs WHERE started_at >= $1 ORDER BY started_at DESC LIMIT $2) AS started`,
		[]any{since.UnixMilli(), limit}, []any{&n, (*column.Stamp)(&first)})
	return n, first, within("count started runs", err)
}

// claimNext makes the queued run that is to start a running one. It reads the
// queue, which is bounded, and for each run in it what its project and its
// account have running: never all that run, which may be a thousand times as
// many. Both are counted and not joined, since a join may be made by reading
// everything. A run that somebody holds (it is being cancelled) is passed over.
const claimNext = `
WITH next AS MATERIALIZED (
  SELECT q.id FROM runs AS q
  WHERE q.status = 'queued'
    AND (SELECT count(*) FROM runs AS busy WHERE busy.project_id = q.project_id AND busy.status = 'running') = 0
  ORDER BY (SELECT count(*) FROM runs AS busy WHERE busy.account_id = q.account_id AND busy.status = 'running'),
    q.created_at, q.id LIMIT 1
  FOR UPDATE OF q SKIP LOCKED)
UPDATE runs SET status = 'running', epoch = epoch + 1, lease = $2, started_at = coalesce(started_at, $1)
FROM next WHERE runs.id = next.id RETURNING ` + runColumns

// Claim is a matter of all accounts, so claims go one after the other: the lock
// is taken in a statement before, and alone the next sees what earlier claims
// did. In a transaction it sees what was there when that began, and one that had
// to wait is tried again. Where nothing waits there is no order to keep: those
// who look in vain do not stand in line.
func (s runs) Claim(ctx context.Context, now, lease time.Time) (r svc.Run, err error) {
	err = s.together(ctx, func(b *pgx.Batch) {
		b.Queue(`SELECT pg_advisory_xact_lock($1) WHERE EXISTS (SELECT 1 FROM runs WHERE status = 'queued')`, int64(lockClaim))
		b.Queue(claimNext, now.UnixMilli(), lease.UnixMilli()).QueryRow(func(row pgx.Row) error { return row.Scan(runFields(&r)...) })
	})
	return r, within("claim a run", err)
}

// Retake passes over a run that somebody holds: its lease is being renewed, or
// another retakes it.
func (s runs) Retake(ctx context.Context, now, lease time.Time) (r svc.Run, err error) {
	err = s.row(ctx,
		`WITH late AS MATERIALIZED (
		   SELECT id FROM runs WHERE status = 'running' AND lease < $1 ORDER BY lease, id LIMIT 1 FOR UPDATE SKIP LOCKED)
		 UPDATE runs SET epoch = epoch + 1, losses = losses + 1, lease = $2
		 FROM late WHERE runs.id = late.id RETURNING `+runColumns,
		[]any{now.UnixMilli(), lease.UnixMilli()}, runFields(&r))
	return r, within("retake a run", err)
}

func (s runs) Renew(ctx context.Context, claims []svc.RunClaim, lease time.Time) ([]svc.RunClaim, error) {
	ids, epochs := make([]string, len(claims)), make([]int64, len(claims))
	for i, claim := range claims {
		ids[i], epochs[i] = claim.ID, claim.Epoch
	}
	held, err := rows(ctx, s.runner,
		`UPDATE runs SET lease = $3 FROM unnest($1::text[], $2::bigint[]) AS claim (id, epoch)
		 WHERE runs.id = claim.id AND runs.epoch = claim.epoch AND runs.status = 'running'
		 RETURNING runs.id, runs.epoch`,
		[]any{ids, epochs, lease.UnixMilli()},
		func(claim *svc.RunClaim) []any { return []any{&claim.ID, &claim.Epoch} })
	return held, within("renew leases", err)
}

func (s runs) CancelRequested(ctx context.Context, ids []string) ([]string, error) {
	found, err := rows(ctx, s.runner,
		`SELECT id FROM runs WHERE id = ANY($1::text[]) AND cancel_requested_at IS NOT NULL`, []any{ids}, itself[string])
	return found, within("look for cancelled runs", err)
}

func (s runs) Spend(ctx context.Context, claim svc.RunClaim, cost svc.Cost) error {
	text, err := column.ObjectText(&cost)
	if err != nil {
		return err
	}
	return within("note the cost of a run", unlessGone(s.one(ctx,
		`UPDATE runs SET cost = $3 WHERE id = $1 AND epoch = $2 AND status = 'running'`,
		claim.ID, claim.Epoch, text)))
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
	_, err := s.exec(ctx,
		`UPDATE runs SET cost = spent.cost FROM unnest($1::text[], $2::bigint[], $3::text[]) AS spent (id, epoch, cost)
		 WHERE runs.id = spent.id AND runs.epoch = spent.epoch AND runs.status = 'running'`, ids, epochs, texts)
	return within("note the cost of runs", err)
}

func (s runs) Release(ctx context.Context, claim svc.RunClaim) error {
	return within("hand a run back", unlessGone(s.one(ctx,
		`UPDATE runs SET status = 'queued', lease = NULL WHERE id = $1 AND epoch = $2 AND status = 'running'`,
		claim.ID, claim.Epoch)))
}

func (s runs) RequestCancel(ctx context.Context, accountID, id string, at time.Time) (r svc.Run, err error) {
	err = s.row(ctx,
		`UPDATE runs SET cancel_requested_at = CASE
		   WHEN cancel_requested_at IS NULL AND status IN ('queued', 'running') THEN $3 ELSE cancel_requested_at END
		 WHERE id = $1 AND account_id = $2 RETURNING `+runColumns,
		[]any{id, accountID, at.UnixMilli()}, runFields(&r))
	return r, within("request the end of a run", err)
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
	return within("finish a run", unlessGone(s.one(ctx,
		`UPDATE runs SET status = $4, bundle_id = $5, error = $6, cost = $7, last_event = $8, finished_at = $9,
		   lease = NULL, untold = true
		 WHERE id = $1 AND epoch = $2 AND status = $3`,
		r.ID, r.Epoch, string(from), string(r.Status), r.BundleID, failure, cost, r.LastEvent, r.FinishedAt.UnixMilli())))
}

// unlessGone makes a conflict of a row that is no longer what the step was for.
func unlessGone(err error) error {
	if errors.Is(err, svc.ErrNotFound) {
		return svc.ErrConflict
	}
	return err
}

func (s runs) Renumber(ctx context.Context, id string, last int64) error {
	_, err := s.exec(ctx, `UPDATE runs SET last_event = $2 WHERE id = $1 AND untold AND last_event < $2`, id, last)
	return within("renumber the end of a run", err)
}

func (s runs) Told(ctx context.Context, id string) error {
	_, err := s.exec(ctx, `UPDATE runs SET untold = false WHERE id = $1 AND untold`, id)
	return within("note that a run was told", err)
}

func (s runs) Untold(ctx context.Context, finished time.Time, limit int) ([]svc.Run, error) {
	all, err := rows(ctx, s.runner,
		`SELECT `+runColumns+` FROM runs WHERE untold AND finished_at <= $1 ORDER BY finished_at, id LIMIT $2`,
		[]any{finished.UnixMilli(), limit}, runFields)
	return all, within("find runs whose end was not told", err)
}
