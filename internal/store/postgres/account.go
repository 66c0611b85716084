package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/store/sqlshared"
)

type accounts struct {
	*runner
	sqlshared.Accounts
}

var lockAccount = sqlshared.AccountWithReserved(" FOR NO KEY UPDATE")

func (s accounts) Lock(ctx context.Context, id, exceptRun string, empty int64) (a svc.Account, reserved int64, err error) {
	err = s.Row(ctx, lockAccount, []any{id, exceptRun, empty}, sqlshared.LockedFields(&a, &reserved))
	return a, reserved, within("lock an account", err)
}

// Delete locks the account first: nobody can give it a bundle between the
// statement that discards the blobs and the one that deletes.
func (s accounts) Delete(ctx context.Context, id string, garbageDue time.Time) error {
	var gone int64
	err := s.batch(ctx, func(b *pgx.Batch) {
		b.Queue(`SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE`, id)
		b.Queue(discard(`SELECT blob FROM bundles WHERE account_id = $1 AND blob <> ''
			UNION SELECT pack_blob FROM projects WHERE account_id = $1 AND pack_blob <> ''
			UNION SELECT provenance::json ->> 'base_pack' FROM projects
			WHERE account_id = $1 AND provenance::json ->> 'base_pack' <> ''`), id, garbageDue.UnixMilli())
		b.Queue(tally(`SELECT account_id, status, -count(*),
			-coalesce(sum(size) FILTER (WHERE status = 'pending_download'), 0)
			FROM bundles WHERE account_id = $1 GROUP BY account_id, status`), id)
		// Everything else that belongs to the account goes with it, by foreign keys.
		b.Queue(`DELETE FROM accounts WHERE id = $1`, id).Exec(func(tag pgconn.CommandTag) error {
			gone = tag.RowsAffected()
			return nil
		})
	})
	return within("delete an account", sqlshared.Changed(gone, err))
}
