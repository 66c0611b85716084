package generation

import (
	"context"
	"fmt"
	"sync"
	"time"

	svc "github.com/bundle-delivery/svc"
)

const (
	// A batch is stored when it is this old or this large. The first event after
	// a pause is stored at once: nobody gains by its waiting.
	batchTime  = 20 * time.Millisecond
	batchBytes = 8 << 10
	// batchLimit keeps a batch, and the largest event on top of it, within what
	// one message of the log can hold.
	batchLimit = 128 << 10
	// storeTime bounds one append, retries included.
	storeTime = 20 * time.Second
)

// starter is a writer that need not be waited for. Start begins to append, and
// done is told how that ended; until then the writer is not used. After an error
// nothing was begun.
type starter interface {
	Start(within time.Duration, events []svc.Event, done func(error)) error
}

// teller says events on behalf of one worker, several in one append. One append
// is under way at a time, and what is said meanwhile waits for it; saying waits
// when that is a batch, so a run cannot outrun its log.
type teller struct {
	writer   svc.EventWriter
	starter  starter // the writer, if it need not be waited for
	observer Observer
	broken   func(error) // called once, when the log refuses

	mu      sync.Mutex
	batch   []svc.Event
	size    int
	timer   *time.Timer
	last    time.Time // of the last append
	flying  int       // events that are being appended
	overdue bool      // the batch was to be stored while another was
	landed  sync.Cond // none is under way
	err     error
}

func newTeller(w svc.EventWriter, o Observer, broken func(error)) *teller {
	t := &teller{writer: w, observer: o, broken: broken}
	t.starter, _ = w.(starter)
	t.landed.L = &t.mu
	t.timer = time.AfterFunc(time.Hour, t.ring)
	t.timer.Stop()
	return t
}

// say adds an event to the batch.
func (t *teller) say(p svc.Payload) error {
	e, err := svc.NewEvent(p)
	if err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.size+len(e.Data) > batchLimit {
		t.store()
	}
	if t.err != nil {
		return t.err
	}
	t.batch, t.size = append(t.batch, e), t.size+len(e.Data)
	switch {
	case t.size >= batchBytes || len(t.batch) == 1 && t.flying == 0 && time.Since(t.last) >= batchTime:
		t.store()
	case len(t.batch) == 1:
		t.timer.Reset(batchTime)
	}
	return t.err
}

// ring stores a batch that is old enough, now or when the one before it is
// stored. What goes wrong is kept and shown to the next say.
func (t *teller) ring() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.overdue = t.flying > 0; !t.overdue {
		t.store()
	}
}

// store appends the batch, after the one that is under way. The lock is held. It
// does not end with the run's context: what was said before a run was stopped is
// part of its story, and the fence keeps out what is not.
func (t *teller) store() {
	for t.flying > 0 {
		t.landed.Wait()
	}
	if t.err != nil || len(t.batch) == 0 {
		return
	}
	t.timer.Stop()
	// The log may hold on to what it was given, so the next batch is a new one.
	batch := t.batch
	t.batch, t.size, t.flying, t.overdue = nil, 0, len(batch), false
	if t.starter != nil {
		if err := t.starter.Start(storeTime, batch, t.land); err != nil {
			t.end(err)
		}
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), storeTime)
	defer cancel()
	t.end(t.writer.Append(ctx, batch))
}

// land is told that what was started is stored, or why not.
func (t *teller) land(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.end(err); t.overdue {
		t.store()
	}
	t.landed.Broadcast()
}

// end notes how an append ended. The lock is held.
func (t *teller) end(err error) {
	said := t.flying
	t.flying, t.last = 0, time.Now()
	if err != nil {
		t.err = fmt.Errorf("tell what the run does: %w", err)
		t.broken(t.err)
		return
	}
	t.observer.Told(said)
}

// close stores what has been said and ends the teller. It returns the number of
// the last event that the log has.
func (t *teller) close() (int64, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.store()
	for t.flying > 0 {
		t.landed.Wait()
	}
	t.timer.Stop()
	return t.writer.Last(), t.err
}
