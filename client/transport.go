package client

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"sync"
	"time"
)

// newTransport makes the way to the network. With a CA file its certificates are
// trusted beside the system's.
func newTransport(caFile string) (http.RoundTripper, error) {
	if caFile == "" {
		return transportTo(nil), nil
	}
	pem, err := os.ReadFile(caFile)
	if err != nil {
		return nil, fmt.Errorf("the CA file cannot be read: %w", err)
	}
	own := x509.NewCertPool()
	if !own.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("the CA file %s holds no PEM certificate", caFile)
	}
	return &fallbackTransport{
		own: transportTo(own),
		roots: func() *x509.CertPool {
			roots, err := x509.SystemCertPool()
			if err != nil {
				roots = x509.NewCertPool()
			}
			roots.AppendCertsFromPEM(pem)
			return roots
		},
	}, nil
}

func transportTo(roots *x509.CertPool) *http.Transport {
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: dialTimeout}).DialContext,
		TLSHandshakeTimeout:   dialTimeout,
		ResponseHeaderTimeout: headerTimeout,
		IdleConnTimeout:       30 * time.Second,
		TLSClientConfig:       &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots},
		ForceAttemptHTTP2:     true,
		// Lengths, ranges and digests are those of the bytes on the wire.
		DisableCompression: true,
	}
}

// fallbackTransport asks first with the certificates of the CA file alone. Reading all
// those of the system takes longer than everything else before a request, and
// whoever names a file nearly always needs only that.
type fallbackTransport struct {
	own   *http.Transport
	roots func() *x509.CertPool // all that is trusted

	mu  sync.Mutex
	all *http.Transport // once it was needed
}

// RoundTrip makes an exchange with whichever trust the server's certificate
// passes. Where it does not pass the first, nothing has been sent yet.
func (t *fallbackTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := t.own.RoundTrip(req)
	if _, refused := errors.AsType[*tls.CertificateVerificationError](err); !refused {
		return resp, err
	}
	again := req.Clone(req.Context())
	if req.GetBody != nil {
		if again.Body, err = req.GetBody(); err != nil {
			return nil, err
		}
	}
	return t.second().RoundTrip(again)
}

func (t *fallbackTransport) second() *http.Transport {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.all == nil {
		t.all = transportTo(t.roots())
	}
	return t.all
}

// CloseIdleConnections is what http.Client.CloseIdleConnections asks for.
func (t *fallbackTransport) CloseIdleConnections() {
	t.own.CloseIdleConnections()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.all != nil {
		t.all.CloseIdleConnections()
	}
}
