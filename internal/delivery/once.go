package delivery

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/sleep"
)

const (
	// commitTime is what a job may need beside its work.
	commitTime = 4 * time.Second
	// pollEvery is how often a request asks whether another process is done with
	// the same work.
	pollEvery = 50 * time.Millisecond
)

// job is work that is done once for each idempotency key: reserved in one transaction,
// done outside of any, and committed in another if the key is still held. T is what it
// makes. Transactions may be run again, so their steps set anew what they set.
type job[T any] interface {
	// claim takes the work up until the lease ends, unless T was made before or the
	// error is one that is kept: they are answers.
	claim(ctx context.Context, r svc.Records, now, lease time.Time) (*T, error)
	// work does what no transaction waits for.
	work(ctx context.Context) error
	// commit makes the result true, together with the answer that is kept.
	commit(ctx context.Context, r svc.Records) (T, error)
	// committed is called when the commit has become true.
	committed(T)
	// release lets go of what was claimed and made when the work has failed. The
	// outcome is that failure, or what the records make of it.
	release(ctx context.Context, r svc.Records, now time.Time, failed error) (made *T, outcome, err error)
}

// request is a job as somebody asks for it.
type request[T any] struct {
	job[T]
	*Service
	id     svc.IdempotencyID
	digest [sha256.Size]byte // of what is asked; zero: the key says it all
	op     svc.Operation
	limit  int // of the operation
	// time is how long the work and its commit may take.
	time time.Duration
	// encode makes the answer of an outcome that is kept.
	encode func(T, error) (svc.Answer, error)
	tx     func(context.Context, func(svc.Records) error) error
}

// reservation is what the first transaction settles.
type reservation struct {
	// wait says that another request is at work on the same key.
	wait bool
	// answer is set when there is nothing left to do.
	answer *Answered
	// refused is an outcome that uses a slot and is not kept.
	refused error

	hold keyHold
	slot time.Time
}

// run does the job, or gives the answer again that the same key was given less than
// ReplayFor ago. Requests with the same key at the same time do it once: the others
// wait and replay, and if the first ends without an answer that is kept, one of them
// takes its place.
func (q *request[T]) run(ctx context.Context) (Answered, error) {
	if q.id.Key != "" {
		unlock, err := q.keyLocks.lock(ctx, q.id)
		if err != nil {
			return Answered{}, fmt.Errorf("wait for the same request: %w", err)
		}
		defer unlock()
	}
	var slot time.Time
	for {
		reserved, err := q.reserve(ctx, slot)
		switch {
		case err != nil:
			q.observeRefusal(q.op, err)
			return Answered{}, err
		case reserved.wait:
			if err := sleep.For(ctx, pollEvery); err != nil {
				return Answered{}, fmt.Errorf("wait for the same request: %w", err)
			}
			continue
		case reserved.refused != nil:
			return Answered{}, reserved.refused
		case reserved.answer != nil:
			if reserved.answer.Replayed {
				q.Observer.Replayed(q.op)
			}
			return *reserved.answer, nil
		}
		done, err := q.complete(ctx, reserved)
		if !errors.Is(err, errTakenOver) {
			return done, err
		}
		// The lease ran out and another request took the work: its answer
		// counts. The slot that this one has used, it has used.
		slot = reserved.slot
	}
}

// reserve is the first transaction. held is the slot that the request has
// already, if any.
func (q *request[T]) reserve(ctx context.Context, held time.Time) (reservation, error) {
	var out reservation
	err := q.tx(ctx, func(r svc.Records) error {
		out = reservation{slot: held}
		known, err := lockKey(ctx, r, q.id, q.digest)
		if err != nil || known.running || known.replay != nil {
			out.wait, out.answer = known.running, known.replay
			return err
		}
		if held.IsZero() {
			if out.slot, err = q.takeSlot(ctx, r, q.id.AccountID, q.op, q.limit); err != nil {
				return err
			}
		}
		now, err := r.Now(ctx)
		if err != nil {
			return err
		}
		lease := now.Add(q.time)
		made, err := q.claim(ctx, r, now, lease)
		switch {
		case made != nil || keptOutcome(err):
			out.answer, err = q.keep(ctx, r, known.Idempotency, now, made, err)
			return err
		case svc.CodeOf(err) == svc.CodeProjectNotFound:
			out.refused = err
			return nil
		case err != nil:
			return err // rolls the slot back with everything else
		}
		out.hold, err = holdKey(ctx, r, known.Idempotency, lease)
		return err
	})
	return out, err
}

