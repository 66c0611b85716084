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
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
)

// readyForQuery is the type of the message that ends every round trip.
const readyForQuery = 'Z'

// Meter is a way to a server.
type Meter struct {
	network  string
	target   string
	listener net.Listener
	trips    atomic.Int64
	open     sync.WaitGroup

	mu    sync.Mutex
	conns map[net.Conn]bool
}

// Start listens on the loopback and leads to a server, by "tcp" or by "unix".
func Start(network, target string) (*Meter, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("count round trips: %w", err)
	}
	m := &Meter{network: network, target: target, listener: l, conns: map[net.Conn]bool{}}
	m.open.Go(m.accept)
	return m, nil
}

// Address is where programs find the server through the meter.
func (m *Meter) Address() string { return m.listener.Addr().String() }

// Trips is how many round trips there were.
func (m *Meter) Trips() int64 { return m.trips.Load() }

// Close cuts all connections.
func (m *Meter) Close() error {
	err := m.listener.Close()
	m.mu.Lock()
	for c := range m.conns {
		_ = c.Close() // it may have ended by itself
	}
	m.mu.Unlock()
	m.open.Wait()
	return err
}

func (m *Meter) accept() {
	for {
		client, err := m.listener.Accept()
		if err != nil {
			return // it was closed
		}
		m.open.Go(func() { m.relay(client) })
	}
}

func (m *Meter) relay(client net.Conn) {
	server, err := net.Dial(m.network, m.target)
	if err != nil {
		_ = client.Close()
		return
	}
	m.keep(client, server)
	defer m.drop(client, server)
	m.open.Go(func() {
		_, _ = io.Copy(server, client) // ends with either side
		m.drop(client, server)
	})
	_ = m.count(client, bufio.NewReader(server))
}

func (m *Meter) keep(conns ...net.Conn) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range conns {
		m.conns[c] = true
	}
}

func (m *Meter) drop(conns ...net.Conn) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range conns {
		_ = c.Close() // it may be closed already
		delete(m.conns, c)
	}
}

// count carries the server's messages to the client: a byte for the type, four
// for the length, which counts itself.
func (m *Meter) count(client io.Writer, server *bufio.Reader) error {
	out := bufio.NewWriter(client)
	var head [5]byte
	for {
		if server.Buffered() == 0 {
			if err := out.Flush(); err != nil {
				return err
			}
		}
		if _, err := io.ReadFull(server, head[:]); err != nil {
			return err
		}
		length := int64(binary.BigEndian.Uint32(head[1:])) - 4
		if length < 0 {
			return errors.New("this is not the protocol of PostgreSQL")
		}
		if _, err := out.Write(head[:]); err != nil {
			return err
		}
		if _, err := io.CopyN(out, server, length); err != nil {
			return err
		}
		if head[0] == readyForQuery {
			m.trips.Add(1) // before the client can know
		}
	}
}
