package edge

import (
	"errors"
	"net"
	"net/netip"
	"sync"

	"github.com/pires/go-proxyproto"
)

// errNoClient refuses an announcement of a client that is not on the network.
var errNoClient = errors.New("the balancer announces no client of TCP")

// ProxyProtocol wraps a listener behind balancers that pass TCP on and announce each
// client by the PROXY protocol, version 1 or 2. The proxies must announce, and are
// told of where they do not; everybody else may not, and is taken for itself.
func (p Proxies) ProxyProtocol(inner net.Listener, onRefusal RefusalFunc) net.Listener {
	return &proxyProtocolListener{onRefusal: onRefusal, Listener: proxyproto.Listener{
		Listener: inner, ReadHeaderTimeout: headerWait, ValidateHeader: checkClient,
		ConnPolicy: func(c proxyproto.ConnPolicyOptions) (proxyproto.Policy, error) {
			if p.contains(c.Upstream) {
				return proxyproto.REQUIRE, nil
			}
			return proxyproto.SKIP, nil
		},
	}}
}

// contains is Contains for the end of a connection.
func (p Proxies) contains(end net.Addr) bool {
	from, err := netip.ParseAddrPort(end.String())
	return err == nil && p.Contains(from.Addr())
}

// checkClient wants an address that limits and logs can go by. A balancer may
// speak for itself, as it does when it looks whether the server is well.
func checkClient(h *proxyproto.Header) error {
	if h.Command.IsLocal() || h.SourceAddr == nil {
		return nil
	}
	if _, ok := h.SourceAddr.(*net.TCPAddr); !ok {
		return errNoClient
	}
	return nil
}

type proxyProtocolListener struct {
	proxyproto.Listener
	onRefusal RefusalFunc
}

func (l *proxyProtocolListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	if from, ok := c.(*proxyproto.Conn); ok {
		return &proxyProtocolConn{Conn: from, onRefusal: l.onRefusal}, nil
	}
	return c, nil
}

// proxyProtocolConn is a balancer's connection. Its address is the client's.
type proxyProtocolConn struct {
	*proxyproto.Conn
	onRefusal RefusalFunc
	met       sync.Once
}

func (c *proxyProtocolConn) Read(p []byte) (int, error) {
	c.met.Do(func() {
		if c.ProxyHeader() == nil {
			c.onRefusal.call(Refusal{Reason: NotAnnounced, Remote: c.RemoteAddr().String()})
		}
	})
	return c.Conn.Read(p)
}

// CloseWrite says that nothing more is said, while the rest is still read.
func (c *proxyProtocolConn) CloseWrite() error { return closeWrite(c.Raw()) }

// WriteLocalHeader is for a client on the proxies' side of a listener with ProxyProtocol:
// if its address is one of theirs, it has to say that it comes for itself.
func (p Proxies) WriteLocalHeader(c net.Conn) error {
	if !p.contains(c.LocalAddr()) {
		return nil
	}
	_, err := (&proxyproto.Header{Version: 2, Command: proxyproto.LOCAL, TransportProtocol: proxyproto.UNSPEC}).WriteTo(c)
	return err
}
