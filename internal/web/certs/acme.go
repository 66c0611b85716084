package certs

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"log/slog"
	"net"
	"net/netip"
	"time"

	"github.com/caddyserver/certmagic"

	svc "github.com/bundle-delivery/svc"
)

const (
	// acmeALPN is what an authority says when it looks for the answer to its
	// challenge (RFC 8737).
	acmeALPN = "acme-tls/1"
	// firstRetry and longestRetry bound the waits for a first certificate. Each
	// wait is twice the one before: authorities count failures by the hour.
	firstRetry   = time.Minute
	longestRetry = time.Hour
	// shareEvery is how often a process that waits looks whether another has got
	// the certificates.
	shareEvery = 2 * time.Second
)

// ACMEConfig is what [NewACME] needs.
type ACMEConfig struct {
	// Domains are the names, each with a certificate of its own. Clients that say
	// none of them are shown the first.
	Domains []string
	// Email is where the authority sends warnings; it may be empty.
	Email string
	// Directory is the authority's address. Empty: Let's Encrypt.
	Directory string
	// Roots are the authorities to trust when talking to the directory. Nil: the
	// system's.
	Roots *x509.CertPool
	// Listener is where the service listens, and so answers challenges.
	Listener net.Addr
	// Files are shared by all processes that show these certificates.
	Files svc.CertificateFiles
	// Now is the clock that they share.
	Now func(context.Context) (time.Time, error)
	// Meanwhile gives the certificate to show until the authority has issued one.
	Meanwhile func(*tls.ClientHelloInfo) (*tls.Certificate, error)
	Log       *slog.Logger
	// Pace changes how often things are tried. Zero: as authorities want it.
	Pace Pace
}

// Pace is how often an [ACME] looks and tries.
type Pace struct {
	Retry      time.Duration // before the second attempt at a first certificate
	RenewCheck time.Duration // between looks whether a certificate is to be renewed
	// RenewRatio is the part of a certificate's life that is left when it is
	// renewed, where the authority suggests no time. 1: always.
	RenewRatio float64
}

// ACME shows certificates that it gets from an authority and renews. Of several
// processes one asks the authority, and any of them can answer its challenge.
type ACME struct {
	config ACMEConfig
	cache  *certmagic.Cache
	magic  *certmagic.Config
}

// NewACME prepares certificates; [ACME.Run] gets them.
func NewACME(c ACMEConfig) *ACME {
	a := &ACME{config: c}
	logger := newZapLogger(c.Log)
	a.cache = certmagic.NewCache(certmagic.CacheOptions{
		GetConfigForCert:   func(certmagic.Certificate) (*certmagic.Config, error) { return a.magic, nil },
		RenewCheckInterval: c.Pace.RenewCheck,
		Logger:             logger,
	})
	a.magic = certmagic.New(a.cache, certmagic.Config{
		DefaultServerName:  c.Domains[0],
		FallbackServerName: c.Domains[0],
		Storage:            newACMEStorage(c.Files, c.Now, c.Log),
		RenewalWindowRatio: c.Pace.RenewRatio,
		DisableARI:         c.Pace.RenewRatio != 0,
		Logger:             logger,
	})
	host, port := challengeAddress(c.Listener)
	a.magic.Issuers = []certmagic.Issuer{certmagic.NewACMEIssuer(a.magic, certmagic.ACMEIssuer{
		CA: c.Directory, TestCA: c.Directory, Email: cmp.Or(c.Email, noEmail), Agreed: true, TrustedRoots: c.Roots,
		DisableHTTPChallenge: true, // nothing listens on port 80
		ListenHost:           host, AltTLSALPNPort: port,
		Logger: logger,
	})}
	return a
}

// noEmail is no address, once the library has trimmed it. For one that is empty
// the library asks whoever sits at the terminal, in the middle of a service.
const noEmail = " "

// challengeAddress is where the library finds that somebody listens already, so
// that it opens no listener of its own.
func challengeAddress(listener net.Addr) (host string, port int) {
	address, err := netip.ParseAddrPort(listener.String())
	if err != nil {
		return "", 0
	}
	if !address.Addr().IsUnspecified() {
		host = address.Addr().String()
	}
	return host, int(address.Port())
}

// Run gets a certificate for every name, from the files or from the authority,
// and renews them until the context ends. An authority that cannot be reached or
// refuses is asked again, with longer and longer waits.
func (a *ACME) Run(ctx context.Context) {
	defer a.cache.Stop()
	wait := a.config.Pace.Retry
	if wait == 0 {
		wait = firstRetry
	}
	for {
		err := a.magic.ManageSync(ctx, a.config.Domains)
		if ctx.Err() != nil {
			return
		}
		if err == nil {
			a.config.Log.Info("the certificates of the ACME authority are in use", "names", a.config.Domains, "notAfter", a.NotAfter())
			<-ctx.Done()
			return
		}
		a.config.Log.Error("no certificate from the ACME authority yet; clients are shown one of the local authority, which they do not trust",
			"names", a.config.Domains, "retry", wait.String(), "error", err)
		if !a.await(ctx, wait) {
			return
		}
		wait = min(2*wait, longestRetry)
	}
}

// await waits for the next attempt, or until another process has got what is
// missing. It says whether there is to be one.
func (a *ACME) await(ctx context.Context, wait time.Duration) bool {
	again := time.NewTimer(wait)
	defer again.Stop()
	look := time.NewTicker(shareEvery)
	defer look.Stop()
	for {
		select {
		case <-again.C:
			return true
		case <-look.C:
			if a.shared(ctx) {
				return true
			}
		case <-ctx.Done():
			return false
		}
	}
}

// shared says whether there is a certificate for every name in the files.
func (a *ACME) shared(ctx context.Context) bool {
	for _, name := range a.config.Domains {
		if len(a.cache.AllMatchingCertificates(name)) > 0 {
			continue
		}
		if _, err := a.magic.CacheManagedCertificate(ctx, name); err != nil {
			return false
		}
	}
	return true
}

// GetCertificate gives the certificate for a handshake, or the answer to a
// challenge of the authority.
func (a *ACME) GetCertificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	asked := len(hello.SupportedProtos) == 1 && hello.SupportedProtos[0] == acmeALPN
	cert, err := a.magic.GetCertificate(hello)
	if err != nil && !asked {
		return a.config.Meanwhile(hello)
	}
	return cert, err
}

// Config is [Config] for this source: it also lets the authority's challenge in.
func (a *ACME) Config() *tls.Config {
	config := Config(a.GetCertificate)
	config.NextProtos = append(config.NextProtos, acmeALPN)
	return config
}

// NotAfter is when the first of the certificates ends; zero while one is missing.
func (a *ACME) NotAfter() (first time.Time) {
	for _, name := range a.config.Domains {
		var end time.Time
		for _, cert := range a.cache.AllMatchingCertificates(name) {
			if cert.Leaf != nil && cert.Leaf.NotAfter.After(end) {
				end = cert.Leaf.NotAfter
			}
		}
		if end.IsZero() {
			return time.Time{}
		}
		if first.IsZero() || end.Before(first) {
			first = end
		}
	}
	return first
}
