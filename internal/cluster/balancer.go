//go:build unix

package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"
)

const (
	// lookEvery is how often the balancer asks every process whether it is ready.
	lookEvery = time.Second
	// dialWithin is how long a process may take to accept a connection.
	dialWithin = 2 * time.Second
)

// Balancer hands connections to processes in turn and passes the bytes on: the
// processes end TLS themselves, with the same certificate. A process that says
// it is not ready gets no new connection, as long as another is.
type Balancer struct {
	Address string

	listener net.Listener
	targets  []Target
	end      context.CancelFunc
	working  sync.WaitGroup

	mu    sync.Mutex
	next  int
	ready []bool
	open  map[net.Conn]struct{}
}

// Target is a process behind the balancer.
type Target struct {
	Address string
	Ready   func(ctx context.Context) error
}

// Balance starts a balancer on the loopback.
func Balance(targets []Target) (*Balancer, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("start the balancer: %w", err)
	}
	ctx, end := context.WithCancel(context.Background())
	b := &Balancer{
		Address: listener.Addr().String(), listener: listener, targets: targets, end: end,
		ready: make([]bool, len(targets)), open: make(map[net.Conn]struct{}),
	}
	for i := range targets {
		b.working.Go(func() { b.look(ctx, i) })
	}
	b.working.Go(b.accept)
	return b, nil
}

// look keeps an eye on one process.
func (b *Balancer) look(ctx context.Context, i int) {
	again := time.NewTicker(lookEvery)
	defer again.Stop()
	for {
		asking, cancel := context.WithTimeout(ctx, dialWithin)
		ready := b.targets[i].Ready(asking) == nil
		cancel()
		b.mu.Lock()
		b.ready[i] = ready
		b.mu.Unlock()
		select {
		case <-again.C:
		case <-ctx.Done():
			return
		}
	}
}

func (b *Balancer) accept() {
	for {
		conn, err := b.listener.Accept()
		if err != nil {
			return // it was closed
		}
		if !b.enter(conn) {
			_ = conn.Close() // the balancer ends
			return
		}
		b.working.Go(func() {
			defer b.leave(conn)
			b.serve(conn)
		})
	}
}

// enter notes a connection, unless the balancer ends.
func (b *Balancer) enter(conn net.Conn) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.open == nil {
		return false
	}
	b.open[conn] = struct{}{}
	return true
}

func (b *Balancer) leave(conn net.Conn) {
	b.mu.Lock()
	delete(b.open, conn)
	b.mu.Unlock()
	_ = conn.Close() // both sides are done with it
}

// order gives the processes to try: in turn, those that are ready first.
func (b *Balancer) order() []int {
	b.mu.Lock()
	defer b.mu.Unlock()
	var good, other []int
	for n := range b.targets {
		i := (b.next + n) % len(b.targets)
		if b.ready[i] {
			good = append(good, i)
		} else {
			other = append(other, i)
		}
	}
	b.next = (b.next + 1) % len(b.targets)
	return append(good, other...)
}

func (b *Balancer) serve(client net.Conn) {
	for _, i := range b.order() {
		server, err := net.DialTimeout("tcp", b.targets[i].Address, dialWithin)
		if err != nil {
			b.mu.Lock()
			b.ready[i] = false
			b.mu.Unlock()
			continue
		}
		if b.enter(server) {
			pass(client, server)
		}
		b.leave(server)
		return
	}
}

// pass copies both ways until both have ended; what one side closes is closed
// for the other.
func pass(a, b net.Conn) {
	var copying sync.WaitGroup
	copying.Go(func() { flow(a, b) })
	copying.Go(func() { flow(b, a) })
	copying.Wait()
}

func flow(to, from net.Conn) {
	_, err := io.Copy(to, from)
	half, ok := to.(*net.TCPConn)
	if err != nil || !ok {
		_ = to.Close() // a broken connection is broken for both
		_ = from.Close()
		return
	}
	_ = half.CloseWrite() // fails when the other side is gone, which it then is
}

// Close cuts all connections and ends the balancer.
func (b *Balancer) Close() error {
	b.end()
	err := b.listener.Close()
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	b.mu.Lock()
	open := b.open
	b.open = nil
	for conn := range open {
		_ = conn.Close() // whoever uses it is being ended
	}
	b.mu.Unlock()
	b.working.Wait()
	return err
}
