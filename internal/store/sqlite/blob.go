package sqlite

import (
	"context"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/store/sqlshared"
)

type ledger struct {
	runner
	sqlshared.Ledger
}

func (s ledger) Discard(ctx context.Context, key string, due time.Time) error {
	return s.write(ctx, func(c *conn) error {
		return within("discard a blob", c.discardAll(`SELECT $1 AS blob`, key, due))
	})
}

func (s ledger) DiscardAll(ctx context.Context, keys []string, due time.Time) error {
	list, err := listText(keys)
	if err != nil {
		return err
	}
	return s.write(ctx, func(c *conn) error {
		return within("discard blobs", c.discardAll(`SELECT value AS blob FROM json_each($1)`, list, due))
	})
}

func (s ledger) Collect(ctx context.Context, now, lease time.Time, limit int) (due []string, err error) {
	err = s.write(ctx, func(c *conn) error {
		if _, err := c.exec(sqlshared.BreakIntents, now.UnixMilli()); err != nil {
			return within("turn intents into garbage", err)
		}
		due, err = rows(c, `SELECT key FROM (`+sqlshared.DueGarbage+`)`, []any{now.UnixMilli(), limit}, sqlshared.Itself[string])
		if err != nil {
			return within("collect garbage", err)
		}
		list, err := listText(due)
		if err != nil {
			return err
		}
		_, err = c.exec(`UPDATE blob_ledger SET due_at = $2 WHERE key IN (SELECT value FROM json_each($1))`, list, lease.UnixMilli())
		return within("hold garbage", err)
	})
	return due, err
}

func (s ledger) Forget(ctx context.Context, gone []string) error {
	list, err := listText(gone)
	if err != nil {
		return err
	}
	_, err = s.Exec(ctx, `DELETE FROM blob_ledger WHERE kind = 'garbage' AND key IN (SELECT value FROM json_each($1))`, list)
	return within("forget garbage", err)
}

// discardAll enters the blobs that a query on $1 names as garbage due at the
// given time. What is in the ledger already, as an intent or as garbage, is
// entered anew.
func (c *conn) discardAll(query, arg string, due time.Time) error {
	_, err := c.exec(
		`INSERT INTO blob_ledger (key, kind, due_at)
		 SELECT blob, 'garbage', $2 FROM (`+query+`) WHERE true
		 ON CONFLICT (key) DO UPDATE SET kind = 'garbage', due_at = excluded.due_at`,
		arg, due.UnixMilli())
	return err
}

// discardBlobsOf enters the blobs of an account or a project as garbage, and returns a
// tally of its bundles. bundle and project name the columns that hold its id.
func (c *conn) discardBlobsOf(bundle, project, id string, due time.Time) ([]svc.BundleTally, error) {
	err := c.discardAll(
		`SELECT blob FROM bundles WHERE `+bundle+` = $1 AND blob <> ''
		 UNION SELECT pack_blob FROM projects WHERE `+project+` = $1 AND pack_blob <> ''
		 UNION SELECT provenance ->> 'base_pack' FROM projects WHERE `+project+` = $1 AND provenance ->> 'base_pack' <> ''`, id, due)
	if err != nil {
		return nil, within("discard blobs", err)
	}
	lost, err := rows(c,
		`SELECT status, count(*), sum(CASE status WHEN 'pending_download' THEN size ELSE 0 END)
		 FROM bundles WHERE `+bundle+` = $1 GROUP BY status`, []any{id}, sqlshared.TallyFields)
	return lost, within("count lost bundles", err)
}
