package sqlite

import (
	"context"
	"fmt"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/column"
)

type accounts struct{ runner }

const accountColumns = `id, email, plan, password_hash, admin, created_at, pending_bytes`

func accountFields(a *svc.Account) []any {
	return []any{&a.ID, &a.Email, &a.Plan, &a.PasswordHash, &a.Admin, (*column.Stamp)(&a.CreatedAt), &a.PendingBytes}
}

func (s accounts) Insert(ctx context.Context, a svc.Account) error {
	return s.write(ctx, func(c *conn) error {
		_, err := c.exec(
			`INSERT INTO accounts (`+accountColumns+`) VALUES ($1, $2, $3, $4, $5, $6, 0)`,
			a.ID, a.Email, a.Plan, a.PasswordHash, a.Admin, a.CreatedAt.UnixMilli())
		return within("insert an account", err)
	})
}

func (s accounts) Get(ctx context.Context, id string) (svc.Account, error) {
	return s.one(ctx, `SELECT `+accountColumns+` FROM accounts WHERE id = $1`, id)
}

func (s accounts) ByEmail(ctx context.Context, email string) (svc.Account, error) {
	return s.one(ctx, `SELECT `+accountColumns+` FROM accounts WHERE email = $1`, email)
}

func (s accounts) one(ctx context.Context, query, arg string) (a svc.Account, err error) {
	err = s.read(ctx, func(c *conn) error {
		return within("get an account", c.row(query, []any{arg}, accountFields(&a)))
	})
	return a, err
}

func (s accounts) List(ctx context.Context, afterEmail string, limit int) (all []svc.Account, err error) {
	err = s.read(ctx, func(c *conn) error {
		all, err = rows(c,
			`SELECT `+accountColumns+` FROM accounts WHERE email > $1 ORDER BY email LIMIT $2`,
			[]any{afterEmail, limit}, accountFields)
		return within("list accounts", err)
	})
	return all, err
}

func (s accounts) Count(ctx context.Context) (n int64, err error) {
	err = s.read(ctx, func(c *conn) error {
		return within("count accounts", c.row(`SELECT count(*) FROM accounts`, nil, []any{&n}))
	})
	return n, err
}

func (s accounts) SetPlan(ctx context.Context, id string, plan svc.Plan) error {
	return s.write(ctx, func(c *conn) error {
		return within("set a plan", c.one(`UPDATE accounts SET plan = $2 WHERE id = $1`, id, plan))
	})
}

func (s accounts) SetPassword(ctx context.Context, id, hash string) error {
	return s.write(ctx, func(c *conn) error {
		return within("set a password", c.one(`UPDATE accounts SET password_hash = $2 WHERE id = $1`, id, hash))
	})
}

func (s accounts) Delete(ctx context.Context, id string, garbageDue time.Time) error {
	return s.write(ctx, func(c *conn) error {
		if err := c.discardAll(
			`SELECT blob FROM bundles WHERE account_id = $1 AND blob <> ''
			 UNION SELECT pack_blob FROM projects WHERE account_id = $1 AND pack_blob <> ''`, id, garbageDue); err != nil {
			return within("discard the blobs of an account", err)
		}
		lost, err := rows(c,
			`SELECT status, count(*), sum(CASE status WHEN 'pending_download' THEN size ELSE 0 END)
			 FROM bundles WHERE account_id = $1 GROUP BY status`, []any{id}, tallyFields)
		if err != nil {
			return within("count the bundles of an account", err)
		}
		for _, t := range lost {
			if err := c.tally(id, t.Status, -t.Count, -t.Bytes); err != nil {
				return within("count the bundles of an account", err)
			}
		}
		// Everything else that belongs to the account goes with it, by foreign keys.
		return within("delete an account", c.one(`DELETE FROM accounts WHERE id = $1`, id))
	})
}

// one runs a statement that is to change one row. svc.ErrNotFound when it
// changed none.
func (c *conn) one(query string, args ...any) error {
	n, err := c.exec(query, args...)
	if err == nil && n == 0 {
		return svc.ErrNotFound
	}
	return err
}

// within says what was being done when an error came up.
func within(doing string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", doing, err)
}
