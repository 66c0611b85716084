package jetstream

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// press sends the messages of all writers and gives each its answer. It does
// what the library's Publish does, at a fraction of the price, which is paid for
// every batch of every run: the answers come to few addresses that are used
// again and again, so that the server knows the way by heart, and they are read
// without decoding JSON.
type press struct {
	conn  *nats.Conn
	inbox string // addresses are this and a number

	mu     sync.Mutex
	desks  []desk
	free   []int // desks that nobody waits at
	closed bool
}

// desk is an address for an answer. One whose answer never came is not used
// again: it might come yet.
type desk struct {
	address string
	taken   chan answer // nil: nobody waits
}

// answer says where the log put a message, or why it did not.
type answer struct {
	place uint64
	err   error
}

var errNoAnswer = errors.New("the event log does not answer")

func newPress(conn *nats.Conn) (*press, error) {
	p := &press{conn: conn, inbox: conn.NewInbox() + "."}
	if _, err := conn.Subscribe(p.inbox+"*", p.deliver); err != nil {
		return nil, fmt.Errorf("listen for answers of the event log: %w", err)
	}
	return p, nil
}

// publish sends a message that is to be stored only if the last of its subject
// stands at the given place, and returns the place that it got.
func (p *press) publish(ctx context.Context, subject string, after uint64, data []byte) (uint64, error) {
	taken := make(chan answer, 1)
	number, address, err := p.take(taken)
	if err != nil {
		return 0, err
	}
	if err := p.conn.PublishMsg(&nats.Msg{
		Subject: subject, Reply: address, Data: data,
		Header: nats.Header{jetstream.ExpectedLastSubjSeqHeader: []string{strconv.FormatUint(after, 10)}},
	}); err != nil {
		p.abandon(number, taken)
		return 0, err
	}
	late := time.NewTimer(askTimeout)
	defer late.Stop()
	select {
	case a := <-taken:
		return a.place, a.err
	case <-ctx.Done():
		err = ctx.Err()
	case <-late.C:
		err = errNoAnswer
	}
	if p.abandon(number, taken) {
		return 0, err
	}
	a := <-taken // it came at the last moment
	return a.place, a.err
}

// take finds a free desk, or sets up another.
func (p *press) take(taken chan answer) (number int, address string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return 0, "", nats.ErrConnectionClosed
	}
	if last := len(p.free) - 1; last >= 0 {
		number, p.free = p.free[last], p.free[:last]
	} else {
		number = len(p.desks)
		p.desks = append(p.desks, desk{address: p.inbox + strconv.Itoa(number)})
	}
	p.desks[number].taken = taken
	return number, p.desks[number].address, nil
}

// abandon leaves a desk, unless the answer has come.
func (p *press) abandon(number int, taken chan answer) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.desks[number].taken != taken {
		return false
	}
	p.desks[number].taken = nil
	return true
}

// deliver takes an answer to whoever waits for it.
func (p *press) deliver(msg *nats.Msg) {
	number, err := strconv.Atoi(msg.Subject[len(p.inbox):])
	if err != nil {
		return // not sent by the log
	}
	place, err := readAnswer(msg)
	p.mu.Lock()
	defer p.mu.Unlock()
	if number < 0 || number >= len(p.desks) || p.desks[number].taken == nil {
		return // it came too late
	}
	p.desks[number].taken <- answer{place, err} // has room for one, and gets one
	p.desks[number].taken = nil
	p.free = append(p.free, number)
}

// close answers those who still wait.
func (p *press) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for i := range p.desks {
		if p.desks[i].taken != nil {
			p.desks[i].taken <- answer{err: nats.ErrConnectionClosed}
			p.desks[i].taken = nil
		}
	}
}

// What the answers are told by. A quotation mark within a string of JSON is
// escaped, so that neither can be part of one.
var (
	placeField = []byte(`"seq":`)
	errorField = []byte(`"error":`)
)

// readAnswer reads what the log says about a message.
func readAnswer(msg *nats.Msg) (uint64, error) {
	if len(msg.Header) > 0 && len(msg.Data) == 0 {
		return 0, nats.ErrNoResponders
	}
	if at := bytes.Index(msg.Data, placeField); at >= 0 && !bytes.Contains(msg.Data, errorField) {
		rest := msg.Data[at+len(placeField):]
		if end := bytes.IndexAny(rest, ",}"); end > 0 {
			if place, err := strconv.ParseUint(string(rest[:end]), 10, 64); err == nil && place > 0 {
				return place, nil
			}
		}
	}
	var ack struct {
		Error *jetstream.APIError `json:"error"`
		Place uint64              `json:"seq"`
	}
	switch err := json.Unmarshal(msg.Data, &ack); {
	case err != nil:
		return 0, fmt.Errorf("read the answer of the event log: %w", err)
	case ack.Error != nil:
		return 0, ack.Error
	case ack.Place == 0:
		return 0, errors.New("the event log answers without a place")
	}
	return ack.Place, nil
}
