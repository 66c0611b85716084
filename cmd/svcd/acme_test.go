//go:build unix

package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/bundle-delivery/svc/internal/testkit/acmetest"
	"github.com/bundle-delivery/svc/internal/testkit/pgtest"
)

// process is the service as a process of its own.
type process struct {
	address string
	log     *transcript
}

// startProcess runs the service with these flags until the test ends.
func startProcess(t *testing.T, flags ...string) *process {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "data")
	p := &process{log: &transcript{}}
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), os.Args[0],
		append([]string{"serve", "--data-dir", dir, "--listen", "127.0.0.1:0"}, flags...)...)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	cmd.Stdout, cmd.Stderr = p.log, p.log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Error(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("the process ended badly: %v", err)
		}
		if t.Failed() {
			t.Logf("%s said:\n%s", p.address, p.log)
		}
	})
	eventually(t, "the process starts", func() bool {
		text, err := os.ReadFile(filepath.Join(dir, "svcd.addr"))
		p.address = string(text)
		return err == nil
	})
	return p
}

// shown is the certificate of the process, if a client that trusts these roots
// accepts it for the name.
func (p *process) shown(name string, roots *x509.CertPool) (*x509.Certificate, error) {
	conn, err := tls.Dial("tcp", p.address, &tls.Config{ServerName: name, RootCAs: roots, MinVersion: tls.VersionTLS12})
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close() }()
	return conn.ConnectionState().PeerCertificates[0], nil
}

// healthy says whether the process answers, whatever certificate it shows.
func (p *process) healthy(t *testing.T) bool {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		TLSClientConfig:   &tls.Config{InsecureSkipVerify: true}, // the certificate is not yet there
	}}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+p.address+"/readyz", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := client.Do(req)
	if err != nil {
		return false
	}
	_ = resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}

// Promise: acme-unavailable, acme-cluster
func TestProcessesShareOneCertificateAndItsChallenge(t *testing.T) {
	t.Parallel()
	authority, database := acmetest.New(t), pgtest.Start(t)
	const name = "bundles.example.com"
	shared := []string{
		"--database-url", database.Address(database.Database(t)), "--roles", "api",
		"--acme-domain", name, "--acme-email", "you@example.com",
		"--acme-directory", authority.Directory, "--acme-ca-file", authority.RootFile,
	}
	// The first finds no authority and waits. Then the second asks, and the
	// authority looks at the first: it can answer because it reads the challenge
	// where the second has put it, and the certificate as well.
	waiting := startProcess(t, shared...)
	eventually(t, "a complaint", func() bool {
		return strings.Contains(waiting.log.String(), "no certificate from the ACME authority yet")
	})
	if !waiting.healthy(t) {
		t.Error("without its authority the service does not answer")
	}
	authority.Gate.LeadTo(waiting.address)
	authority.Up(t)
	asking := startProcess(t, shared...)
	roots := authority.Roots(t)
	certificates := map[*process]*x509.Certificate{}
	for _, p := range []*process{asking, waiting} {
		eventually(t, "a trusted certificate", func() (ok bool) {
			cert, err := p.shown(name, roots)
			certificates[p] = cert
			return err == nil
		})
	}
	if !certificates[asking].Equal(certificates[waiting]) {
		t.Error("the processes show two certificates")
	}
	for _, p := range []*process{asking, waiting} {
		if strings.Contains(p.log.String(), "PRIVATE KEY") {
			t.Error("a log has a private key")
		}
	}
}
