package acmetest

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/netip"
	"sync"
	"testing"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/bundle-delivery/svc/internal/faultproxy"
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

// serve handles connections until the test ends.
func serve(t testing.TB, handle func(net.Conn)) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var open sync.WaitGroup
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		open.Wait()
	})
	open.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return // the test is over
			}
			open.Go(func() { handle(conn) })
		}
	})
	return l
}

// startResolver answers every question for an IPv4 address with this machine. It
// is asked over TCP, where a message has its length before it.
func startResolver(t testing.TB) string {
	t.Helper()
	return serve(t, func(conn net.Conn) {
		defer func() { _ = conn.Close() }()
		var length [2]byte
		for {
			if _, err := io.ReadFull(conn, length[:]); err != nil {
				return // it has no more questions
			}
			question := make([]byte, binary.BigEndian.Uint16(length[:]))
			if _, err := io.ReadFull(conn, question); err != nil {
				return
			}
			answer, ok := resolve(question)
			if !ok {
				return
			}
			message := append(binary.BigEndian.AppendUint16(nil, uint16(len(answer))), answer...) // they are short
			if _, err := conn.Write(message); err != nil {
				return
			}
		}
	}).Addr().String()
}

func resolve(question []byte) ([]byte, bool) {
	var m dnsmessage.Message
	if m.Unpack(question) != nil || len(m.Questions) != 1 {
		return nil, false
	}
	m.Response, m.Additionals = true, nil
	if q := m.Questions[0]; q.Type == dnsmessage.TypeA {
		m.Answers = []dnsmessage.Resource{{
			Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class},
			Body:   &dnsmessage.AResource{A: [4]byte{127, 0, 0, 1}},
		}}
	}
	answer, err := m.Pack()
	return answer, err == nil
}
