package sqlite

import (
	"context"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/store/sqlshared"
)

type passkeys struct{ sqlshared.Passkeys }

func (s passkeys) Insert(ctx context.Context, p svc.Passkey) error {
	_, err := s.Exec(ctx, `INSERT INTO passkeys (id, account_id, name, host, record, created_at) VALUES ($1, $2, $3, $4, $5, $6)`,
		p.ID, p.AccountID, p.Name, p.Host, p.Record, p.CreatedAt.UnixMilli())
	return within("insert a passkey", err)
}
