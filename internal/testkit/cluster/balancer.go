//go:build unix

package cluster

import (
	"context"
	"errors"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/bundle-delivery/svc/internal/testkit/faultproxy"
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
	*faultproxy.Proxy

	looking sync.WaitGroup
	ctx     context.Context //nolint:containedctx // the balancer's own, ended by Close
	end     context.CancelFunc

	mu      sync.Mutex
	next    int
	targets []*target
}

// target is a process behind the balancer.
type target struct {
	address string
	asked   func(ctx context.Context) error
	ready   bool // as far as is known
}

// NewBalancer starts a balancer on the loopback, with nobody behind it.
func NewBalancer(ctx context.Context) (*Balancer, error) {
	b := &Balancer{}
	b.ctx, b.end = context.WithCancel(context.WithoutCancel(ctx))
	var err error
	b.Proxy, err = faultproxy.ListenFunc(ctx, b.dial)
	return b, err
}

// Add puts a process behind the balancer.
func (b *Balancer) Add(address string, ready func(ctx context.Context) error) {
	t := &target{address: address, asked: ready}
	b.mu.Lock()
	b.targets = append(b.targets, t)
	b.mu.Unlock()
	b.looking.Go(func() { b.look(t) })
}

// look keeps an eye on one process.
func (b *Balancer) look(t *target) {
	again := time.NewTicker(lookEvery)
	defer again.Stop()
	for {
		asking, cancel := context.WithTimeout(b.ctx, dialWithin)
		b.note(t, t.asked(asking) == nil)
		cancel()
		select {
		case <-again.C:
		case <-b.ctx.Done():
			return
		}
	}
}

func (b *Balancer) note(t *target, ready bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	t.ready = ready
}

// order gives the processes to try: in turn, those that are ready first.
func (b *Balancer) order() []*target {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.targets) == 0 {
		return nil
	}
	b.next = (b.next + 1) % len(b.targets)
	turn := slices.Concat(b.targets[b.next:], b.targets[:b.next])
	slices.SortStableFunc(turn, func(x, y *target) int {
		switch {
		case x.ready == y.ready:
			return 0
		case x.ready:
			return -1
		}
		return 1
	})
	return turn
}

func (b *Balancer) dial(ctx context.Context) (net.Conn, error) {
	for _, t := range b.order() {
		server, err := (&net.Dialer{Timeout: dialWithin}).DialContext(ctx, "tcp", t.address)
		if err == nil {
			return server, nil
		}
		b.note(t, false)
	}
	return nil, errors.New("no process takes connections")
}

// Close cuts all connections and ends the balancer.
func (b *Balancer) Close() error {
	b.end()
	b.looking.Wait()
	return b.Proxy.Close()
}
