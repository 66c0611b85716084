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

// eventBuffer gathers the events of one worker into batches and appends them to
// the log. One append is under way at a time, on a goroutine of its own, and what
// is emitted meanwhile waits for it; emit itself waits when that is a whole
// batch, so a run cannot outrun its log.
type eventBuffer struct {
	writer   svc.EventWriter
	observer Observer
	broken   func(error) // called once, when the log refuses

	mu      sync.Mutex
	batch   []svc.Event
	size    int
	timer   *time.Timer
	stored  time.Time // when the last append ended
	storing bool
	due     bool      // the batch was to be stored while another was
	idle    sync.Cond // no append is under way
	err     error
}

func newEventBuffer(w svc.EventWriter, o Observer, broken func(error)) *eventBuffer {
	b := &eventBuffer{writer: w, observer: o, broken: broken}
	b.idle.L = &b.mu
	b.timer = time.AfterFunc(time.Hour, b.tick)
	b.timer.Stop()
	return b
}

// emit adds an event to the batch. It returns what went wrong with an earlier
// one: that ended the buffer.
func (b *eventBuffer) emit(p svc.Payload) error {
	e, err := svc.NewEvent(p)
	if err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.size+len(e.Data) > batchLimit {
		b.store()
	}
	if b.err != nil {
		return b.err
	}
	b.batch, b.size = append(b.batch, e), b.size+len(e.Data)
	switch {
	case b.size >= batchBytes || len(b.batch) == 1 && !b.storing && time.Since(b.stored) >= batchTime:
		b.store()
	case len(b.batch) == 1:
		b.timer.Reset(batchTime)
	}
	return b.err
}

// tick stores a batch that is old enough, now or when the one before it is
// stored.
func (b *eventBuffer) tick() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.due = b.storing; !b.due {
		b.store()
	}
}

// store begins to append the batch, after the one that is under way. The lock is
// held.
func (b *eventBuffer) store() {
	for b.storing {
		b.idle.Wait()
	}
	if b.err != nil || len(b.batch) == 0 {
		return
	}
	b.timer.Stop()
	// The log may hold on to what it was given, so the next batch is a new one.
	batch := b.batch
	b.batch, b.size, b.storing, b.due = nil, 0, true, false
	go b.append(batch)
}

// append does not end with the run's context: what was emitted before a run was
// stopped belongs to it, and the fence keeps out what does not.
func (b *eventBuffer) append(batch []svc.Event) {
	ctx, cancel := context.WithTimeout(context.Background(), storeTime)
	defer cancel()
	err := b.writer.Append(ctx, batch)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.storing, b.stored = false, time.Now()
	if err != nil {
		b.err = fmt.Errorf("store the events of the run: %w", err)
		b.broken(b.err)
	} else {
		b.observer.EventsStored(len(batch))
	}
	if b.due {
		b.store()
	}
	b.idle.Broadcast()
}

// close stores what was emitted and ends the buffer. It returns the number of the
// last event that the log has.
func (b *eventBuffer) close() (int64, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.store()
	for b.storing {
		b.idle.Wait()
	}
	b.timer.Stop()
	return b.writer.Last(), b.err
}
