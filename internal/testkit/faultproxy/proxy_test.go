package faultproxy_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/bundle-delivery/svc/internal/testkit/faultproxy"
)

// patience is far longer than anything here takes, and short for a hang.
const patience = 3 * time.Minute

// quiet is how long nothing has to come for it to count as silence. A test that
// is too impatient here passes where it should fail, never the other way round.
const quiet = 50 * time.Millisecond

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// echo is a server that says back what it hears.
func echo(t *testing.T, network, address string) (upstream string) {
	t.Helper()
	var config net.ListenConfig
	l, err := config.Listen(t.Context(), network, address)
	if err != nil {
		t.Fatal(err)
	}
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			serving.Go(func() {
				defer func() { _ = c.Close() }()
				_, _ = io.Copy(c, c) // until it breaks, which is what is tested
			})
		}
	})
	t.Cleanup(func() {
		_ = l.Close() // a test may have closed it
		serving.Wait()
	})
	return l.Addr().String()
}

func proxied(t *testing.T, network, upstream string) *faultproxy.Proxy {
	t.Helper()
	p, err := faultproxy.Listen(t.Context(), network, upstream)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

func dial(t *testing.T, p *faultproxy.Proxy) net.Conn {
	t.Helper()
	var dialer net.Dialer
	c, err := dialer.DialContext(t.Context(), "tcp", p.Address())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() }) // a test may have closed it
	if err := c.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	return c
}

// says sends a text and wants it back.
func says(t *testing.T, c net.Conn, text string) {
	t.Helper()
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
	hears(t, c, text)
}

func hears(t *testing.T, c net.Conn, want string) {
	t.Helper()
	got := make([]byte, len(want))
	if _, err := io.ReadFull(c, got); err != nil || string(got) != want {
		t.Fatalf("heard %q (%v), want %q", got, err, want)
	}
}

// broken wants a connection to end with a failure of the network.
func broken(t *testing.T, c net.Conn) {
	t.Helper()
	_, err := io.WriteString(c, "anybody there?")
	for err == nil { // the system tells the first who asks
		_, err = c.Read(make([]byte, 1))
	}
	if !reset(err) {
		t.Fatalf("asking gives %v, want a reset", err)
	}
}

