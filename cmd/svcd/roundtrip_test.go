//go:build unix

package main

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/bundle-delivery/svc/internal/pgmeter"
	"github.com/bundle-delivery/svc/internal/pgtest"
)

// What a request costs in round trips to the database is a promise: it is what
// the size of a deployment is computed from (docs/scale.md).
func TestRequestsCostTheRoundTripsThatAreSaid(t *testing.T) {
	t.Parallel()
	database := pgtest.Start(t)
	meter, err := pgmeter.Start(t.Context(), "unix", database.Socket())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := meter.Close(); err != nil {
			t.Error(err)
		}
	})
	i := start(t, "--roles", "api,assembler",
		"--database-url", "postgres://svc@"+meter.Address()+"/"+database.Database(t)+"?sslmode=disable")
	key := i.account(email)
	made := i.importFiles(email, map[string]string{"a.txt": "a"})
	trips := func(do func()) int64 {
		before := meter.Trips()
		do()
		return meter.Trips() - before
	}
	for _, tc := range []struct {
		name, method, path string
		want               int64
	}{
		{"metadata", http.MethodGet, "/bundles/" + made.BundleID, 2},
		{"latest", http.MethodGet, "/bundles/latest", 2},
		{"a refused key", http.MethodGet, "/bundles/latest", 1},
	} {
		with := key
		if tc.name == "a refused key" {
			with = "svc_" + key[4:12] + "_00000000000000000000000000000000"
		}
		usual(t, tc.name, tc.want, func(int) int64 { return trips(func() { i.ask(tc.method, tc.path, with) }) })
	}
	// Limits are per account, so those that are limited come from a new one each.
	type tenant struct {
		key  string
		made imported
	}
	tenants := make([]tenant, tripRepeats)
	for n := range tenants {
		email := fmt.Sprintf("dev%d@example.com", n)
		tenants[n] = tenant{i.account(email), i.importFiles(email, map[string]string{"a.txt": "a"})}
	}
	for _, tc := range []struct {
		name, method string
		path         func(imported) string
		body         string
		header       []string
		want         int64
	}{
		{"download", http.MethodGet, func(m imported) string { return "/bundles/" + m.BundleID + "/download" }, "", nil, 4},
		{"repackage", http.MethodPost, func(m imported) string { return "/projects/" + m.ProjectID + "/bundles/repackage" }, "", nil, 9},
		{"repackage with a key", http.MethodPost, func(m imported) string { return "/projects/" + m.ProjectID + "/bundles/repackage" }, "", []string{"Idempotency-Key: k"}, 11},
		{"acknowledge", http.MethodPost, func(m imported) string { return "/bundles/" + m.BundleID + "/ack" }, "", nil, 4},
		{"start of a run", http.MethodPost, func(imported) string { return "/generations" }, `{"prompt":"a page"}`, []string{"Content-Type: application/json"}, 6},
	} {
		usual(t, tc.name, tc.want, func(n int) int64 {
			return trips(func() {
				if got := i.send(tc.method, tc.path(tenants[n].made), tenants[n].key, tc.body, tc.header...); got.status >= 300 {
					t.Errorf("%s is answered %d", tc.name, got.status)
				}
			})
		})
	}
}

// tripRepeats is how often each is counted.
const tripRepeats = 11

// usual holds what most of several cost to a limit: the first prepare statements, and
// the clean-up may come between.
func usual(t *testing.T, name string, most int64, cost func(n int) int64) {
	t.Helper()
	var costs []int64
	for n := range tripRepeats {
		costs = append(costs, cost(n))
	}
	slices.Sort(costs)
	if got := costs[len(costs)/2]; got > most {
		t.Errorf("%s costs %d round trips, want at most %d (%v)", name, got, most, costs)
	} else {
		t.Logf("%s costs %d round trips", name, got)
	}
}
