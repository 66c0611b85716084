package postgres

import (
	"context"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/column"
)

type keys struct{ *runner }

const keyColumns = `k.prefix, k.account_id, k.name, k.hash, k.created_at, k.last_used_at, k.expires_at, k.revoked_at`

const keyByPrefix = `SELECT ` + keyColumns + `, a.plan FROM api_keys k JOIN accounts a ON a.id = k.account_id WHERE k.prefix = $1`

func keyFields(k *svc.Key) []any {
	return []any{
		&k.Prefix, &k.AccountID, &k.Name, (*column.Digest)(&k.Hash),
		(*column.Stamp)(&k.CreatedAt), (*column.Stamp)(&k.LastUsedAt), (*column.Stamp)(&k.ExpiresAt), (*column.Stamp)(&k.RevokedAt),
	}
}

var insertKey = ownedByAccount(
	`INSERT INTO api_keys (prefix, account_id, name, hash, created_at, last_used_at, expires_at, revoked_at)
	 SELECT $2, id, $3, $4::bytea, $5::bigint, $6::bigint, $7::bigint, $8::bigint FROM owner`)

func (s keys) Insert(ctx context.Context, k svc.Key) error {
	return within("insert a key", s.insert(ctx, insertKey, k.AccountID, k.Prefix, k.Name, k.Hash[:],
		k.CreatedAt.UnixMilli(), column.Millis(k.LastUsedAt), column.Millis(k.ExpiresAt), column.Millis(k.RevokedAt)))
}

func (s keys) Credential(ctx context.Context, prefix string) (cred svc.Credential, err error) {
	err = s.row(ctx,
		keyByPrefix,
		[]any{prefix}, append(keyFields(&cred.Key), &cred.Plan))
	return cred, within("get a key", err)
}

func (s keys) List(ctx context.Context, accountID string) ([]svc.Key, error) {
	all, err := rows(ctx, s.runner,
		`SELECT `+keyColumns+` FROM api_keys k WHERE k.account_id = $1 ORDER BY k.created_at DESC, k.prefix DESC`,
		[]any{accountID}, keyFields)
	return all, within("list keys", err)
}

func (s keys) Revoke(ctx context.Context, prefix string, at time.Time) error {
	return within("revoke a key", s.one(ctx,
		`UPDATE api_keys SET revoked_at = coalesce(revoked_at, $2) WHERE prefix = $1`, prefix, at.UnixMilli()))
}

func (s keys) Touch(ctx context.Context, prefix string, at, since time.Time) error {
	_, err := s.exec(ctx,
		`UPDATE api_keys SET last_used_at = $2 WHERE prefix = $1 AND (last_used_at IS NULL OR last_used_at < $3)`,
		prefix, at.UnixMilli(), since.UnixMilli())
	return within("note the use of a key", err)
}

func (s keys) Usable(ctx context.Context, prefixes []string, now time.Time) ([]string, error) {
	usable, err := rows(ctx, s.runner,
		`SELECT prefix FROM api_keys
		 WHERE prefix = ANY($1::text[]) AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $2)
		 ORDER BY prefix`,
		[]any{prefixes, now.UnixMilli()}, itself[string])
	return usable, within("look for usable keys", err)
}
