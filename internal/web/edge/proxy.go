package edge

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// Proxies are the addresses of the proxies that may speak for clients.
type Proxies []netip.Prefix

// Contains says whether the address is one of them.
func (p Proxies) Contains(a netip.Addr) bool {
	a = a.Unmap()
	return slices.ContainsFunc(p, func(prefix netip.Prefix) bool { return unmapped(prefix).Contains(a) })
}

// unmapped is the IPv4 range that an IPv4-mapped one (::ffff:10.0.0.0/104) means.
func unmapped(p netip.Prefix) netip.Prefix {
	const mapped = 96 // bits that say that it is one
	if p.Addr().Is4In6() && p.Bits() >= mapped {
		return netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-mapped)
	}
	return p
}

// Listener lets only the proxies in: others are cut off without an answer.
func (p Proxies) Listener(inner net.Listener, onRefusal RefusalFunc) net.Listener {
	return &proxyListener{Listener: inner, proxies: p, onRefusal: onRefusal}
}

type proxyListener struct {
	net.Listener
	proxies   Proxies
	onRefusal RefusalFunc
}

func (l *proxyListener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		from, err := netip.ParseAddrPort(c.RemoteAddr().String())
		if err == nil && l.proxies.Contains(from.Addr()) {
			return c, nil
		}
		l.onRefusal.call(Refusal{Reason: NotATrustedOne, Remote: c.RemoteAddr().String()})
		_ = c.Close() // nothing was written that could be lost
	}
}

// Handler answers the requests that reached a proxy over HTTPS, as if their
// clients were connected themselves, and refuses the others.
func (p Proxies) Handler(h http.Handler, baseURL string, onRefusal RefusalFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !cameOverHTTPS(r.Header.Values("X-Forwarded-Proto")) {
			id := refuse(w, useHTTPS("This request did not reach the proxy over HTTPS, or the proxy does not say so.", "X-Forwarded-Proto", baseURL))
			onRefusal.call(Refusal{Reason: PlainAtProxy, RequestID: id, Remote: r.RemoteAddr})
			return
		}
		if client, ok := p.client(r.Header.Values("X-Forwarded-For")); ok {
			r.RemoteAddr = netip.AddrPortFrom(client, 0).String()
		}
		h.ServeHTTP(w, r)
	})
}

// cameOverHTTPS wants every hop to say so: one plain hop shows a key.
func cameOverHTTPS(values []string) bool {
	hops := strings.Split(strings.Join(values, ","), ",")
	return !slices.ContainsFunc(hops, func(hop string) bool {
		return !strings.EqualFold(strings.TrimSpace(hop), "https")
	})
}

// client is the last address in the list that is not a proxy's: those before it
// are what the client says of itself, and not to be believed.
func (p Proxies) client(values []string) (netip.Addr, bool) {
	hops := strings.Split(strings.Join(values, ","), ",")
	for _, hop := range slices.Backward(hops) {
		a, err := netip.ParseAddr(strings.TrimSpace(hop))
		if err != nil {
			return netip.Addr{}, false
		}
		if !p.Contains(a) {
			return a.Unmap(), true
		}
	}
	return netip.Addr{}, false
}
