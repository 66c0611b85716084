package svc

import (
	"context"
	"crypto/sha256"
	"time"
)

// IdempotencyID names one idempotent request: the key is the client's, the
// scope says what was asked for.
type IdempotencyID struct {
	AccountID string
	Scope     string // such as "repackage/proj_…"
	Key       string
}

// Idempotency is what is known of an idempotent request: it is running while
// Lease lies ahead and there is no Answer, and answered while Expires lies ahead.
type Idempotency struct {
	ID IdempotencyID
	// Request is the digest of what was asked, where a scope allows several bodies.
	Request [sha256.Size]byte
	// Fence counts the requests that took up the work. Only the holder of the
	// latest may store an answer.
	Fence   int64
	Lease   time.Time
	Answer  *Answer // nil: not yet
	Expires time.Time
}

// Answer is an HTTP answer kept to be given again, byte for byte.
type Answer struct {
	Status int
	Header map[string]string
	Body   []byte
}

// Idempotencies are the steps on idempotent requests. They are used inside a
// transaction.
type Idempotencies interface {
	// Lock returns what is known of a request, and the time by the clock that
	// all processes share, and holds it against every other transaction until
	// this one ends. A request never seen has Fence 0.
	Lock(ctx context.Context, id IdempotencyID) (Idempotency, time.Time, error)
	// Save replaces what is known of a request. It may be put off. ErrNotFound when
	// the account is gone.
	Save(ctx context.Context, i Idempotency) error
	// Sweep removes up to limit entries that neither run nor can be replayed at
	// the given time, and says how many. An entry that is removed begins again
	// with Fence 0, so the time given lies further back than any work may last.
	Sweep(ctx context.Context, now time.Time, limit int) (int, error)
}
