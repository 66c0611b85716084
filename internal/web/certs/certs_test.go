package certs_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"log/slog"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bundle-delivery/svc/internal/web/certs"
)

// clock is a time that the test moves.
type clock struct{ at time.Time }

func newClock() *clock                   { return &clock{at: time.Date(2027, 3, 1, 12, 0, 0, 0, time.UTC)} }
func (c *clock) now() time.Time          { return c.at }
func (c *clock) advance(d time.Duration) { c.at = c.at.Add(d) }

func logTo(b *bytes.Buffer) *slog.Logger { return slog.New(slog.NewTextHandler(b, nil)) }

func openLocal(t *testing.T, dir, host string, c *clock) *certs.Local {
	t.Helper()
	l, err := certs.OpenLocal(dir, host, c.now, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

type source interface {
	GetCertificate(*tls.ClientHelloInfo) (*tls.Certificate, error)
}

func leaf(t *testing.T, s source) *x509.Certificate {
	t.Helper()
	cert, err := s.GetCertificate(nil)
	if err != nil {
		t.Fatal(err)
	}
	return cert.Leaf
}

func readPEM(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	block, _ := pem.Decode(text)
	if block == nil {
		t.Fatalf("%s holds no PEM", name)
	}
	return block.Bytes
}

// verify says whether a client that trusts the authority accepts the name.
func verify(t *testing.T, caFile, name string, cert *x509.Certificate, at time.Time) error {
	t.Helper()
	ca, err := x509.ParseCertificate(readPEM(t, caFile))
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(ca)
	_, err = cert.Verify(x509.VerifyOptions{Roots: roots, DNSName: name, CurrentTime: at})
	return err
}

func TestLocalCertificateIsAcceptedForItsNames(t *testing.T) {
	for _, tc := range []struct {
		host    string
		accept  []string
		refused []string
	}{
		{"bundles.example.com", []string{"bundles.example.com", "localhost", "127.0.0.1", "::1"}, []string{"example.com", "10.0.0.1"}},
		{"192.0.2.7", []string{"192.0.2.7", "localhost", "127.0.0.1", "::1"}, []string{"192.0.2.8"}},
		{"2001:db8::7", []string{"2001:db8::7", "localhost", "127.0.0.1"}, []string{"2001:db8::8"}},
		{"localhost", []string{"localhost", "127.0.0.1", "::1"}, []string{"bundles.example.com"}},
		{"127.0.0.1", []string{"localhost", "127.0.0.1", "::1"}, []string{"127.0.0.2"}},
	} {
		t.Run(tc.host, func(t *testing.T) {
			c := newClock()
			l := openLocal(t, filepath.Join(t.TempDir(), "tls"), tc.host, c)
			for _, name := range tc.accept {
				if err := verify(t, l.AuthorityFile(), name, leaf(t, l), c.now()); err != nil {
					t.Errorf("%s is refused: %v", name, err)
				}
			}
			for _, name := range tc.refused {
				if err := verify(t, l.AuthorityFile(), name, leaf(t, l), c.now()); err == nil {
					t.Errorf("%s is accepted", name)
				}
			}
		})
	}
}

func TestLocalAuthorityCannotVouchForOtherNames(t *testing.T) {
	c := newClock()
	dir := t.TempDir()
	l := openLocal(t, dir, "bundles.example.com", c)
	ca, err := x509.ParseCertificate(readPEM(t, l.AuthorityFile()))
	if err != nil {
		t.Fatal(err)
	}
	if !ca.MaxPathLenZero {
		t.Error("the authority may have authorities below it")
	}
	parsed, err := x509.ParsePKCS8PrivateKey(readPEM(t, filepath.Join(dir, "ca-key.pem")))
	if err != nil {
		t.Fatal(err)
	}
	key, _ := parsed.(*ecdsa.PrivateKey)
	forged := func(dnsName string) *x509.Certificate {
		raw, err := x509.CreateCertificate(rand.Reader, &x509.Certificate{
			SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: dnsName}, DNSNames: []string{dnsName},
			NotBefore: c.now(), NotAfter: c.now().Add(time.Hour),
		}, ca, key.Public(), key)
		if err != nil {
			t.Fatal(err)
		}
		cert, err := x509.ParseCertificate(raw)
		if err != nil {
			t.Fatal(err)
		}
		return cert
	}
	if err := verify(t, l.AuthorityFile(), "bank.example.org", forged("bank.example.org"), c.now()); err == nil {
		t.Error("a stolen authority key signs for any name")
	}
	// The same forgery for a permitted name shows that the constraint is what refuses.
	if err := verify(t, l.AuthorityFile(), "bundles.example.com", forged("bundles.example.com"), c.now()); err != nil {
		t.Errorf("a permitted name is refused: %v", err)
	}
}

func TestLocalKeepsWhatItMade(t *testing.T) {
	c := newClock()
	dir := t.TempDir()
	first := leaf(t, openLocal(t, dir, "localhost", c))
	c.advance(24 * time.Hour)
	if again := leaf(t, openLocal(t, dir, "localhost", c)); !again.Equal(first) {
		t.Error("a restart made a new certificate")
	}
	for _, name := range []string{"ca-key.pem", "leaf-key.pem"} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v", name, info.Mode())
		}
	}
}

