package sqlite

import (
	"context"
	"time"

	svc "github.com/bundle-delivery/svc"
)

type ledger struct{ runner }

func (s ledger) Intend(ctx context.Context, key string, until time.Time) error {
	return s.write(ctx, func(c *conn) error {
		n, err := c.exec(
			`INSERT INTO blob_ledger (key, kind, due_at) VALUES ($1, 'intent', $2)
			 ON CONFLICT (key) DO UPDATE SET due_at = excluded.due_at WHERE kind = 'intent'`,
			key, until.UnixMilli())
		if err == nil && n == 0 {
			err = svc.ErrConflict
		}
		return within("announce a blob", err)
	})
}

func (s ledger) Fulfil(ctx context.Context, key string) error {
	return s.write(ctx, func(c *conn) error {
		n, err := c.exec(`DELETE FROM blob_ledger WHERE key = $1 AND kind = 'intent'`, key)
		if err == nil && n == 0 {
			err = svc.ErrConflict
		}
		return within("fulfil the intent of a blob", err)
	})
}

func (s ledger) Discard(ctx context.Context, key string, due time.Time) error {
	return s.write(ctx, func(c *conn) error {
		return within("discard a blob", c.discardAll(`SELECT $1 AS blob`, key, due))
	})
}

func (s ledger) Collect(ctx context.Context, now time.Time, limit int) (due []string, err error) {
	err = s.write(ctx, func(c *conn) error {
		if _, err := c.exec(`UPDATE blob_ledger SET kind = 'garbage' WHERE kind = 'intent' AND due_at <= $1`,
			now.UnixMilli()); err != nil {
			return within("turn intents into garbage", err)
		}
		due, err = rows(c,
			`SELECT key FROM blob_ledger WHERE kind = 'garbage' AND due_at <= $1 ORDER BY due_at, key LIMIT $2`,
			[]any{now.UnixMilli(), limit}, func(k *string) []any { return []any{k} })
		return within("collect garbage", err)
	})
	return due, err
}

func (s ledger) Forget(ctx context.Context, gone []string) error {
	list, err := listText(gone)
	if err != nil {
		return err
	}
	return s.write(ctx, func(c *conn) error {
		_, err := c.exec(
			`DELETE FROM blob_ledger WHERE kind = 'garbage' AND key IN (SELECT value FROM json_each($1))`, list)
		return within("forget garbage", err)
	})
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
