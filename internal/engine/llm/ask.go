package llm

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"github.com/bundle-delivery/svc/internal/engine"
)

// How often and how long temporary failures of a provider are retried.
const (
	maxTries      = 5
	firstBackoff  = time.Second
	maxBackoff    = 30 * time.Second
	maxRetryAfter = 5 * time.Minute
)

// ask makes one call and retries temporary failures, as long as nothing of the
// answer has come. An answer that breaks off later is for the caller to continue:
// its text has been emitted already. A server that knows no tools is asked in words.
func (r *run) ask(ctx context.Context, c Call, hear func(Piece) error) (Reply, error) {
	for try := 1; ; try++ {
		begun := false
		listen := func(p Piece) error {
			begun = true
			return hear(p)
		}
		inWords := r.inWords.Load()
		call := c
		if inWords {
			call = spelledOut(c)
		}
		reply, err := r.askOnce(ctx, call, listen)
		f, ok := errors.AsType[*Failure](err)
		if ok && !inWords && !begun && f.refusesTools() {
			if reply, err = r.askOnce(ctx, spelledOut(c), listen); err == nil || begun {
				r.Log.Warn("the provider knows no tools; it is asked in words", "run", r.req.GenerationID, "failure", f)
				r.inWords.Store(true)
			}
			f, ok = errors.AsType[*Failure](err)
		}
		if err == nil || !ok || begun || !f.Temporary() || try == maxTries {
			return reply, err
		}
		if err := r.waitToRetry(ctx, f, try); err != nil {
			return reply, err
		}
	}
}

// refusesTools says whether a failure may mean that the server knows no tools:
// servers name that in many ways.
func (f *Failure) refusesTools() bool {
	switch f.Status {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusUnprocessableEntity, http.StatusNotImplemented:
		return true
	case http.StatusInternalServerError:
		return strings.Contains(strings.ToLower(f.Detail), "tool")
	}
	return false
}

// waitToRetry waits as long as the provider asks, or with exponential backoff.
func (r *run) waitToRetry(ctx context.Context, f *Failure, try int) error {
	wait := min(firstBackoff<<(try-1), maxBackoff)
	wait += time.Duration(rand.Int64N(int64(wait)/4 + 1)) //nolint:gosec // spreads callers, guards nothing
	if f.Wait > 0 {
		wait = f.Wait
	}
	left := r.meter.TimeLeft()
	if wait > maxRetryAfter || left > 0 && wait >= left {
		return f
	}
	r.Log.Info("the provider fails and is asked again", "run", r.req.GenerationID, "failure", f.Kind.String(), "status", f.Status, "wait", wait)
	return r.Wait(ctx, wait)
}

// askOnce makes one call, charges it while it streams, and emits its cost.
func (r *run) askOnce(ctx context.Context, c Call, hear func(Piece) error) (Reply, error) {
	if err := r.askAccount(ctx); err != nil {
		if ctx.Err() != nil {
			return Reply{}, context.Cause(ctx)
		}
		r.Log.Warn("what the account has spent cannot be read just now", "run", r.req.GenerationID, "error", err)
	}
	if err := r.meter.Exceeded(); err != nil {
		return Reply{}, err
	}
	call := r.meter.Begin(EstimateInput(c))
	if err := r.meter.Exceeded(); err != nil {
		call.Settle(Usage{})
		return Reply{}, err
	}
	c.Temperature = r.Temperature
	c.MaxTokens = r.meter.OutputLeft(r.MaxTokens)
	reply, err := r.Provider.Stream(ctx, c, func(piece Piece) error {
		call.Add(Usage{Output: EstimateTokens(len(piece.Text) + piece.Unseen)})
		if err := r.meter.Exceeded(); err != nil {
			r.stop(err) // every other stream of the run stops as well
			return err
		}
		return hear(piece)
	})
	cost := call.Settle(reply.Usage)
	if reply.Usage != (Usage{}) {
		emitErr := r.send(engine.Usage{
			Model:       r.Model,
			InputTokens: reply.Usage.Input + reply.Usage.CacheRead + reply.Usage.CacheWrite, OutputTokens: reply.Usage.Output,
			CostUSD: cost,
		})
		if err == nil {
			err = emitErr
		}
	}
	if err == nil && c.MaxTokens < r.MaxTokens && reply.Stop == StopLength {
		// It was the budget that cut the answer short.
		err = r.meter.Exceeded()
	}
	return reply, err
}
