package certs

import (
	"crypto/ecdsa"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"time"
)

const (
	authorityLife = 10 * 365 * 24 * time.Hour
	// leafLife is short enough for every platform's rules on private authorities.
	leafLife = 90 * 24 * time.Hour
	// renewBefore is the life that a certificate has left when it is renewed.
	renewBefore = leafLife / 3
)

// The files of a local authority. Only the first is for others to read.
const (
	authorityFile    = "ca.pem"
	authorityKeyFile = "ca-key.pem"
	leafFile         = "leaf.pem"
	leafKeyFile      = "leaf-key.pem"
)

// Local is an authority in a folder and the certificate that it has signed.
type Local struct {
	current
	dir   string
	names names
	log   *slog.Logger

	authority    *x509.Certificate
	authorityKey *ecdsa.PrivateKey
	complained   bool // about a renewal that fails
}

// names are what a certificate is for.
type names struct {
	dns []string
	ips []net.IP
}

// namesFor gives the loopback names and the host, once each.
func namesFor(host string) names {
	n := names{
		dns: []string{"localhost"},
		ips: []net.IP{net.IPv4(127, 0, 0, 1).To4(), net.IPv6loopback},
	}
	if ip := net.ParseIP(host); ip != nil {
		if v4 := ip.To4(); v4 != nil {
			ip = v4
		}
		if !slices.ContainsFunc(n.ips, ip.Equal) {
			n.ips = append(n.ips, ip)
		}
	} else if host != "" && host != "localhost" {
		n.dns = append(n.dns, host)
	}
	return n
}

// OpenLocal opens the authority in the folder, or makes one, and sees to a
// certificate for the host and for the names of this machine's loopback.
//
// An authority made for other names cannot vouch for a new host. It is kept aside
// and replaced, and the log says that clients have to trust the new one; when the
// old host comes back, so does its authority.
func OpenLocal(dir, host string, clock func() time.Time, log *slog.Logger) (*Local, error) {
	l := &Local{current: current{now: clock}, dir: dir, names: namesFor(host), log: log}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("folder of certificates: %w", err)
	}
	if err := l.openAuthority(); err != nil {
		return nil, err
	}
	if err := l.openLeaf(); err != nil {
		return nil, err
	}
	return l, nil
}

// AuthorityFile is the file that clients have to trust.
func (l *Local) AuthorityFile() string { return filepath.Join(l.dir, authorityFile) }

// GetCertificate gives the certificate for a handshake.
func (l *Local) GetCertificate(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	return l.get(l.refresh), nil
}

// refresh renews the certificate where its time is near.
func (l *Local) refresh(now time.Time) {
	if now.Before(l.shown.Load().Leaf.NotAfter.Add(-renewBefore)) {
		return
	}
	if err := l.renew(now); err != nil {
		if !l.complained {
			l.log.Error("the TLS certificate cannot be renewed; it stays in use until it expires",
				"notAfter", l.shown.Load().Leaf.NotAfter, "error", err)
		}
		l.complained = true
		return
	}
	l.complained = false
	l.log.Info("TLS certificate renewed", "notAfter", l.shown.Load().Leaf.NotAfter)
}

func (l *Local) openAuthority() error {
	now := l.now()
	cert, key, err := readPair(l.AuthorityFile(), filepath.Join(l.dir, authorityKeyFile))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		l.log.Info("made a local certificate authority", "file", l.AuthorityFile())
	case err != nil:
		return fmt.Errorf("local certificate authority: %w; restore the file, or remove the folder %s to make a new authority", err, l.dir)
	case !covers(cert, l.names):
		return l.replaceAuthority(cert, key, now)
	case now.Add(leafLife).After(cert.NotAfter):
		l.log.Warn("the local certificate authority is about to expire and is replaced; clients have to trust the new one",
			"file", l.AuthorityFile(), "notAfter", cert.NotAfter)
	default:
		l.authority, l.authorityKey = cert, key
		return nil
	}
	if cert, key, err = newAuthority(l.names, now); err != nil {
		return err
	}
	return l.install(cert, key)
}

// install makes an authority the one that clients have to trust.
func (l *Local) install(cert *x509.Certificate, key *ecdsa.PrivateKey) error {
	if err := writePair(l.AuthorityFile(), filepath.Join(l.dir, authorityKeyFile), cert, key); err != nil {
		return err
	}
	l.authority, l.authorityKey = cert, key
	return nil
}

// openLeaf takes up the certificate of the last run, unless it is missing,
// damaged, of another authority, for other names or old: then a new one is made.
func (l *Local) openLeaf() error {
	now := l.now()
	cert, key, err := readPair(filepath.Join(l.dir, leafFile), filepath.Join(l.dir, leafKeyFile))
	if err != nil || cert.CheckSignatureFrom(l.authority) != nil || !l.names.equal(cert) ||
		now.Before(cert.NotBefore) || !now.Before(cert.NotAfter.Add(-renewBefore)) {
		return l.renew(now)
	}
	l.show(cert, key)
	return nil
}

func (l *Local) renew(now time.Time) error {
	cert, key, err := newLeaf(l.names, l.authority, l.authorityKey, now)
	if err != nil {
		return err
	}
	if err := writePair(filepath.Join(l.dir, leafFile), filepath.Join(l.dir, leafKeyFile), cert, key); err != nil {
		return err
	}
	l.show(cert, key)
	return nil
}

func (l *Local) show(cert *x509.Certificate, key *ecdsa.PrivateKey) {
	l.shown.Store(&tls.Certificate{
		Certificate: [][]byte{cert.Raw, l.authority.Raw},
		PrivateKey:  key,
		Leaf:        cert,
	})
}

// covers says whether an authority may vouch for all the names.
func covers(authority *x509.Certificate, n names) bool {
	for _, name := range n.dns {
		if !slices.Contains(authority.PermittedDNSDomains, name) {
			return false
		}
	}
	for _, ip := range n.ips {
		if !slices.ContainsFunc(authority.PermittedIPRanges, func(r *net.IPNet) bool { return r.Contains(ip) }) {
			return false
		}
	}
	return true
}

// equal says whether a certificate is for exactly these names.
func (n names) equal(cert *x509.Certificate) bool {
	return slices.Equal(n.dns, cert.DNSNames) && slices.EqualFunc(n.ips, cert.IPAddresses, net.IP.Equal)
}
