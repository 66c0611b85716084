package edge

import (
	"context"
	"crypto/tls"
	"log"
	"net"
	"net/http"
)

// Serve is Serve or, with a TLSConfig, ServeTLS of a server of this package. Its
// requests of HTTP/1 are looked at as they come; see framedConn.
func Serve(server *http.Server, inner net.Listener) error {
	if server.TLSConfig == nil {
		return server.Serve(framedListener{inner})
	}
	return server.Serve(newTLSListener(inner, server.TLSConfig, server.ErrorLog))
}

type framedListener struct{ net.Listener }

func (l framedListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &framedConn{Conn: c}, nil
}

// tlsListener gives out connections that have agreed on their protocol, so that
// those of HTTP/1 can be wrapped; net/http serves HTTP/2 on a bare *tls.Conn alone.
// Handshakes go on beside each other: a slow one holds up nobody.
type tlsListener struct {
	net.Listener
	config   *tls.Config
	log      *log.Logger
	accepted chan accepted
	open     context.Context //nolint:containedctx // it ends with Close, and handshakes with it
	close    context.CancelFunc
}

type accepted struct {
	conn net.Conn
	err  error
}

func newTLSListener(inner net.Listener, config *tls.Config, log *log.Logger) *tlsListener {
	l := &tlsListener{Listener: inner, config: config, log: log, accepted: make(chan accepted)}
	l.open, l.close = context.WithCancel(context.Background())
	go l.run()
	return l
}

// run accepts until the listener is closed. Other failures, as of a process with
// too many files open, are for the server to wait out.
func (l *tlsListener) run() {
	for l.open.Err() == nil {
		c, err := l.Listener.Accept()
		if err != nil {
			l.give(accepted{err: err})
			continue
		}
		go l.greet(tls.Server(c, l.config))
	}
}

// greet makes the handshake, in the time that a header has.
func (l *tlsListener) greet(c *tls.Conn) {
	ctx, cancel := context.WithTimeout(l.open, headerWait)
	defer cancel()
	if err := c.HandshakeContext(ctx); err != nil {
		if l.log != nil && l.open.Err() == nil {
			l.log.Printf("http: TLS handshake error from %s: %v", c.RemoteAddr(), err)
		}
		_ = c.Close() // nothing was said that could be lost
		return
	}
	conn := net.Conn(c)
	if c.ConnectionState().NegotiatedProtocol != "h2" {
		conn = &framedTLSConn{framedConn{Conn: c}, c}
	}
	if !l.give(accepted{conn: conn}) {
		_ = conn.Close()
	}
}

func (l *tlsListener) give(a accepted) bool {
	select {
	case l.accepted <- a:
		return true
	case <-l.open.Done():
		return false
	}
}

func (l *tlsListener) Accept() (net.Conn, error) {
	select {
	case a := <-l.accepted:
		return a.conn, a.err
	case <-l.open.Done():
		return nil, net.ErrClosed
	}
}

func (l *tlsListener) Close() error {
	l.close()
	return l.Listener.Close()
}

// framedTLSConn also says how it is protected, as net/http asks.
type framedTLSConn struct {
	framedConn
	tls *tls.Conn
}

func (c *framedTLSConn) ConnectionState() tls.ConnectionState { return c.tls.ConnectionState() }
