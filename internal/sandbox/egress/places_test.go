package egress

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// box is a sandbox whose way out is the relay.
type box struct {
	dialled chan net.Conn
	closed  chan struct{}
	once    sync.Once

	mu     sync.Mutex
	served []net.Conn // that had an answer, and are kept
}

func (b *box) Accept() (net.Conn, error) {
	select {
	case c := <-b.dialled:
		return c, nil
	case <-b.closed:
		return nil, net.ErrClosed
	}
}

func (b *box) Close() error   { b.once.Do(func() { close(b.closed) }); return nil }
func (b *box) Addr() net.Addr { return &net.UnixAddr{Name: "box"} }

// serve serves a box until the test ends.
func serve(t *testing.T, r *Relay) *box {
	t.Helper()
	b := &box{dialled: make(chan net.Conn), closed: make(chan struct{})}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- r.Serve(ctx, b, nil) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return b
}

// dial connects, and sends what is given.
func (b *box) dial(text string) net.Conn {
	near, far := net.Pipe()
	go func() {
		select {
		case b.dialled <- far:
			_, _ = io.WriteString(near, text)
		case <-b.closed:
			_ = far.Close()
		}
	}()
	return near
}

// keep opens connections that are used once and then kept.
func (b *box) keep(n int) {
	for range n {
		c := b.dial("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
		go func() {
			answer, err := http.ReadResponse(bufio.NewReader(c), nil)
			if err != nil {
				return
			}
			_, _ = io.Copy(io.Discard, answer.Body)
			b.mu.Lock()
			defer b.mu.Unlock()
			b.served = append(b.served, c)
		}()
	}
	synctest.Wait()
}

// The connections that a box keeps open are counted, not only its requests.
// Promise: sandbox-connections
func TestConnectionsOfABoxAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := serve(t, (&world{}).relay(t))
		b.keep(200)
		if len(b.served) != 128 {
			t.Fatalf("%d connections are served", len(b.served))
		}
		_ = b.served[5].Close()
		synctest.Wait()
		if len(b.served) != 129 {
			t.Errorf("%d connections were served after one of 128 was closed", len(b.served))
		}
	})
}

// A few boxes take neither all places nor those of a box that comes later.
// Promise: sandbox-connections
func TestConnectionsOfAllBoxesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		places := newPlaces(1024)
		first, second := (&world{}).relay(t), (&world{}).relay(t)
		first.places, second.places = places, places
		boxes := make([]*box, 20)
		for i := range boxes {
			boxes[i] = serve(t, []*Relay{first, second}[i%2])
			boxes[i].keep(150)
		}
		all := 0
		for _, b := range boxes {
			all += len(b.served)
		}
		if all > 1024 || all < 1000 || len(boxes[0].served) != 128 {
			t.Errorf("%d connections are served, %d of the first box", all, len(boxes[0].served))
		}
		if late := len(boxes[9].served); late < 4 {
			t.Errorf("the tenth box has %d connections", late)
		}
	})
}

// Promise: sandbox-connections
func TestAHeaderThatDoesNotComeIsNotWaitedFor(t *testing.T) {
	for name, sent := range map[string]string{"nothing": "", "half a header": "GET / HTTP/1.1\r\nHost: x\r\n"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := serve(t, (&world{}).relay(t))
				began := time.Now()
				_, _ = io.Copy(io.Discard, b.dial(sent))
				if took := time.Since(began); took < 5*time.Second || took > 6*time.Second {
					t.Errorf("given up after %v", took)
				}
			})
		})
	}
}
