package faultproxy

import (
	"errors"
	"io"
	"net"
	"sync"
	"time"
)

// The directions of a link.
const (
	up   = 0 // from the client to the server
	down = 1
)

// piece is how much is read at a time.
const piece = 16 << 10

// link is a connection of a client and the one behind it.
type link struct {
	proxy   *Proxy
	ends    [2]net.Conn // the client's, the server's
	carried [2]int64    // under the fault that holds; guarded by the proxy
}

var errCut = errors.New("the connection is cut")

// carry moves bytes in both directions until both are done, or one breaks.
func (l *link) carry() {
	var both sync.WaitGroup
	for direction := range l.ends {
		both.Go(func() {
			if err := l.pump(direction); err != nil {
				l.reset() // half a connection is none
			}
		})
	}
	both.Wait()
	for _, end := range l.ends {
		_ = end.Close() // it may have been reset
	}
}

// pump moves bytes in one direction, and passes its end on.
func (l *link) pump(direction int) error {
	from, to := l.ends[direction], l.ends[1-direction]
	buffer := make([]byte, piece)
	for {
		n, err := from.Read(buffer)
		if n > 0 {
			allowed, cut := l.admit(direction, n)
			if _, err := to.Write(buffer[:allowed]); err != nil {
				return err
			}
			if cut {
				return errCut
			}
		}
		if errors.Is(err, io.EOF) {
			if half, ok := to.(interface{ CloseWrite() error }); ok {
				return half.CloseWrite()
			}
			return to.Close()
		}
		if err != nil {
			return err
		}
	}
}

// admit waits as long as the fault wants, and says how many of n bytes may pass,
// and whether the connection is cut after them.
func (l *link) admit(direction, n int) (allowed int, cut bool) {
	p := l.proxy
	for delayed := false; ; {
		fault, changed := p.holding()
		var wait <-chan time.Time
		switch {
		case fault.Silent:
		case fault.Delay > 0 && !delayed:
			timer := time.NewTimer(fault.Delay)
			defer timer.Stop()
			wait = timer.C
		default:
			return l.count(direction, n)
		}
		select {
		case <-changed:
		case <-wait:
			delayed = true
		case <-p.ended.Done():
			return 0, true
		}
	}
}

func (l *link) count(direction, n int) (allowed int, cut bool) {
	p := l.proxy
	p.mu.Lock()
	defer p.mu.Unlock()
	limit := p.fault.CutAfter
	if limit > 0 && l.carried[direction]+int64(n) > limit {
		return int(max(limit-l.carried[direction], 0)), true
	}
	l.carried[direction] += int64(n)
	return n, false
}

func (l *link) reset() {
	for _, end := range l.ends {
		reset(end)
	}
}

// reset ends a connection so that its other end is told at once.
func reset(c net.Conn) {
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // it may be gone
	}
	_ = c.Close()
}

// patience is how long an answer in the server's place waits for what is asked.
const patience = 5 * time.Second

// answer speaks in the server's place. What the client still sends is read: a
// connection that ends with unread bytes is reset, and the answer lost with it.
func answer(c net.Conn, text []byte) {
	defer func() { _ = c.Close() }()
	_ = c.SetReadDeadline(time.Now().Add(patience)) // it may be a connection in reserve
	first := make([]byte, piece)
	if _, err := c.Read(first); err != nil {
		return
	}
	if _, err := c.Write(text); err != nil {
		return
	}
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.CloseWrite()
	}
	_ = c.SetReadDeadline(time.Now().Add(patience))
	_, _ = io.Copy(io.Discard, c) // until it has said all, or for long enough
}
