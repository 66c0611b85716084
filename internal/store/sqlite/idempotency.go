package sqlite

import (
	"context"
	"errors"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/store/sqlshared"
)

type idempotencies struct{ records }

func (s idempotencies) Lock(ctx context.Context, id svc.IdempotencyID) (i svc.Idempotency, now time.Time, err error) {
	// A write, though it only reads: the write lock is the lock on the entry.
	err = s.write(ctx, func(c *conn) error {
		now = s.now()
		stored := sqlshared.Idempotency{Idempotency: svc.Idempotency{ID: id}}
		err := c.row(
			`SELECT `+sqlshared.IdempotencyColumns+` FROM idempotencies WHERE account_id = $1 AND scope = $2 AND key = $3`,
			[]any{id.AccountID, id.Scope, id.Key}, stored.Fields())
		if err != nil && !errors.Is(err, svc.ErrNotFound) {
			return within("lock an idempotent request", err)
		}
		i, err = stored.Read()
		return err
	})
	return i, now, err
}

func (s idempotencies) Save(ctx context.Context, i svc.Idempotency) error {
	values, err := sqlshared.IdempotencyValues(i)
	if err != nil {
		return err
	}
	_, err = s.Exec(ctx,
		`INSERT INTO idempotencies (account_id, scope, key, `+sqlshared.IdempotencyColumns+`, ends_at)
		 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`+sqlshared.SaveIdempotency, values...)
	return within("save an idempotent request", err)
}

func (s idempotencies) Sweep(ctx context.Context, now time.Time, limit int) (int, error) {
	n, err := s.Exec(ctx,
		`DELETE FROM idempotencies WHERE (account_id, scope, key) IN
		   (SELECT account_id, scope, key FROM idempotencies WHERE ends_at <= $1 ORDER BY ends_at LIMIT $2)`,
		now.UnixMilli(), limit)
	return int(n), within("sweep idempotent requests", err)
}
