package acmetest

import (
	"context"
	"net"
	"net/netip"
	"sync"
	"testing"

	"github.com/miekg/dns"

	"github.com/bundle-delivery/svc/internal/testkit/faultproxy"
)

// Gate is where the authority looks for the answer to its challenge: what port
// 443 of the name would be. It leads to one server at a time.
type Gate struct {
	way *faultproxy.Proxy

	mu     sync.Mutex
	target string
	passed int
}

func openGate(t testing.TB) *Gate {
	t.Helper()
	g := &Gate{}
	var err error
	if g.way, err = faultproxy.ListenFunc(t.Context(), g.dial); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.way.Close(); err != nil {
			t.Error(err)
		}
	})
	return g
}

func (g *Gate) dial(ctx context.Context) (net.Conn, error) {
	g.mu.Lock()
	target := g.target
	g.mu.Unlock()
	server, err := (&net.Dialer{}).DialContext(ctx, "tcp", target)
	if err == nil {
		g.mu.Lock()
		g.passed++
		g.mu.Unlock()
	}
	return server, err
}

func (g *Gate) port() int { return int(netip.MustParseAddrPort(g.way.Address()).Port()) }

// LeadTo makes new connections go to a server.
func (g *Gate) LeadTo(address string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.target = address
}

// Passed counts the connections that came to a server.
func (g *Gate) Passed() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.passed
}

// startResolver answers every question for an IPv4 address with this machine. It
// is asked over TCP.
func startResolver(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &dns.Server{Listener: l, Handler: dns.HandlerFunc(func(w dns.ResponseWriter, question *dns.Msg) {
		answer := new(dns.Msg).SetReply(question)
		for _, q := range question.Question {
			if q.Qtype == dns.TypeA {
				head := dns.RR_Header{Name: q.Name, Rrtype: q.Qtype, Class: q.Qclass}
				answer.Answer = append(answer.Answer, &dns.A{Hdr: head, A: net.IPv4(127, 0, 0, 1)})
			}
		}
		_ = w.WriteMsg(answer) // whoever asked may be gone
	})}
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.ActivateAndServe() }) // ends with the listener
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		serving.Wait()
	})
	return l.Addr().String()
}
