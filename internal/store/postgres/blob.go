package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/store/sqlshared"
)

type ledger struct {
	*runner
	sqlshared.Ledger
}

func (s ledger) Discard(ctx context.Context, key string, due time.Time) error {
	return within("discard a blob", s.later(ctx, ignored, discard(`SELECT $1::text`), key, due.UnixMilli()))
}

func (s ledger) DiscardAll(ctx context.Context, keys []string, due time.Time) error {
	return within("discard blobs", s.later(ctx, ignored, discard(`SELECT unnest($1::text[])`), keys, due.UnixMilli()))
}

func ignored(int64) error { return nil }

func (s ledger) Intend(ctx context.Context, key string, until time.Time) error {
	return within("announce a blob", s.later(ctx, func(n int64) error {
		if n == 0 {
			return fmt.Errorf("announce a blob: %w", svc.ErrConflict)
		}
		return nil
	}, sqlshared.IntendBlob, key, until.UnixMilli()))
}

// Collect passes over what somebody else collects at this moment.
func (s ledger) Collect(ctx context.Context, now, lease time.Time, limit int) (due []string, err error) {
	const collect = `
WITH due AS MATERIALIZED (` + sqlshared.DueGarbage + ` FOR UPDATE SKIP LOCKED),
held AS (UPDATE blob_ledger SET due_at = $3 FROM due WHERE blob_ledger.key = due.key)
SELECT key FROM due ORDER BY due_at, key`
	err = s.batch(ctx, func(b *pgx.Batch) {
		b.Queue(sqlshared.BreakIntents, now.UnixMilli())
		b.Queue(collect, now.UnixMilli(), limit, lease.UnixMilli()).Query(func(found pgx.Rows) (err error) {
			due, err = sqlshared.Collect(found, sqlshared.Itself[string])
			return err
		})
	})
	if err != nil {
		return nil, within("collect garbage", err)
	}
	return due, nil
}

// forgetGarbage finds its rows by their keys, hence the condition that no index has: by
// that of what is due it read all garbage for each key, dead rows included, which took
// seconds beside many who acknowledge.
const forgetGarbage = `DELETE FROM blob_ledger WHERE key = ANY($1::text[]) AND kind || '' = 'garbage'`

func (s ledger) Forget(ctx context.Context, gone []string) error {
	_, err := s.Exec(ctx, forgetGarbage, gone)
	return within("forget garbage", err)
}

// discard is a statement that enters the blobs which a query names as garbage
// due at $2. What is in the ledger already, as an intent or as garbage, is
// entered anew. The order keeps two of them from waiting for each other.
func discard(query string) string {
	return `INSERT INTO blob_ledger (key, kind, due_at)
SELECT blob, 'garbage', $2::bigint FROM (` + query + `) AS lost (blob) ORDER BY blob
ON CONFLICT (key) DO UPDATE SET kind = 'garbage', due_at = excluded.due_at`
}
