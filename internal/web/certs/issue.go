package certs

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"os"
	"time"

	"github.com/google/renameio/v2"
)

// backdate is how far a certificate's life begins before its making: clocks of
// clients differ.
const backdate = time.Hour

// newAuthority makes an authority that can sign servers with these names and
// nothing else: no other name, no other use, no authority below it.
func newAuthority(n names, now time.Time) (*x509.Certificate, *ecdsa.PrivateKey, error) {
	ranges := make([]*net.IPNet, len(n.ips))
	for i, ip := range n.ips {
		ranges[i] = &net.IPNet{IP: ip, Mask: net.CIDRMask(8*len(ip), 8*len(ip))}
	}
	template := &x509.Certificate{
		Subject:                     pkix.Name{CommonName: "svcd local authority " + now.UTC().Format(time.DateOnly)},
		NotBefore:                   now.Add(-backdate),
		NotAfter:                    now.Add(authorityLife),
		IsCA:                        true,
		BasicConstraintsValid:       true,
		MaxPathLenZero:              true,
		KeyUsage:                    x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
		ExtKeyUsage:                 []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		PermittedDNSDomainsCritical: true,
		PermittedDNSDomains:         n.dns,
		PermittedIPRanges:           ranges,
	}
	return sign(template, nil, nil)
}

// newLeaf makes the certificate of a server.
func newLeaf(n names, authority *x509.Certificate, authorityKey *ecdsa.PrivateKey, now time.Time) (*x509.Certificate, *ecdsa.PrivateKey, error) {
	return sign(&x509.Certificate{
		Subject:               pkix.Name{CommonName: "svcd"},
		NotBefore:             now.Add(-backdate),
		NotAfter:              now.Add(leafLife),
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageDigitalSignature,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		DNSNames:              n.dns,
		IPAddresses:           n.ips,
	}, authority, authorityKey)
}

// sign makes a key and a certificate for it; without an authority it signs itself.
func sign(template, authority *x509.Certificate, authorityKey *ecdsa.PrivateKey) (*x509.Certificate, *ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, fmt.Errorf("make a TLS key: %w", err)
	}
	if authority == nil {
		authority, authorityKey = template, key
	}
	serial := make([]byte, 16)
	_, _ = rand.Read(serial) // never fails: the runtime ends the program instead
	serial[0] &= 0x7f        // a serial number is positive
	template.SerialNumber = new(big.Int).SetBytes(serial)
	raw, err := x509.CreateCertificate(rand.Reader, template, authority, key.Public(), authorityKey)
	if err != nil {
		return nil, nil, fmt.Errorf("make a TLS certificate: %w", err)
	}
	cert, err := x509.ParseCertificate(raw)
	if err != nil {
		return nil, nil, fmt.Errorf("make a TLS certificate: %w", err)
	}
	return cert, key, nil
}

const (
	certBlock = "CERTIFICATE"
	keyBlock  = "PRIVATE KEY"
)

// writePair keeps key and certificate, each whole or not at all. The old
// certificate goes first and the new one comes last: after a crash in between
// there is none, and the pair is made again.
func writePair(certFile, keyFile string, cert *x509.Certificate, key *ecdsa.PrivateKey) error {
	raw, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return fmt.Errorf("encode a TLS key: %w", err)
	}
	if err := os.Remove(certFile); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("replace a TLS certificate: %w", err)
	}
	if err := renameio.WriteFile(keyFile, pem.EncodeToMemory(&pem.Block{Type: keyBlock, Bytes: raw}), 0o600); err != nil {
		return fmt.Errorf("keep a TLS key: %w", err)
	}
	if err := renameio.WriteFile(certFile, pem.EncodeToMemory(&pem.Block{Type: certBlock, Bytes: cert.Raw}), 0o644); err != nil {
		return fmt.Errorf("keep a TLS certificate: %w", err)
	}
	return nil
}

// readPair reads what writePair wrote. fs.ErrNotExist when the certificate is
// not there; a certificate with another's key, or none, is an error.
func readPair(certFile, keyFile string) (*x509.Certificate, *ecdsa.PrivateKey, error) {
	block, err := readBlock(certFile, certBlock)
	if err != nil {
		return nil, nil, err
	}
	cert, err := x509.ParseCertificate(block)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", certFile, err)
	}
	if block, err = readBlock(keyFile, keyBlock); err != nil {
		// Not wrapped: a lost key is no reason to make a new authority unasked.
		return nil, nil, fmt.Errorf("the key of %s: %v", certFile, err) //nolint:errorlint // the line above
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", keyFile, err)
	}
	key, ok := parsed.(*ecdsa.PrivateKey)
	if !ok || !key.PublicKey.Equal(cert.PublicKey) {
		return nil, nil, fmt.Errorf("%s is not the key of %s", keyFile, certFile)
	}
	return cert, key, nil
}

func readBlock(name, kind string) ([]byte, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(text)
	if block == nil || block.Type != kind {
		return nil, fmt.Errorf("%s holds no PEM block %q", name, kind)
	}
	return block.Bytes, nil
}
