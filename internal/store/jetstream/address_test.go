package jetstream

import (
	"crypto/tls"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/bundle-delivery/svc/internal/web/certs"
)

// Promise: nats-tls
func TestAddressesAreUnderstood(t *testing.T) {
	for list, want := range map[string]string{
		"nats://one:4222": "", "tls://u:p@one, tls://two:4223?ca=/a.pem&creds=/b.creds": "", "nats://one/": "",
		"":                           "such as nats://host:4222",
		"one:4222":                   "such as nats://host:4222",
		"http://u:hidden@one":        "not by http://",
		"nats://one,":                "such as nats://host:4222",
		"nats://one/path":            "such as nats://host:4222",
		"nats://u:hidden@one?cs=/x":  "no parameter cs",
		"nats://one?cert=/x":         "belong together",
		"nats://u:hidden@one:port:x": "such as nats://host:4222",
	} {
		err := CheckURL(list)
		if (err == nil) != (want == "") || err != nil && (!strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hidden")) {
			t.Errorf("%q: %v, want %q", list, err, want)
		}
	}
}

// TestServersThatAskForTLSAndAPassword is how managed servers are reached.
// Promise: nats-tls
func TestServersThatAskForTLSAndAPassword(t *testing.T) {
	dir := t.TempDir()
	authority, err := certs.OpenLocal(dir, "127.0.0.1", time.Now, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	pair, err := tls.LoadX509KeyPair(filepath.Join(dir, "leaf.pem"), filepath.Join(dir, "leaf-key.pem"))
	if err != nil {
		t.Fatal(err)
	}
	srv, err := server.NewServer(&server.Options{
		Host: "127.0.0.1", Port: -1, NoSigs: true, NoLog: true, JetStream: true, StoreDir: t.TempDir(),
		Username: "svc", Password: "hidden", TLS: true, TLSTimeout: 30,
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12},
	})
	if err != nil {
		t.Fatal(err)
	}
	go srv.Start()
	t.Cleanup(func() { srv.Shutdown(); srv.WaitForShutdown() })
	if !srv.ReadyForConnections(startTimeout) {
		t.Fatal("the server does not start")
	}
	host := srv.Addr().String()
	ca := "?ca=" + authority.AuthorityFile()
	good, err := Open(t.Context(), Config{URL: "tls://svc:hidden@" + host + ca, Retention: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	good.Close()
	for name, url := range map[string]string{
		"without its authority": "tls://svc:hidden@" + host,
		"a wrong password":      "tls://svc:hidden2@" + host + ca,
		"no user":               "tls://" + host + ca,
	} {
		b, err := Open(t.Context(), Config{URL: url, Retention: time.Hour})
		if err == nil {
			b.Close()
			t.Errorf("%s: it connects", name)
		} else if strings.Contains(err.Error(), "hidden") {
			t.Errorf("%s: the password is shown: %v", name, err)
		}
	}
}
