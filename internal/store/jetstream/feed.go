package jetstream

import (
	"context"
	"sync"
	"time"

	svc "github.com/bundle-delivery/svc"
)

// What a feed holds for a viewer that is slower than its run. Beyond it the
// feed forgets, and reads the log when the viewer is ready.
const (
	feedMessages = 256
	feedBytes    = 128 << 10
	// A message is on its way to its feeds for so long. If one is lost after all,
	// the next one shows the gap, or the next look finds it old.
	underway = time.Second
)

// feed is svc.EventFeed.
type feed struct {
	log    *eventLog
	runID  string
	signal chan struct{} // holds one when there may be something new
	close  sync.Once

	// Of the goroutine that calls Next.
	last      int64  // number of the last event handed out
	streamSeq uint64 // of the last message handed out
	skipping  bool   // what the log has next may have been seen already

	mu     sync.Mutex
	queue  []storedBatch
	bytes  int
	behind bool // the log has, or may have, what the queue has not
}

// Follow is svc.EventLog.
func (l *eventLog) Follow(_ context.Context, runID string, after int64) (svc.EventFeed, error) {
	if err := checkRunID(runID); err != nil {
		return nil, err
	}
	f := &feed{log: l, runID: runID, signal: make(chan struct{}, 1), last: max(after, 0), skipping: after > 0, behind: true}
	if err := l.hub.add(f); err != nil {
		return nil, err
	}
	return f, nil
}

// push hands a message to the feed. It never waits.
func (f *feed) push(s storedBatch) {
	size := dataSize(s.events)
	f.mu.Lock()
	if len(f.queue) >= feedMessages || f.bytes+size > feedBytes {
		f.queue, f.bytes, f.behind = nil, 0, true
	} else {
		f.queue, f.bytes = append(f.queue, s), f.bytes+size
	}
	f.mu.Unlock()
	f.wake()
}

func dataSize(events []svc.Event) (n int) {
	for _, e := range events {
		n += len(e.Data)
	}
	return n
}

// invalidate tells the feed that a message may have been lost.
func (f *feed) invalidate() {
	f.mu.Lock()
	f.behind = true
	f.mu.Unlock()
	f.wake()
}

func (f *feed) wake() {
	select {
	case f.signal <- struct{}{}:
	default:
	}
}

// Next is svc.EventFeed.
func (f *feed) Next(ctx context.Context) ([]svc.Event, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		queue, behind := f.take()
		if behind {
			events, err := f.catchUp(ctx)
			if err != nil || len(events) > 0 {
				return events, err
			}
			continue
		}
		if len(queue) > 0 {
			if events := f.following(queue); len(events) > 0 {
				return events, nil
			}
			continue // all known, or a gap: look again before waiting
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-f.signal:
		}
	}
}

// take empties the queue, unless the log has to be read first: what the queue
// holds then is joined to it afterwards.
func (f *feed) take() (queue []storedBatch, behind bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.behind {
		f.behind = false
		return nil, true
	}
	queue, f.queue, f.bytes = f.queue, nil, 0
	return queue, false
}

// catchUp reads a page of the log. What was seen before is passed over in large
// pages, of which nothing is kept.
func (f *feed) catchUp(ctx context.Context) ([]svc.Event, error) {
	size := pageBytes
	if f.skipping {
		size = skipBytes
	}
	p, err := f.log.readWhole(ctx, f.runID, f.streamSeq, size)
	if err != nil {
		f.invalidate()
		return nil, err
	}
	events := trim(p.events, f.last)
	if f.skipping && dataSize(events) > pageBytes {
		f.skipping = false
		f.invalidate()
		return nil, nil // the same again, in small pages
	}
	if p.more {
		f.invalidate()
	}
	f.streamSeq = p.streamSeq
	if len(events) > 0 {
		f.last = events[len(events)-1].Seq
	}
	return events, nil
}

// following returns the events of the queue that follow on what was handed out.
// What is known already is dropped; at a gap the rest is left to the log.
func (f *feed) following(queue []storedBatch) []svc.Event {
	var out []svc.Event
	for _, s := range queue {
		if s.last() <= f.last {
			continue
		}
		if s.first() > f.last+1 {
			f.invalidate()
			break
		}
		events := trim(s.events, f.last)
		if out == nil {
			out = events
		} else {
			out = append(out[:len(out):len(out)], events...)
		}
		f.last, f.streamSeq = s.last(), s.streamSeq
	}
	return out
}

// Verify is svc.EventFeed. It may ask a server that lags behind: the next time
// comes.
func (f *feed) Verify(ctx context.Context) error {
	last, err := f.log.askAgain(ctx, f.runID, f.log.lastAnywhere)
	if err != nil {
		return err
	}
	if last.streamSeq != 0 && last.last() > f.last && f.log.now().Sub(last.stored) > underway {
		f.invalidate()
	}
	return nil
}

// Close is svc.EventFeed.
func (f *feed) Close() { f.close.Do(func() { f.log.hub.remove(f) }) }
