// Package acmetest gives tests an ACME authority of their own.
//
// Its law: the authority is pebble, built once from tools/acme into bin/tools; it
// is private to the test, listens on the loopback and is gone with the test. It
// checks names for real: it resolves them (every name is this machine) and asks
// for the answer to its challenge at the [Authority.Gate], which the test leads
// to whichever server it wants. Where pebble cannot be built a test is skipped,
// loudly; with CI=true that is a failure.
package acmetest

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/bundle-delivery/svc/internal/testkit/harness"
	"github.com/bundle-delivery/svc/internal/testkit/needs"
	"github.com/bundle-delivery/svc/internal/testkit/toolbox"
	"github.com/bundle-delivery/svc/internal/web/certs"
)

// Authority is an ACME server that can be started and stopped.
type Authority struct {
	// Directory is its address, RootFile what to trust when talking to it.
	Directory, RootFile string
	Gate                *Gate

	process    *harness.Process
	management string
	client     *http.Client
}

// New prepares an authority; Up starts it.
func New(t testing.TB) *Authority {
	t.Helper()
	a := &Authority{Gate: openGate(t)}
	program, resolver := build(t), startResolver(t)
	dir := t.TempDir()
	own, err := certs.OpenLocal(filepath.Join(dir, "tls"), "localhost", time.Now, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	a.RootFile = own.AuthorityFile()
	addresses, err := toolbox.FreeAddresses(2)
	if err != nil {
		t.Fatal(err)
	}
	api := addresses[0]
	a.Directory, a.management = "https://"+api+"/dir", addresses[1]
	config, err := json.Marshal(map[string]any{"pebble": map[string]any{
		"listenAddress": api, "managementListenAddress": a.management,
		"certificate": filepath.Join(dir, "tls", "leaf.pem"), "privateKey": filepath.Join(dir, "tls", "leaf-key.pem"),
		"httpPort": 1, "tlsPort": a.Gate.port(), // nothing listens on the first
		"keyAlgorithm": "ecdsa",
		"retryAfter":   map[string]int{"authz": 1, "order": 1},
	}})
	if err != nil {
		t.Fatal(err)
	}
	settings := filepath.Join(dir, "pebble.json")
	if err := os.WriteFile(settings, config, 0o600); err != nil {
		t.Fatal(err)
	}
	trusted := Pool(t, a.RootFile)
	a.client = &http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: trusted, MinVersion: tls.VersionTLS12}, DisableKeepAlives: true,
	}}
	a.process = &harness.Process{
		Name: "pebble", LogFile: filepath.Join(dir, "pebble.log"),
		Command: func() *exec.Cmd {
			cmd := exec.Command(program, "-config", settings, "-dnsserver", resolver, "-strict")
			cmd.Env = append(os.Environ(), "PEBBLE_VA_NOSLEEP=1", "PEBBLE_AUTHZREUSE=0")
			return cmd
		},
		Ready: func(ctx context.Context) error { return harness.Answers(ctx, a.client, a.Directory) },
	}
	return a
}

// Up starts the authority, with nothing of what it knew before.
func (a *Authority) Up(t testing.TB) {
	t.Helper()
	a.process.ForTest(t)
}

// Down stops the authority.
func (a *Authority) Down(t testing.TB) {
	t.Helper()
	if err := a.process.Kill(); err != nil {
		t.Fatal(err)
	}
}

// Roots are what clients trust who trust the certificates that it issues.
func (a *Authority) Roots(t testing.TB) *x509.CertPool {
	t.Helper()
	pem, err := a.get(t, "https://"+a.management+"/roots/0")
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		t.Fatalf("the authority tells no root: %s", pem)
	}
	return pool
}

func (a *Authority) get(t testing.TB, url string) ([]byte, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(context.WithoutCancel(t.Context()), http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	resp, err := a.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }() // it is read to its end
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answered %s", url, resp.Status)
	}
	return io.ReadAll(resp.Body)
}

// Pool reads the certificates of a PEM file.
func Pool(t testing.TB, file string) *x509.CertPool {
	t.Helper()
	pem, err := os.ReadFile(filepath.Clean(file))
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		t.Fatalf("%s holds no certificate", file)
	}
	return pool
}

// build makes the authority's program, unless it is there.
func build(t testing.TB) string {
	t.Helper()
	program, err := toolbox.Build(t.Context(), toolbox.ACME())
	if err != nil {
		needs.Missing(t, "pebble cannot be built: %v", err)
	}
	return program
}
