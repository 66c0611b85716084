package sqlite

import (
	"context"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/column"
)

type keys struct{ runner }

const keyColumns = `k.prefix, k.account_id, k.name, k.hash, k.created_at, k.last_used_at, k.expires_at, k.revoked_at`

const keyByPrefix = `SELECT ` + keyColumns + `, a.plan FROM api_keys k JOIN accounts a ON a.id = k.account_id WHERE k.prefix = $1`

func keyFields(k *svc.Key) []any {
	return []any{
		&k.Prefix, &k.AccountID, &k.Name, (*column.Digest)(&k.Hash),
		(*column.Stamp)(&k.CreatedAt), (*column.Stamp)(&k.LastUsedAt), (*column.Stamp)(&k.ExpiresAt), (*column.Stamp)(&k.RevokedAt),
	}
}

func (s keys) Insert(ctx context.Context, k svc.Key) error {
	return s.write(ctx, func(c *conn) error {
		_, err := c.exec(
			`INSERT INTO api_keys (prefix, account_id, name, hash, created_at, last_used_at, expires_at, revoked_at)
			 VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
			k.Prefix, k.AccountID, k.Name, k.Hash[:],
			k.CreatedAt.UnixMilli(), column.Millis(k.LastUsedAt), column.Millis(k.ExpiresAt), column.Millis(k.RevokedAt))
		return within("insert a key", err)
	})
}

func (s keys) Credential(ctx context.Context, prefix string) (cred svc.Credential, err error) {
	err = s.read(ctx, func(c *conn) error {
		return within("get a key", c.row(
			keyByPrefix,
			[]any{prefix}, append(keyFields(&cred.Key), &cred.Plan)))
	})
	return cred, err
}

func (s keys) List(ctx context.Context, accountID string) (all []svc.Key, err error) {
	err = s.read(ctx, func(c *conn) error {
		all, err = rows(c,
			`SELECT `+keyColumns+` FROM api_keys k WHERE k.account_id = $1 ORDER BY k.created_at DESC, k.prefix DESC`,
			[]any{accountID}, keyFields)
		return within("list keys", err)
	})
	return all, err
}

func (s keys) Revoke(ctx context.Context, prefix string, at time.Time) error {
	return s.write(ctx, func(c *conn) error {
		return within("revoke a key", c.one(
			`UPDATE api_keys SET revoked_at = coalesce(revoked_at, $2) WHERE prefix = $1`, prefix, at.UnixMilli()))
	})
}

func (s keys) Touch(ctx context.Context, prefix string, at, since time.Time) error {
	return s.write(ctx, func(c *conn) error {
		_, err := c.exec(
			`UPDATE api_keys SET last_used_at = $2 WHERE prefix = $1 AND (last_used_at IS NULL OR last_used_at < $3)`,
			prefix, at.UnixMilli(), since.UnixMilli())
		return within("note the use of a key", err)
	})
}

func (s keys) Usable(ctx context.Context, prefixes []string, now time.Time) (usable []string, err error) {
	asked, err := listText(prefixes)
	if err != nil {
		return nil, err
	}
	err = s.read(ctx, func(c *conn) error {
		usable, err = rows(c,
			`SELECT k.prefix FROM api_keys k
			 WHERE k.prefix IN (SELECT value FROM json_each($1))
			   AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > $2)
			 ORDER BY k.prefix`,
			[]any{asked, now.UnixMilli()}, func(p *string) []any { return []any{p} })
		return within("look for usable keys", err)
	})
	return usable, err
}
