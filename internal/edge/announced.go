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

// Announced wraps a listener behind balancers that pass TCP on and announce each
// client by the PROXY protocol, version 1 or 2. The proxies must announce, and are
// told of where they do not; everybody else may not, and is taken for itself.
func (p Proxies) Announced(inner net.Listener, tell Tell) net.Listener {
	return &announcedListener{tell: tell, Listener: proxyproto.Listener{
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

type announcedListener struct {
	proxyproto.Listener
	tell Tell
}

func (l *announcedListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	if from, ok := c.(*proxyproto.Conn); ok {
		return &announcedConn{Conn: from, tell: l.tell}, nil
	}
	return c, nil
}

// announcedConn is a balancer's connection. Its address is the client's.
type announcedConn struct {
	*proxyproto.Conn
	tell Tell
	met  sync.Once
}

func (c *announcedConn) Read(p []byte) (int, error) {
	c.met.Do(func() {
		if c.ProxyHeader() == nil {
			c.tell.of(Refusal{Reason: NotAnnounced, Remote: c.RemoteAddr().String()})
		}
	})
	return c.Conn.Read(p)
}

// CloseWrite says that nothing more is said, while the rest is still read.
func (c *announcedConn) CloseWrite() error { return closeWrite(c.Raw()) }

// Introduce is for a client on the proxies' side of a listener that is Announced:
// if its address is one of theirs, it has to say that it comes for itself.
func (p Proxies) Introduce(c net.Conn) error {
	if !p.contains(c.LocalAddr()) {
		return nil
	}
	_, err := (&proxyproto.Header{Version: 2, Command: proxyproto.LOCAL, TransportProtocol: proxyproto.UNSPEC}).WriteTo(c)
	return err
}
