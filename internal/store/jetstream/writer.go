package jetstream

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/sleep"
)

const (
	// maxRefusals bounds how often an append is sent again because the run's
	// former worker got another message in.
	maxRefusals = 16
	// ackTimeout is how long an acknowledgement is waited for before the message
	// is sent again: it may have been lost with the stream's leader.
	ackTimeout = 7 * time.Second
	// stuckAfter is when a writer that waits shows that the log cannot be used: longer
	// than it takes to choose a leader.
	stuckAfter = 5 * time.Second
)

// writer is svc.EventWriter: it knows the last message of its run.
type writer struct {
	log       *eventLog
	claim     svc.RunClaim
	subject   string
	header    nats.Header // of its messages, one of which is under way at a time
	seq       int64       // of the last event
	streamSeq uint64      // of the last message
	wrote     bool        // this writer has appended: from then on every conflict is final
	err       error       // that ended the writer
}

// Writer is svc.EventLog.
func (l *eventLog) Writer(ctx context.Context, c svc.RunClaim) (svc.EventWriter, error) {
	if err := checkRunID(c.ID); err != nil {
		return nil, err
	}
	w := l.writer(c)
	if err := w.readEnd(ctx); err != nil {
		return nil, err
	}
	return w, nil
}

func (l *eventLog) writer(c svc.RunClaim) *writer {
	return &writer{log: l, claim: c, subject: runSubject + c.ID, header: nats.Header{}}
}

// readEnd reads where the run's log ends. svc.ErrConflict when a later worker wrote.
func (w *writer) readEnd(ctx context.Context) error {
	last, err := w.log.lastBatch(ctx, w.claim.ID)
	if err != nil {
		return err
	}
	if last.streamSeq == 0 {
		w.seq, w.streamSeq = 0, 0
		return nil
	}
	if last.epoch > w.claim.Epoch {
		return w.conflict()
	}
	w.seq, w.streamSeq = last.last(), last.streamSeq
	return nil
}

func (w *writer) conflict() error {
	return fmt.Errorf("write events of %s as worker %d: %w", w.claim.ID, w.claim.Epoch, svc.ErrConflict)
}

// Last is svc.EventWriter.
func (w *writer) Last() int64 { return w.seq }

// Append is svc.EventWriter.
func (w *writer) Append(ctx context.Context, events []svc.Event) error {
	if w.err == nil && len(events) > 0 {
		w.err = w.store(ctx, events)
	}
	return w.err
}

// store publishes events until they are acknowledged, however long the log cannot
// be reached. What may not have arrived is sent again: if it had, the fence refuses
// the second, and what stands there is our own.
func (w *writer) store(ctx context.Context, events []svc.Event) error {
	begun, stuck := time.Now(), false
	defer func() {
		if stuck {
			w.log.bus.stuck.Add(-1)
		}
	}()
	for try, refusals := 0, 0; ; try++ {
		b := w.next(events)
		data, err := b.encode()
		if err != nil {
			return err
		}
		streamSeq, err := w.publish(ctx, data)
		if err == nil {
			w.stored(b, streamSeq)
			return nil
		}
		if !stuck && time.Since(begun) > stuckAfter {
			stuck = true
			w.log.bus.stuck.Add(1)
		}
		refused := isAnswer(err, jetstream.JSErrCodeStreamWrongLastSequence)
		if !refused {
			w.log.bus.recovery.suspect()
		}
		if ctx.Err() != nil || refusals == maxRefusals || w.log.bus.conn.IsClosed() {
			w.log.hub.invalidate(w.claim.ID) // it may be stored: who watches will look
			return fmt.Errorf("store events of %s: %w: %w", w.claim.ID, svc.ErrUnavailable, err)
		}
		if refused {
			done, err := w.resolveRefusal(ctx, b)
			if done || err != nil && !errors.Is(err, svc.ErrUnavailable) {
				return err
			}
			if err == nil {
				refusals++
			}
		} else if full := isAnswer(err, storeFailed); full && try == 0 {
			w.log.bus.log.Warn("the event log is full, and a run waits until old events are over; raise --event-bytes", "run", w.claim.ID, "error", err)
		} else if !full {
			w.log.bus.log.Debug("events are sent again", "run", w.claim.ID, "error", err)
		}
		if err := pause(ctx, try); err != nil {
			return fmt.Errorf("store events of %s: %w: %w", w.claim.ID, svc.ErrUnavailable, err)
		}
	}
}

// next numbers events after the last that is stored.
func (w *writer) next(events []svc.Event) batch {
	for i := range events {
		events[i].Seq = w.seq + 1 + int64(i)
	}
	return batch{epoch: w.claim.Epoch, events: events}
}

// publish sends a message that is stored only if the last one of its subject is
// the one that the writer knows, and waits for its sequence in the stream. After
// an error the message may be stored or not.
func (w *writer) publish(ctx context.Context, data []byte) (streamSeq uint64, err error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	w.header.Set(jetstream.ExpectedLastSubjSeqHeader, strconv.FormatUint(w.streamSeq, 10))
	pending, err := w.log.bus.js.PublishMsgAsync(&nats.Msg{Subject: w.subject, Header: w.header, Data: data})
	if err != nil {
		return 0, err
	}
	select {
	case ack := <-pending.Ok():
		return ack.Sequence, nil
	case err := <-pending.Err():
		return 0, err
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

// stored notes that a batch is in the log, and tells who watches in this process.
func (w *writer) stored(b batch, streamSeq uint64) {
	w.seq, w.streamSeq, w.wrote = b.last(), streamSeq, true
	w.log.hub.deliver(w.claim.ID, storedBatch{batch: b, streamSeq: streamSeq})
}

// resolveRefusal finds out what the fence's refusal means: our own message stands
// there (done), a worker that we follow was faster (try again after it), or the
// run is no longer ours (svc.ErrConflict).
func (w *writer) resolveRefusal(ctx context.Context, b batch) (done bool, err error) {
	last, err := w.log.lastBatch(ctx, w.claim.ID)
	switch {
	case err != nil:
		return false, err
	case last.streamSeq != 0 && last.equals(b):
		w.stored(b, last.streamSeq)
		return true, nil
	case last.streamSeq <= w.streamSeq && w.wrote || last.streamSeq == w.streamSeq:
		return false, nil // an old answer: the refusal is younger
	case !w.wrote && last.streamSeq != 0 && last.epoch < w.claim.Epoch:
		w.seq, w.streamSeq = last.last(), last.streamSeq
		return false, nil
	default:
		return false, w.conflict()
	}
}

func pause(ctx context.Context, try int) error {
	return sleep.For(ctx, min(10*time.Millisecond<<min(try, 7), time.Second))
}
