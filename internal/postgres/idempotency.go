package postgres

import (
	"context"
	"database/sql"
	"errors"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/column"
)

type idempotencies struct{ *runner }

const idempotencyColumns = `request, fence, lease, answer_status, answer_header, answer_body, expires_at`

const (
	// lockIdempotency reads the clock in the outer query: it comes to a row only
	// once the inner one has locked it.
	lockIdempotency = `
WITH held AS MATERIALIZED (
  SELECT ` + idempotencyColumns + ` FROM idempotencies WHERE account_id = $1 AND scope = $2 AND key = $3 FOR UPDATE)
SELECT ` + idempotencyColumns + `, ` + clockMillis + ` FROM held`

	// seizeIdempotency makes an entry to lock where there is none. If another
	// made one a moment ago, it waits for it and locks that.
	seizeIdempotency = `
INSERT INTO idempotencies (account_id, scope, key, request, fence, ends_at)
SELECT id, $2, $3, ''::bytea, 0, 0 FROM accounts WHERE id = $1
ON CONFLICT (account_id, scope, key) DO UPDATE SET fence = idempotencies.fence
RETURNING ` + idempotencyColumns + `, ` + clockMillis
)

func (s idempotencies) Lock(ctx context.Context, id svc.IdempotencyID) (svc.Idempotency, time.Time, error) {
	i := svc.Idempotency{ID: id}
	var status sql.NullInt64
	var header sql.NullString
	var body []byte
	var clock int64
	args := []any{id.AccountID, id.Scope, id.Key}
	dest := []any{(*column.Digest)(&i.Request), &i.Fence, (*column.Stamp)(&i.Lease), &status, &header, &body, (*column.Stamp)(&i.Expires), &clock}
	err := s.row(ctx, lockIdempotency, args, dest)
	if errors.Is(err, svc.ErrNotFound) {
		err = s.row(ctx, seizeIdempotency, args, dest)
	}
	if errors.Is(err, svc.ErrNotFound) { // the account is gone: nobody can save anything
		now, err := records(s).Now(ctx)
		return i, now, err
	}
	if err != nil {
		return svc.Idempotency{}, time.Time{}, within("lock an idempotent request", err)
	}
	now := s.at(clock)
	if !status.Valid {
		return i, now, nil
	}
	i.Answer = &svc.Answer{Status: int(status.Int64), Body: body}
	return i, now, within("read a stored answer", (*column.Map)(&i.Answer.Header).Scan(header.String))
}

func (s idempotencies) Save(ctx context.Context, i svc.Idempotency) error {
	var status *int64
	var header *string
	var body []byte // nil is NULL
	ends := i.Lease
	if i.Answer != nil {
		text, err := column.MapText(i.Answer.Header)
		if err != nil {
			return err
		}
		code := int64(i.Answer.Status)
		status, header, ends = &code, &text, i.Expires
		body = append([]byte{}, i.Answer.Body...) // an empty body is not NULL
	}
	return within("save an idempotent request", s.one(ctx,
		`INSERT INTO idempotencies (account_id, scope, key, request, fence, lease,
		   answer_status, answer_header, answer_body, expires_at, ends_at)
		 SELECT id, $2, $3, $4::bytea, $5::bigint, $6::bigint, $7::bigint, $8::text, $9::bytea, $10::bigint, $11::bigint
		 FROM accounts WHERE id = $1
		 ON CONFLICT (account_id, scope, key) DO UPDATE SET
		   request = excluded.request, fence = excluded.fence, lease = excluded.lease,
		   answer_status = excluded.answer_status, answer_header = excluded.answer_header,
		   answer_body = excluded.answer_body, expires_at = excluded.expires_at, ends_at = excluded.ends_at`,
		i.ID.AccountID, i.ID.Scope, i.ID.Key, i.Request[:], i.Fence, column.Millis(i.Lease),
		status, header, body, column.Millis(i.Expires), ends.UnixMilli()))
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
