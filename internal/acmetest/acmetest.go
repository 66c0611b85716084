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
	"bytes"
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

	"github.com/bundle-delivery/svc/internal/certs"
	"github.com/bundle-delivery/svc/internal/needs"
	"github.com/bundle-delivery/svc/internal/toolbox"
)

// Authority is an ACME server that can be started and stopped.
type Authority struct {
	// Directory is its address, RootFile what to trust when talking to it.
	Directory, RootFile string
	Gate                *Gate

	program, config, management, resolver string
	client                                *http.Client
	stop                                  func()
}

// New prepares an authority; Up starts it.
func New(t testing.TB) *Authority {
	t.Helper()
	a := &Authority{program: build(t), resolver: startResolver(t), Gate: openGate(t), stop: func() {}}
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
	a.config = filepath.Join(dir, "pebble.json")
	if err := os.WriteFile(a.config, config, 0o600); err != nil {
		t.Fatal(err)
	}
	trusted := Pool(t, a.RootFile)
	a.client = &http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: trusted, MinVersion: tls.VersionTLS12}, DisableKeepAlives: true,
	}}
	return a
}

// Up starts the authority, with nothing of what it knew before.
func (a *Authority) Up(t testing.TB) {
	t.Helper()
	var said bytes.Buffer
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	cmd := exec.CommandContext(ctx, a.program, "-config", a.config, "-dnsserver", a.resolver, "-strict")
	cmd.Env = append(os.Environ(), "PEBBLE_VA_NOSLEEP=1", "PEBBLE_AUTHZREUSE=0")
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		cancel()
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // it is killed
		close(ended)
	}()
	a.stop = func() {
		cancel()
		<-ended
	}
	t.Cleanup(func() {
		a.Down()
		if t.Failed() {
			t.Logf("pebble said:\n%s", said.String())
		}
	})
	patience := time.NewTimer(3 * time.Minute)
	defer patience.Stop()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for {
		_, err := a.get(t, a.Directory)
		if err == nil {
			return
		}
		select {
		case <-again.C:
		case <-ended:
			t.Fatalf("pebble ended:\n%s", said.String())
		case <-patience.C:
			t.Fatalf("pebble does not answer: %v", err)
		}
	}
}

// Down stops the authority.
func (a *Authority) Down() {
	a.stop()
	a.stop = func() {}
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
