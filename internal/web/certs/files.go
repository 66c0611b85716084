package certs

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"time"
)

// Files is a certificate in two PEM files that belong to somebody else.
type Files struct {
	current
	certFile, keyFile string
	log               *slog.Logger
	seen              [2]os.FileInfo
}

// sameVersion tells one content of a file from the next without reading it.
func sameVersion(a, b os.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// OpenFiles reads a certificate with its chain, and its key. An error says which
// file is at fault.
func OpenFiles(certFile, keyFile string, clock func() time.Time, log *slog.Logger) (*Files, error) {
	f := &Files{current: current{now: clock}, certFile: certFile, keyFile: keyFile, log: log}
	seen, err := f.versions()
	if err != nil {
		return nil, err
	}
	if err := f.load(seen); err != nil {
		return nil, err
	}
	return f, nil
}

// GetCertificate gives the certificate for a handshake.
func (f *Files) GetCertificate(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	return f.get(f.refresh), nil
}

// refresh loads the files again if they are others than those last tried.
func (f *Files) refresh(time.Time) {
	seen, err := f.versions()
	if err != nil {
		// Files are missing for a moment while they are replaced: no news yet.
		return
	}
	if sameVersion(seen[0], f.seen[0]) && sameVersion(seen[1], f.seen[1]) {
		return
	}
	if err := f.load(seen); err != nil {
		f.log.Warn("the new TLS certificate cannot be used, the old one stays in use",
			"cert", f.certFile, "key", f.keyFile, "error", err)
		return
	}
	f.log.Info("TLS certificate reloaded", "cert", f.certFile, "notAfter", f.shown.Load().Leaf.NotAfter)
}

// load reads the pair and shows it. The versions were taken before reading, so
// that a change during it is noticed at the next look.
func (f *Files) load(seen [2]os.FileInfo) error {
	f.seen = seen
	pair, err := tls.LoadX509KeyPair(f.certFile, f.keyFile)
	if err != nil {
		return fmt.Errorf("TLS certificate %s with key %s: %w", f.certFile, f.keyFile, err)
	}
	f.shown.Store(&pair)
	return nil
}

func (f *Files) versions() (seen [2]os.FileInfo, err error) {
	for i, name := range []string{f.certFile, f.keyFile} {
		if seen[i], err = os.Stat(name); err != nil {
			return seen, fmt.Errorf("TLS certificate: %w", err)
		}
	}
	return seen, nil
}
