package sqlite

import (
	"context"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/sqlrecords"
)

type accounts struct {
	runner
	sqlrecords.Accounts
}

var lockAccount = sqlrecords.AccountWithReserved("")

// Lock is a write, though it only reads: the write lock is the lock on the account.
func (s accounts) Lock(ctx context.Context, id, exceptRun string, empty int64) (a svc.Account, reserved int64, err error) {
	err = s.write(ctx, func(c *conn) error {
		return c.row(lockAccount, []any{id, exceptRun, empty}, sqlrecords.LockedFields(&a, &reserved))
	})
	return a, reserved, within("lock an account", err)
}

func (s accounts) Delete(ctx context.Context, id string, garbageDue time.Time) error {
	return s.write(ctx, func(c *conn) error {
		if err := c.discardAll(
			`SELECT blob FROM bundles WHERE account_id = $1 AND blob <> ''
			 UNION SELECT pack_blob FROM projects WHERE account_id = $1 AND pack_blob <> ''
			 UNION SELECT provenance ->> 'base_pack' FROM projects WHERE account_id = $1 AND provenance ->> 'base_pack' <> ''`, id, garbageDue); err != nil {
			return within("discard the blobs of an account", err)
		}
		lost, err := rows(c,
			`SELECT status, count(*), sum(CASE status WHEN 'pending_download' THEN size ELSE 0 END)
			 FROM bundles WHERE account_id = $1 GROUP BY status`, []any{id}, sqlrecords.TallyFields)
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
