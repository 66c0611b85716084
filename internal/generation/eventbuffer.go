package generation

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	svc "github.com/bundle-delivery/svc"
)

const (
	// A batch is stored when it is this old or this large. The first event after
	// a pause is stored at once: nobody gains by its waiting.
	batchTime  = 20 * time.Millisecond
	batchBytes = 8 << 10
	// batchLimit keeps a batch, unless it is one event, within what one message of
	// the log can hold.
	batchLimit = 128 << 10
	// stallTime is how long an append takes before the log is taken to be out of
	// reach. The run then goes on until stallBytes wait: what a model is saying at
	// that moment is paid for, and would be cut off if nobody listened.
	stallTime  = time.Second
	stallBytes = 1 << 20
)

// eventBuffer gathers the events of one worker into batches and appends them to
// the log. One append is under way at a time, on a goroutine of its own, and what
// is emitted meanwhile waits for it; emit itself waits when that is a whole
// batch, so a run cannot outrun its log.
type eventBuffer struct {
	ctx      context.Context //nolint:containedctx // of the appends, which outlive the calls that begin them
	giveUp   context.CancelFunc
	writer   svc.EventWriter
	observer Observer
	clock    *runClock
	broken   func(error) // called once, when the log refuses

	mu      sync.Mutex
	batch   []svc.Event
	size    int
	timer   *time.Timer // of the batch
	stalls  *time.Timer // of the append that is under way
	begun   time.Time   // when the append that is under way began
	stored  time.Time   // when the last append ended
	storing bool
	due     bool      // the batch was to be stored while another was
	changed sync.Cond // an append ended or stalls, or the run was stopped
	stopped error     // why the run was
	err     error
}

// newEventBuffer makes a buffer whose appends last as long as ctx.
func newEventBuffer(ctx context.Context, w svc.EventWriter, o Observer, clock *runClock, broken func(error)) *eventBuffer {
	b := &eventBuffer{writer: w, observer: o, clock: clock, broken: broken}
	b.ctx, b.giveUp = context.WithCancel(ctx)
	b.changed.L = &b.mu
	b.timer = time.AfterFunc(time.Hour, b.tick)
	b.timer.Stop()
	b.stalls = time.AfterFunc(time.Hour, b.stall)
	b.stalls.Stop()
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
	if b.err != nil {
		return b.err
	}
	b.batch, b.size = append(b.batch, e), b.size+len(e.Data)
	switch {
	case b.size >= batchBytes:
		b.awaitRoom()
		b.store()
	case len(b.batch) == 1 && !b.storing && time.Since(b.stored) >= batchTime:
		b.store()
	case len(b.batch) == 1:
		b.timer.Reset(batchTime)
	}
	return b.err
}

// awaitRoom waits while a whole batch is emitted and another one is being stored.
// The lock is held.
func (b *eventBuffer) awaitRoom() {
	full := func() bool {
		stalled := time.Since(b.begun) >= stallTime
		return b.storing && b.err == nil && b.stopped == nil && (!stalled || b.size >= stallBytes)
	}
	if !full() {
		return
	}
	defer b.clock.pause()()
	for full() {
		b.changed.Wait()
	}
}

// stop wakes whoever waits to emit, because the run was stopped. What was emitted
// is stored all the same.
func (b *eventBuffer) stop(cause error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stopped = cause
	b.changed.Broadcast()
}

// tick stores a batch that is old enough.
func (b *eventBuffer) tick() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.store()
}

// store begins to append the batch, now or when the one that is under way is
// stored. The lock is held.
func (b *eventBuffer) store() {
	if b.due = b.storing; b.due || b.err != nil || len(b.batch) == 0 {
		return
	}
	b.timer.Stop()
	n, size := 1, len(b.batch[0].Data)
	for n < len(b.batch) && size+len(b.batch[n].Data) <= batchLimit {
		size += len(b.batch[n].Data)
		n++
	}
	// The log may hold on to what it was given, so the next batch is a new one.
	batch := b.batch[:n:n]
	b.batch, b.size = slices.Clone(b.batch[n:]), b.size-size
	if len(b.batch) > 0 {
		b.timer.Reset(batchTime)
	}
	b.storing, b.begun = true, time.Now()
	b.stalls.Reset(stallTime)
	go b.append(batch)
}

// stall lets the run go on while an append takes long, and gives up one that takes
// longer than an outage may last.
func (b *eventBuffer) stall() {
	b.mu.Lock()
	defer b.mu.Unlock()
	taken := time.Since(b.begun)
	switch {
	case !b.storing || taken < stallTime: // it ended while the timer fired
	case taken >= outageTime:
		b.giveUp()
	default:
		b.stalls.Reset(outageTime - taken)
		b.changed.Broadcast()
	}
}

// append does not end with the run's context: what was emitted before a run was
// stopped belongs to it, and the fence keeps out what does not.
func (b *eventBuffer) append(batch []svc.Event) {
	err := b.writer.Append(b.ctx, batch)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stalls.Stop()
	b.storing, b.stored = false, time.Now()
	if err != nil {
		b.err = fmt.Errorf("store the events of the run: %w", err)
		b.broken(b.err)
	} else {
		b.observer.EventsStored(len(batch))
	}
	if b.due || b.size >= batchBytes {
		b.store()
	}
	b.changed.Broadcast()
}

// close stores what was emitted and ends the buffer. It returns the number of the
// last event that the log has.
func (b *eventBuffer) close() (int64, error) {
	defer b.clock.pause()()
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.store(); b.storing; b.store() {
		b.changed.Wait()
	}
	b.timer.Stop()
	b.giveUp()
	return b.writer.Last(), b.err
}
