// Package pgmeter counts what a program asks of a PostgreSQL.
//
// Its law: it stands between the two, changes nothing, and counts round trips:
// how often the server said that it is ready for the next question. Statements
// that are sent together and waited for once are one round trip, whatever their
// number; the beginning and the end of a transaction are one each, unless they
// travel with others. It reads the protocol and so the clear text: connections
// have to be made without TLS.
package pgmeter

import (
	"context"
	"encoding/binary"
	"net"
	"sync/atomic"

	"github.com/bundle-delivery/svc/internal/testkit/faultproxy"
)

// Meter is a way to a server.
type Meter struct {
	*faultproxy.Proxy
	trips atomic.Int64
}

// Start listens on the loopback and leads to a server, by "tcp" or by "unix".
func Start(ctx context.Context, network, target string) (*Meter, error) {
	m := &Meter{}
	var err error
	m.Proxy, err = faultproxy.ListenFunc(ctx, func(ctx context.Context) (net.Conn, error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, network, target)
		return &server{Conn: conn, trips: &m.trips}, err
	})
	return m, err
}

// Trips is how many round trips there were.
func (m *Meter) Trips() int64 { return m.trips.Load() }

// server is a connection to the server whose messages are counted as they are
// read, and so before the client can know of them: a byte for the type, four for
// the length, which counts itself.
type server struct {
	net.Conn
	trips *atomic.Int64
	head  [5]byte
	have  int    // of the head
	left  uint32 // of the message behind it
}

// readyForQuery is the type of the message that ends every round trip.
const readyForQuery = 'Z'

// Read implements net.Conn.
func (s *server) Read(p []byte) (int, error) {
	n, err := s.Conn.Read(p)
	for rest := p[:n]; len(rest) > 0; {
		if s.have < len(s.head) {
			taken := copy(s.head[s.have:], rest)
			s.have, rest = s.have+taken, rest[taken:]
			if s.have < len(s.head) {
				break
			}
			s.left = binary.BigEndian.Uint32(s.head[1:]) - 4
		}
		taken := min(s.left, uint32(len(rest))) // a read is shorter than that
		s.left, rest = s.left-taken, rest[taken:]
		if s.left > 0 {
			break
		}
		if s.head[0] == readyForQuery {
			s.trips.Add(1)
		}
		s.have = 0
	}
	return n, err
}