func TestLocalRenewsWithoutRestart(t *testing.T) {
	c := newClock()
	l := openLocal(t, t.TempDir(), "localhost", c)
	first := leaf(t, l)
	c.advance(59 * 24 * time.Hour)
	if !leaf(t, l).Equal(first) {
		t.Error("renewed long before it was due")
	}
	c.advance(2 * 24 * time.Hour)
	renewed := leaf(t, l)
	if renewed.Equal(first) {
		t.Fatal("not renewed a month before it expires")
	}
	if err := verify(t, l.AuthorityFile(), "localhost", renewed, first.NotAfter.Add(time.Hour)); err != nil {
		t.Errorf("the renewed certificate is not valid after the first one's end: %v", err)
	}
}

func TestLocalRenewsAtStartWhatIsDue(t *testing.T) {
	c := newClock()
	dir := t.TempDir()
	first := leaf(t, openLocal(t, dir, "localhost", c))
	c.advance(100 * 24 * time.Hour)
	if leaf(t, openLocal(t, dir, "localhost", c)).Equal(first) {
		t.Error("an expired certificate is shown after a restart")
	}
}

func TestLocalReplacesAnAuthorityThatCannotVouchForTheHost(t *testing.T) {
	for _, host := range []string{"bundles.example.com", "192.0.2.7"} {
		t.Run(host, func(t *testing.T) {
			c := newClock()
			dir := t.TempDir()
			first := openLocal(t, dir, "localhost", c)
			ca := readPEM(t, first.AuthorityFile())
			var log bytes.Buffer
			second, err := certs.OpenLocal(dir, host, c.now, logTo(&log))
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Equal(ca, readPEM(t, second.AuthorityFile())) {
				t.Error("the authority stayed")
			}
			if err := verify(t, second.AuthorityFile(), host, leaf(t, second), c.now()); err != nil {
				t.Error(err)
			}
			if !strings.Contains(log.String(), "have to trust the new one") {
				t.Errorf("the log does not tell: %s", log.String())
			}
		})
	}
}

