package postgres

import (
	"context"
	"errors"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/store/sqlshared"
)

type idempotencies struct{ *runner }

// lockIdempotency locks an entry, and makes one to lock where there is none; if
// another made one a moment ago, it waits for it and locks that. The clock is read in
// the outer query: it comes to a row only once that is locked.
const lockIdempotency = `
WITH held AS MATERIALIZED (
  SELECT ` + sqlshared.IdempotencyColumns + ` FROM idempotencies WHERE account_id = $1 AND scope = $2 AND key = $3 FOR UPDATE),
made AS (
  INSERT INTO idempotencies (account_id, scope, key, request, fence, ends_at)
  SELECT id, $2, $3, ''::bytea, 0, 0 FROM accounts WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM held)
  ON CONFLICT (account_id, scope, key) DO UPDATE SET fence = idempotencies.fence
  RETURNING ` + sqlshared.IdempotencyColumns + `)
SELECT ` + sqlshared.IdempotencyColumns + `, ` + clockMillis + `
FROM (SELECT * FROM held UNION ALL SELECT * FROM made) AS locked`

func (s idempotencies) Lock(ctx context.Context, id svc.IdempotencyID) (svc.Idempotency, time.Time, error) {
	stored := sqlshared.Idempotency{Idempotency: svc.Idempotency{ID: id}}
	var clock int64
	err := s.Row(ctx, lockIdempotency, []any{id.AccountID, id.Scope, id.Key}, append(stored.Fields(), &clock))
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
	values, err := sqlshared.IdempotencyValues(i)
	if err != nil {
		return err
	}
	return within("save an idempotent request", s.later(ctx, changed("save an idempotent request"),
		`INSERT INTO idempotencies (account_id, scope, key, `+sqlshared.IdempotencyColumns+`, ends_at)
		 SELECT id, $2, $3, $4::bytea, $5::bigint, $6::bigint, $7::bigint, $8::text, $9::bytea, $10::bigint, $11::bigint
		 FROM accounts WHERE id = $1`+sqlshared.SaveIdempotency, values...))
}

const sweepIdempotencies = `
WITH over AS MATERIALIZED (
  SELECT account_id, scope, key FROM idempotencies WHERE ends_at <= $1 ORDER BY ends_at LIMIT $2 FOR UPDATE SKIP LOCKED)
DELETE FROM idempotencies i USING over o
WHERE i.account_id = o.account_id AND i.scope = o.scope AND i.key = o.key`

// Sweep passes over what somebody holds at the moment: it is in use.
func (s idempotencies) Sweep(ctx context.Context, now time.Time, limit int) (int, error) {
	n, err := s.Exec(ctx, sweepIdempotencies, now.UnixMilli(), limit)
	return int(n), within("sweep idempotent requests", err)
}
