// Package certs provides the TLS certificate of the service, and keeps it current
// while the service runs.
//
// There are three sources. [Files] shows a certificate that somebody else renews,
// and notices when its files change. [ACME] gets certificates from an authority
// that all the world trusts, and shares them with the other processes of the
// service. [Local] is for everybody else: it keeps an authority of its own in a
// folder and signs short-lived certificates with it.
//
// Invariants. Nothing here needs a restart or a signal: Files and Local look
// whether they are current when a client connects, at most once a second, and
// ACME does now and then, since an answer of its authority takes its time. A new
// certificate that cannot be used never replaces one that can; the reason goes
// to the log, once for each attempt to change it. The local authority can vouch
// only for the names it was made for, so that its private key, if it is ever
// stolen, opens nothing else on the machines that trust it.
package certs

import (
	"crypto/tls"
	"sync"
	"sync/atomic"
	"time"
)

// checkEvery is how often a source looks whether its certificate is current.
const checkEvery = time.Second

// current is a certificate that is replaced now and then. Handshakes read it
// without waiting for each other; one of them at a time looks for a new one.
type current struct {
	now      func() time.Time
	shown    atomic.Pointer[tls.Certificate]
	nextLook atomic.Int64 // Unix nanoseconds
	looking  sync.Mutex
}

// get returns the certificate, after a look for a new one where that is due.
func (c *current) get(look func(now time.Time)) *tls.Certificate {
	now := c.now()
	if now.UnixNano() >= c.nextLook.Load() && c.looking.TryLock() {
		// The next look is set first: a slow disk must not gather handshakes.
		c.nextLook.Store(now.Add(checkEvery).UnixNano())
		look(now)
		c.looking.Unlock()
	}
	return c.shown.Load()
}

// NotAfter is when the certificate ends that is shown now.
func (c *current) NotAfter() time.Time { return c.shown.Load().Leaf.NotAfter }

// Config is how the service speaks TLS: version 1.2 with forward secrecy and
// authenticated encryption, or better, HTTP/2 and HTTP/1.1, and the certificate of
// the source. The suites of version 1.3 are those of crypto/tls.
func Config(get func(*tls.ClientHelloInfo) (*tls.Certificate, error)) *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		CipherSuites: []uint16{
			tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
			tls.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, tls.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
			tls.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, tls.TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
		},
		NextProtos:     []string{"h2", "http/1.1"},
		GetCertificate: get,
	}
}
