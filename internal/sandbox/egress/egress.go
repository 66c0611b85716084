// Package egress is the one way out of a sandbox: a proxy for HTTP that knows a
// few hosts and refuses all others.
//
// A name that is known is resolved here, and the address that it leads to is
// looked at before anything is sent there: loopback, private, link-local and
// other addresses that are not of the public network are refused, and so are
// those of this machine, unless the operator listed that very address. What was
// looked at is what is called: a name that changes its mind meanwhile gains
// nothing.
package egress

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"
)

// Config says whom a relay knows.
type Config struct {
	// Hosts are names and addresses, each with a port or for the ports of HTTP
	// and HTTPS.
	Hosts []string
	// Resolve finds the addresses of a name, Dial calls an address, Own lists the
	// addresses of this machine. Nil: the system's.
	Resolve func(ctx context.Context, name string) ([]netip.Addr, error)
	Dial    func(ctx context.Context, network, address string) (net.Conn, error)
	Own     func() ([]netip.Addr, error)
	// Places are shared with the other relays of the process; nil: there are none.
	Places *Places
	Log    *slog.Logger
}

// Relay passes connections on.
type Relay struct {
	names     map[destination]bool
	addresses map[netip.AddrPort]bool
	resolve   func(context.Context, string) ([]netip.Addr, error)
	dial      func(context.Context, string, string) (net.Conn, error)
	own       func() ([]netip.Addr, error)
	log       *slog.Logger
	places    *Places
	plain     *http.Transport
}

// destination is a name and a port.
type destination struct {
	name string
	port uint16
}

// ErrRefused says that a host is not one of those that may be called.
var ErrRefused = errors.New("this host may not be called from here")

const dialTime = 30 * time.Second

// New makes a relay. A host that cannot be understood is an error.
func New(c Config) (*Relay, error) {
	r := &Relay{
		names: make(map[destination]bool), addresses: make(map[netip.AddrPort]bool),
		resolve: c.Resolve, dial: c.Dial, own: c.Own, log: c.Log, places: c.Places,
	}
	for _, host := range c.Hosts {
		if err := r.know(host); err != nil {
			return nil, err
		}
	}
	if r.places == nil {
		r.places = NewPlaces()
	}
	if r.resolve == nil {
		r.resolve = func(ctx context.Context, name string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", name)
		}
	}
	if r.dial == nil {
		r.dial = (&net.Dialer{Timeout: dialTime}).DialContext
	}
	if r.own == nil {
		r.own = interfaceAddresses
	}
	if r.log == nil {
		r.log = slog.New(slog.DiscardHandler)
	}
	r.plain = &http.Transport{DialContext: func(ctx context.Context, _, address string) (net.Conn, error) {
		return r.Dial(ctx, address)
	}, DisableKeepAlives: true, ResponseHeaderTimeout: 2 * time.Minute}
	return r, nil
}

// know adds a host to those that may be called.
func (r *Relay) know(host string) error {
	name, ports := host, []uint16{80, 443}
	if h, p, err := net.SplitHostPort(host); err == nil {
		n, err := strconv.ParseUint(p, 10, 16)
		if err != nil || n == 0 {
			return fmt.Errorf("%q has no port that could be called", host)
		}
		name, ports = h, []uint16{uint16(n)}
	}
	address, err := netip.ParseAddr(strings.Trim(name, "[]"))
	for _, port := range ports {
		if err == nil {
			r.addresses[netip.AddrPortFrom(address.Unmap(), port)] = true
		} else {
			r.names[destination{canonical(name), port}] = true
		}
	}
	if err != nil && (name == "" || strings.ContainsAny(name, " /:@*?#%[]")) {
		return fmt.Errorf("%q is no host; give a name or an address, with a port if it is not 80 or 443", host)
	}
	return nil
}

func canonical(name string) string { return strings.ToLower(strings.TrimSuffix(name, ".")) }

// Dial calls a host, if it is known and what it leads to may be called. ErrRefused.
func (r *Relay) Dial(ctx context.Context, hostport string) (net.Conn, error) {
	host, portText, err := net.SplitHostPort(hostport)
	if err != nil {
		return nil, ErrRefused
	}
	n, err := strconv.ParseUint(portText, 10, 16)
	if err != nil {
		return nil, ErrRefused
	}
	port := uint16(n)
	if address, err := netip.ParseAddr(host); err == nil {
		if !r.addresses[netip.AddrPortFrom(address.Unmap(), port)] {
			return nil, ErrRefused
		}
		return r.dial(ctx, "tcp", net.JoinHostPort(address.Unmap().String(), portText))
	}
	if !r.names[destination{canonical(host), port}] {
		return nil, ErrRefused
	}
	found, err := r.resolve(ctx, canonical(host))
	if err != nil {
		return nil, fmt.Errorf("resolve %s: %w", host, err)
	}
	own, err := r.own()
	if err != nil {
		return nil, fmt.Errorf("list the addresses of this machine: %w", err)
	}
	failed := ErrRefused
	for _, address := range found {
		address = address.Unmap().WithZone("")
		if !r.addresses[netip.AddrPortFrom(address, port)] && !public(address, own) {
			r.log.Warn("a known host leads to an address that is not called", "host", host, "address", address.String())
			continue
		}
		c, err := r.dial(ctx, "tcp", netip.AddrPortFrom(address, port).String())
		if err == nil {
			return c, nil
		}
		failed = err
	}
	return nil, failed
}

// reserved are the networks that are not the public one beside those that the
// standard library knows: this network, shared and test addresses, the machines of
// Azure, whose host answers there, benchmarks, the future; and those of IPv6 that carry addresses of IPv4 inside.
var reserved = func() (all []netip.Prefix) {
	for _, text := range []string{
		"0.0.0.0/8", "100.64.0.0/10", "168.63.129.16/32", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15",
		"198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4",
		"::/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/32", "2001:db8::/32", "2002::/16", "fec0::/10",
	} {
		all = append(all, netip.MustParsePrefix(text))
	}
	return all
}()

// public says whether an address is one of the public network and not our own.
func public(address netip.Addr, own []netip.Addr) bool {
	if !address.IsGlobalUnicast() || address.IsPrivate() {
		return false // also loopback, link-local, multicast, unspecified
	}
	for _, network := range reserved {
		if network.Contains(address) {
			return false
		}
	}
	for _, ours := range own {
		if ours.Unmap().WithZone("") == address {
			return false
		}
	}
	return true
}

// interfaceAddresses are the addresses of this machine.
func interfaceAddresses() ([]netip.Addr, error) {
	all, err := net.InterfaceAddrs()
	if err != nil {
		return nil, err
	}
	var own []netip.Addr
	for _, a := range all {
		if prefix, err := netip.ParsePrefix(a.String()); err == nil {
			own = append(own, prefix.Addr())
		}
	}
	return own, nil
}
