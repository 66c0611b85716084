//go:build unix

package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/bundle-delivery/svc/internal/testkit/pgtest"
)

// A newer version comes up beside this one: what its migrations do to the
// database is done here by hand.
// Promise: upgrade-rolling
func TestANewerVersionBesideThisOne(t *testing.T) {
	t.Parallel()
	cluster := pgtest.Start(t)
	name := cluster.Database(t)
	flags := []string{"--database-url", cluster.Address(name)}
	i := start(t, flags...)
	key := i.account(email)
	made := i.importFiles(email, map[string]string{"a.txt": "a"})

	conn, err := pgx.Connect(t.Context(), cluster.Address(name))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }() // it only asked
	var own int
	if err := conn.QueryRow(t.Context(), `SELECT max(version_id) FROM goose_db_version`).Scan(&own); err != nil {
		t.Fatal(err)
	}
	// migrated leaves the traces of a migration with its terms.
	migrated := func(version, oldest int, change string) {
		t.Helper()
		cluster.SQL(t, name, fmt.Sprintf(`%s; INSERT INTO goose_db_version (version_id, is_applied) VALUES (%d, true);
			INSERT INTO schema_terms (version, oldest) VALUES (%d, %d)`, change, version, version, oldest))
	}
	ready := func(i *instance) int {
		t.Helper()
		return i.ask(http.MethodGet, "/readyz", "").status
	}

	migrated(own+1, own, `ALTER TABLE bundles ADD COLUMN note TEXT`)
	second := start(t, flags...) // of the old version, after the change
	for _, process := range []*instance{i, second} {
		if got := ready(process); got != http.StatusOK {
			t.Errorf("a process of the old version answers %d", got)
		}
		process.want(200, "", "GET", "/bundles/"+made.BundleID, key)
	}
	i.want(200, "", "POST", "/projects/"+made.ProjectID+"/bundles/repackage", key)

	migrated(own+2, own+1, `DROP TABLE guesses`)
	if got := ready(i); got != http.StatusServiceUnavailable {
		t.Errorf("a process that the schema left behind answers %d", got)
	}
	code, _, text := runMain(t, nil, append([]string{"serve", "--data-dir", t.TempDir(), "--listen", "127.0.0.1:0"}, flags...)...)
	if code != exitFailure || !strings.Contains(text, "newer program") {
		t.Errorf("exit %d: %s", code, text)
	}
}
