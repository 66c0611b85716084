// Package memlog keeps events in memory, for tests. It holds the contract of
// [svc.EventLog], waits only on channels, so that it runs under synctest, and can
// be made to lose events, and the news of them.
package memlog

import (
	"context"
	"slices"
	"sync"

	svc "github.com/bundle-delivery/svc"
)

// Log keeps events in memory.
type Log struct {
	mu    sync.Mutex
	runs  map[string]*run
	muted bool
}

type run struct {
	epoch   int64
	version int64 // of the last append, for the fence
	events  []svc.Event
	changed chan struct{} // closed and replaced with each append
}

var _ svc.EventLog = (*Log)(nil)

// New makes an empty log.
func New() *Log { return &Log{runs: make(map[string]*run)} }

// MuteFeeds makes feeds miss new events until Verify, as if the news of them were
// lost, or lets them get them again.
func (l *Log) MuteFeeds(muted bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.muted = muted
}

// Truncate drops the events of a run after the given number, as a power cut would.
func (l *Log) Truncate(runID string, after int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.run(runID)
	r.events = slices.DeleteFunc(slices.Clone(r.events), func(e svc.Event) bool { return e.Seq > after })
	r.version++
}

func (l *Log) run(id string) *run {
	r := l.runs[id]
	if r == nil {
		r = &run{changed: make(chan struct{})}
		l.runs[id] = r
	}
	return r
}

func (r *run) last() int64 {
	if len(r.events) == 0 {
		return 0
	}
	return r.events[len(r.events)-1].Seq
}

func (r *run) after(seq int64) []svc.Event {
	for i, e := range r.events {
		if e.Seq > seq {
			return slices.Clone(r.events[i:])
		}
	}
	return nil
}

// Writer is svc.EventLog.
func (l *Log) Writer(_ context.Context, c svc.RunClaim) (svc.EventWriter, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.run(c.ID)
	if r.epoch > c.Epoch {
		return nil, svc.ErrConflict
	}
	return &writer{log: l, claim: c, seq: r.last(), version: r.version}, nil
}

// Read is svc.EventLog.
func (l *Log) Read(_ context.Context, runID string, after int64) ([]svc.Event, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.run(runID).after(after), nil
}

// Last is svc.EventLog.
func (l *Log) Last(_ context.Context, runID string) (svc.Event, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.run(runID)
	if len(r.events) == 0 {
		return svc.Event{}, nil
	}
	return r.events[len(r.events)-1], nil
}

// Follow is svc.EventLog.
func (l *Log) Follow(_ context.Context, runID string, after int64) (svc.EventFeed, error) {
	return &feed{log: l, runID: runID, last: after}, nil
}

type writer struct {
	log     *Log
	claim   svc.RunClaim
	seq     int64
	version int64
	wrote   bool
	err     error // that ended the writer
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

func (w *writer) store(ctx context.Context, events []svc.Event) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	w.log.mu.Lock()
	defer w.log.mu.Unlock()
	r := w.log.run(w.claim.ID)
	if r.version != w.version {
		if w.wrote || r.epoch >= w.claim.Epoch {
			return svc.ErrConflict
		}
		w.seq = r.last()
	}
	for i := range events {
		events[i].Seq = w.seq + 1 + int64(i)
	}
	r.events = append(r.events, events...)
	r.epoch, r.version = w.claim.Epoch, r.version+1
	w.seq, w.version, w.wrote = r.last(), r.version, true
	if !w.log.muted {
		close(r.changed)
		r.changed = make(chan struct{})
	}
	return nil
}

type feed struct {
	log      *Log
	runID    string
	last     int64
	caughtUp bool
}

// Next is svc.EventFeed.
func (f *feed) Next(ctx context.Context) ([]svc.Event, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		f.log.mu.Lock()
		r := f.log.run(f.runID)
		var events []svc.Event
		if !f.log.muted || !f.caughtUp {
			events = r.after(f.last)
		}
		f.caughtUp = true
		changed := r.changed
		f.log.mu.Unlock()
		if len(events) > 0 {
			f.last = events[len(events)-1].Seq
			return events, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-changed:
		}
	}
}

// Verify is svc.EventFeed.
func (f *feed) Verify(context.Context) error {
	f.caughtUp = false
	return nil
}

// Close is svc.EventFeed.
func (f *feed) Close() {}
