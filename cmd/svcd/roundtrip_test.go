//go:build unix

package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/accounts"
	"github.com/bundle-delivery/svc/internal/bundle/assemble"
	"github.com/bundle-delivery/svc/internal/bundle/pack"
	"github.com/bundle-delivery/svc/internal/store/datadir"
	"github.com/bundle-delivery/svc/internal/testkit/pgmeter"
	"github.com/bundle-delivery/svc/internal/testkit/pgtest"
)

// What a request costs in round trips to the database is a promise: it is what
// the size of a deployment is computed from (docs/scale.md).
// Promise: metadata-round-trips, round-trips, audit-first-use
func TestRequestsCostTheRoundTripsThatAreSaid(t *testing.T) {
	t.Parallel()
	s := startStill(t)
	key, made := s.tenant("known")
	for _, tc := range []struct {
		name, path, key string
		want            int64
	}{
		{"metadata", "/bundles/" + made.BundleID, key, 2},
		{"latest", "/bundles/latest", key, 2},
		{"a refused key", "/bundles/latest", "svc_" + key[4:12] + "_00000000000000000000000000000000", 1},
	} {
		s.costs(tc.name, tc.want, func(string) *http.Request { return s.request(http.MethodGet, tc.path, tc.key, "") })
	}
	for _, tc := range []struct {
		name, path, body string
		header           [2]string
		want             int64
	}{
		{name: "download", path: "GET /bundles/BUNDLE/download", want: 4},
		{name: "repackage", path: "POST /projects/PROJECT/bundles/repackage", want: 9},
		{name: "repackage with a key", path: "POST /projects/PROJECT/bundles/repackage", header: [2]string{"Idempotency-Key", "k"}, want: 11},
		{name: "acknowledge", path: "POST /bundles/BUNDLE/ack", want: 4},
		{name: "start of a run", path: "POST /generations", body: `{"prompt":"a todo list API in Go"}`, header: [2]string{"Content-Type", "application/json"}, want: 6},
	} {
		s.costs(tc.name, tc.want, func(unique string) *http.Request {
			key, made := s.tenant(unique) // limits are per account
			method, path, _ := strings.Cut(strings.NewReplacer("BUNDLE", made.BundleID, "PROJECT", made.ProjectID).Replace(tc.path), " ")
			r := s.request(method, path, key, tc.body)
			if tc.header[0] != "" {
				r.Header.Set(tc.header[0], tc.header[1])
			}
			return r
		})
	}
}

// stillService is the service without its work in the background: nothing but the
// requests asks the database.
type stillService struct {
	t       *testing.T
	meter   *pgmeter.Meter
	parts   *components
	handler http.Handler
	// readSigningKey spares the requests of the next 5 seconds reading it.
	readSigningKey func()
}

func startStill(t *testing.T) *stillService {
	t.Helper()
	database := pgtest.Start(t)
	s := &stillService{t: t}
	var err error
	s.meter, err = pgmeter.Start(t.Context(), "unix", database.Socket())
	s.ok(err)
	t.Cleanup(func() { s.ok(s.meter.Close()) })
	chosen := defaultSettings()
	chosen.dataDir, chosen.roles = t.TempDir(), []string{roleAPI, roleAssembler}
	// One connection: none is opened, and no statement prepared on it, in the middle.
	chosen.databaseURL = "postgres://svc@" + s.meter.Address() + "/" + database.Database(t) + "?sslmode=disable&pool_max_conns=1"
	dir := datadir.Dir(chosen.dataDir)
	s.ok(dir.Create())
	s.parts, err = openComponents(t.Context(), chosen, dir, slog.New(slog.DiscardHandler))
	s.ok(err)
	t.Cleanup(func() { s.ok(s.parts.close()) })
	base := &url.URL{Scheme: "https", Host: "svc.example.com"}
	s.handler, err = s.parts.handler(base, "")
	s.ok(err)
	s.readSigningKey = func() { s.ok(chosen.openSigner(t.Context(), s.parts.signer, base)) }
	s.readSigningKey()
	serving, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	var assembler sync.WaitGroup
	assembler.Go(func() {
		if err := s.parts.bus.ServeAssembler(serving, assemble.Local{Blobs: s.parts.storage.blobs}); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() { stop(); assembler.Wait() })
	return s
}

func (s *stillService) ok(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// tenant makes an account with a key and a bundle.
func (s *stillService) tenant(name string) (key string, made imported) {
	s.t.Helper()
	ctx := s.t.Context()
	tree := s.t.TempDir()
	s.ok(os.WriteFile(filepath.Join(tree, "a.txt"), []byte("a"), 0o600))
	a, err := s.parts.accounts.Create(ctx, accounts.NewAccount{Email: name + "@example.com", Plan: svc.PlanArchitectPro})
	s.ok(err)
	key, _, err = s.parts.accounts.CreateKey(ctx, accounts.NewKey{AccountID: a.ID, Name: "one"})
	s.ok(err)
	packager := &pack.Packager{Store: s.parts.storage.store, Blobs: s.parts.storage.blobs, Attester: s.parts.signer}
	result, err := packager.ImportDir(ctx, a, tree, pack.ImportOptions{Name: "one"})
	s.ok(err)
	return key, imported{ProjectID: result.Project.ID, BundleID: result.Bundle.ID}
}

func (s *stillService) request(method, path, key, body string) *http.Request {
	r := httptest.NewRequestWithContext(s.t.Context(), method, path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+key)
	return r
}

// costs holds every request of a kind but the first, which prepares statements, to what
// it is said to cost. next gives one, by a name that no other has.
func (s *stillService) costs(name string, want int64, next func(unique string) *http.Request) {
	s.t.Helper()
	// A connection that lies unused for 5 seconds is asked whether it still is one, and a
	// signing key that is as old is read again. On a machine that stands still for so long
	// nothing can be said.
	const tooLong = 4 * time.Second
	for n := range 6 {
		begun := time.Now()
		r := next(fmt.Sprintf("%s%d", strings.ReplaceAll(name, " ", "-"), n))
		s.readSigningKey()
		before := s.meter.Trips()
		answer := httptest.NewRecorder()
		s.handler.ServeHTTP(answer, r)
		got := s.meter.Trips() - before
		if answer.Code >= 300 && (want > 1 || answer.Code != http.StatusUnauthorized) {
			s.t.Fatalf("%s is answered %d: %s", name, answer.Code, answer.Body)
		}
		if n > 0 && got != want && time.Since(begun) < tooLong {
			s.t.Errorf("%s costs %d round trips, want %d", name, got, want)
		}
	}
}
