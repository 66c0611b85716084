package postgres

import (
	"context"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/store/column"
	"github.com/bundle-delivery/svc/internal/store/sqlshared"
)

type keys struct {
	*runner
	sqlshared.Keys
}

var insertKey = ownedByAccount(
	`INSERT INTO api_keys (prefix, account_id, name, hash, created_at, last_used_at, expires_at, revoked_at)
	 SELECT $2, id, $3, $4::bytea, $5::bigint, $6::bigint, $7::bigint, $8::bigint FROM owner`)

func (s keys) Insert(ctx context.Context, k svc.Key) error {
	return within("insert a key", s.insert(ctx, insertKey, k.AccountID, k.Prefix, k.Name, k.Hash[:],
		k.CreatedAt.UnixMilli(), column.Millis(k.LastUsedAt), column.Millis(k.ExpiresAt), column.Millis(k.RevokedAt)))
}

func (s keys) Usable(ctx context.Context, prefixes []string, now time.Time) ([]string, error) {
	usable, err := sqlshared.Rows(ctx, s,
		`SELECT prefix FROM api_keys
		 WHERE prefix = ANY($1::text[]) AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $2)
		 ORDER BY prefix`,
		[]any{prefixes, now.UnixMilli()}, sqlshared.Itself[string])
	return usable, within("look for usable keys", err)
}
