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
	flight  flight // that was started
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

// flight is a batch on its way to the log, and who is to be told how that ends.
type flight struct {
	batch
	began time.Time
	until time.Time // when it is given up
	done  func(error)
}

// Append is svc.EventWriter.
func (w *writer) Append(ctx context.Context, events []svc.Event) error {
	if len(events) == 0 && !w.void {
		return nil
	}
	b, data, err := w.next(events)
	if err != nil {
		return err
	}
	began := time.Now()
	place, err := w.log.press.publish(ctx, w.subject, w.place, data)
	if err == nil {
		w.stored(b, place)
		return nil
	}
	return w.insist(ctx, b, err, began)
}

// Start does what Append does in the given time, and does not wait for it: done
// is told how it ended, before which the writer must not be used, and is told
// nothing after an error. It must not wait either: all writers are told by the
// same goroutine. A run that tells little at a time is spared a second waking
// for each event.
func (w *writer) Start(within time.Duration, events []svc.Event, done func(error)) error {
	b, data, err := w.next(events)
	if err != nil {
		return err
	}
	now := time.Now()
	w.flight = flight{batch: b, began: now, until: now.Add(within), done: done}
	if _, err := w.log.press.send(w.subject, w.place, data, w); err != nil {
		w.hear(answer{err: err})
	}
	return nil
}

// hear takes the answer to what was started. Of a bad one it does not tell at
// once.
func (w *writer) hear(a answer) {
	f := w.flight
	w.flight = flight{}
	if a.err == nil {
		w.stored(f.batch, a.place)
		f.done(nil)
		return
	}
	go func() { // whoever brings answers has more to bring
		ctx, cancel := context.WithDeadline(context.Background(), f.until)
		defer cancel()
		f.done(w.insist(ctx, f.batch, a.err, f.began))
	}()
}

// next numbers events and writes them as a message.
func (w *writer) next(events []svc.Event) (b batch, data []byte, err error) {
	if w.void {
		return b, nil, w.conflict()
	}
	for i := range events {
		events[i].Seq = w.seq + 1 + int64(i)
	}
	b = batch{epoch: w.claim.Epoch, events: events}
	data, err = b.encode()
	return b, data, err
}

// insist goes on with an append that failed: it sends again what may not have
// arrived. If it had, the fence refuses the second, and what stands there is our
// own.
func (w *writer) insist(ctx context.Context, b batch, failure error, began time.Time) error {
	refusals := 0
	for try := 0; ; try++ {
		apiErr, ok := errors.AsType[*jetstream.APIError](failure)
		refused := ok && apiErr.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence
		if ctx.Err() != nil || refusals == tries || !refused && time.Since(began) > outage || errors.Is(failure, nats.ErrConnectionClosed) {
			w.log.hub.lose(w.claim.ID) // it may be stored: who watches will look
			return fmt.Errorf("store events of %s: %w", w.claim.ID, failure)
		}
		if refused {
			refusals++
			if done, err := w.settle(ctx, b); done || err != nil {
				return err
			}
		} else {
			w.log.bus.log.Debug("events are sent again", "run", w.claim.ID, "error", failure)
		}
		if err := pause(ctx, try); err != nil {
			return err
		}
		again, data, err := w.next(b.events)
		if err != nil {
			return err
		}
		b = again
		var place uint64
		if place, failure = w.log.press.publish(ctx, w.subject, w.place, data); failure == nil {
			w.stored(b, place)
			return nil
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
