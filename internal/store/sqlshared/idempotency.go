package sqlshared

import (
	"database/sql"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/store/column"
)

// IdempotencyColumns are the columns of an idempotent request beside those it is
// found by.
const IdempotencyColumns = `request, fence, lease, answer_status, answer_header, answer_body, expires_at`

// SaveIdempotency is how an entry is replaced that is there already.
const SaveIdempotency = ` ON CONFLICT (account_id, scope, key) DO UPDATE SET
  request = excluded.request, fence = excluded.fence, lease = excluded.lease,
  answer_status = excluded.answer_status, answer_header = excluded.answer_header,
  answer_body = excluded.answer_body, expires_at = excluded.expires_at, ends_at = excluded.ends_at`

// Idempotency is an idempotent request as it lies in its columns.
type Idempotency struct {
	svc.Idempotency
	status sql.NullInt64
	header sql.NullString
	body   []byte
}

// Fields are where IdempotencyColumns go.
func (i *Idempotency) Fields() []any {
	return []any{(*column.Digest)(&i.Request), &i.Fence, (*column.Stamp)(&i.Lease), &i.status, &i.header, &i.body, (*column.Stamp)(&i.Expires)}
}

// Read gives the request with its answer, after Fields were filled.
func (i *Idempotency) Read() (svc.Idempotency, error) {
	if !i.status.Valid {
		return i.Idempotency, nil
	}
	i.Answer = &svc.Answer{Status: int(i.status.Int64), Body: i.body}
	err := (*column.Map)(&i.Answer.Header).Scan(i.header.String)
	return i.Idempotency, Within("read a stored answer", err)
}

// IdempotencyValues are the values of a request: account, scope and key,
// IdempotencyColumns, and when it ends.
func IdempotencyValues(i svc.Idempotency) ([]any, error) {
	var status, header, body any // nil is NULL
	ends := i.Lease
	if i.Answer != nil {
		text, err := column.MapText(i.Answer.Header)
		if err != nil {
			return nil, err
		}
		status, header, ends = i.Answer.Status, text, i.Expires
		body = append([]byte{}, i.Answer.Body...) // an empty body is not NULL
	}
	return []any{
		i.ID.AccountID, i.ID.Scope, i.ID.Key, i.Request[:], i.Fence, column.Millis(i.Lease),
		status, header, body, column.Millis(i.Expires), ends.UnixMilli(),
	}, nil
}
