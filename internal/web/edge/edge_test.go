package edge

import (
	"bufio"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	svc "github.com/bundle-delivery/svc"
)

const baseURL = "https://bundles.example.com:8443"

// startTLS serves the handler behind TLSOnly and returns its address and a client.
func startTLS(t *testing.T, h http.Handler, onRefusal RefusalFunc) (string, *http.Client) {
	t.Helper()
	// httptest brings a certificate and a client that trusts it.
	lent := httptest.NewTLSServer(nil)
	t.Cleanup(lent.Close)
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := NewServer(h, log.New(io.Discard, "", 0), nil)
	server.TLSConfig = &tls.Config{Certificates: lent.TLS.Certificates, MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"}}
	done := make(chan error, 1)
	go func() { done <- Serve(server, TLSOnly(inner, baseURL, onRefusal)) }()
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
		if err := <-done; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	})
	return inner.Addr().String(), lent.Client()
}

func echo(w http.ResponseWriter, r *http.Request) {
	_, _ = fmt.Fprint(w, r.RemoteAddr)
}

// Promise: https-enforced
func TestPlainHTTPOnTheTLSPortIsRefusedAndNotRedirected(t *testing.T) {
	refusals := make(chan Refusal, 1)
	address, client := startTLS(t, http.HandlerFunc(echo), func(r Refusal) { refusals <- r })
	for _, tc := range []struct{ name, method, body string }{
		{"GET", http.MethodGet, ""},
		{"POST with a body", http.MethodPost, strings.Repeat("x", 100_000)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r, err := http.NewRequestWithContext(t.Context(), tc.method, "http://"+address+"/bundles/latest", strings.NewReader(tc.body))
			if err != nil {
				t.Fatal(err)
			}
			answer, err := http.DefaultTransport.RoundTrip(r)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = answer.Body.Close() }()
			var body refused
			if err := json.NewDecoder(answer.Body).Decode(&body); err != nil {
				t.Fatal(err)
			}
			if answer.StatusCode != http.StatusBadRequest || answer.Header.Get("Location") != "" {
				t.Errorf("got %s, Location %q", answer.Status, answer.Header.Get("Location"))
			}
			if body.Code != svc.CodeInvalidRequest || !strings.Contains(body.Hint, baseURL) {
				t.Errorf("got %+v", body)
			}
			if id := answer.Header.Get("X-Request-Id"); id == "" || id != body.RequestID {
				t.Errorf("request id %q in the header, %q in the body", id, body.RequestID)
			}
			if told := <-refusals; told.Reason != PlainHTTP || told.RequestID != body.RequestID || !strings.HasPrefix(told.Remote, "127.0.0.1:") {
				t.Errorf("told of %+v", told)
			}
		})
	}
	answer, err := client.Get("https://" + address)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		t.Errorf("HTTPS got %s", answer.Status)
	}
}

func TestASilentClientHoldsUpNobody(t *testing.T) {
	address, client := startTLS(t, http.HandlerFunc(echo), nil)
	silent, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = silent.Close() }()
	answer, err := client.Get("https://" + address)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	// One that leaves without a word is let go.
	half, ok := silent.(interface{ CloseWrite() error })
	if !ok {
		t.Fatalf("%T has no halves", silent)
	}
	if err := half.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(silent); err != nil || len(text) > 0 {
		t.Errorf("it is told %q, %v", text, err)
	}
	if answer, err = client.Get("https://" + address); err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
}

func TestStalledWriteEndsTheConnection(t *testing.T) {
	for _, tc := range []struct {
		name  string
		asked time.Duration // what the server asks for; 0: nothing
		want  time.Duration
	}{
		{"by itself", 0, stallWait},
		{"earlier where the server asks", 5 * time.Second, 5 * time.Second},
		{"not later than by itself", time.Hour, stallWait},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				inner, far := net.Pipe()
				defer func() { _ = far.Close() }()
				c := &conn{Conn: inner}
				if tc.asked != 0 {
					if err := c.SetWriteDeadline(time.Now().Add(tc.asked)); err != nil {
						t.Fatal(err)
					}
				}
				start := time.Now()
				_, err := c.Write([]byte("nobody reads this"))
				if !errors.Is(err, os.ErrDeadlineExceeded) {
					t.Errorf("got %v", err)
				}
				if took := time.Since(start); took != tc.want {
					t.Errorf("cut off after %v, want %v", took, tc.want)
				}
			})
		})
	}
}

