//go:build unix

package postgres_test

import (
	"crypto/tls"
	"encoding/pem"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/bundle-delivery/svc/internal/store/postgres"
	"github.com/bundle-delivery/svc/internal/testkit/pgtest"
)

// front speaks TLS before a PostgreSQL that does not.
type front struct {
	port   string
	caFile string
}

func newFront(t *testing.T, socket string) front {
	t.Helper()
	// A certificate for 127.0.0.1, and the authority that it is itself.
	donor := httptest.NewTLSServer(http.NotFoundHandler())
	defer donor.Close()
	ca := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: donor.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	config := &tls.Config{Certificates: donor.TLS.Certificates, MinVersion: tls.VersionTLS12}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return // it is closed
			}
			serving.Go(func() { relay(conn, config, socket) })
		}
	})
	t.Cleanup(func() {
		if err := listener.Close(); err != nil {
			t.Error(err)
		}
		serving.Wait()
	})
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return front{port: port, caFile: ca}
}

// relay agrees on TLS, as the protocol of PostgreSQL has it, and passes on what
// comes through it. Clients that hang up are what some of the tests are about.
func relay(conn net.Conn, config *tls.Config, socket string) {
	defer func() { _ = conn.Close() }()
	const requestLength = 8 // "may we speak TLS?"
	if _, err := io.CopyN(io.Discard, conn, requestLength); err != nil {
		return
	}
	if _, err := conn.Write([]byte("S")); err != nil {
		return
	}
	safe := tls.Server(conn, config)
	if safe.Handshake() != nil {
		return
	}
	behind, err := net.Dial("unix", socket)
	if err != nil {
		return
	}
	var back sync.WaitGroup
	back.Go(func() {
		_, _ = io.Copy(safe, behind)
		_ = safe.Close()
	})
	_, _ = io.Copy(behind, safe)
	_ = behind.Close()
	back.Wait()
}

// A PostgreSQL whose certificate comes from an authority of its operator's own is
// trusted where the address names that authority, for the host that the
// certificate is for.
func TestTheDatabaseShowsItsCertificate(t *testing.T) {
	cluster := pgtest.Start(t)
	f := newFront(t, cluster.Socket())
	name := cluster.Database(t)
	address := func(host, more string) string {
		return "postgres://svc@" + net.JoinHostPort(host, f.port) + "/" + name + "?pool_max_conns=2&sslmode=verify-full" + more
	}
	ca := "&sslrootcert=" + f.caFile

	s, err := postgres.Open(t.Context(), address("127.0.0.1", ca))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Ping(t.Context()), s.Close()); err != nil {
		t.Error(err)
	}
	for what, tc := range map[string]string{
		"an unknown authority": address("127.0.0.1", ""),
		"another host":         address("localhost", ca),
	} {
		s, err := postgres.Open(t.Context(), tc)
		if err == nil {
			err = s.Close()
			t.Errorf("%s: it is trusted (%v)", what, err)
		} else if !strings.Contains(err.Error(), "certificate") {
			t.Errorf("%s: %v", what, err)
		}
	}
}
