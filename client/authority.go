package client

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

const (
	// maxAuthority is the size of the largest answer that can be a certificate.
	maxAuthority = 64 << 10
	// authorityTimeout bounds how long it is waited for.
	authorityTimeout = 30 * time.Second
)

// Authority asks a service for the certificate of its local authority and gives it,
// in PEM, if it is the one with the SHA-256 fingerprint, in hexadecimal digits with
// or without colons. The answer needs no trust: the fingerprint is what is trusted,
// and nothing is sent but the question.
func Authority(ctx context.Context, baseURL, fingerprint string) ([]byte, error) {
	base, err := ParseBaseURL(baseURL)
	if err != nil {
		return nil, err
	}
	wanted, err := hex.DecodeString(strings.ReplaceAll(fingerprint, ":", ""))
	if err != nil || len(wanted) != sha256.Size {
		return nil, fmt.Errorf("the fingerprint %q is not 64 hexadecimal digits; copy it again from the console or from whoever runs the service", fingerprint)
	}
	ctx, cancel := context.WithTimeout(ctx, authorityTimeout)
	defer cancel()
	address := base.String() + "/ca.pem"
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	way := transportTo(nil)
	way.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: true} //nolint:gosec // what comes is compared with the fingerprint
	defer way.CloseIdleConnections()
	browser := &http.Client{Transport: way, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := browser.Do(request)
	if err != nil {
		return nil, fmt.Errorf("ask for the certificate authority: %w", err)
	}
	defer func() { _ = answer.Body.Close() }() // it was only read
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answers %s: the service has no authority of its own, or another server stands there; leave --ca-fingerprint out if its certificate is one that everybody trusts", address, answer.Status)
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxAuthority))
	if err != nil {
		return nil, fmt.Errorf("read the certificate authority: %w", err)
	}
	block, rest := pem.Decode(text)
	if block == nil || block.Type != "CERTIFICATE" || len(strings.TrimSpace(string(rest))) > 0 {
		return nil, fmt.Errorf("%s is not one certificate; another server may stand there", address)
	}
	if got := sha256.Sum256(block.Bytes); got != [sha256.Size]byte(wanted) {
		return nil, fmt.Errorf("the authority at %s has the fingerprint %x, and not the one that you gave: somebody may stand between you and the service, so nothing was stored and no key was sent. Ask whoever runs the service", base, got)
	}
	if _, err := x509.ParseCertificate(block.Bytes); err != nil {
		return nil, fmt.Errorf("%s is no certificate: %w", address, err)
	}
	return pem.EncodeToMemory(block), nil
}