func TestSlowButSteadyReaderIsServed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner, far := net.Pipe()
		c := &conn{Conn: inner}
		go func() {
			defer func() { _ = far.Close() }()
			one := make([]byte, 1)
			for range 100 {
				time.Sleep(50 * time.Second) // of the bubble's time
				if _, err := io.ReadFull(far, one); err != nil {
					return
				}
			}
		}()
		for i := range 100 {
			if _, err := c.Write([]byte("x")); err != nil {
				t.Fatalf("write %d: %v", i, err)
			}
		}
	})
}

// pipeListener gives out the far ends of pipes, for servers in a bubble.
type pipeListener struct {
	conns  chan net.Conn
	closed chan struct{}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}
func (l *pipeListener) Close() error   { close(l.closed); return nil }
func (l *pipeListener) Addr() net.Addr { return &net.TCPAddr{} }

func servePipe(t *testing.T, h http.Handler) net.Conn {
	t.Helper()
	return pipeToServer(t, NewServer(h, log.New(io.Discard, "", 0), nil))
}

// pipeToServer is a connection to a server in a bubble.
func pipeToServer(t *testing.T, server *http.Server) net.Conn {
	t.Helper()
	l := &pipeListener{conns: make(chan net.Conn, 1), closed: make(chan struct{})}
	go func() { _ = Serve(server, l) }()
	near, far := net.Pipe()
	l.conns <- far
	t.Cleanup(func() {
		_ = near.Close()
		_ = server.Close()
	})
	return near
}

// Promise: http-timeouts
func TestAHandshakeOrHeaderThatDoesNotEndIsGivenUp(t *testing.T) {
	for _, tc := range []struct {
		name     string
		settings *tls.Config
		said     string
	}{
		{"silence instead of a handshake", &tls.Config{MinVersion: tls.VersionTLS12}, ""},
		{"half a handshake", &tls.Config{MinVersion: tls.VersionTLS12}, "\x16\x03\x01"},
		{"silence instead of a header", nil, ""},
		{"half a header", nil, "GET / HTTP/1.1\r\nHost: x\r\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := NewServer(http.HandlerFunc(unauthorized), log.New(io.Discard, "", 0), nil)
				server.TLSConfig = tc.settings
				near := pipeToServer(t, server)
				start := time.Now()
				if _, err := io.WriteString(near, tc.said); err != nil {
					t.Fatal(err)
				}
				if got, err := io.ReadAll(near); err != nil || len(got) > 0 || time.Since(start) != headerWait {
					t.Errorf("got %q, %v after %v, want %v", got, err, time.Since(start), headerWait)
				}
			})
		})
	}
}

// Promise: http-timeouts
func TestSlowBodyIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		failed := make(chan time.Duration, 1)
		near := servePipe(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			start := time.Now()
			if _, err := io.ReadAll(r.Body); err == nil {
				t.Error("the whole body arrived")
			}
			failed <- time.Since(start)
		}))
		if _, err := io.WriteString(near, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc"); err != nil {
			t.Fatal(err)
		}
		if took := <-failed; took != bodyWait {
			t.Errorf("given up after %v, want %v", took, bodyWait)
		}
	})
}

func TestAnswerOutlivesTheDeadlineOfItsBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near := servePipe(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if _, err := io.ReadAll(r.Body); err != nil {
				t.Error(err)
			}
			select {
			case <-time.After(10 * bodyWait):
				_, _ = io.WriteString(w, "done")
			case <-r.Context().Done():
				t.Error("the request ended while its answer was under way")
			}
		}))
		if _, err := io.WriteString(near, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc"); err != nil {
			t.Fatal(err)
		}
		answer, err := http.ReadResponse(bufio.NewReader(near), nil)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
	})
}

