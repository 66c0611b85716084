package delivery

import (
	"context"
	"errors"
	"fmt"
	"time"

	svc "github.com/bundle-delivery/svc"
)

// admit judges one request by a rolling window. A request is admitted when
// fewer than limit were admitted in the span that ends with it; one admitted
// exactly a span ago counts no more. It returns the admissions to keep, or the
// wait: the smallest whole number of seconds, at least one, after which the
// same request would be admitted if nothing else happened.
func admit(w svc.Window, limit int, span time.Duration) (keep []time.Time, wait time.Duration, ok bool) {
	start := w.Now.Add(-span)
	from := 0
	for from < len(w.Admitted) && !w.Admitted[from].After(start) {
		from++
	}
	recent := w.Admitted[from:]
	if len(recent) < limit {
		keep = make([]time.Time, 0, len(recent)+1)
		return append(append(keep, recent...), w.Now), 0, true
	}
	if limit <= 0 {
		return nil, span, false
	}
	// The request fits when all but limit-1 of the recent ones have left.
	leaves := recent[len(recent)-limit].Add(span)
	return nil, max(ceilSeconds(leaves.Sub(w.Now)), time.Second), false
}

func ceilSeconds(d time.Duration) time.Duration {
	whole := d.Truncate(time.Second)
	if whole < d {
		whole += time.Second
	}
	return whole
}

// takeSlot admits a request of the account, or refuses it with
// CodeTooManyRequests and the wait. It is a step of a transaction and returns
// the time of the admission, by which the slot can be given back.
func (s *Service) takeSlot(ctx context.Context, r svc.Records, accountID string, op svc.Operation, limit int) (time.Time, error) {
	w, err := r.Windows().Lock(ctx, accountID, op)
	if err != nil {
		return time.Time{}, fmt.Errorf("lock the %s window: %w", op, err)
	}
	keep, wait, ok := admit(w, limit, s.Limits.Window)
	if !ok {
		return time.Time{}, tooMany(op, limit, wait)
	}
	if err := r.Windows().Save(ctx, accountID, op, keep); err != nil {
		return time.Time{}, fmt.Errorf("save the %s window: %w", op, err)
	}
	return w.Now, nil
}

// returnSlot gives one slot back: a request that ends in 429 uses none, also
// when that shows only at its end.
func (s *Service) returnSlot(ctx context.Context, r svc.Records, accountID string, op svc.Operation, at time.Time) error {
	w, err := r.Windows().Lock(ctx, accountID, op)
	if err != nil {
		return fmt.Errorf("lock the %s window: %w", op, err)
	}
	for i, t := range w.Admitted {
		if t.Equal(at) {
			rest := append(append([]time.Time{}, w.Admitted[:i]...), w.Admitted[i+1:]...)
			return r.Windows().Save(ctx, accountID, op, rest)
		}
	}
	return nil
}

// observeRefusal tells the observer of a refusal by a limit.
func (s *Service) observeRefusal(op svc.Operation, err error) {
	e, ok := errors.AsType[*svc.Error](err)
	if ok && (e.Code == svc.CodeTooManyRequests || e.Code == svc.CodeStorageLimitReached) {
		s.Observer.Limited(op, e.Code)
	}
}
