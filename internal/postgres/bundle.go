package postgres

import (
	"context"
	"strings"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/column"
)

type bundles struct{ *runner }

const bundleColumns = `id, account_id, project_id, generation_id, status, file_count, size, sha256,
	blob, created_at, expires_at, downloaded_at, expired_at`

const bundleByID = `SELECT ` + bundleColumns + ` FROM bundles WHERE id = $1 AND account_id = $2`

func bundleFields(b *svc.Bundle) []any {
	return []any{
		&b.ID, &b.AccountID, &b.ProjectID, &b.GenerationID, &b.Status, &b.FileCount, &b.Size, (*column.Digest)(&b.SHA256),
		&b.Blob, (*column.Stamp)(&b.CreatedAt), (*column.Stamp)(&b.ExpiresAt), (*column.Stamp)(&b.DownloadedAt), (*column.Stamp)(&b.ExpiredAt),
	}
}

// tally is a statement that adds to the counters: the query gives account,
// state, count and bytes. An account has its counters in one of 16 rows for
// each state.
func tally(query string) string {
	return `INSERT INTO bundle_tally (shard, status, count, bytes)
SELECT get_byte(sha256(convert_to(account_id, 'UTF8')), 0) % 16 AS shard, status, sum(count), sum(bytes)
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
  INSERT INTO bundles (` + bundleColumns + `)
  SELECT $1, account_id, id, $4, 'pending_download', $5::bigint, $6::bigint, $7::bytea, $8, $9::bigint, $10::bigint, NULL, NULL
  FROM owner ON CONFLICT DO NOTHING RETURNING account_id, size),
owed AS (UPDATE accounts SET pending_bytes = pending_bytes + made.size FROM made WHERE accounts.id = made.account_id),
counted AS (` + tally(`SELECT account_id, 'pending_download', 1, size FROM made`) + `)
SELECT (SELECT count(*) FROM owner), (SELECT count(*) FROM made)`

func (s bundles) Insert(ctx context.Context, b svc.Bundle) error {
	return within("insert a bundle", s.insert(ctx, insertBundle,
		b.ID, b.AccountID, b.ProjectID, b.GenerationID, b.FileCount, b.Size, b.SHA256[:], b.Blob,
		b.CreatedAt.UnixMilli(), b.ExpiresAt.UnixMilli()))
}

func (s bundles) Get(ctx context.Context, accountID, id string) (b svc.Bundle, err error) {
	err = s.row(ctx, bundleByID,
		[]any{id, accountID}, bundleFields(&b))
	return b, within("get a bundle", err)
}

func (s bundles) Latest(ctx context.Context, accountID, projectID string) (b svc.Bundle, err error) {
	query, args := latestOfAccount, []any{accountID}
	if projectID != "" {
		query, args = latestOfProject, []any{accountID, projectID}
	}
	err = s.row(ctx, query, args, bundleFields(&b))
	return b, within("get the latest bundle", err)
}

func (s bundles) List(ctx context.Context, q svc.BundleQuery) ([]svc.Bundle, error) {
	query, args := listing(q)
	all, err := rows(ctx, s.runner, query, args, bundleFields)
	return all, within("list bundles", err)
}

// acknowledge locks the bundle, so that what it decides by is what it changes,
// and gives it back as it was.
var acknowledge = `
WITH old AS MATERIALIZED (SELECT ` + bundleColumns + ` FROM bundles WHERE id = $1 AND account_id = $2 FOR UPDATE),
turned AS (
  UPDATE bundles SET status = 'downloaded', blob = '', downloaded_at = $3
  FROM old WHERE bundles.id = old.id AND old.status = 'pending_download'
  RETURNING bundles.account_id, bundles.size),
owed AS (UPDATE accounts SET pending_bytes = pending_bytes - turned.size FROM turned WHERE accounts.id = turned.account_id),
counted AS (` + tally(`
  SELECT account_id, 'pending_download', -1, -size FROM turned
  UNION ALL SELECT account_id, 'downloaded', 1, 0 FROM turned`) + `)
SELECT ` + bundleColumns + ` FROM old`

func (s bundles) Acknowledge(ctx context.Context, accountID, id string, at time.Time) (svc.Bundle, error) {
	var before svc.Bundle
	if err := s.row(ctx, acknowledge, []any{id, accountID, at.UnixMilli()}, bundleFields(&before)); err != nil {
		return svc.Bundle{}, within("acknowledge a bundle", err)
	}
	return before, nil
}

var expire = `
WITH old AS MATERIALIZED (` + dueBundles + ` FOR UPDATE),
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
  UNION ALL SELECT account_id, 'expired', 1, 0 FROM turned`) + `)
SELECT ` + bundleColumns + ` FROM old ORDER BY expires_at, id`

func (s bundles) Expire(ctx context.Context, now time.Time, limit int) ([]svc.Bundle, error) {
	before, err := rows(ctx, s.runner, expire, []any{now.UnixMilli(), limit}, bundleFields)
	return before, within("expire bundles", err)
}

func (s bundles) Tally(ctx context.Context) ([]svc.BundleTally, error) {
	all := []svc.BundleTally{{Status: svc.BundlePending}, {Status: svc.BundleDownloaded}, {Status: svc.BundleExpired}}
	kept, err := rows(ctx, s.runner,
		`SELECT status, sum(count)::bigint, sum(bytes)::bigint FROM bundle_tally GROUP BY status`, nil,
		func(t *svc.BundleTally) []any { return []any{&t.Status, &t.Count, &t.Bytes} })
	if err != nil {
		return nil, within("count bundles", err)
	}
	for _, k := range kept {
		for i := range all {
			if all[i].Status == k.Status {
				all[i] = k
			}
		}
	}
	return all, nil
}

// The queries on bundles whose cost must not grow with the number of bundles:
// a test holds their plans against the indexes.
const (
	latestOfAccount = `
SELECT ` + bundleColumns + ` FROM bundles
WHERE account_id = $1 AND status = 'pending_download'
ORDER BY created_at DESC, id DESC LIMIT 1`

	latestOfProject = `
SELECT ` + bundleColumns + ` FROM bundles
WHERE account_id = $1 AND project_id = $2 AND status = 'pending_download'
ORDER BY created_at DESC, id DESC LIMIT 1`

	dueBundles = `
SELECT ` + bundleColumns + ` FROM bundles
WHERE status = 'pending_download' AND expires_at <= $1
ORDER BY expires_at, id LIMIT $2`
)

// listing is the query for a page. States are named in its text, so that the
// database can use the indexes that hold pending bundles alone.
func listing(q svc.BundleQuery) (query string, args []any) {
	createdAt, id := place(q.After)
	args = []any{q.AccountID, createdAt, id, q.Limit}
	var where strings.Builder
	switch {
	case q.Status == svc.BundlePending:
		where.WriteString(` AND status = 'pending_download'`)
	case q.Status != "":
		where.WriteString(` AND status = $5`)
		args = append(args, string(q.Status))
	}
	if q.ProjectID != "" {
		args = append(args, q.ProjectID)
		where.WriteString(` AND project_id = $` + string(rune('0'+len(args))))
	}
	return `SELECT ` + bundleColumns + ` FROM bundles WHERE account_id = $1 AND (created_at, id) < ($2, $3)` +
		where.String() + ` ORDER BY created_at DESC, id DESC LIMIT $4`, args
}
