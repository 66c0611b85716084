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

const (
	// Publishing is paced: when messages come thick and fast, those of a window
	// go out together at its end. So the goroutines between a writer and the
	// disk, here and in the server, wake for many messages and not for each.
	paceWindow = 2 * time.Millisecond
	// paceFree messages of a window go out at once: what comes alone, or one
	// after the other from a single run, does not wait.
	paceFree = 4
	// An answer that has not come after so many rounds was lost with its leader:
	// the message is sent again, and the fence sorts out what that means.
	patience = 3
	round    = 2 * time.Second
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
	desks  []*desk // by number; nil: an answer to it would come too late
	free   []*desk // whose messages were answered
	held   []*desk // whose messages wait for the end of the window
	spare  []*desk // the room in which held grows next
	sent   int     // in this window
	window *time.Timer
	rounds int
	look   *time.Timer
	closed bool
}

// desk is where a message is filled in and its answer comes to. One that was
// left without an answer is not used again.
type desk struct {
	number  int
	message nats.Msg
	after   []string // the value of the message's header
	waiting hearer   // for the answer; nil: nobody does
	since   int      // the round in which the message was sent
}

// hearer is told the answer to a message, once, and must not wait for anything.
type hearer interface{ hear(a answer) }

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
	p.mu.Lock()
	defer p.mu.Unlock()
	p.window = time.AfterFunc(paceWindow, p.endWindow)
	p.look = time.AfterFunc(round, p.endRound)
	return p, nil
}

// waiter waits for an answer.
type waiter chan answer

func (w waiter) hear(a answer) { w <- a }

// publish sends a message that is to be stored only if the last of its subject
// stands at the given place, and returns the place that it got. It waits for some
// rounds, or until ctx ends; then the message may be stored or not.
func (p *press) publish(ctx context.Context, subject string, after uint64, data []byte) (uint64, error) {
	heard := make(waiter, 1)
	d, err := p.send(subject, after, data, heard)
	if err != nil {
		return 0, err
	}
	select {
	case a := <-heard:
		return a.place, a.err
	case <-ctx.Done():
		p.retire(d, heard)
		return 0, ctx.Err()
	}
}

// send sends a message like publish, and does not wait: the answer, or that none
// came in some rounds, is told to whoever is given. After an error nothing is.
func (p *press) send(subject string, after uint64, data []byte, to hearer) (*desk, error) {
	d, hold, err := p.take(subject, after, data, to)
	if err != nil || hold {
		return d, err
	}
	if err := p.conn.PublishMsg(&d.message); err != nil {
		if p.leave(d.number) == nil {
			return d, nil // it was told so already: the connection was closed
		}
		return nil, err
	}
	return d, nil
}

// take fills a message in at a free desk, or at a new one. It says whether the
// message is held until the window ends.
func (p *press) take(subject string, after uint64, data []byte, to hearer) (d *desk, hold bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, false, nats.ErrConnectionClosed
	}
	if last := len(p.free) - 1; last >= 0 {
		d, p.free = p.free[last], p.free[:last]
	} else {
		d = &desk{number: len(p.desks), after: make([]string, 1)}
		d.message.Reply = p.inbox + strconv.Itoa(d.number)
		d.message.Header = nats.Header{jetstream.ExpectedLastSubjSeqHeader: d.after}
		p.desks = append(p.desks, d)
	}
	d.message.Subject, d.message.Data, d.after[0] = subject, data, strconv.FormatUint(after, 10)
	d.waiting, d.since = to, p.rounds
	if p.sent >= paceFree {
		p.held = append(p.held, d)
		return d, true, nil
	}
	if p.sent++; p.sent == 1 {
		p.window.Reset(paceWindow)
	}
	return d, false, nil
}

// endWindow sends what was held; a window in which that was needed is followed
// by another.
func (p *press) endWindow() {
	p.mu.Lock()
	held := p.held
	p.held, p.spare, p.sent = p.spare[:0], nil, 0
	if len(held) > 0 && !p.closed {
		p.sent = 1
		p.window.Reset(paceWindow)
	}
	p.mu.Unlock()
	for _, d := range held {
		if err := p.conn.PublishMsg(&d.message); err != nil {
			p.answer(d.number, answer{err: err})
		}
	}
	clear(held)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.spare = held
}

// endRound gives up on messages that were sent some rounds ago.
func (p *press) endRound() {
	for _, to := range p.giveUp() {
		to.hear(answer{err: errNoAnswer})
	}
}

func (p *press) giveUp() (waiting []hearer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil
	}
	p.rounds++
	for number, d := range p.desks {
		if d != nil && d.waiting != nil && p.rounds-d.since > patience {
			p.desks[number] = nil
			waiting = append(waiting, d.waiting)
		}
	}
	p.look.Reset(round)
	return waiting
}

// leave makes a desk free and says who waited there; nil: nobody does any more.
func (p *press) leave(number int) (waited hearer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if number < 0 || number >= len(p.desks) || p.desks[number] == nil || p.desks[number].waiting == nil {
		return nil
	}
	d := p.desks[number]
	waited, d.waiting, d.message.Data = d.waiting, nil, nil
	p.free = append(p.free, d)
	return waited
}

// retire gives up a desk whose answer is not waited for any more.
func (p *press) retire(d *desk, waited hearer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if d.waiting == waited && p.desks[d.number] == d {
		p.desks[d.number] = nil
	}
}

// deliver takes an answer to its desk.
func (p *press) deliver(msg *nats.Msg) {
	number, err := strconv.Atoi(msg.Subject[len(p.inbox):])
	if err != nil {
		return // not sent by the log
	}
	place, err := readAnswer(msg)
	p.answer(number, answer{place, err})
}

func (p *press) answer(number int, a answer) {
	if to := p.leave(number); to != nil {
		to.hear(a)
	}
}

// close answers those who still wait.
func (p *press) close() {
	for _, to := range p.shut() {
		to.hear(answer{err: nats.ErrConnectionClosed})
	}
}

func (p *press) shut() (waiting []hearer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	p.window.Stop()
	p.look.Stop()
	for number, d := range p.desks {
		if d != nil && d.waiting != nil {
			p.desks[number] = nil
			waiting = append(waiting, d.waiting)
		}
	}
	return waiting
}

// What an answer is told by. A quotation mark within a string of JSON is
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
