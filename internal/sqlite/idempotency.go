package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/column"
)

type idempotencies struct{ runner }

func (s idempotencies) Lock(ctx context.Context, id svc.IdempotencyID) (i svc.Idempotency, now time.Time, err error) {
	// A write, though it only reads: the write lock is the lock on the entry.
	err = s.write(ctx, func(c *conn) error {
		now = s.now()
		i = svc.Idempotency{ID: id}
		var status sql.NullInt64
		var header sql.NullString
		var body []byte
		err := c.row(
			`SELECT request, fence, lease, answer_status, answer_header, answer_body, expires_at
			 FROM idempotencies WHERE account_id = $1 AND scope = $2 AND key = $3`,
			[]any{id.AccountID, id.Scope, id.Key},
			[]any{(*column.Digest)(&i.Request), &i.Fence, (*column.Stamp)(&i.Lease), &status, &header, &body, (*column.Stamp)(&i.Expires)})
		if errors.Is(err, svc.ErrNotFound) {
			return nil
		}
		if err != nil || !status.Valid {
			return within("lock an idempotent request", err)
		}
		i.Answer = &svc.Answer{Status: int(status.Int64), Body: body}
		return within("read a stored answer", (*column.Map)(&i.Answer.Header).Scan(header.String))
	})
	return i, now, err
}

func (s idempotencies) Save(ctx context.Context, i svc.Idempotency) error {
	var status, header, body any
	ends := i.Lease
	if i.Answer != nil {
		text, err := column.MapText(i.Answer.Header)
		if err != nil {
			return err
		}
		status, header, ends = i.Answer.Status, text, i.Expires
		body = append([]byte{}, i.Answer.Body...) // an empty body is not NULL
	}
	return s.write(ctx, func(c *conn) error {
		_, err := c.exec(
			`INSERT INTO idempotencies (account_id, scope, key, request, fence, lease,
			   answer_status, answer_header, answer_body, expires_at, ends_at)
			 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
			 ON CONFLICT (account_id, scope, key) DO UPDATE SET
			   request = excluded.request, fence = excluded.fence, lease = excluded.lease,
			   answer_status = excluded.answer_status, answer_header = excluded.answer_header,
			   answer_body = excluded.answer_body, expires_at = excluded.expires_at, ends_at = excluded.ends_at`,
			i.ID.AccountID, i.ID.Scope, i.ID.Key, i.Request[:], i.Fence, column.Millis(i.Lease),
			status, header, body, column.Millis(i.Expires), ends.UnixMilli())
		return within("save an idempotent request", err)
	})
}

func (s idempotencies) Sweep(ctx context.Context, now time.Time, limit int) (n int, err error) {
	err = s.write(ctx, func(c *conn) error {
		swept, err := c.exec(
			`DELETE FROM idempotencies WHERE (account_id, scope, key) IN
			   (SELECT account_id, scope, key FROM idempotencies WHERE ends_at <= $1 ORDER BY ends_at LIMIT $2)`,
			now.UnixMilli(), limit)
		n = int(swept)
		return within("sweep idempotent requests", err)
	})
	return n, err
}
