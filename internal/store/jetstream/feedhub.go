package jetstream

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/nats-io/nats.go"
)

// hubBuffer is how many messages from other processes may wait to be handed out.
// When it is full NATS drops, and the feeds find the gap.
const hubBuffer = 8192

// hub hands messages that are stored to the feeds of their runs. Those of this
// process' own writers it gets from them. Where other processes may write too it
// also subscribes, once for each run that has a feed here, and reads each message
// once; what comes twice the feeds drop.
type hub struct {
	conn     *nats.Conn
	messages chan *nats.Msg  // of other processes; nil when none can write
	done     <-chan struct{} // closed with the bus
	wait     sync.WaitGroup

	mu     sync.RWMutex
	topics map[string]*topic
}

// topic is a run that has feeds.
type topic struct {
	sub   *nats.Subscription // nil when no other process can write
	feeds []*feed
}

func newHub(conn *nats.Conn, done <-chan struct{}, shared bool) *hub {
	h := &hub{conn: conn, done: done, topics: make(map[string]*topic)}
	if shared {
		h.messages = make(chan *nats.Msg, hubBuffer)
		h.wait.Go(h.run)
	}
	return h
}

func (h *hub) run() {
	for {
		select {
		case <-h.done:
			return
		case msg := <-h.messages:
			h.receive(msg)
		}
	}
}

func (h *hub) receive(msg *nats.Msg) {
	runID := strings.TrimPrefix(msg.Subject, republishSubject)
	h.mu.RLock()
	defer h.mu.RUnlock()
	t := h.topics[runID]
	if t == nil {
		return
	}
	s, err := parseStored(msg)
	for _, f := range t.feeds {
		if err != nil {
			f.invalidate()
		} else {
			f.push(s)
		}
	}
}

// deliver hands on what a writer of this process has stored.
func (h *hub) deliver(runID string, s storedBatch) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	if t := h.topics[runID]; t != nil {
		for _, f := range t.feeds {
			f.push(s)
		}
	}
}

// invalidate makes the feeds of a run read the log again.
func (h *hub) invalidate(runID string) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	if t := h.topics[runID]; t != nil {
		for _, f := range t.feeds {
			f.invalidate()
		}
	}
}

// add begins to listen for a feed.
func (h *hub) add(f *feed) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	t := h.topics[f.runID]
	if t == nil {
		t = &topic{}
		if h.messages != nil {
			var err error
			if t.sub, err = h.conn.ChanSubscribe(republishSubject+f.runID, h.messages); err != nil {
				return fmt.Errorf("listen for events of %s: %w", f.runID, err)
			}
		}
		h.topics[f.runID] = t
	}
	t.feeds = append(t.feeds, f)
	return nil
}

func (h *hub) remove(f *feed) {
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

// invalidateFeeds makes every feed read the log again.
func (h *hub) invalidateFeeds() {
	h.mu.RLock()
	defer h.mu.RUnlock()
	for _, t := range h.topics {
		for _, f := range t.feeds {
			f.invalidate()
		}
	}
}
