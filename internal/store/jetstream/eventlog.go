package jetstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	svc "github.com/bundle-delivery/svc"
)

const (
	streamName = "SVC_EVENTS"
	// Writers publish below runSubject; where other processes write as well, the
	// stream republishes what it has stored below republishSubject.
	runSubject       = "svc.run."
	republishSubject = "svc.told."
	// A page is what one question to the log returns at most, or one message that
	// is larger. A viewer that stops taking holds a page for as long as it is borne.
	pageBytes = 8 << 10
	// skipBytes is a page of which nothing is kept, because it was all seen before.
	skipBytes = 1 << 20
	// readers is how many pages are asked for at a time: what is under way lies in
	// the memory of the server, which may be this process.
	readers = 16
	// overhead is more than what the server counts of a message beside its data.
	overhead = 256
)

// eventLog is svc.EventLog on the stream.
type eventLog struct {
	bus    *Bus
	stream jetstream.Stream
	hub    *hub
	asking chan struct{} // holds one for each page that is asked for
	now    func() time.Time
}

// Events is the log of this bus.
func (b *Bus) Events() svc.EventLog { return b.events }

func (b *Bus) openLog(ctx context.Context, cfg Config) error {
	// Nobody but this process can write to a server within it, and what it
	// writes it tells its viewers itself: nothing need be repeated to it.
	shared := b.server == nil
	var repeat *jetstream.RePublish
	if shared {
		repeat = &jetstream.RePublish{Source: runSubject + "*", Destination: republishSubject + "{{wildcard(1)}}"}
	}
	stream, err := b.makeStream(ctx, jetstream.StreamConfig{
		Name:        streamName,
		Description: "what generation runs tell",
		Subjects:    []string{runSubject + "*"},
		Retention:   jetstream.LimitsPolicy,
		Storage:     jetstream.FileStorage,
		MaxAge:      cfg.Retention,
		// What a live run has said is not given up for what another one says: a log
		// that is full refuses, and whoever writes waits.
		MaxBytes:    cfg.MaxBytes,
		Discard:     jetstream.DiscardNew,
		AllowDirect: true,
		// Duplicates are told by the fence; a window of ids would cost memory.
		Duplicates: 100 * time.Millisecond,
		RePublish:  repeat,
	}, b.replicas(cfg))
	if err != nil {
		return fmt.Errorf("make the stream of events: %w", err)
	}
	b.events = &eventLog{bus: b, stream: stream, hub: newHub(b.conn, b.closed, shared), asking: make(chan struct{}, readers), now: time.Now}
	return nil
}

// checkRunID refuses what would not be one token of a subject.
func checkRunID(id string) error {
	if id == "" {
		return errors.New("jetstream: a run without an id")
	}
	for _, c := range []byte(id) {
		if c != '_' && c != '-' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return fmt.Errorf("jetstream: %q is no id of a run", id)
		}
	}
	return nil
}

// storedBatch is a batch and its sequence in the stream.
type storedBatch struct {
	batch
	streamSeq uint64
	stored    time.Time // as the log says; zero when it was not asked
}

// lastBatch returns the last message of a run; sequence 0 when there is none.
func (l *eventLog) lastBatch(ctx context.Context, runID string) (storedBatch, error) {
	if l.bus.clustered() {
		return l.askAgain(ctx, runID, l.lastAtLeader)
	}
	return l.askAgain(ctx, runID, l.lastAnywhere)
}

// askAgain asks for the last message of a run until there is an answer. Nobody
// answers for a while when a leader is chosen, or the embedded store opened again.
func (l *eventLog) askAgain(ctx context.Context, runID string, ask func(context.Context, string) (storedBatch, error)) (storedBatch, error) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	for try := 0; ; try++ {
		once, cancel := context.WithTimeout(ctx, l.bus.tryTimeout())
		s, err := ask(once, runID)
		cancel()
		if err == nil {
			return s, nil
		}
		if ctx.Err() != nil || !transient(err) || pause(ctx, try) != nil {
			return storedBatch{}, fmt.Errorf("read the last event of %s: %w", runID, unreached(err))
		}
	}
}

// lastAnywhere asks whichever server answers: on a cluster what it says may be
// old.
func (l *eventLog) lastAnywhere(ctx context.Context, runID string) (storedBatch, error) {
	msg, err := l.stream.GetLastMsgForSubject(ctx, runSubject+runID)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return storedBatch{}, nil
	}
	if err != nil {
		return storedBatch{}, err
	}
	b, err := decodeBatch(msg.Data)
	if err != nil {
		return storedBatch{}, err
	}
	return storedBatch{batch: b, streamSeq: msg.Sequence, stored: msg.Time}, nil
}