// complete does what was reserved and commits it. From here on the work no longer
// depends on the caller: if it hangs up, its retry finds the answer.
func (q *request[T]) complete(ctx context.Context, reserved reservation) (Answered, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), q.time)
	defer cancel()
	err := q.work(ctx)
	if err == nil {
		var made T
		var done *Answered
		err = q.tx(ctx, func(r svc.Records) error {
			known, err := heldKey(ctx, r, q.id, reserved.hold)
			if err != nil {
				return err
			}
			if made, err = q.commit(ctx, r); err != nil {
				return err
			}
			now, err := r.Now(ctx) // which is a round trip if it comes first
			if err != nil {
				return err
			}
			done, err = q.keep(ctx, r, known, now, &made, nil)
			return err
		})
		if err == nil {
			q.committed(made)
			return *done, nil
		}
	}
	done, releaseErr := q.end(ctx, reserved, err)
	switch {
	case done != nil:
		return *done, nil
	case errors.Is(releaseErr, errTakenOver):
		return Answered{}, errTakenOver
	}
	q.observeRefusal(q.op, err)
	if releaseErr != nil {
		// What the lease and the ledger hold is let go by time.
		err = withCause(err, releaseErr)
	}
	return Answered{}, err
}

// end ends a job that failed: the key holds the outcome if it is one that is kept, and
// is free for whoever waits if not, and a refusal of what was asked gives its slot back.
// It returns errTakenOver if another request has the key, whose answer counts then.
func (q *request[T]) end(ctx context.Context, reserved reservation, failed error) (done *Answered, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), commitTime)
	defer cancel()
	var lost bool
	err = q.tx(ctx, func(r svc.Records) error {
		done, lost = nil, false
		known, err := heldKey(ctx, r, q.id, reserved.hold)
		takenOver := errors.Is(err, errTakenOver)
		if err != nil && !takenOver {
			return err
		}
		now, err := r.Now(ctx)
		if err != nil {
			return err
		}
		made, outcome, err := q.release(ctx, r, now, failed)
		if err != nil {
			return err
		}
		code := svc.CodeOf(outcome)
		returned := code == svc.CodeStorageLimitReached || code == svc.CodeInvalidRequest
		if returned {
			if err := q.returnSlot(ctx, r, q.id.AccountID, q.op, reserved.slot); err != nil {
				return err
			}
		}
		switch {
		case takenOver:
			lost = !returned // without a slot, the request ends here
			return nil
		case made != nil || keptOutcome(outcome):
			done, err = q.keep(ctx, r, known, now, made, outcome)
			return err
		}
		return freeKey(ctx, r, known)
	})
	if err != nil {
		return nil, fmt.Errorf("release a %s: %w", q.op, err)
	}
	if lost {
		return nil, errTakenOver
	}
	return done, nil
}

// keep encodes an outcome, and stores the answer under the key, if there is one.
func (q *request[T]) keep(ctx context.Context, r svc.Records, known svc.Idempotency, now time.Time, made *T, outcome error) (*Answered, error) {
	if made == nil {
		made = new(T)
	}
	answer, err := q.encode(*made, outcome)
	if err != nil {
		return nil, fmt.Errorf("encode the answer: %w", err)
	}
	if known.ID.Key != "" {
		known.Fence = max(known.Fence, 1)
		known.Lease = time.Time{}
		known.Answer, known.Expires = &answer, now.Add(q.Limits.ReplayFor)
		if err := r.Idempotencies().Save(ctx, known); err != nil {
			return nil, fmt.Errorf("keep the answer: %w", err)
		}
	}
	return &Answered{Answer: answer}, nil
}

// keptOutcome reports whether an error is an answer that is kept under its key.
func keptOutcome(err error) bool {
	switch svc.CodeOf(err) {
	case svc.CodeProjectMoved, svc.CodeProjectBusy, svc.CodeProjectEmpty, svc.CodeProjectTooLarge:
		return true
	}
	return false
}

// withCause adds to an error what else went wrong, for the log.
func withCause(err, also error) error {
	if e, ok := errors.AsType[*svc.Error](err); ok {
		with := *e
		with.Err = errors.Join(e.Err, also)
		return &with
	}
	return errors.Join(err, also)
}
