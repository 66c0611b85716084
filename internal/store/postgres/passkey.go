package postgres

import (
	"context"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/store/sqlshared"
)

type passkeys struct {
	*runner
	sqlshared.Passkeys
}

var insertPasskey = ownedByAccount(
	`INSERT INTO passkeys (id, account_id, name, host, record, created_at)
	 SELECT $2, id, $3, $4, $5, $6::bigint FROM owner`)

func (s passkeys) Insert(ctx context.Context, p svc.Passkey) error {
	return within("insert a passkey", s.insert(ctx, insertPasskey,
		p.AccountID, p.ID, p.Name, p.Host, p.Record, p.CreatedAt.UnixMilli()))
}
