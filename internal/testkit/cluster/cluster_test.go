//go:build unix

package cluster

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// speaker accepts connections, says its name and what it hears, and closes.
func speaker(t *testing.T, name string) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			serving.Go(func() {
				defer func() { _ = conn.Close() }()
				heard, _ := io.ReadAll(conn)
				_, _ = io.WriteString(conn, name+" heard "+string(heard))
			})
		}
	})
	t.Cleanup(func() { _ = l.Close(); serving.Wait() })
	return l
}

// say sends something to an address, closes its side, and reads the answer.
func say(t *testing.T, address, text string) (string, error) {
	t.Helper()
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address)
	if err != nil {
		return "", err
	}
	defer func() { _ = conn.Close() }()
	half, ok := conn.(*net.TCPConn)
	if !ok {
		t.Fatal("no TCP")
	}
	if _, err := io.WriteString(conn, text); err != nil {
		return "", err
	}
	if err := half.CloseWrite(); err != nil {
		return "", err
	}
	answer, err := io.ReadAll(conn)
	return string(answer), err
}

func TestTheBalancerTakesTurnsAndPassesOverWhoIsNotReady(t *testing.T) {
	one, two, three := speaker(t, "one"), speaker(t, "two"), speaker(t, "three")
	var ready [3]atomic.Bool
	looked := make(chan int, 100)
	b, err := NewBalancer(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	add := func(i int, l net.Listener) {
		b.Add(l.Addr().String(), func(context.Context) error {
			defer func() {
				select {
				case looked <- i:
				default:
				}
			}()
			if ready[i].Load() {
				return nil
			}
			return errors.New("not ready")
		})
	}
	ready[0].Store(true)
	ready[2].Store(true)
	add(0, one)
	add(1, two)
	add(2, three)
	// Whoever is looked at for the second time was noted the first time.
	for seen := [3]int{}; min(seen[0], seen[1], seen[2]) < 2; {
		seen[<-looked]++
	}
	heard := map[string]int{}
	for range 6 {
		answer, err := say(t, b.Address(), "hello")
		if err != nil || !strings.HasSuffix(answer, " heard hello") {
			t.Fatalf("the answer is %q (%v)", answer, err)
		}
		heard[answer]++
	}
	if heard["one heard hello"] == 0 || heard["three heard hello"] == 0 || heard["two heard hello"] > 0 {
		t.Errorf("heard %v", heard)
	}
	// When nobody is ready somebody is asked all the same; who is gone is passed over.
	for i := range ready {
		ready[i].Store(false)
	}
	_ = one.Close()
	_ = three.Close()
	for range 3 {
		if answer, err := say(t, b.Address(), "still"); err != nil || answer != "two heard still" {
			t.Errorf("the answer is %q (%v)", answer, err)
		}
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := say(t, b.Address(), "late"); err == nil {
		t.Error("a closed balancer takes connections")
	}
}
