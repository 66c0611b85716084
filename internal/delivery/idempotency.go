package delivery

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	svc "github.com/bundle-delivery/svc"
)

// Answered is the answer to a request that may be repeated.
type Answered struct {
	Answer   svc.Answer
	Replayed bool
}

// errTakenOver says that another request holds the idempotency key by now.
var errTakenOver = errors.New("another request has taken the work over")

// knownKey is what the records know of an idempotency key.
type knownKey struct {
	svc.Idempotency
	running bool      // another request is at work on it
	replay  *Answered // its answer is kept
}

// lockKey locks an idempotency key, if the id has one, and tells what is known of it.
// CodeIdempotencyMismatch when its answer is that to another request.
func lockKey(ctx context.Context, r svc.Records, id svc.IdempotencyID, request [sha256.Size]byte) (knownKey, error) {
	if id.Key == "" {
		return knownKey{}, nil
	}
	known, now, err := r.Idempotencies().Lock(ctx, id)
	if err != nil {
		return knownKey{}, fmt.Errorf("lock the idempotency key: %w", err)
	}
	out := knownKey{Idempotency: known}
	switch {
	case known.Answer != nil && now.Before(known.Expires):
		if known.Request != request {
			return knownKey{}, keyReused()
		}
		out.replay = &Answered{Answer: *known.Answer, Replayed: true}
	case known.Answer == nil && now.Before(known.Lease):
		out.running = true
	}
	out.ID, out.Request = id, request
	return out, nil
}

// keyHold is how a request knows an idempotency key for its own; zero without a key.
type keyHold struct {
	fence int64
	lease time.Time
}

// holdKey takes up the work of a key until the lease ends.
func holdKey(ctx context.Context, r svc.Records, known svc.Idempotency, lease time.Time) (keyHold, error) {
	if known.ID.Key == "" {
		return keyHold{}, nil
	}
	known.Fence++
	known.Lease, known.Answer, known.Expires = lease, nil, time.Time{}
	if err := r.Idempotencies().Save(ctx, known); err != nil {
		return keyHold{}, fmt.Errorf("hold the idempotency key: %w", err)
	}
	return keyHold{fence: known.Fence, lease: lease}, nil
}

// heldKey locks an idempotency key and says errTakenOver when it is another's. The
// lease is compared as well: a key that was swept begins to count anew.
func heldKey(ctx context.Context, r svc.Records, id svc.IdempotencyID, hold keyHold) (svc.Idempotency, error) {
	if id.Key == "" {
		return svc.Idempotency{}, nil
	}
	known, _, err := r.Idempotencies().Lock(ctx, id)
	if err != nil {
		return svc.Idempotency{}, fmt.Errorf("lock the idempotency key: %w", err)
	}
	if known.Fence != hold.fence || !known.Lease.Equal(hold.lease) {
		return svc.Idempotency{}, errTakenOver
	}
	return known, nil
}

// freeKey lets go of a key without an answer: whoever waits takes it up.
func freeKey(ctx context.Context, r svc.Records, known svc.Idempotency) error {
	if known.ID.Key == "" {
		return nil
	}
	known.Lease = time.Time{}
	return r.Idempotencies().Save(ctx, known)
}