// Last is svc.EventLog.
func (l *eventLog) Last(ctx context.Context, runID string) (svc.Event, error) {
	if err := checkRunID(runID); err != nil {
		return svc.Event{}, err
	}
	last, err := l.lastBatch(ctx, runID)
	if err != nil || last.streamSeq == 0 {
		return svc.Event{}, err
	}
	return last.events[len(last.events)-1], nil
}

// Read is svc.EventLog.
func (l *eventLog) Read(ctx context.Context, runID string, after int64) ([]svc.Event, error) {
	if err := checkRunID(runID); err != nil {
		return nil, err
	}
	for streamSeq := uint64(0); ; {
		p, err := l.readWhole(ctx, runID, streamSeq, skipBytes)
		if err != nil {
			return nil, err
		}
		if events := trim(p.events, after); len(events) > 0 || !p.more {
			return events, nil
		}
		streamSeq = p.streamSeq
	}
}

// trim drops the events up to the given number.
func trim(events []svc.Event, after int64) []svc.Event {
	if len(events) == 0 || events[0].Seq > after {
		return events
	}
	for i, e := range events {
		if e.Seq > after {
			return events[i:]
		}
	}
	return nil
}

// page is part of a run's log: streamSeq is that of its last message.
type page struct {
	events    []svc.Event
	streamSeq uint64
	more      bool
}

// directGet asks for several messages at once. The answers come one by one to
// the inbox, without headers, and end with a message that has a status and says
// where the last of them stands.
type directGet struct {
	Seq       uint64 `json:"seq"`
	NextFor   string `json:"next_by_subj"`
	Batch     int    `json:"batch"`
	MaxBytes  int    `json:"max_bytes"`
	NoHeaders bool   `json:"no_hdr"`
}

// readPage reads messages of a run after a sequence of the stream, as the server
// that is asked knows them.
func (l *eventLog) readPage(ctx context.Context, runID string, streamSeq uint64, maxBytes int) (page, error) {
	select {
	case l.asking <- struct{}{}:
		defer func() { <-l.asking }()
	case <-ctx.Done():
		return page{}, fmt.Errorf("read events of %s: %w", runID, ctx.Err())
	}
	maxMessages := maxBytes / overhead
	question, err := json.Marshal(directGet{Seq: streamSeq + 1, NextFor: runSubject + runID, Batch: maxMessages, MaxBytes: maxBytes, NoHeaders: true})
	if err != nil {
		return page{}, fmt.Errorf("ask for events: %w", err)
	}
	conn := l.bus.conn
	inbox := conn.NewInbox()
	// A channel of our own: the library's would have room for 65,536 messages.
	answers := make(chan *nats.Msg, maxMessages+1)
	sub, err := conn.ChanSubscribe(inbox, answers)
	if err != nil {
		return page{}, fmt.Errorf("ask for events: %w", err)
	}
	defer func() { _ = sub.Unsubscribe() }() // fails only when the connection is closed
	if err := conn.PublishRequest("$JS.API.DIRECT.GET."+streamName, inbox, question); err != nil {
		return page{}, fmt.Errorf("ask for events: %w", err)
	}
	p := page{streamSeq: streamSeq}
	for messages, size := 0, 0; ; messages++ {
		var msg *nats.Msg
		select {
		case msg = <-answers:
		case <-ctx.Done():
			return page{}, fmt.Errorf("read events of %s: %w", runID, ctx.Err())
		}
		switch status := msg.Header.Get("Status"); status {
		case "":
		case "503": // nobody answers for the stream
			return page{}, nats.ErrNoResponders
		case "404": // nothing stands after it
			return p, nil
		case "204":
			// Without headers the server does not count down what is pending, so
			// that there is more is told by what would have cut the page off.
			p.more = messages >= maxMessages || size+messages*overhead >= maxBytes
			if p.streamSeq, err = strconv.ParseUint(msg.Header.Get(jetstream.LastSequenceHeader), 10, 64); err != nil {
				return page{}, errBadBatch
			}
			return p, nil
		default:
			return page{}, fmt.Errorf("read events of %s: the event log answers %s %s", runID, status, msg.Header.Get("Description"))
		}
		b, err := decodeBatch(msg.Data)
		if err != nil {
			return page{}, err
		}
		p.events, size = append(p.events, b.events...), size+len(msg.Data)
	}
}

// parseStored reads a message that came out of the stream.
func parseStored(msg *nats.Msg) (storedBatch, error) {
	streamSeq, err := strconv.ParseUint(msg.Header.Get(jetstream.SequenceHeader), 10, 64)
	if err != nil {
		return storedBatch{}, errBadBatch
	}
	b, err := decodeBatch(msg.Data)
	if err != nil {
		return storedBatch{}, err
	}
	return storedBatch{batch: b, streamSeq: streamSeq}, nil
}
