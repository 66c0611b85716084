package postgres

import (
	"context"
	"errors"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/sqlrecords"
)

type idempotencies struct{ *runner }

const (
	// lockIdempotency reads the clock in the outer query: it comes to a row only
	// once the inner one has locked it.
	lockIdempotency = `
WITH held AS MATERIALIZED (
  SELECT ` + sqlrecords.IdempotencyColumns + ` FROM idempotencies WHERE account_id = $1 AND scope = $2 AND key = $3 FOR UPDATE)
SELECT ` + sqlrecords.IdempotencyColumns + `, ` + clockMillis + ` FROM held`

	// seizeIdempotency makes an entry to lock where there is none. If another
	// made one a moment ago, it waits for it and locks that.
	seizeIdempotency = `
INSERT INTO idempotencies (account_id, scope, key, request, fence, ends_at)
SELECT id, $2, $3, ''::bytea, 0, 0 FROM accounts WHERE id = $1
ON CONFLICT (account_id, scope, key) DO UPDATE SET fence = idempotencies.fence
RETURNING ` + sqlrecords.IdempotencyColumns + `, ` + clockMillis
)

func (s idempotencies) Lock(ctx context.Context, id svc.IdempotencyID) (svc.Idempotency, time.Time, error) {
	stored := sqlrecords.Idempotency{Idempotency: svc.Idempotency{ID: id}}
	var clock int64
	args, dest := []any{id.AccountID, id.Scope, id.Key}, append(stored.Fields(), &clock)
	err := s.row(ctx, lockIdempotency, args, dest)
	if errors.Is(err, svc.ErrNotFound) {
		err = s.row(ctx, seizeIdempotency, args, dest)
	}
	if errors.Is(err, svc.ErrNotFound) { // the account is gone: nobody can save anything
		now, err := records(s).Now(ctx)
		return stored.Idempotency, now, err
	}
	if err != nil {
		return svc.Idempotency{}, time.Time{}, within("lock an idempotent request", err)
	}
	i, err := stored.Read()
	return i, s.at(clock), err
}

func (s idempotencies) Save(ctx context.Context, i svc.Idempotency) error {
	values, err := sqlrecords.IdempotencyValues(i)
	if err != nil {
		return err
	}
	return within("save an idempotent request", s.one(ctx,
		`INSERT INTO idempotencies (account_id, scope, key, `+sqlrecords.IdempotencyColumns+`, ends_at)
		 SELECT id, $2, $3, $4::bytea, $5::bigint, $6::bigint, $7::bigint, $8::text, $9::bytea, $10::bigint, $11::bigint
		 FROM accounts WHERE id = $1`+sqlrecords.SaveIdempotency, values...))
}

// Sweep passes over what somebody holds at the moment: it is in use.
func (s idempotencies) Sweep(ctx context.Context, now time.Time, limit int) (int, error) {
	n, err := s.exec(ctx,
		`WITH over AS MATERIALIZED (
		   SELECT account_id, scope, key FROM idempotencies WHERE ends_at <= $1 ORDER BY ends_at LIMIT $2 FOR UPDATE SKIP LOCKED)
		 DELETE FROM idempotencies i USING over o
		 WHERE i.account_id = o.account_id AND i.scope = o.scope AND i.key = o.key`,
		now.UnixMilli(), limit)
	return int(n), within("sweep idempotent requests", err)
}