func prefixes(t *testing.T, texts ...string) Proxies {
	t.Helper()
	var p Proxies
	for _, text := range texts {
		prefix, err := netip.ParsePrefix(text)
		if err != nil {
			t.Fatal(err)
		}
		p = append(p, prefix)
	}
	return p
}

func TestProxyRequests(t *testing.T) {
	proxies := prefixes(t, "10.0.0.0/8")
	for _, tc := range []struct {
		name   string
		proto  []string
		via    []string
		status int
		client string
	}{
		{"over HTTPS", []string{"https"}, []string{"203.0.113.9"}, 200, "203.0.113.9:0"},
		{"in capitals", []string{"HTTPS"}, nil, 200, "10.0.0.1:99"},
		{"through two proxies", []string{"https, https"}, []string{"203.0.113.9, 10.0.0.2"}, 200, "203.0.113.9:0"},
		{"with a forged first address", []string{"https"}, []string{"198.51.100.1, 203.0.113.9"}, 200, "203.0.113.9:0"},
		{"in two lines", []string{"https"}, []string{"198.51.100.1", "203.0.113.9"}, 200, "203.0.113.9:0"},
		{"with an address that is none", []string{"https"}, []string{"unknown"}, 200, "10.0.0.1:99"},
		{"without a word", nil, nil, 400, ""},
		{"over HTTP", []string{"http"}, nil, 400, ""},
		{"with one plain hop", []string{"http, https"}, nil, 400, ""},
		{"with a plain hop in a second line", []string{"https", "http"}, nil, 400, ""},
		{"with an empty word", []string{""}, nil, 400, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodGet, "/", nil)
			r.RemoteAddr = "10.0.0.1:99"
			r.Header["X-Forwarded-Proto"] = tc.proto
			r.Header["X-Forwarded-For"] = tc.via
			w := httptest.NewRecorder()
			proxies.Handler(http.HandlerFunc(echo), baseURL, nil).ServeHTTP(w, r)
			if w.Code != tc.status {
				t.Fatalf("got %d, want %d", w.Code, tc.status)
			}
			if tc.status == http.StatusOK && w.Body.String() != tc.client {
				t.Errorf("the client is %s, want %s", w.Body, tc.client)
			}
			if tc.status != http.StatusOK && !strings.Contains(w.Body.String(), baseURL) {
				t.Errorf("the refusal does not name the address: %s", w.Body)
			}
		})
	}
}

func TestOnlyProxiesAreLetIn(t *testing.T) {
	for _, tc := range []struct {
		name    string
		trusted string
		served  bool
	}{
		{"the proxy", "127.0.0.0/8", true},
		{"somebody else", "10.0.0.0/8", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			inner, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			server := NewServer(http.HandlerFunc(echo), log.New(io.Discard, "", 0), nil)
			done := make(chan struct{})
			go func() {
				defer close(done)
				_ = Serve(server, prefixes(t, tc.trusted).Listener(inner, nil))
			}()
			defer func() {
				_ = server.Close()
				<-done
			}()
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+inner.Addr().String(), nil)
			if err != nil {
				t.Fatal(err)
			}
			answer, err := new(http.Transport).RoundTrip(r)
			if err == nil {
				_ = answer.Body.Close()
			}
			if served := err == nil; served != tc.served {
				t.Errorf("served %v, want %v (%v)", served, tc.served, err)
			}
		})
	}
}

func TestMappedAddressesAreTheirIPv4Selves(t *testing.T) {
	if !prefixes(t, "10.0.0.0/8").Contains(netip.MustParseAddr("::ffff:10.1.2.3")) {
		t.Error("an IPv4 proxy on a dual-stack listener is shut out")
	}
	mapped := prefixes(t, "::ffff:10.0.0.0/104")
	if !mapped.Contains(netip.MustParseAddr("10.1.2.3")) || mapped.Contains(netip.MustParseAddr("11.1.2.3")) {
		t.Error("a range of mapped addresses is not the IPv4 range it means")
	}
}
