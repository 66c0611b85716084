package certs_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/store/sqlite"
	"github.com/bundle-delivery/svc/internal/testkit/acmetest"
	"github.com/bundle-delivery/svc/internal/web/certs"
)

// syncBuffer is a log that several goroutines write.
type syncBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// site is a TLS server whose certificate comes from an authority.
type site struct {
	domain  string
	acme    *certs.ACME
	address string
	stop    func()
	log     *syncBuffer
}

func openStore(t *testing.T) svc.Store {
	t.Helper()
	store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return store
}

// newSite serves a name with certificates of the authority, until it is stopped.
func newSite(t *testing.T, authority *acmetest.Authority, store svc.Store, pace certs.Pace, domain string) *site {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &site{domain: domain, address: listener.Addr().String(), log: &syncBuffer{}}
	log := slog.New(slog.NewTextHandler(s.log, nil))
	local, err := certs.OpenLocal(t.TempDir(), domain, time.Now, log)
	if err != nil {
		t.Fatal(err)
	}
	s.acme = certs.NewACME(certs.ACMEConfig{
		Domains: []string{domain}, Directory: authority.Directory, Roots: acmetest.Pool(t, authority.RootFile),
		Listener: listener.Addr(), Files: store.CertificateFiles(), Now: store.Now,
		Meanwhile: local.GetCertificate, Log: log, Pace: pace,
	})
	server := &http.Server{TLSConfig: s.acme.Config(), ReadHeaderTimeout: time.Minute, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelInfo)}
	authority.Gate.LeadTo(s.address) // before the authority is asked
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	var running sync.WaitGroup
	running.Go(func() { s.acme.Run(ctx) })
	running.Go(func() { _ = server.ServeTLS(listener, "", "") }) // it is closed
	s.stop = sync.OnceFunc(func() {
		cancel()
		if err := server.Close(); err != nil {
			t.Error(err)
		}
		running.Wait()
	})
	t.Cleanup(s.stop)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("%s said:\n%s", s.address, s.log)
		}
	})
	return s
}

// shown is the certificate that a client sees who asks for a name.
func (s *site) shown(t *testing.T, serverName string) *x509.Certificate {
	t.Helper()
	conn, err := tls.Dial("tcp", s.address, &tls.Config{
		ServerName: serverName, InsecureSkipVerify: true, // the test looks itself
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	return conn.ConnectionState().PeerCertificates[0]
}

// eventually waits for what the authority brings about.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	patience := time.NewTimer(3 * time.Minute)
	defer patience.Stop()
	for !ok() {
		select {
		case <-again.C:
		case <-patience.C:
			t.Fatalf("waited in vain: %s", what)
		}
	}
}

func trusted(cert *x509.Certificate, roots, chain *x509.CertPool, name string) error {
	_, err := cert.Verify(x509.VerifyOptions{Roots: roots, Intermediates: chain, DNSName: name})
	return err
}

// connects says whether a client that trusts only the authority's root connects.
func (s *site) connects(roots *x509.CertPool) error {
	conn, err := tls.Dial("tcp", s.address, &tls.Config{ServerName: s.domain, RootCAs: roots, MinVersion: tls.VersionTLS12})
	if err != nil {
		return err
	}
	return conn.Close()
}

// The library keeps the challenges of a process by name: each test has its own.

// Promise: acme-certificate
func TestACMEIssuesAndServes(t *testing.T) {
	t.Parallel()
	const domain = "issue.example.com"
	authority := acmetest.New(t)
	authority.Up(t)
	store := openStore(t)
	s := newSite(t, authority, store, certs.Pace{}, domain)
	roots := authority.Roots(t)
	eventually(t, "a trusted certificate", func() bool { return s.connects(roots) == nil })
	if end := s.acme.NotAfter(); !end.Equal(s.shown(t, domain).NotAfter) {
		t.Errorf("it is said to end at %v, and ends at %v", end, s.shown(t, domain).NotAfter)
	}
	if authority.Gate.Passed() == 0 {
		t.Error("the authority checked nothing")
	}
	for _, other := range []string{"", "localhost", "other.example.com"} {
		if names := s.shown(t, other).DNSNames; len(names) != 1 || names[0] != domain {
			t.Errorf("who asks for %q is shown %v", other, names)
		}
	}
	if strings.Contains(s.log.String(), "PRIVATE KEY") {
		t.Error("the log has a private key")
	}

	// Another start needs no authority.
	first := s.shown(t, domain)
	s.stop()
	authority.Down(t)
	again := newSite(t, authority, store, certs.Pace{}, domain)
	eventually(t, "the certificate of before", func() bool { return again.shown(t, domain).Equal(first) })
}

// Promise: acme-renewal
func TestACMERenewsWithoutRestart(t *testing.T) {
	t.Parallel()
	const domain = "renew.example.com"
	authority := acmetest.New(t)
	authority.Up(t)
	s := newSite(t, authority, openStore(t), certs.Pace{RenewCheck: 200 * time.Millisecond, RenewRatio: 1}, domain)
	roots := authority.Roots(t)
	eventually(t, "a first certificate", func() bool { return s.connects(roots) == nil })
	first := s.shown(t, domain)
	eventually(t, "a second certificate", func() bool { return !s.shown(t, domain).Equal(first) })
	if err := s.connects(roots); err != nil {
		t.Errorf("the second certificate: %v", err)
	}
}

// Promise: acme-unavailable
func TestACMEWithoutItsAuthority(t *testing.T) {
	t.Parallel()
	const domain = "down.example.com"
	authority := acmetest.New(t)
	s := newSite(t, authority, openStore(t), certs.Pace{Retry: 20 * time.Millisecond}, domain)
	eventually(t, "a complaint", func() bool { return strings.Contains(s.log.String(), "no certificate from the ACME authority yet") })
	meanwhile := s.shown(t, domain)
	if err := meanwhile.VerifyHostname(domain); err != nil {
		t.Errorf("the certificate meanwhile: %v", err)
	}
	if !s.acme.NotAfter().IsZero() {
		t.Error("a certificate that is missing has an end")
	}
	authority.Up(t)
	roots := authority.Roots(t)
	if trusted(meanwhile, roots, nil, domain) == nil {
		t.Error("the certificate meanwhile is the authority's")
	}
	eventually(t, "a trusted certificate", func() bool { return s.connects(roots) == nil })
}

// Promise: acme-unasked
func TestACMEAChallengeThatNobodyKnowsIsRefused(t *testing.T) {
	t.Parallel()
	const domain = "stray.example.com"
	authority := acmetest.New(t)
	s := newSite(t, authority, openStore(t), certs.Pace{}, domain)
	conn, err := tls.Dial("tcp", s.address, &tls.Config{
		ServerName: domain, NextProtos: []string{"acme-tls/1"}, InsecureSkipVerify: true, // as authorities do
	})
	if err == nil {
		_ = conn.Close()
		t.Error("a challenge is answered with a certificate that says nothing about it")
	}
}
