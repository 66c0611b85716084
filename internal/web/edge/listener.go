package edge

import (
	"bytes"
	"errors"
	"io"
	"net"
	"sync/atomic"
	"time"
)

// errPlainHTTP ends a connection whose client did not speak TLS.
var errPlainHTTP = errors.New("the client spoke plain HTTP and was refused")

// TLSOnly wraps the listener under a TLS server. Clients that speak plain HTTP
// are answered with a refusal that names the address to use, and told of.
func TLSOnly(inner net.Listener, baseURL string, onRefusal RefusalFunc) net.Listener {
	return &listener{Listener: inner, refuse: func(remote string) []byte {
		answer, id := refusal(baseURL)
		onRefusal.call(Refusal{Reason: PlainHTTP, RequestID: id, Remote: remote})
		return answer
	}}
}

// StallTimeout wraps any listener: its connections end when a client stops taking
// what is written.
func StallTimeout(inner net.Listener) net.Listener {
	return &listener{Listener: inner}
}

type listener struct {
	net.Listener
	refuse func(remote string) []byte // nil: plain HTTP is welcome
}

func (l *listener) Accept() (net.Conn, error) {
	inner, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &conn{Conn: inner, refuse: l.refuse}, nil
}

// conn is a connection that refuses plain HTTP and does not wait for ever.
// Its first bytes are looked at by the goroutine that serves it, under the
// server's own deadline, so that a silent client holds up nobody else.
type conn struct {
	net.Conn
	refuse func(remote string) []byte
	first  []byte // read ahead and not yet given
	looked bool   // reads come one at a time

	asked atomic.Int64 // the server's own write deadline in Unix nanoseconds; 0: none
	armed atomic.Int64 // the write deadline that is set
}

// plainEnough is how much of the first bytes decides.
const plainEnough = 4096

func (c *conn) Read(p []byte) (int, error) {
	if !c.looked {
		c.looked = true
		if c.refuse != nil {
			if err := c.look(); err != nil {
				return 0, err
			}
		}
	}
	if len(c.first) > 0 {
		n := copy(p, c.first)
		if c.first = c.first[n:]; len(c.first) == 0 {
			c.first = nil // a stream may last for hours, and needs it no more
		}
		return n, nil
	}
	return c.Conn.Read(p)
}

// look reads the first bytes. A TLS record begins with a byte that is no letter,
// an HTTP request with a method.
func (c *conn) look() error {
	buffer := make([]byte, plainEnough)
	n, err := c.Conn.Read(buffer)
	c.first = buffer[:n]
	if n == 0 {
		return err
	}
	if c.first[0] < 'A' || c.first[0] > 'Z' {
		return nil
	}
	c.sendRefusal()
	return errPlainHTTP
}

// linger is how long a refused client may take to send its request and to read
// the answer.
const linger = 2 * time.Second

// sendRefusal answers a plain request and waits for the client to have read it:
// closing at once, with bytes unread, would take the answer away again.
func (c *conn) sendRefusal() {
	if c.Conn.SetDeadline(time.Now().Add(linger)) != nil {
		return
	}
	for !bytes.Contains(c.first, []byte("\r\n\r\n")) && len(c.first) < cap(c.first) {
		n, err := c.Conn.Read(c.first[len(c.first):cap(c.first)])
		c.first = c.first[:len(c.first)+n]
		if err != nil {
			break
		}
	}
	if _, err := c.Conn.Write(c.refuse(c.RemoteAddr().String())); err != nil {
		return
	}
	if c.CloseWrite() == nil {
		// What else the client sends is of no interest, nor how it ends.
		_, _ = io.CopyN(io.Discard, c.Conn, 1<<20)
	}
}

// Write gives the client stallWait to take the bytes, or less where the server
// asked for less.
func (c *conn) Write(p []byte) (int, error) {
	if err := c.arm(time.Now()); err != nil {
		return 0, err
	}
	return c.Conn.Write(p)
}

// arm moves the write deadline ahead. It is set anew only when it has come
// closer by a sixth, since a busy connection writes ten thousand times a second.
func (c *conn) arm(now time.Time) error {
	deadline := now.Add(stallWait)
	if asked := c.asked.Load(); asked != 0 && asked < deadline.UnixNano() {
		deadline = time.Unix(0, asked)
	} else if armed := c.armed.Load(); armed != 0 && deadline.UnixNano()-armed < int64(stallWait/6) && armed <= deadline.UnixNano() {
		return nil
	}
	if c.armed.Swap(deadline.UnixNano()) == deadline.UnixNano() {
		return nil
	}
	return c.Conn.SetWriteDeadline(deadline)
}

// SetWriteDeadline keeps what the server asks for; a deadline takes effect on a
// write that is under way, too.
func (c *conn) SetWriteDeadline(t time.Time) error {
	if t.IsZero() {
		c.asked.Store(0)
		return c.arm(time.Now())
	}
	c.asked.Store(t.UnixNano())
	return c.arm(time.Now())
}

// SetDeadline sets both deadlines.
func (c *conn) SetDeadline(t time.Time) error {
	if err := c.SetReadDeadline(t); err != nil {
		return err
	}
	return c.SetWriteDeadline(t)
}

// CloseWrite says that nothing more is said, while the rest is still read.
func (c *conn) CloseWrite() error { return closeWrite(c.Conn) }
