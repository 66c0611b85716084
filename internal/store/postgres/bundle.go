package postgres

import (
	"context"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/store/sqlshared"
)

type bundles struct {
	*runner
	sqlshared.Bundles
}

// tally is a statement that adds to the counters: the query gives account,
// state, count and bytes. Each process of the database that serves a connection has
// its own rows, which no other transaction can hold at the same time: strangers do
// not wait for each other. (Two whose numbers differ by a multiple of 1024 do.)
func tally(query string) string {
	return `INSERT INTO bundle_tally (shard, status, count, bytes)
SELECT pg_backend_pid() % 1024 AS shard, status, sum(count), sum(bytes)
FROM (` + query + `) AS change (account_id, status, count, bytes)
GROUP BY 1, 2 ORDER BY 1, 2
ON CONFLICT (shard, status) DO UPDATE
SET count = bundle_tally.count + excluded.count, bytes = bundle_tally.bytes + excluded.bytes`
}

// The project is asked for together with its owner: a bundle cannot come to lie
// in another account's project.
var insertBundle = `
WITH owner AS (SELECT id, account_id FROM projects WHERE id = $3 AND account_id = $2 FOR KEY SHARE),
made AS (
  INSERT INTO bundles (` + sqlshared.BundleColumns + `)
  SELECT ` + sqlshared.TypedNewBundleColumns + `
  FROM owner ON CONFLICT DO NOTHING RETURNING account_id, size),
owed AS (UPDATE accounts SET pending_bytes = pending_bytes + made.size FROM made WHERE accounts.id = made.account_id),
counted AS (` + tally(`SELECT account_id, 'pending_download', 1, size FROM made`) + `)
SELECT (SELECT count(*) FROM owner), (SELECT count(*) FROM made)`

func (s bundles) Insert(ctx context.Context, b svc.Bundle) error {
	return s.insertLater(ctx, "insert a bundle", insertBundle, sqlshared.NewBundleArgs(b)...)
}

// acknowledge locks the bundle, so that what it decides by is what it changes,
// and gives it back as it was.
var acknowledge = `
WITH old AS MATERIALIZED (SELECT ` + sqlshared.BundleColumns + ` FROM bundles WHERE id = $1 AND account_id = $2 FOR UPDATE),
turned AS (
  UPDATE bundles SET status = 'downloaded', blob = '', downloaded_at = $3
  FROM old WHERE bundles.id = old.id AND old.status = 'pending_download'
  RETURNING bundles.account_id, bundles.size),
owed AS (UPDATE accounts SET pending_bytes = pending_bytes - turned.size FROM turned WHERE accounts.id = turned.account_id),
counted AS (` + tally(`
  SELECT account_id, 'pending_download', -1, -size FROM turned
  UNION ALL SELECT account_id, 'downloaded', 1, 0 FROM turned`) + `)
SELECT ` + sqlshared.BundleColumns + ` FROM old`

func (s bundles) Acknowledge(ctx context.Context, accountID, id string, at time.Time) (svc.Bundle, error) {
	var before svc.Bundle
	if err := s.Row(ctx, acknowledge, []any{id, accountID, at.UnixMilli()}, sqlshared.BundleFields(&before)); err != nil {
		return svc.Bundle{}, within("acknowledge a bundle", err)
	}
	return before, nil
}

var expire = `
WITH old AS MATERIALIZED (` + sqlshared.DueBundles + ` FOR UPDATE SKIP LOCKED),
turned AS (
  UPDATE bundles SET status = 'expired', blob = '', expired_at = $1
  FROM old WHERE bundles.id = old.id
  RETURNING bundles.account_id, bundles.size),
owed AS (
  UPDATE accounts SET pending_bytes = pending_bytes - lost.size
  FROM (SELECT account_id, sum(size)::bigint AS size FROM turned GROUP BY account_id) AS lost
  WHERE accounts.id = lost.account_id),
counted AS (` + tally(`
  SELECT account_id, 'pending_download', -1, -size FROM turned
  UNION ALL SELECT account_id, 'expired', 1, 0 FROM turned`) + `),
discarded AS (
  INSERT INTO blob_ledger (key, kind, due_at) SELECT blob, 'garbage', $1 FROM old WHERE blob <> '' ORDER BY blob
  ON CONFLICT (key) DO UPDATE SET kind = 'garbage', due_at = excluded.due_at)
SELECT ` + sqlshared.BundleColumns + ` FROM old ORDER BY expires_at, id`

func (s bundles) Expire(ctx context.Context, now time.Time, limit int) ([]svc.Bundle, error) {
	before, err := sqlshared.Rows(ctx, s, expire, []any{now.UnixMilli(), limit}, sqlshared.BundleFields)
	return before, within("expire bundles", err)
}

// goneBundles are those that were gone by $1, at most $2.
const goneBundles = `
SELECT id FROM bundles WHERE status <> 'pending_download' AND coalesce(downloaded_at, expired_at) <= $1
ORDER BY coalesce(downloaded_at, expired_at), id LIMIT $2 FOR UPDATE SKIP LOCKED`

var prune = `
WITH old AS MATERIALIZED (` + goneBundles + `),
gone AS (DELETE FROM bundles USING old WHERE bundles.id = old.id RETURNING bundles.account_id, bundles.status),
counted AS (` + tally(`SELECT account_id, status, -1, 0 FROM gone`) + `)
SELECT count(*) FROM gone`

func (s bundles) Prune(ctx context.Context, goneBy time.Time, limit int) (n int, err error) {
	err = s.Row(ctx, prune, []any{goneBy.UnixMilli(), limit}, []any{&n})
	return n, within("prune bundles", err)
}
