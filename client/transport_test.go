package client

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// newAuthority makes a certificate for this machine that vouches for itself.
func newAuthority(t *testing.T) (tls.Certificate, *x509.Certificate) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: t.Name()},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, parsed
}

func poolOf(certificates ...*x509.Certificate) *x509.CertPool {
	pool := x509.NewCertPool()
	for _, c := range certificates {
		pool.AddCert(c)
	}
	return pool
}

// post sends a body and reads what comes back.
func post(t *testing.T, hc *http.Client, url, body string) (string, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := hc.Do(req)
	if err != nil {
		return "", err
	}
	defer func() { _ = resp.Body.Close() }()
	back, err := io.ReadAll(resp.Body)
	return string(back), err
}

// Promise: client-ca-file
func TestTrustsTheFileAndTheSystem(t *testing.T) {
	pair, served := newAuthority(t)
	_, other := newAuthority(t)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		_, _ = io.Copy(w, req.Body)
	}))
	server.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // refusals are wanted here
	server.StartTLS()
	t.Cleanup(server.Close)

	for _, test := range []struct {
		name        string
		own, system *x509.Certificate
		reached     bool
		asked       bool // for all that is trusted
	}{
		{"by the file", served, other, true, false},
		{"by the system", other, served, true, true},
		{"by neither", other, other, false, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			asked := false
			trusts := &fallbackTransport{own: transportTo(poolOf(test.own)), roots: func() *x509.CertPool {
				asked = true
				return poolOf(test.own, test.system)
			}}
			t.Cleanup(trusts.CloseIdleConnections)
			hc := http.Client{Transport: trusts}
			// Once more after idle connections were closed: that ends none for good.
			for range 2 {
				body, err := post(t, &hc, server.URL, "all of it")
				if asked != test.asked {
					t.Errorf("asked for the system's certificates: %v", asked)
				}
				if !test.reached {
					if _, unknown := errors.AsType[x509.UnknownAuthorityError](err); !unknown {
						t.Errorf("error %v", err)
					}
				} else if err != nil || body != "all of it" {
					t.Errorf("the body came back as %q, %v", body, err)
				}
				hc.CloseIdleConnections()
			}
		})
	}
}
