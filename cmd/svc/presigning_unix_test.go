//go:build unix

package main

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/bundle-delivery/svc/internal/bundle/pack"
	"github.com/bundle-delivery/svc/internal/delivery"
	"github.com/bundle-delivery/svc/internal/testkit/deliverytest"
	"github.com/bundle-delivery/svc/internal/web/httpd"
)

// Bundles that wait while the service is replaced by one that signs can be pulled, by
// who knew the old service and by who meets the new one for the first time; who has
// its keys by then pulls what it signs.
// Promise: unsigned-former
func TestBundlesThatWaitedForSigningArePulled(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	var current atomic.Value // the http.Handler that is served
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		current.Load().(http.Handler).ServeHTTP(w, r) //nolint:forcetypeassert // it holds nothing else
	}))
	t.Cleanup(server.Close)
	w := deliverytest.New(t)
	account := w.Account("ada@example.com")
	env := map[string]string{"SVC_API_URL": server.URL, "SVC_TOKEN": w.Key(account), "SVC_CA_FILE": writeCA(t, server), "HOME": t.TempDir()}
	serve := func(d *delivery.Service, change func(*httpd.Config)) {
		t.Helper()
		config := httpd.Config{Delivery: d, Accounts: w.Accounts, BaseURL: server.URL}
		if change != nil {
			change(&config)
		}
		handler, err := httpd.New(config)
		if err != nil {
			t.Fatal(err)
		}
		current.Store(handler)
	}
	run := func(args ...string) (stdout, stderr string) {
		t.Helper()
		var out, errs bytes.Buffer
		code := Main(context.Background(), args, Streams{
			In: strings.NewReader(""), Out: &out, Err: &errs, Getenv: func(name string) string { return env[name] },
		})
		if code != exitOK {
			t.Fatalf("svc %s: exit %d: %s", strings.Join(args, " "), code, errs.String())
		}
		return out.String(), errs.String()
	}

	// The old service signs nothing, and says nothing of keys.
	signing := w.Packager
	w.Packager = &pack.Packager{Store: w.Store, Blobs: w.Blobs, BundleTTL: w.Limits.BundleTTL}
	files := deliverytest.Files(map[string]string{"main.go": "package main\n"})
	_, before := w.Project(account, files)
	_, first := w.Project(account, files)
	_, second := w.Project(account, files)
	serve(delivery.New(delivery.Config{Store: w.Store, Blobs: w.Blobs, Assembler: w.Assembler, Limits: w.Limits}), nil)
	t.Chdir(t.TempDir())
	run("pull", before.ID)
	if _, said := run("verify"); !strings.Contains(said, "without an attestation") {
		t.Errorf("the old service signs: %s", said)
	}

	w.Packager = signing
	if err := w.Signer.Open(t.Context(), server.URL, "", nil); err != nil {
		t.Fatal(err)
	}
	serve(w.Service(), func(c *httpd.Config) { c.SigningKeys = w.Signer.Published })
	_, fresh := w.Project(account, files)
	for _, c := range []struct{ bundle, home, made string }{
		{first.ID, env["HOME"], "not written down (pre-signing)"}, // which the old service was known to
		{fresh.ID, env["HOME"], "not written down"},               // of the new one, with the keys of the first
		{second.ID, t.TempDir(), "not written down (pre-signing)"},
	} {
		env["HOME"] = c.home
		t.Chdir(t.TempDir())
		run("pull", c.bundle)
		if text, err := os.ReadFile("main.go"); err != nil || string(text) != "package main\n" {
			t.Errorf("pulled %q, %v", text, err)
		}
		if _, said := run("verify"); !strings.Contains(said, "signed by "+server.URL) {
			t.Errorf("svc verify says %s", said)
		}
		here, _ := run("show")
		named, _ := run("show", c.bundle) // after it was acknowledged
		if here != named || !strings.Contains(here, "service: "+server.URL) || !strings.Contains(here, "made by: "+c.made+"\n") {
			t.Errorf("svc show says %q, and of the bundle %q", here, named)
		}
	}
}
