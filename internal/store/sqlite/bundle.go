package sqlite

import (
	"context"
	"hash/fnv"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/store/sqlshared"
)

type bundles struct {
	runner
	sqlshared.Bundles
}

func (s bundles) Insert(ctx context.Context, b svc.Bundle) error {
	return s.write(ctx, func(c *conn) error {
		// The project is asked for together with its owner: a bundle cannot come
		// to lie in another account's project.
		err := c.one(
			`INSERT INTO bundles (`+sqlshared.BundleColumns+`)
			 SELECT `+sqlshared.NewBundleColumns+`
			 FROM projects WHERE id = $3 AND account_id = $2`, sqlshared.NewBundleArgs(b)...)
		if err != nil {
			return within("insert a bundle", err)
		}
		return within("count a bundle", c.count(b.AccountID, svc.BundlePending, 1, b.Size))
	})
}

func (s bundles) Acknowledge(ctx context.Context, accountID, id string, at time.Time) (before svc.Bundle, err error) {
	err = s.write(ctx, func(c *conn) error {
		err := c.row(sqlshared.BundleByID, []any{id, accountID}, sqlshared.BundleFields(&before))
		if err != nil || before.Status != svc.BundlePending {
			return within("get a bundle", err)
		}
		if err := c.one(`UPDATE bundles SET status = 'downloaded', blob = '', downloaded_at = $2 WHERE id = $1`,
			id, at.UnixMilli()); err != nil {
			return within("acknowledge a bundle", err)
		}
		if err := c.count(accountID, svc.BundlePending, -1, -before.Size); err != nil {
			return within("count an acknowledged bundle", err)
		}
		return within("count an acknowledged bundle", c.count(accountID, svc.BundleDownloaded, 1, 0))
	})
	if err != nil {
		return svc.Bundle{}, err
	}
	return before, nil
}

func (s bundles) Expire(ctx context.Context, now time.Time, limit int) (before []svc.Bundle, err error) {
	err = s.write(ctx, func(c *conn) error {
		before, err = rows(c, sqlshared.DueBundles, []any{now.UnixMilli(), limit}, sqlshared.BundleFields)
		if err != nil {
			return within("look for bundles to expire", err)
		}
		owners := make(map[string]svc.BundleTally)
		for _, b := range before {
			if err := c.one(`UPDATE bundles SET status = 'expired', blob = '', expired_at = $2 WHERE id = $1`,
				b.ID, now.UnixMilli()); err != nil {
				return within("expire a bundle", err)
			}
			if err := c.discardAll(`SELECT $1 AS blob`, b.Blob, now); err != nil {
				return within("discard the archive of a bundle", err)
			}
			t := owners[b.AccountID]
			owners[b.AccountID] = svc.BundleTally{Count: t.Count + 1, Bytes: t.Bytes + b.Size}
		}
		for accountID, t := range owners {
			if err := c.count(accountID, svc.BundlePending, -t.Count, -t.Bytes); err != nil {
				return within("count expired bundles", err)
			}
			if err := c.count(accountID, svc.BundleExpired, t.Count, 0); err != nil {
				return within("count expired bundles", err)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return before, nil
}

func (s bundles) Prune(ctx context.Context, goneBy time.Time, limit int) (n int, err error) {
	err = s.write(ctx, func(c *conn) error {
		old, err := rows(c,
			`SELECT `+sqlshared.BundleColumns+` FROM bundles
			 WHERE status <> 'pending_download' AND coalesce(downloaded_at, expired_at) <= $1
			 ORDER BY coalesce(downloaded_at, expired_at), id LIMIT $2`,
			[]any{goneBy.UnixMilli(), limit}, sqlshared.BundleFields)
		if err != nil {
			return within("look for bundles to prune", err)
		}
		for _, b := range old {
			if err := c.one(`DELETE FROM bundles WHERE id = $1`, b.ID); err != nil {
				return within("prune a bundle", err)
			}
			if err := c.tally(b.AccountID, b.Status, -1, 0); err != nil {
				return within("count a pruned bundle", err)
			}
		}
		n = len(old)
		return nil
	})
	return n, err
}

// tallyShards is the number of counters for each state.
const tallyShards = 16

// tally adds to the counters of a state.
func (c *conn) tally(accountID string, status svc.BundleStatus, count, bytes int64) error {
	h := fnv.New32a()
	_, _ = h.Write([]byte(accountID)) // a hash takes everything
	_, err := c.exec(
		`INSERT INTO bundle_tally (shard, status, count, bytes) VALUES ($1, $2, $3, $4)
		 ON CONFLICT (shard, status) DO UPDATE SET count = count + excluded.count, bytes = bytes + excluded.bytes`,
		int64(h.Sum32()%tallyShards), status, count, bytes)
	return err
}

// count adds to the counters of a state and to what waits for the account.
func (c *conn) count(accountID string, status svc.BundleStatus, count, bytes int64) error {
	if err := c.tally(accountID, status, count, bytes); err != nil || bytes == 0 {
		return err
	}
	return c.one(`UPDATE accounts SET pending_bytes = pending_bytes + $2 WHERE id = $1`, accountID, bytes)
}
