package certs

import (
	"crypto/ecdsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strings"
	"time"
)

// The names of authorities that were replaced: the beginning of a certificate's
// digest stands between.
const (
	formerPrefix    = "former-"
	formerSuffix    = ".pem"
	formerKeySuffix = "-key.pem"
)

// formerFiles are where an authority is kept aside.
func (l *Local) formerFiles(cert *x509.Certificate) (certFile, keyFile string) {
	sum := sha256.Sum256(cert.Raw)
	stem := filepath.Join(l.dir, formerPrefix+hex.EncodeToString(sum[:8]))
	return stem + formerSuffix, stem + formerKeySuffix
}

// replaceAuthority keeps an authority aside that cannot vouch for the names, and
// takes up one that can: a former one, whose clients trust it already, or a new one.
func (l *Local) replaceAuthority(cert *x509.Certificate, key *ecdsa.PrivateKey, now time.Time) error {
	aside, asideKey := l.formerFiles(cert)
	if err := writePair(aside, asideKey, cert, key); err != nil {
		return fmt.Errorf("keep the former certificate authority: %w", err)
	}
	former, formerKey, err := l.findFormer(now)
	if err != nil {
		return err
	}
	if former != nil {
		l.log.Warn("the local certificate authority was made for other names; the one that was in use for these is taken up again",
			"file", l.AuthorityFile(), "names", l.names.dns, "addresses", l.names.ips, "kept", aside)
		return l.install(former, formerKey)
	}
	l.log.Warn("the local certificate authority was made for other names and is replaced; clients have to trust the new one",
		"file", l.AuthorityFile(), "names", l.names.dns, "addresses", l.names.ips, "kept", aside)
	made, madeKey, err := newAuthority(l.names, now)
	if err != nil {
		return err
	}
	return l.install(made, madeKey)
}

// findFormer looks for an authority that was kept aside, can vouch for the names
// and will live long enough. One that cannot be read is passed over.
func (l *Local) findFormer(now time.Time) (*x509.Certificate, *ecdsa.PrivateKey, error) {
	files, err := filepath.Glob(filepath.Join(l.dir, formerPrefix+"*"+formerSuffix))
	if err != nil {
		return nil, nil, fmt.Errorf("look for former certificate authorities: %w", err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, formerKeySuffix) {
			continue
		}
		cert, key, err := readPair(file, strings.TrimSuffix(file, formerSuffix)+formerKeySuffix)
		if err == nil && covers(cert, l.names) && now.Add(leafLife).Before(cert.NotAfter) {
			return cert, key, nil
		}
	}
	return nil, nil, nil
}
