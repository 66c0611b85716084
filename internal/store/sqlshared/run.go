package sqlshared

import (
	"context"
	"errors"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/store/column"
)

// Runs are the steps of [svc.Runs] that read, and those that change the one run
// of a claim.
type Runs struct{ DB }

// RunColumns are the columns of RunFields.
const RunColumns = `runs.id, runs.account_id, project_id, prompt, constraints, status, epoch, lease, losses,
	cancel_requested_at, bundle_id, error, cost, validation, last_event, created_at, started_at, finished_at`

// RunFields are where the columns of a run go.
func RunFields(r *svc.Run) []any {
	return []any{
		&r.ID, &r.AccountID, &r.ProjectID, &r.Prompt, (*column.Map)(&r.Constraints), &r.Status, &r.Epoch, (*column.Stamp)(&r.Lease), &r.Losses,
		(*column.Stamp)(&r.CancelRequestedAt), &r.BundleID, &column.Object[svc.RunError]{To: &r.Error}, &column.Object[svc.Cost]{To: &r.Cost},
		&column.Object[svc.Validation]{To: &r.Validation}, &r.LastEvent,
		(*column.Stamp)(&r.CreatedAt), (*column.Stamp)(&r.StartedAt), (*column.Stamp)(&r.FinishedAt),
	}
}

// ClaimFields are id and epoch.
func ClaimFields(c *svc.RunClaim) []any { return []any{&c.ID, &c.Epoch} }

// RunByID finds the run $1 of the account $2.
const RunByID = `SELECT ` + RunColumns + ` FROM runs WHERE id = $1 AND account_id = $2`

// Get implements [svc.Runs].
func (s Runs) Get(ctx context.Context, accountID, id string) (r svc.Run, err error) {
	err = s.Row(ctx, RunByID, []any{id, accountID}, RunFields(&r))
	return r, Within("get a run", err)
}

// List implements [svc.Runs].
func (s Runs) List(ctx context.Context, q svc.RunQuery) ([]svc.Run, error) {
	query, args := RunListing(q)
	all, err := Rows(ctx, s, query, args, RunFields)
	return all, Within("list runs", err)
}

// RunListing is the query for a page.
func RunListing(q svc.RunQuery) (query string, args []any) {
	createdAt, id := Place(q.After)
	args = []any{q.AccountID, createdAt, id, q.Limit}
	where := stateIs(string(q.Status), q.Status.Valid())
	if q.ProjectID != "" {
		where += ` AND project_id = $5`
		args = append(args, q.ProjectID)
	}
	return `SELECT ` + RunColumns + ` FROM runs WHERE account_id = $1 AND (created_at, id) < ($2, $3)` +
		where + ` ORDER BY created_at DESC, id DESC LIMIT $4`, args
}

// Waiting implements [svc.Runs].
func (s Runs) Waiting(ctx context.Context, accountID string) (n svc.QueueLength, err error) {
	err = s.Row(ctx,
		`SELECT count(*), count(*) FILTER (WHERE account_id = $1) FROM runs WHERE status = 'queued'`,
		[]any{accountID}, []any{&n.All, &n.Account})
	return n, Within("count queued runs", err)
}

// Position implements [svc.Runs].
func (s Runs) Position(ctx context.Context, id string) (n int, err error) {
	err = s.Row(ctx,
		`SELECT count(*) FROM runs AS q, runs AS mine
		 WHERE mine.id = $1 AND mine.status = 'queued' AND q.status = 'queued'
		   AND (q.created_at, q.id) <= (mine.created_at, mine.id)`,
		[]any{id}, []any{&n})
	return n, Within("find the place of a run", err)
}

// StartedSince implements [svc.Runs].
func (s Runs) StartedSince(ctx context.Context, since time.Time, limit int) (n int, first time.Time, err error) {
	err = s.Row(ctx,
		`SELECT count(*), min(started_at)
		 FROM (SELECT started_at FROM runs WHERE started_at >= $1 ORDER BY started_at DESC LIMIT $2) AS started`,
		[]any{since.UnixMilli(), limit}, []any{&n, (*column.Stamp)(&first)})
	return n, first, Within("count started runs", err)
}

// SpendOne notes the cost $3 of a claim.
const SpendOne = `UPDATE runs SET cost = $3 WHERE id = $1 AND epoch = $2 AND status = 'running'`

// Spend implements [svc.Runs].
func (s Runs) Spend(ctx context.Context, claim svc.RunClaim, cost svc.Cost) error {
	text, err := column.ObjectText(&cost)
	if err != nil {
		return err
	}
	return Within("note the cost of a run", s.ofClaim(ctx, SpendOne, claim.ID, claim.Epoch, text))
}

// Release implements [svc.Runs].
func (s Runs) Release(ctx context.Context, claim svc.RunClaim) error {
	return Within("hand a run back", s.ofClaim(ctx,
		`UPDATE runs SET status = 'queued', lease = NULL WHERE id = $1 AND epoch = $2 AND status = 'running'`,
		claim.ID, claim.Epoch))
}

// Finish implements [svc.Runs].
func (s Runs) Finish(ctx context.Context, from svc.RunStatus, r svc.Run) error {
	failure, err := column.ObjectText(r.Error)
	if err != nil {
		return err
	}
	cost, err := column.ObjectText(r.Cost)
	if err != nil {
		return err
	}
	validation, err := column.ObjectText(r.Validation)
	if err != nil {
		return err
	}
	return Within("finish a run", s.ofClaim(ctx,
		`UPDATE runs SET status = $4, bundle_id = $5, error = $6, cost = $7, last_event = $8, finished_at = $9, validation = $10,
		   lease = NULL, untold = true
		 WHERE id = $1 AND epoch = $2 AND status = $3`,
		r.ID, r.Epoch, string(from), string(r.Status), r.BundleID, failure, cost, r.LastEvent, r.FinishedAt.UnixMilli(), validation))
}

// ofClaim changes the run of a claim. svc.ErrConflict when it is no longer what
// the claim was for.
func (s Runs) ofClaim(ctx context.Context, query string, args ...any) error {
	err := One(ctx, s, query, args...)
	if errors.Is(err, svc.ErrNotFound) {
		return svc.ErrConflict
	}
	return err
}

// Renumber implements [svc.Runs].
func (s Runs) Renumber(ctx context.Context, id string, last int64) error {
	_, err := s.Exec(ctx, `UPDATE runs SET last_event = $2 WHERE id = $1 AND untold = true AND last_event < $2`, id, last)
	return Within("renumber the end of a run", err)
}

// MarkEndPublished implements [svc.Runs].
func (s Runs) MarkEndPublished(ctx context.Context, id string) error {
	_, err := s.Exec(ctx, `UPDATE runs SET untold = false WHERE id = $1 AND untold = true`, id)
	return Within("note that a run was told", err)
}
