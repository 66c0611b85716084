// Package faultproxy stands between one process and a server it depends on, and
// breaks the connection in the ways networks and servers do.
//
// Its law: what a [Fault] does, it does to the connections that are open and to
// those that come, from the moment that Set returns and until the next Set. With
// the zero Fault every byte passes, in order and once.
package faultproxy

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"
)

// Fault is what is wrong with the way.
type Fault struct {
	// Refuse resets every connection, as a machine does on which nobody listens.
	Refuse bool
	// Silent lets nothing pass, in neither direction, and says nothing of it, as
	// a cable that is cut. What was sent meanwhile arrives when it is mended, on
	// connections that both ends have kept.
	Silent bool
	// Delay holds every piece of up to 16 KiB back for so long.
	Delay time.Duration
	// CutAfter resets a connection that has carried so many bytes in one
	// direction under this fault. 0: none is cut.
	CutAfter int64
	// Answer is given to whoever says something on a new connection, in place of
	// the server, which is not asked; then the connection ends. Connections that
	// are open are reset.
	Answer []byte
}

// Proxy is a way to a server.
type Proxy struct {
	listener net.Listener
	dial     func(context.Context) (net.Conn, error)
	stop     context.CancelFunc
	ended    context.Context //nolint:containedctx // it is the proxy's own end
	serving  sync.WaitGroup

	mu      sync.Mutex
	fault   Fault
	changed chan struct{} // closed by the next Set
	links   map[*link]struct{}
}

// Listen opens a way to the server at an address of a network such as "tcp" or
// "unix". It listens on the loopback.
func Listen(ctx context.Context, network, upstream string) (*Proxy, error) {
	return ListenFunc(ctx, func(ctx context.Context) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, upstream)
	})
}

// ListenFunc opens a way to wherever dial leads.
func ListenFunc(ctx context.Context, dial func(context.Context) (net.Conn, error)) (*Proxy, error) {
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("open a way: %w", err)
	}
	p := &Proxy{
		listener: l, dial: dial, changed: make(chan struct{}), links: make(map[*link]struct{}),
	}
	p.ended, p.stop = context.WithCancel(context.WithoutCancel(ctx))
	p.serving.Go(p.accept)
	return p, nil
}

// Address is where the proxy listens: host and port.
func (p *Proxy) Address() string { return p.listener.Addr().String() }

// Set makes another fault the one that holds; the zero Fault mends the way.
func (p *Proxy) Set(f Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fault = f
	close(p.changed)
	p.changed = make(chan struct{})
	for l := range p.links {
		l.carried[up], l.carried[down] = 0, 0
		if f.Refuse || f.Answer != nil {
			l.reset()
		}
	}
}

// Close ends all connections and the listener, and waits for both.
func (p *Proxy) Close() error {
	p.stop()
	err := p.listener.Close()
	p.mu.Lock()
	for l := range p.links {
		l.reset()
	}
	p.mu.Unlock()
	p.serving.Wait()
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

// holding gives the fault that holds, and what tells of the next.
func (p *Proxy) holding() (Fault, <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.fault, p.changed
}

func (p *Proxy) accept() {
	for {
		conn, err := p.listener.Accept()
		if err != nil {
			if p.ended.Err() != nil || errors.Is(err, net.ErrClosed) {
				return
			}
			continue // a client that left before it was taken
		}
		p.serving.Go(func() { p.serve(conn) })
	}
}

// serve carries one connection.
func (p *Proxy) serve(client net.Conn) {
	for {
		fault, changed := p.holding()
		switch {
		case fault.Refuse:
			reset(client)
			return
		case fault.Answer != nil:
			answer(client, fault.Answer)
			return
		case fault.Silent:
			select {
			case <-changed:
				continue
			case <-p.ended.Done():
				reset(client)
				return
			}
		}
		break
	}
	server, err := p.dial(p.ended)
	if err != nil { // the server is down: its clients see just that
		reset(client)
		return
	}
	l := &link{proxy: p, ends: [2]net.Conn{client, server}}
	p.mu.Lock()
	p.links[l] = struct{}{}
	gone := p.ended.Err() != nil || p.fault.Refuse || p.fault.Answer != nil
	p.mu.Unlock()
	if gone {
		l.reset()
	}
	l.carry()
	p.mu.Lock()
	delete(p.links, l)
	p.mu.Unlock()
}
