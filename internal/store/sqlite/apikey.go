package sqlite

import (
	"context"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/store/column"
	"github.com/bundle-delivery/svc/internal/store/sqlshared"
)

type keys struct{ sqlshared.Keys }

func (s keys) Insert(ctx context.Context, k svc.Key) error {
	_, err := s.Exec(ctx,
		`INSERT INTO api_keys (prefix, account_id, name, hash, created_at, last_used_at, expires_at, revoked_at)
		 VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		k.Prefix, k.AccountID, k.Name, k.Hash[:],
		k.CreatedAt.UnixMilli(), column.Millis(k.LastUsedAt), column.Millis(k.ExpiresAt), column.Millis(k.RevokedAt))
	return within("insert a key", err)
}

func (s keys) Usable(ctx context.Context, prefixes []string, now time.Time) ([]string, error) {
	asked, err := listText(prefixes)
	if err != nil {
		return nil, err
	}
	usable, err := sqlshared.Rows(ctx, s,
		`SELECT prefix FROM api_keys
		 WHERE prefix IN (SELECT value FROM json_each($1)) AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $2)
		 ORDER BY prefix`,
		[]any{asked, now.UnixMilli()}, sqlshared.Itself[string])
	return usable, within("look for usable keys", err)
}
