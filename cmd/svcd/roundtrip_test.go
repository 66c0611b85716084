//go:build unix

package main

import (
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
		// The first requests prepare statements, and the clean-up may come between:
		// most of those that follow cost the same.
		var costs []int64
		for range 11 {
			before := meter.Trips()
			i.ask(tc.method, tc.path, with)
			costs = append(costs, meter.Trips()-before)
		}
		slices.Sort(costs)
		if got := costs[len(costs)/2]; got != tc.want {
			t.Errorf("%s costs %d round trips, want %d (%v)", tc.name, got, tc.want, costs)
		}
	}
}
