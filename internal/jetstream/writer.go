package jetstream

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	svc "github.com/bundle-delivery/svc"
)

// tries bounds how often an append is sent again because the run's former worker
// got another message in.
const tries = 8

// writer is svc.EventWriter: it knows the last message of its run.
type writer struct {
	log   *eventLog
	claim svc.RunClaim
	// subject is where the run's messages go.
	subject string
	seq     int64  // of the last event
	place   uint64 // of the last message
	wrote   bool   // this writer has appended: from then on every conflict is final
	void    bool
}

// Writer is svc.EventLog.
func (l *eventLog) Writer(ctx context.Context, c svc.RunClaim) (svc.EventWriter, error) {
	if err := checkRunID(c.ID); err != nil {
		return nil, err
	}
	w := l.writer(c)
	if err := w.look(ctx); err != nil {
		return nil, err
	}
	return w, nil
}

func (l *eventLog) writer(c svc.RunClaim) *writer {
	return &writer{log: l, claim: c, subject: runSubject + c.ID}
}

// look reads where the run's log ends. svc.ErrConflict when a later worker wrote.
func (w *writer) look(ctx context.Context) error {
	last, err := w.log.lastBatch(ctx, w.claim.ID)
	if err != nil {
		return err
	}
	if last.place == 0 {
		w.seq, w.place = 0, 0
		return nil
	}
	if last.epoch > w.claim.Epoch {
		w.void = true
		return w.conflict()
	}
	w.seq, w.place = last.last(), last.place
	return nil
}

func (w *writer) conflict() error {
	return fmt.Errorf("write events of %s as worker %d: %w", w.claim.ID, w.claim.Epoch, svc.ErrConflict)
}

// Last is svc.EventWriter.
func (w *writer) Last() int64 { return w.seq }

// Append is svc.EventWriter.
func (w *writer) Append(ctx context.Context, events []svc.Event) error {
	if w.void {
		return w.conflict()
	}
	if len(events) == 0 {
		return nil
	}
	began, refusals := time.Now(), 0
	for try := 0; ; try++ {
		for i := range events {
			events[i].Seq = w.seq + 1 + int64(i)
		}
		b := batch{epoch: w.claim.Epoch, events: events}
		data, err := b.encode()
		if err != nil {
			return err
		}
		// A publish whose answer was lost is sent again: if the first did arrive,
		// the fence refuses the second, and what stands there is our own.
		place, err := w.log.press.publish(ctx, w.subject, w.place, data)
		if err == nil {
			w.stored(b, place)
			return nil
		}
		apiErr, ok := errors.AsType[*jetstream.APIError](err)
		refused := ok && apiErr.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence
		if ctx.Err() != nil || refusals == tries || !refused && time.Since(began) > outage || errors.Is(err, nats.ErrConnectionClosed) {
			w.log.hub.lose(w.claim.ID) // it may be stored: who watches will look
			return fmt.Errorf("store events of %s: %w", w.claim.ID, err)
		}
		if refused {
			refusals++
			if done, err := w.settle(ctx, b); done || err != nil {
				return err
			}
		} else {
			w.log.bus.log.Debug("events are sent again", "run", w.claim.ID, "error", err)
		}
		if err := pause(ctx, try); err != nil {
			return err
		}
	}
}

// stored notes that a batch is in the log, and tells who watches in this process.
func (w *writer) stored(b batch, place uint64) {
	w.seq, w.place, w.wrote = b.last(), place, true
	w.log.hub.tell(w.claim.ID, stored{batch: b, place: place})
}

// settle finds out what the fence's refusal means: our own message stands there
// (done), a worker that we follow was faster (try again after it), or the run
// is no longer ours (svc.ErrConflict).
func (w *writer) settle(ctx context.Context, b batch) (done bool, err error) {
	last, err := w.log.lastBatch(ctx, w.claim.ID)
	switch {
	case err != nil:
		return false, err
	case last.place != 0 && last.epoch == w.claim.Epoch && last.first() == b.first() && last.last() == b.last():
		w.stored(b, last.place)
		return true, nil
	case last.place <= w.place && w.wrote || last.place == w.place:
		return false, nil // an old answer: the refusal is younger
	case !w.wrote && last.place != 0 && last.epoch < w.claim.Epoch:
		w.seq, w.place = last.last(), last.place
		return false, nil
	default:
		w.void = true
		return false, w.conflict()
	}
}

func pause(ctx context.Context, try int) error {
	return pauseFor(ctx, min(10*time.Millisecond<<min(try, 7), time.Second))
}

func pauseFor(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