func TestLocalTakesUpTheAuthorityOfAHostThatComesBack(t *testing.T) {
	c := newClock()
	dir := t.TempDir()
	right := readPEM(t, openLocal(t, dir, "bundles.example.com", c).AuthorityFile())
	var log bytes.Buffer
	if _, err := certs.OpenLocal(dir, "bundels.example.com", c.now, logTo(&log)); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(log.String(), "kept="+filepath.Join(dir, "former-")) {
		t.Errorf("the log does not say where the former authority is: %s", log.String())
	}
	back := openLocal(t, dir, "bundles.example.com", c)
	if !bytes.Equal(right, readPEM(t, back.AuthorityFile())) {
		t.Fatal("clients have to trust another authority for a host that had one")
	}
	if err := verify(t, back.AuthorityFile(), "bundles.example.com", leaf(t, back), c.now()); err != nil {
		t.Error(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*-key.pem"))
	if err != nil || len(files) != 4 { // of authority, leaf and two former authorities
		t.Fatalf("%v, %v", files, err)
	}
	for _, file := range files {
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", file, info.Mode(), err)
		}
	}
	c.advance(10 * 365 * 24 * time.Hour) // it would not outlive a certificate
	openLocal(t, dir, "bundels.example.com", c)
	if again := openLocal(t, dir, "bundles.example.com", c); bytes.Equal(right, readPEM(t, again.AuthorityFile())) {
		t.Error("an authority that is about to expire is taken up again")
	}
}

func TestLocalRefusesADamagedAuthority(t *testing.T) {
	for _, tc := range []struct {
		name   string
		damage func(dir string) error
	}{
		{"certificate", func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "ca.pem"), []byte("not a certificate"), 0o600)
		}},
		{"key", func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "ca-key.pem"), []byte("not a key"), 0o600)
		}},
		{"key of another", func(dir string) error {
			other, err := os.ReadFile(filepath.Join(dir, "leaf-key.pem"))
			if err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(dir, "ca-key.pem"), other, 0o600)
		}},
		{"no key", func(dir string) error { return os.Remove(filepath.Join(dir, "ca-key.pem")) }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := newClock()
			dir := t.TempDir()
			openLocal(t, dir, "localhost", c)
			if err := tc.damage(dir); err != nil {
				t.Fatal(err)
			}
			_, err := certs.OpenLocal(dir, "localhost", c.now, slog.New(slog.DiscardHandler))
			if err == nil || !strings.Contains(err.Error(), dir) {
				t.Errorf("got %v, want an error that names the folder", err)
			}
		})
	}
}

// pair makes a self-signed certificate with its key, as PEM.
func pair(t *testing.T, name string) (certPEM, keyPEM []byte) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := x509.CreateCertificate(rand.Reader, &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{name}, NotBefore: time.Now(), NotAfter: time.Now().Add(time.Hour),
	}, &x509.Certificate{Subject: pkix.Name{CommonName: name}}, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	rawKey, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: rawKey})
}

func write(t *testing.T, name string, content []byte) {
	t.Helper()
	// A new file each time: its identity tells it from the old one.
	if err := os.WriteFile(name+".new", content, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(name+".new", name); err != nil {
		t.Fatal(err)
	}
}

func TestFilesAreReloadedWhenBothHaveChanged(t *testing.T) {
	dir := t.TempDir()
	certFile, keyFile := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	cert, key := pair(t, "old.example.com")
	write(t, certFile, cert)
	write(t, keyFile, key)
	c := newClock()
	var log bytes.Buffer
	f, err := certs.OpenFiles(certFile, keyFile, c.now, logTo(&log))
	if err != nil {
		t.Fatal(err)
	}
	shown := func() string { return leaf(t, f).DNSNames[0] }

	newCert, newKey := pair(t, "new.example.com")
	write(t, certFile, newCert)
	c.advance(time.Second)
	if got := shown(); got != "old.example.com" {
		t.Errorf("half a change is shown: %s", got)
	}
	c.advance(time.Second)
	_ = shown()
	if n := strings.Count(log.String(), "cannot be used"); n != 1 {
		t.Errorf("%d complaints about one change, want 1:\n%s", n, log.String())
	}
	write(t, keyFile, newKey)
	c.advance(time.Second)
	if got := shown(); got != "new.example.com" {
		t.Errorf("the change is not shown: %s", got)
	}
	if err := os.Remove(certFile); err != nil {
		t.Fatal(err)
	}
	c.advance(time.Second)
	if got := shown(); got != "new.example.com" {
		t.Errorf("without its file the certificate is %s", got)
	}
}

func TestFilesThatCannotBeUsedAreRefusedByName(t *testing.T) {
	dir := t.TempDir()
	certFile, keyFile := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	cert, _ := pair(t, "a.example.com")
	_, key := pair(t, "b.example.com")
	open := func() error {
		_, err := certs.OpenFiles(certFile, keyFile, time.Now, slog.New(slog.DiscardHandler))
		return err
	}
	if err := open(); err == nil || !strings.Contains(err.Error(), certFile) {
		t.Errorf("missing files: %v", err)
	}
	write(t, certFile, cert)
	write(t, keyFile, key)
	if err := open(); err == nil || !strings.Contains(err.Error(), keyFile) {
		t.Errorf("another certificate's key: %v", err)
	}
}