func reset(err error) bool {
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

// refused wants a new connection to be broken, at once or when it is used.
func refused(t *testing.T, p *faultproxy.Proxy) {
	t.Helper()
	var dialer net.Dialer
	c, err := dialer.DialContext(t.Context(), "tcp", p.Address())
	if err != nil {
		if !reset(err) {
			t.Fatalf("connecting gives %v, want a reset", err)
		}
		return
	}
	defer func() { _ = c.Close() }() // it is broken
	broken(t, c)
}

func TestEverythingPassesAndHalfClosesDo(t *testing.T) {
	for network, address := range map[string]string{"tcp": "127.0.0.1:0", "unix": filepath.Join(t.TempDir(), "socket")} {
		t.Run(network, func(t *testing.T) {
			c := dial(t, proxied(t, network, echo(t, network, address)))
			sent := bytes.Repeat([]byte("0123456789abcdef"), 64<<10) // a MiB
			var writing sync.WaitGroup
			writing.Go(func() {
				if _, err := c.Write(sent); err != nil {
					t.Error(err)
				}
				if half, ok := c.(*net.TCPConn); !ok || half.CloseWrite() != nil {
					t.Error("the end was not said")
				}
			})
			got, err := io.ReadAll(c)
			writing.Wait()
			if err != nil || !bytes.Equal(got, sent) {
				t.Errorf("%d bytes came back (%v), want the %d that were sent", len(got), err, len(sent))
			}
		})
	}
}

func TestRefusedConnectionsAreReset(t *testing.T) {
	p := proxied(t, "tcp", echo(t, "tcp", "127.0.0.1:0"))
	open := dial(t, p)
	says(t, open, "before")
	p.Set(faultproxy.Fault{Refuse: true})
	broken(t, open)
	refused(t, p)
	p.Set(faultproxy.Fault{})
	says(t, dial(t, p), "after")
}

func TestASilentWayHoldsWhatIsSaid(t *testing.T) {
	p := proxied(t, "tcp", echo(t, "tcp", "127.0.0.1:0"))
	open := dial(t, p)
	says(t, open, "before")
	p.Set(faultproxy.Fault{Silent: true})
	late := dial(t, p)
	for _, c := range []net.Conn{open, late} {
		if _, err := io.WriteString(c, "held"); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []net.Conn{open, late} {
		if err := c.SetReadDeadline(time.Now().Add(quiet)); err != nil {
			t.Fatal(err)
		}
		if n, err := c.Read(make([]byte, 1)); n != 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatalf("%d bytes came through (%v)", n, err)
		}
		if err := c.SetReadDeadline(time.Now().Add(patience)); err != nil {
			t.Fatal(err)
		}
	}
	p.Set(faultproxy.Fault{})
	hears(t, open, "held")
	hears(t, late, "held")
}

func TestASlowWayDelaysEveryPiece(t *testing.T) {
	p := proxied(t, "tcp", echo(t, "tcp", "127.0.0.1:0"))
	c := dial(t, p)
	const delay = 30 * time.Millisecond
	p.Set(faultproxy.Fault{Delay: delay})
	start := time.Now()
	says(t, c, "there and back")
	if took := time.Since(start); took < 2*delay {
		t.Errorf("took %s, want at least two delays of %s", took, delay)
	}
	// One that begins to wait does so no longer than the fault holds.
	p.Set(faultproxy.Fault{Delay: time.Hour})
	if _, err := io.WriteString(c, "freed"); err != nil {
		t.Fatal(err)
	}
	p.Set(faultproxy.Fault{})
	hears(t, c, "freed")
}

func TestACutEndsAConnectionInTheMiddle(t *testing.T) {
	p := proxied(t, "tcp", echo(t, "tcp", "127.0.0.1:0"))
	open := dial(t, p)
	says(t, open, "more than a thousand bytes are not these")
	p.Set(faultproxy.Fault{CutAfter: 1000})
	for _, c := range []net.Conn{open, dial(t, p)} {
		says(t, c, "a few bytes pass")
		if _, err := c.Write(make([]byte, 5000)); err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(c)
		if !errors.Is(err, syscall.ECONNRESET) || len(got) >= 1000 {
			t.Errorf("%d bytes came back (%v), want fewer than 1000 and a reset", len(got), err)
		}
	}
	p.Set(faultproxy.Fault{})
	says(t, dial(t, p), "after")
}

func TestAnAnswerIsGivenInTheServersPlace(t *testing.T) {
	p := proxied(t, "tcp", echo(t, "tcp", "127.0.0.1:0"))
	open := dial(t, p)
	says(t, open, "before")
	p.Set(faultproxy.Fault{Answer: []byte("busy")})
	broken(t, open)
	c := dial(t, p)
	if _, err := c.Write(make([]byte, 100<<10)); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(c); err != nil || string(got) != "busy" {
		t.Errorf("answered %q (%v)", got, err)
	}
}

func TestAServerThatIsDownResetsItsClients(t *testing.T) {
	upstream := echo(t, "tcp", "127.0.0.1:0")
	p := proxied(t, "tcp", upstream)
	says(t, dial(t, p), "before")
	nobody := proxied(t, "unix", filepath.Join(t.TempDir(), "nobody"))
	refused(t, nobody)
}

func TestCloseEndsWhatHangs(t *testing.T) {
	p, err := faultproxy.Listen(context.WithoutCancel(t.Context()), "tcp", echo(t, "tcp", "127.0.0.1:0"))
	if err != nil {
		t.Fatal(err)
	}
	open := dial(t, p)
	says(t, open, "before")
	p.Set(faultproxy.Fault{Silent: true})
	if _, err := io.WriteString(open, "held"); err != nil {
		t.Fatal(err)
	}
	waiting := dial(t, p)
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	broken(t, open)
	broken(t, waiting)
	if err := p.Close(); err != nil {
		t.Errorf("closing again: %v", err)
	}
}
