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

// teller says events on behalf of one worker, several in one append. Saying
// waits while a batch is being stored, so a run cannot outrun its log.
type teller struct {
	writer   svc.EventWriter
	observer Observer
	broken   func(error) // called once, when the log refuses

	mu    sync.Mutex
	batch []svc.Event
	size  int
	timer *time.Timer
	last  time.Time // of the last append
	err   error
}

func newTeller(w svc.EventWriter, o Observer, broken func(error)) *teller {
	t := &teller{writer: w, observer: o, broken: broken}
	t.timer = time.AfterFunc(time.Hour, func() { _ = t.flush() }) // the error is kept and shown to the next say
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
	if t.err == nil && t.size+len(e.Data) > batchLimit {
		t.store()
	}
	if t.err != nil {
		return t.err
	}
	t.batch, t.size = append(t.batch, e), t.size+len(e.Data)
	switch {
	case t.size >= batchBytes || len(t.batch) == 1 && time.Since(t.last) >= batchTime:
		t.store()
	case len(t.batch) == 1:
		t.timer.Reset(batchTime)
	}
	return t.err
}

// flush stores what has been said.
func (t *teller) flush() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.store()
	return t.err
}

// store appends the batch. The lock is held. It does not end with the run's
// context: what was said before a run was stopped is part of its story, and the
// fence keeps out what is not.
func (t *teller) store() {
	if t.err != nil || len(t.batch) == 0 {
		return
	}
	t.timer.Stop()
	ctx, cancel := context.WithTimeout(context.Background(), storeTime)
	defer cancel()
	if err := t.writer.Append(ctx, t.batch); err != nil {
		t.err = fmt.Errorf("tell what the run does: %w", err)
		t.broken(t.err)
		return
	}
	t.observer.Told(len(t.batch))
	// The log may hold on to what it was given, so the next batch is a new one.
	t.batch, t.size, t.last = nil, 0, time.Now()
}

// close stores what has been said and ends the teller. It returns the number of
// the last event that the log has.
func (t *teller) close() (int64, error) {
	err := t.flush()
	t.timer.Stop()
	return t.writer.Last(), err
}
