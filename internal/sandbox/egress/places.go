package egress

import (
	"errors"
	"net"
	"sync"
)

const (
	// maxOfBox is how many connections one box may have, and maxInAll how many all
	// boxes of a process may have together.
	maxOfBox = 128
	maxInAll = 1024
	// filesShare is which part of the files that the process may open is left to
	// boxes: a quarter, with two files for each connection, inside and outside.
	// The rest is for clients and for what serves them.
	filesShare = 8
)

// Places are the connections that all boxes of a process may have together.
// Relays share them.
type Places struct {
	max   int
	mu    sync.Mutex
	taken int
	freed chan struct{} // closed when a place is given back
}

// NewPlaces makes the places of a process: 1,024, or fewer where it may open few
// files.
func NewPlaces() *Places { return newPlaces(min(maxInAll, openFiles()/filesShare)) }

func newPlaces(most int) *Places {
	return &Places{max: max(most, 1), freed: make(chan struct{})}
}

// Max returns how many connections there may be.
func (p *Places) Max() int { return p.max }

// boxListener accepts the connections of one box as long as there are places. One
// waits for a place here, others in the system, where they cost this process no
// file.
type boxListener struct {
	net.Listener
	places *Places
	own    int // guarded by places.mu
	closed chan struct{}
	once   sync.Once
}

func newBoxListener(inner net.Listener, p *Places) *boxListener {
	return &boxListener{Listener: inner, places: p, closed: make(chan struct{})}
}

// Accept waits for a connection and then for its place.
func (l *boxListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	if !l.enter() {
		return nil, errors.Join(net.ErrClosed, c.Close())
	}
	return &boxConn{Conn: c, leave: sync.OnceFunc(l.leave)}, nil
}

// enter takes a place; false: the listener was closed. A box has no more places
// than are free, so that a few boxes never have them all.
func (l *boxListener) enter() bool {
	p := l.places
	for {
		p.mu.Lock()
		if free := p.max - p.taken; l.own < min(maxOfBox, free) {
			l.own++
			p.taken++
			p.mu.Unlock()
			return true
		}
		freed := p.freed
		p.mu.Unlock()
		select {
		case <-freed:
		case <-l.closed:
			return false
		}
	}
}

// leave gives a place back.
func (l *boxListener) leave() {
	p := l.places
	p.mu.Lock()
	defer p.mu.Unlock()
	l.own--
	p.taken--
	close(p.freed)
	p.freed = make(chan struct{})
}

// Close ends the waiting, too.
func (l *boxListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

// boxConn is a connection that has a place.
type boxConn struct {
	net.Conn
	leave func()
}

// Close gives the place back.
func (c *boxConn) Close() error {
	err := c.Conn.Close()
	c.leave()
	return err
}

// CloseWrite ends what is sent, while the rest is still read.
func (c *boxConn) CloseWrite() error {
	closer, ok := c.Conn.(interface{ CloseWrite() error })
	if !ok {
		return errors.ErrUnsupported
	}
	return closer.CloseWrite()
}
