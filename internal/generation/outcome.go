package generation

import (
	"context"
	"errors"
	"fmt"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
	"github.com/bundle-delivery/svc/internal/bundle/pack"
	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/validate"
)

// succeed makes files, state, memory, bundle and outcome true in one step, then
// publishes it.
func (j *job) succeed(ctx context.Context, draft *pack.Draft, cost svc.Cost) error {
	last, err := j.events.close()
	if err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return errors.Join(err, draft.Discard(ctx))
	}
	// From here on the run is stopped by nothing but the fence.
	ctx = j.pool.settling
	done, err := j.record(ctx, func(ctx context.Context, r svc.Records, done *svc.Run) error {
		done.Cost = &cost
		if err := j.deliver(ctx, r, draft, done, last); err != nil {
			return err
		}
		if err := r.Runs().Finish(ctx, svc.RunRunning, *done); err != nil {
			return fmt.Errorf("%w: %w", errLost, err)
		}
		return nil
	})
	if err != nil {
		err = fmt.Errorf("commit the outcome: %w", err)
		if ctx.Err() == nil { // else it is swept when its time is over
			err = errors.Join(err, draft.Discard(ctx))
		}
		return err
	}
	j.ended(ctx, done)
	return nil
}

// record makes an outcome true in one transaction, however long the records cannot
// be reached, and gives the run as it is then. A commit whose answer was lost
// cannot be made again: the record tells that it was made.
func (j *job) record(ctx context.Context, commit func(context.Context, svc.Records, *svc.Run) error) (done svc.Run, err error) {
	uncertain := false
	err = j.untilAvailable(ctx, "record its outcome", func(ctx context.Context) error {
		err := j.pool.Store.TxLocked(ctx, func(r svc.Records) error {
			now, err := r.Now(ctx)
			if err != nil {
				return err
			}
			done = j.run
			done.FinishedAt = now
			return commit(ctx, r, &done)
		})
		if err == nil {
			return nil
		}
		if errors.Is(err, svc.ErrUnavailable) {
			uncertain = true
			return err
		}
		if !uncertain {
			return err
		}
		made, readErr := j.pool.Store.Runs().Get(ctx, j.run.AccountID, j.run.ID)
		switch {
		case errors.Is(readErr, svc.ErrUnavailable):
			return readErr
		case readErr == nil && made.Epoch == j.run.Epoch && made.Status.Final():
			done = made
			return nil
		}
		return err
	})
	return done, err
}

// deliver gives the project its state and, where there is room for one, a bundle.
// Without, what was paid for is kept all the same, and the run says how to get it.
func (j *job) deliver(ctx context.Context, r svc.Records, draft *pack.Draft, done *svc.Run, last int64) error {
	limit := j.pool.Limits.PendingBytes
	room, err := pack.Room(ctx, r, done.AccountID, done.ID, limit)
	if err != nil {
		return err
	}
	if size := draft.BundleSize(); size > room {
		done.Status, done.LastEvent = svc.RunFailed, last+1
		done.Error = &svc.RunError{
			Code: string(svc.CodeStorageLimitReached),
			Message: fmt.Sprintf("The project has its new state, but its bundle of %d bytes finds no room: %d bytes may wait for this account. "+
				"Acknowledge bundles that wait, then run svc export %s.", size, limit, done.ProjectID),
		}
		_, err := draft.CommitState(ctx, r, done.FinishedAt)
		return err
	}
	_, bundle, err := draft.Commit(ctx, r, done.ID, done.FinishedAt)
	done.Status, done.BundleID, done.LastEvent = svc.RunSucceeded, bundle.ID, last+2 // cost_summary and bundle_ready
	return err
}

// fail makes the failure true, then publishes it.
func (j *job) fail(cause error) error {
	ctx := j.pool.settling
	last, err := j.events.close()
	if err != nil {
		// What was being stored may have arrived or not: the log has to be asked.
		// While it does not answer the run cannot end; whoever takes it next asks.
		j.pool.Log.Warn("the event log refused the events of a run", "run", j.run.ID, "error", err)
		err := j.untilAvailable(ctx, "find the end of its events", func(ctx context.Context) error {
			writer, err := j.pool.Events.Writer(ctx, j.claim())
			if err == nil {
				last = writer.Last()
			}
			return err
		})
		if err != nil {
			return fmt.Errorf("find the end of the event log: %w", err)
		}
	}
	reason := j.explain(cause)
	done, err := j.record(ctx, func(ctx context.Context, r svc.Records, done *svc.Run) error {
		done.Status, done.Error, done.LastEvent = svc.RunFailed, reason, last+1
		if errors.Is(cause, errCancelled) {
			done.Status = svc.RunCancelled
		}
		return r.Runs().Finish(ctx, svc.RunRunning, *done)
	})
	if err != nil {
		return err
	}
	j.ended(ctx, done)
	return nil
}

func (j *job) ended(ctx context.Context, done svc.Run) {
	j.pool.Observer.Ended(done.Status, done.FinishedAt.Sub(done.StartedAt))
	j.pool.Log.Info("a run ended", "run", done.ID, "status", string(done.Status), "events", done.LastEvent)
	ctx, cancel := context.WithTimeout(ctx, publishTime)
	defer cancel()
	if err := publishEnding(ctx, j.pool.Store, j.pool.Events, done); err != nil {
		j.pool.Log.Warn("the end of a run will be published later", "run", done.ID, "error", err)
	}
}

// maxMessage is how much people are told of what went wrong. The rest of an
// ending is short, so that it fits in a message of the log, however it is escaped.
const maxMessage = 4 << 10

// explain turns what went wrong into what people are told, in bounds.
func (j *job) explain(cause error) *svc.RunError {
	e := j.reason(cause)
	e.Message = validate.Cut(e.Message, maxMessage)
	return e
}

// reason finds the words for what went wrong. What is no error of the engine's
// own is for the log alone.
func (j *job) reason(cause error) *svc.RunError {
	if e, ok := errors.AsType[*engine.Error](cause); ok {
		if e.Err != nil || e.Code == engine.CodeInternal {
			j.pool.Log.Warn("a run failed", "run", j.run.ID, "error", cause)
		}
		return &svc.RunError{Code: knownCode(e.Code), Message: e.Message, Retryable: e.Retryable, Suggestion: suggestionOf(e)}
	}
	if e, ok := errors.AsType[*svc.Error](cause); ok && e.Code == svc.CodeProjectTooLarge {
		return &svc.RunError{Code: engine.CodeValidationFailed, Message: e.Message}
	}
	switch {
	case errors.Is(cause, errCancelled):
		return cancelledError()
	case errors.Is(cause, errTooLong):
		return &svc.RunError{
			Code: engine.CodeInternal, Retryable: true,
			Message: fmt.Sprintf("The generation took longer than %v and was stopped.", j.pool.Limits.RunTime),
		}
	case errors.Is(cause, bundlezip.ErrInvalid):
		return &svc.RunError{Code: engine.CodeValidationFailed, Message: fmt.Sprintf("What was generated cannot become a bundle: %v.", cause)}
	}
	j.pool.Log.Error("a run failed", "run", j.run.ID, "error", cause)
	return &svc.RunError{Code: engine.CodeInternal, Message: "The generation failed inside the service.", Retryable: true}
}

// knownCode lets only the codes through that viewers know.
func knownCode(code string) string {
	switch code {
	case engine.CodeValidationFailed, engine.CodeUpstreamOutage, engine.CodeConstraintUnresolvable:
		return code
	}
	return engine.CodeInternal
}
