package sqlshared

import (
	"context"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/store/column"
)

// Accounts are the steps of [svc.Accounts] but Delete and Lock.
type Accounts struct{ DB }

const accountColumns = `id, email, plan, password_hash, admin, created_at, pending_bytes`

func accountFields(a *svc.Account) []any {
	return []any{&a.ID, &a.Email, &a.Plan, &a.PasswordHash, &a.Admin, (*column.Stamp)(&a.CreatedAt), &a.PendingBytes}
}

// Insert implements [svc.Accounts].
func (s Accounts) Insert(ctx context.Context, a svc.Account) error {
	n, err := s.Exec(ctx,
		`INSERT INTO accounts (`+accountColumns+`) VALUES ($1, $2, $3, $4, $5, $6, 0) ON CONFLICT DO NOTHING`,
		a.ID, a.Email, string(a.Plan), a.PasswordHash, a.Admin, a.CreatedAt.UnixMilli())
	return Within("insert an account", orElse(svc.ErrConflict, n, err))
}

// Get implements [svc.Accounts].
func (s Accounts) Get(ctx context.Context, id string) (svc.Account, error) {
	return s.find(ctx, `SELECT `+accountColumns+` FROM accounts WHERE id = $1`, id)
}

// AccountWithReserved reads the account $1 as LockedFields, with what its runs but $2
// may need; a project without files needs $3. The adapter locks the account.
func AccountWithReserved(locked string) string {
	return `WITH held AS (SELECT ` + accountColumns + ` FROM accounts WHERE id = $1` + locked + `)
SELECT ` + accountColumns + `, (SELECT CAST(coalesce(sum(CASE WHEN p.pack_size > 0 THEN p.pack_size ELSE $3 END), 0) AS BIGINT)
  FROM runs AS r JOIN projects AS p ON p.id = r.project_id
  WHERE r.account_id = $1 AND r.id <> $2 AND (r.status = 'queued' OR r.status = 'running'))
FROM held`
}

// LockedFields are where the columns of AccountWithReserved go.
func LockedFields(a *svc.Account, reserved *int64) []any { return append(accountFields(a), reserved) }

// ByEmail implements [svc.Accounts].
func (s Accounts) ByEmail(ctx context.Context, email string) (svc.Account, error) {
	return s.find(ctx, `SELECT `+accountColumns+` FROM accounts WHERE email = $1`, email)
}

func (s Accounts) find(ctx context.Context, query, arg string) (a svc.Account, err error) {
	err = s.Row(ctx, query, []any{arg}, accountFields(&a))
	return a, Within("get an account", err)
}

// List implements [svc.Accounts].
func (s Accounts) List(ctx context.Context, afterEmail string, limit int) ([]svc.Account, error) {
	all, err := Rows(ctx, s, `SELECT `+accountColumns+` FROM accounts WHERE email > $1 ORDER BY email LIMIT $2`,
		[]any{afterEmail, limit}, accountFields)
	return all, Within("list accounts", err)
}

// Count implements [svc.Accounts].
func (s Accounts) Count(ctx context.Context) (n int64, err error) {
	err = s.Row(ctx, `SELECT count(*) FROM accounts`, nil, []any{&n})
	return n, Within("count accounts", err)
}

// SetPlan implements [svc.Accounts].
func (s Accounts) SetPlan(ctx context.Context, id string, plan svc.Plan) error {
	return Within("set a plan", One(ctx, s, `UPDATE accounts SET plan = $2 WHERE id = $1`, id, string(plan)))
}

// SetPassword implements [svc.Accounts].
func (s Accounts) SetPassword(ctx context.Context, id, hash string) error {
	return Within("set a password", One(ctx, s, `UPDATE accounts SET password_hash = $2 WHERE id = $1`, id, hash))
}
