package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/column"
)

type accounts struct{ *runner }

const accountColumns = `id, email, plan, password_hash, admin, created_at, pending_bytes`

func accountFields(a *svc.Account) []any {
	return []any{&a.ID, &a.Email, &a.Plan, &a.PasswordHash, &a.Admin, (*column.Stamp)(&a.CreatedAt), &a.PendingBytes}
}

func (s accounts) Insert(ctx context.Context, a svc.Account) error {
	n, err := s.exec(ctx,
		`INSERT INTO accounts (`+accountColumns+`) VALUES ($1, $2, $3, $4, $5, $6, 0) ON CONFLICT DO NOTHING`,
		a.ID, a.Email, string(a.Plan), a.PasswordHash, a.Admin, a.CreatedAt.UnixMilli())
	if err == nil && n == 0 {
		err = svc.ErrConflict
	}
	return within("insert an account", err)
}

func (s accounts) Get(ctx context.Context, id string) (svc.Account, error) {
	return s.find(ctx, `SELECT `+accountColumns+` FROM accounts WHERE id = $1`, id)
}

func (s accounts) ByEmail(ctx context.Context, email string) (svc.Account, error) {
	return s.find(ctx, `SELECT `+accountColumns+` FROM accounts WHERE email = $1`, email)
}

func (s accounts) find(ctx context.Context, query, arg string) (a svc.Account, err error) {
	err = s.row(ctx, query, []any{arg}, accountFields(&a))
	return a, within("get an account", err)
}

func (s accounts) List(ctx context.Context, afterEmail string, limit int) ([]svc.Account, error) {
	all, err := rows(ctx, s.runner,
		`SELECT `+accountColumns+` FROM accounts WHERE email > $1 ORDER BY email LIMIT $2`,
		[]any{afterEmail, limit}, accountFields)
	return all, within("list accounts", err)
}

func (s accounts) Count(ctx context.Context) (n int64, err error) {
	err = s.row(ctx, `SELECT count(*) FROM accounts`, nil, []any{&n})
	return n, within("count accounts", err)
}

func (s accounts) SetPlan(ctx context.Context, id string, plan svc.Plan) error {
	return within("set a plan", s.one(ctx, `UPDATE accounts SET plan = $2 WHERE id = $1`, id, string(plan)))
}

func (s accounts) SetPassword(ctx context.Context, id, hash string) error {
	return within("set a password", s.one(ctx, `UPDATE accounts SET password_hash = $2 WHERE id = $1`, id, hash))
}

// Delete locks the account first: nobody can give it a bundle between the
// statement that discards the blobs and the one that deletes.
func (s accounts) Delete(ctx context.Context, id string, garbageDue time.Time) error {
	var gone int64
	err := s.together(ctx, func(b *pgx.Batch) {
		b.Queue(`SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE`, id)
		b.Queue(discard(`SELECT blob FROM bundles WHERE account_id = $1 AND blob <> ''
			UNION SELECT pack_blob FROM projects WHERE account_id = $1 AND pack_blob <> ''`), id, garbageDue.UnixMilli())
		b.Queue(tally(`SELECT account_id, status, -count(*),
			-coalesce(sum(size) FILTER (WHERE status = 'pending_download'), 0)
			FROM bundles WHERE account_id = $1 GROUP BY account_id, status`), id)
		// Everything else that belongs to the account goes with it, by foreign keys.
		b.Queue(`DELETE FROM accounts WHERE id = $1`, id).Exec(func(tag pgconn.CommandTag) error {
			gone = tag.RowsAffected()
			return nil
		})
	})
	if err == nil && gone == 0 {
		err = svc.ErrNotFound
	}
	return within("delete an account", err)
}
