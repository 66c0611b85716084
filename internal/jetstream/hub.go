package jetstream

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/nats-io/nats.go"
)

const (
	// dispatchers share the work of reading messages for the feeds; the
	// messages of one run go through the same one, which keeps their order.
	dispatchers = 2
	// hubBuffer is how many messages may wait for a dispatcher. When it is full
	// NATS drops, and the feeds find the gap.
	hubBuffer = 8192
)

// hub hands messages that are stored to the feeds of their runs. Those of this
// process' own writers it gets from them. Where other processes may write too it
// also listens, once for each run that somebody here watches, and reads each
// message once; what it was told twice the feeds drop.
type hub struct {
	conn   *nats.Conn
	shared bool // other processes write to the log
	lanes  [dispatchers]chan *nats.Msg
	done   chan struct{}
	wait   sync.WaitGroup

	mu     sync.RWMutex
	topics map[string]*topic
}

// topic is a run that is watched.
type topic struct {
	sub   *nats.Subscription // nil when the log is not shared
	feeds []*feed
}

func newHub(conn *nats.Conn, shared bool) *hub {
	h := &hub{conn: conn, shared: shared, done: make(chan struct{}), topics: make(map[string]*topic)}
	if !shared {
		return h
	}
	for i := range h.lanes {
		h.lanes[i] = make(chan *nats.Msg, hubBuffer)
		h.wait.Go(func() { h.dispatch(h.lanes[i]) })
	}
	return h
}

func (h *hub) lane(runID string) chan *nats.Msg {
	sum := uint32(2166136261)
	for _, c := range []byte(runID) {
		sum = (sum ^ uint32(c)) * 16777619
	}
	return h.lanes[sum%dispatchers]
}

func (h *hub) dispatch(lane chan *nats.Msg) {
	for {
		select {
		case <-h.done:
			return
		case msg := <-lane:
			h.deliver(msg)
		}
	}
}

func (h *hub) deliver(msg *nats.Msg) {
	runID := strings.TrimPrefix(msg.Subject, toldSubject)
	h.mu.RLock()
	defer h.mu.RUnlock()
	t := h.topics[runID]
	if t == nil {
		return
	}
	s, err := storedBatch(msg)
	for _, f := range t.feeds {
		if err != nil {
			f.lose()
		} else {
			f.push(s)
		}
	}
}

// tell hands on what a writer of this process has stored.
func (h *hub) tell(runID string, s stored) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	if t := h.topics[runID]; t != nil {
		for _, f := range t.feeds {
			f.push(s)
		}
	}
}

// lose makes the feeds of a run read the log again.
func (h *hub) lose(runID string) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	if t := h.topics[runID]; t != nil {
		for _, f := range t.feeds {
			f.lose()
		}
	}
}

// join begins to listen for a feed.
func (h *hub) join(f *feed) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	t := h.topics[f.runID]
	if t == nil {
		t = &topic{}
		if h.shared {
			var err error
			if t.sub, err = h.conn.ChanSubscribe(toldSubject+f.runID, h.lane(f.runID)); err != nil {
				return fmt.Errorf("listen for events of %s: %w", f.runID, err)
			}
		}
		h.topics[f.runID] = t
	}
	t.feeds = append(t.feeds, f)
	return nil
}

func (h *hub) leave(f *feed) {
	h.mu.Lock()
	defer h.mu.Unlock()
	t := h.topics[f.runID]
	if t == nil {
		return
	}
	if at := slices.Index(t.feeds, f); at >= 0 {
		t.feeds = slices.Delete(t.feeds, at, at+1)
	}
	if len(t.feeds) > 0 {
		return
	}
	delete(h.topics, f.runID)
	if t.sub != nil {
		_ = t.sub.Unsubscribe() // fails only when the connection is closed
	}
}

// newsLost makes every feed read the log again.
func (h *hub) newsLost() {
	h.mu.RLock()
	defer h.mu.RUnlock()
	for _, t := range h.topics {
		for _, f := range t.feeds {
			f.lose()
		}
	}
}

func (h *hub) close() {
	close(h.done)
	h.wait.Wait()
}
