package generation

import (
	"context"
	"errors"
	"fmt"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/sleep"
)

const (
	// stopTime is how long Cancel waits for a worker to stop a running run, so
	// that its answer shows the run as it ended.
	stopTime  = 2 * time.Second
	stopLooks = 50 * time.Millisecond
)

// Cancel stops a run: one that waits at once, one that runs within a second. It
// returns the run as it is then; a run that is over stays as it was.
// CodeGenerationNotFound.
func (s *Service) Cancel(ctx context.Context, accountID, id string) (svc.Run, error) {
	if !svc.ValidGenerationID(id) {
		return svc.Run{}, notFound()
	}
	run, err := s.requestCancel(ctx, accountID, id)
	for deadline := time.Now().Add(stopTime); ; run, err = s.Get(ctx, accountID, id) {
		if err != nil || run.Status.Final() {
			return run, err
		}
		if run.Status == svc.RunQueued {
			done, err := s.cancelQueued(ctx, run)
			if !errors.Is(err, svc.ErrConflict) {
				return done, err
			}
			continue // a worker took it just now
		}
		if !time.Now().Before(deadline) {
			return run, nil
		}
		if err := sleep.For(ctx, stopLooks); err != nil {
			return run, nil //nolint:nilerr // the request is noted; the caller has left
		}
	}
}

func (s *Service) requestCancel(ctx context.Context, accountID, id string) (run svc.Run, err error) {
	err = s.Store.Tx(ctx, func(r svc.Records) error {
		now, err := r.Now(ctx)
		if err != nil {
			return err
		}
		run, err = r.Runs().RequestCancel(ctx, accountID, id, now)
		return err
	})
	if errors.Is(err, svc.ErrNotFound) {
		return svc.Run{}, notFound()
	}
	if err != nil {
		return svc.Run{}, fmt.Errorf("cancel run %s: %w", id, err)
	}
	return run, nil
}

// cancelQueued ends a run that nobody works on. svc.ErrConflict when somebody does.
func (s *Service) cancelQueued(ctx context.Context, run svc.Run) (svc.Run, error) {
	var last svc.Event
	if run.Epoch > 0 { // handed back: something may have been emitted
		var err error
		if last, err = s.Events.Last(ctx, run.ID); err != nil {
			return svc.Run{}, fmt.Errorf("cancel run %s: %w", run.ID, err)
		}
	}
	run.Status, run.LastEvent, run.Error = svc.RunCancelled, last.Seq+1, cancelledError()
	err := s.Store.Tx(ctx, func(r svc.Records) error {
		now, err := r.Now(ctx)
		if err != nil {
			return err
		}
		run.FinishedAt = now
		return r.Runs().Finish(ctx, svc.RunQueued, run)
	})
	if err != nil {
		return svc.Run{}, fmt.Errorf("cancel run %s: %w", run.ID, err)
	}
	s.Observer.Ended(run.Status, run.FinishedAt.Sub(run.CreatedAt))
	if err := publishEnding(context.WithoutCancel(ctx), s.Store, s.Events, run); err != nil {
		s.Log.Warn("the end of a run will be published later", "run", run.ID, "error", err)
	}
	return run, nil
}

func cancelledError() *svc.RunError {
	return &svc.RunError{Code: engine.CodeCancelled, Message: "The generation was cancelled.", Retryable: true}
}
