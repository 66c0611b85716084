package edge

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/pires/go-proxyproto"
)

// startAnnounced serves over TLS behind balancers with the given addresses.
func startAnnounced(t *testing.T, balancers string, onRefusal RefusalFunc) (address string, settings *tls.Config) {
	t.Helper()
	lent := httptest.NewTLSServer(nil) // it brings a certificate and who trusts it
	t.Cleanup(lent.Close)
	inner, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := NewServer(http.HandlerFunc(echo), log.New(io.Discard, "", 0), nil)
	server.TLSConfig = &tls.Config{Certificates: lent.TLS.Certificates, MinVersion: tls.VersionTLS12}
	done := make(chan error, 1)
	go func() {
		done <- Serve(server, TLSOnly(prefixes(t, balancers).ProxyProtocol(inner, onRefusal), baseURL, onRefusal))
	}()
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
		if err := <-done; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	})
	transport, ok := lent.Client().Transport.(*http.Transport)
	if !ok {
		t.Fatal("the lent client has another transport")
	}
	return inner.Addr().String(), transport.TLSClientConfig
}

// asked sends a request on a connection that begins with an announcement, and gives
// the address that the handler sees.
func asked(t *testing.T, scheme, address string, settings *tls.Config, announcement []byte) (string, error) {
	t.Helper()
	transport := &http.Transport{
		TLSClientConfig: settings.Clone(), DisableKeepAlives: true,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			c, err := (&net.Dialer{}).DialContext(ctx, network, address)
			if err == nil {
				_, err = c.Write(announcement)
			}
			return c, err
		},
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, scheme+"://"+address, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := transport.RoundTrip(r)
	if err != nil {
		return "", err
	}
	defer func() { _ = answer.Body.Close() }() // it is read to its end
	body, err := io.ReadAll(answer.Body)
	return string(body), err
}

func announcement(t *testing.T, h *proxyproto.Header) []byte {
	t.Helper()
	text, err := h.Format()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestBalancersAnnounceClients(t *testing.T) {
	v4, v6 := &net.TCPAddr{IP: net.IPv4(203, 0, 113, 9), Port: 4711}, &net.TCPAddr{IP: net.ParseIP("2001:db8::9"), Port: 4711}
	here, here6 := &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 443}, &net.TCPAddr{IP: net.ParseIP("2001:db8::1"), Port: 443}
	unix := &net.UnixAddr{Name: "/run/a", Net: "unix"}
	second := announcement(t, proxyproto.HeaderProxyFromAddrs(2, v4, here))
	local := announcement(t, &proxyproto.Header{Version: 2, Command: proxyproto.LOCAL, TransportProtocol: proxyproto.UNSPEC})
	const all, others = "127.0.0.0/8", "10.0.0.0/8"
	for _, tc := range []struct {
		name      string
		balancers string
		says      []byte
		sees      string // how the client's address begins; empty: it is refused
		told      string
	}{
		{"in version 1", all, []byte("PROXY TCP4 203.0.113.9 192.0.2.1 4711 443\r\n"), "203.0.113.9:4711", ""},
		{"in version 1 without an address", all, []byte("PROXY UNKNOWN\r\n"), "127.0.0.1:", ""},
		{"in version 2", all, second, "203.0.113.9:4711", ""},
		{"in version 2 over IPv6", all, announcement(t, proxyproto.HeaderProxyFromAddrs(2, v6, here6)), "[2001:db8::9]:4711", ""},
		{"for itself", all, local, "127.0.0.1:", ""},
		{"a client of no network", all, announcement(t, proxyproto.HeaderProxyFromAddrs(2, unix, unix)), "", NotAnnounced},
		{"not at all", all, nil, "", NotAnnounced},
		{"half", all, second[:14], "", NotAnnounced},
		{"a stranger, for itself", others, nil, "127.0.0.1:", ""},
		{"a stranger, in version 2", others, second, "", ""},
		{"a stranger, in version 1", others, []byte("PROXY TCP4 203.0.113.9 192.0.2.1 4711 443\r\n"), "", PlainHTTP},
	} {
		t.Run(tc.name, func(t *testing.T) {
			refusals := make(chan Refusal, 2)
			address, settings := startAnnounced(t, tc.balancers, func(r Refusal) { refusals <- r })
			got, err := asked(t, "https", address, settings, tc.says)
			if tc.sees == "" && err == nil || tc.sees != "" && (err != nil || !strings.HasPrefix(got, tc.sees)) {
				t.Errorf("the client is %q (%v), want %q", got, err, tc.sees)
			}
			if tc.told != "" {
				if told := <-refusals; told.Reason != tc.told || !strings.HasPrefix(told.Remote, "127.0.0.1:") {
					t.Errorf("told of %+v", told)
				}
			}
			if len(refusals) > 0 {
				t.Errorf("told of %+v, too", <-refusals)
			}
		})
	}
}

func TestPlainHTTPBehindABalancerIsRefusedToItsClient(t *testing.T) {
	refusals := make(chan Refusal, 1)
	address, settings := startAnnounced(t, "127.0.0.0/8", func(r Refusal) { refusals <- r })
	got, err := asked(t, "http", address, settings, []byte("PROXY TCP4 203.0.113.9 192.0.2.1 4711 443\r\n"))
	if err != nil || !strings.Contains(got, baseURL) {
		t.Errorf("got %q, %v", got, err)
	}
	if told := <-refusals; told.Reason != PlainHTTP || told.Remote != "203.0.113.9:4711" {
		t.Errorf("told of %+v", told)
	}
}

func TestASilentBalancerHoldsUpNobody(t *testing.T) {
	address, settings := startAnnounced(t, "127.0.0.0/8", nil)
	silent, err := (&net.Dialer{Timeout: time.Minute}).DialContext(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = silent.Close() }() // nothing was said
	if _, err := asked(t, "https", address, settings, []byte("PROXY UNKNOWN\r\n")); err != nil {
		t.Error(err)
	}
}

func TestIntroducing(t *testing.T) {
	for _, tc := range []struct{ name, balancers string }{{"as one of them", "127.0.0.0/8"}, {"as somebody else", "10.0.0.0/8"}} {
		t.Run(tc.name, func(t *testing.T) {
			address, settings := startAnnounced(t, tc.balancers, nil)
			transport := &http.Transport{
				TLSClientConfig: settings.Clone(), DisableKeepAlives: true,
				DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
					c, err := (&net.Dialer{}).DialContext(ctx, network, address)
					if err != nil {
						return nil, err
					}
					return c, prefixes(t, tc.balancers).WriteLocalHeader(c)
				},
			}
			answer, err := (&http.Client{Transport: transport}).Get("https://" + address)
			if err != nil {
				t.Fatal(err)
			}
			_ = answer.Body.Close()
		})
	}
}
