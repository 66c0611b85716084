package sqlite

import (
	"context"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/store/sqlshared"
)

type accounts struct {
	runner
	sqlshared.Accounts
}

var lockAccount = sqlshared.AccountWithReserved("")

// Lock is a write, though it only reads: the write lock is the lock on the account.
func (s accounts) Lock(ctx context.Context, id, exceptRun string, empty int64) (a svc.Account, reserved int64, err error) {
	err = s.write(ctx, func(c *conn) error {
		return c.row(lockAccount, []any{id, exceptRun, empty}, sqlshared.LockedFields(&a, &reserved))
	})
	return a, reserved, within("lock an account", err)
}

func (s accounts) Delete(ctx context.Context, id string, garbageDue time.Time) error {
	return s.write(ctx, func(c *conn) error {
		lost, err := c.discardBlobsOf("account_id", "account_id", id, garbageDue)
		if err != nil {
			return within("delete an account", err)
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
