package egress

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world answers for names and addresses, and notes what would have been called.
// No packet leaves the test.
type world struct {
	names map[string][]string
	own   []string

	mu     sync.Mutex
	called []string
}

func (w *world) relay(t *testing.T, hosts ...string) *Relay {
	t.Helper()
	r, err := New(Config{
		Hosts: hosts,
		Resolve: func(_ context.Context, name string) ([]netip.Addr, error) {
			var all []netip.Addr
			for _, a := range w.names[name] {
				all = append(all, netip.MustParseAddr(a))
			}
			if all == nil {
				return nil, errors.New("no such host")
			}
			return all, nil
		},
		Own: func() (own []netip.Addr, err error) {
			for _, a := range w.own {
				own = append(own, netip.MustParseAddr(a))
			}
			return own, nil
		},
		Dial: func(_ context.Context, _, address string) (net.Conn, error) {
			w.mu.Lock()
			w.called = append(w.called, address)
			w.mu.Unlock()
			ours, theirs := net.Pipe()
			go func() { // a server that says where it is
				defer func() { _ = theirs.Close() }()
				req, err := http.ReadRequest(bufio.NewReader(theirs))
				if err != nil {
					return
				}
				body := address + " " + req.Host + req.URL.Path
				_, _ = fmt.Fprintf(theirs, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s", len(body), body)
			}()
			return ours, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Promise: sandbox-egress
func TestOnlyKnownHostsWithPublicAddressesAreCalled(t *testing.T) {
	w := &world{own: []string{"93.184.216.1", "2606:2800::1"}, names: map[string][]string{
		"proxy.example": {"93.184.216.34"}, "other.example": {"93.184.216.35"},
		"mixed.example": {"10.0.0.1", "93.184.216.36"}, "inner.example": {"10.1.2.3"},
		"loop.example": {"127.0.0.1"}, "loop6.example": {"::1"}, "mapped.example": {"::ffff:127.0.0.1"}, "private.example": {"192.168.1.1"},
		"metadata.example": {"169.254.169.254"}, "metadata6.example": {"fd00:ec2::254"}, "azure.example": {"168.63.129.16"}, "link.example": {"fe80::1"},
		"zero.example": {"0.0.0.0"}, "shared.example": {"100.64.0.1"}, "many.example": {"224.0.0.1"}, "nat.example": {"64:ff9b::7f00:1"},
		"six.example": {"2002:7f00:1::"}, "ours.example": {"93.184.216.1"}, "ours6.example": {"2606:2800::1"}, "all.example": {"255.255.255.255"},
	}}
	var hosts []string
	for name := range w.names {
		if name != "other.example" {
			hosts = append(hosts, name)
		}
	}
	r := w.relay(t, append(hosts, "10.1.2.3:443", "127.0.0.9:8080", "port.example:8443", "[2606:2800::5]:443")...)
	w.names["port.example"] = []string{"93.184.216.40"}
	for hostport, want := range map[string]string{
		"proxy.example:443": "93.184.216.34:443", "PROXY.example.:443": "93.184.216.34:443", "proxy.example:80": "93.184.216.34:80",
		"mixed.example:443": "93.184.216.36:443", "port.example:8443": "93.184.216.40:8443",
		"10.1.2.3:443": "10.1.2.3:443", "inner.example:443": "10.1.2.3:443", "127.0.0.9:8080": "127.0.0.9:8080", "[2606:2800::5]:443": "[2606:2800::5]:443",

		"proxy.example:22": "", "port.example:443": "", "other.example:443": "", "unknown.example:443": "", "inner.example:80": "",
		"93.184.216.34:443": "", "127.0.0.1:8080": "", "10.1.2.3:80": "", "169.254.169.254:80": "", "[::1]:443": "", "localhost:443": "",
		"loop.example:443": "", "loop6.example:443": "", "mapped.example:443": "", "private.example:443": "", "metadata.example:80": "",
		"metadata6.example:80": "", "azure.example:80": "", "link.example:443": "", "zero.example:443": "", "shared.example:443": "", "many.example:443": "",
		"nat.example:443": "", "six.example:443": "", "ours.example:443": "", "ours6.example:443": "", "all.example:443": "",
		"proxy.example": "", "": "", "proxy.example:443:443": "", "0x7f000001:443": "", "2130706433:443": "",
	} {
		w.called = nil
		c, err := r.Dial(t.Context(), hostport)
		if err == nil {
			_ = c.Close()
		}
		switch {
		case want == "" && (!errors.Is(err, ErrRefused) || len(w.called) > 0):
			t.Errorf("%q: %v, called %v", hostport, err, w.called)
		case want != "" && (err != nil || len(w.called) != 1 || w.called[0] != want):
			t.Errorf("%q: %v, called %v, want %s", hostport, err, w.called, want)
		}
	}
}

func TestHostsThatAreNoneAreRefusedByName(t *testing.T) {
	for _, host := range []string{"", "a b", "https://proxy.example", "*.example", "proxy.example:0", "proxy.example:x", "u@proxy.example", "proxy.example/x"} {
		if _, err := New(Config{Hosts: []string{host}}); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%q", host)) {
			t.Errorf("%q: %v", host, err)
		}
	}
}

// through makes a client whose proxy is the relay behind a socket.
func through(t *testing.T, r *Relay, handler http.Handler) func(request string) string {
	t.Helper()
	socket := filepath.Join(t.TempDir(), "out.sock")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- r.Serve(ctx, listener, handler) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return func(request string) string {
		c, err := net.Dial("unix", socket)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = c.Close() }()
		if _, err := io.WriteString(c, request); err != nil {
			t.Fatal(err)
		}
		answer, _ := io.ReadAll(c)
		return string(answer)
	}
}

// Promise: sandbox-egress
func TestTheProxySpeaksForKnownHostsAlone(t *testing.T) {
	w := &world{names: map[string][]string{"proxy.example": {"93.184.216.34"}, "loop.example": {"127.0.0.1"}}}
	ask := through(t, w.relay(t, "proxy.example", "loop.example"), nil)
	const plain = "GET / HTTP/1.1\r\nHost: proxy.example\r\nConnection: close\r\n\r\n"
	for request, want := range map[string][]string{
		"CONNECT proxy.example:443 HTTP/1.1\r\nHost: proxy.example:443\r\n\r\n" + plain:                  {"200 Connection established", "93.184.216.34:443 proxy.example/"},
		"GET http://proxy.example/x HTTP/1.1\r\nHost: proxy.example\r\nConnection: close\r\n\r\n":        {"200 OK", "93.184.216.34:80 proxy.example/x"},
		"CONNECT loop.example:443 HTTP/1.1\r\nHost: loop.example:443\r\nConnection: close\r\n\r\n":       {"403 Forbidden"},
		"CONNECT evil.example:443 HTTP/1.1\r\nHost: proxy.example:443\r\nConnection: close\r\n\r\n":      {"403 Forbidden"},
		"GET http://169.254.169.254/latest HTTP/1.1\r\nHost: proxy.example\r\nConnection: close\r\n\r\n": {"403 Forbidden"},
		"GET https://proxy.example/ HTTP/1.1\r\nHost: proxy.example\r\nConnection: close\r\n\r\n":        {"403 Forbidden"},
		"GET / HTTP/1.1\r\nHost: proxy.example\r\nConnection: close\r\n\r\n":                             {"400 Bad Request"},
	} {
		answer := ask(request)
		for _, part := range want {
			if !strings.Contains(answer, part) {
				t.Errorf("%q\nanswered %q, which lacks %q", request, answer, part)
			}
		}
	}
	for _, address := range w.called {
		if !strings.HasPrefix(address, "93.184.216.34:") {
			t.Errorf("%s was called", address)
		}
	}
}

// Promise: sandbox-egress
func TestATunnelIsCutOffWithItsBox(t *testing.T) {
	w := &world{names: map[string][]string{"proxy.example": {"93.184.216.34"}}}
	r := w.relay(t, "proxy.example")
	socket := filepath.Join(t.TempDir(), "out.sock")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- r.Serve(ctx, listener, nil) }()
	c, err := net.Dial("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	if _, err := io.WriteString(c, "CONNECT proxy.example:443 HTTP/1.1\r\nHost: proxy.example:443\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if _, err := http.ReadResponse(bufio.NewReader(c), nil); err != nil {
		t.Fatal(err)
	}
	stop()
	if n, err := c.Read(make([]byte, 1)); err == nil {
		t.Errorf("read %d bytes from a tunnel that is cut off", n)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}
