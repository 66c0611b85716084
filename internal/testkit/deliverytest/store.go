package deliverytest

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/store/postgres"
	"github.com/bundle-delivery/svc/internal/store/sqlite"
	"github.com/bundle-delivery/svc/internal/testkit/must"
	"github.com/bundle-delivery/svc/internal/testkit/pgtest"
)

// inPostgres tells a process of tests to keep its worlds in a PostgreSQL: the
// folder of the cluster, a colon, and the database that each world gets a copy of.
const inPostgres = "SVC_TEST_POSTGRES"

// openStore opens the records of a world.
func openStore(tb testing.TB, path string, clock func() time.Time) (svc.Store, error) {
	tb.Helper()
	folder, template, found := strings.Cut(os.Getenv(inPostgres), ":")
	if !found {
		return sqlite.Open(tb.Context(), path, sqlite.WithClock(clock))
	}
	cluster := pgtest.Join(folder)
	return postgres.Open(tb.Context(), cluster.Address(cluster.Copy(tb, template))+"&pool_max_conns=4", postgres.WithClock(clock))
}

// AgainOnPostgres runs every test of the package that calls it once more, in
// another process, with all worlds kept in PostgreSQL.
func AgainOnPostgres(t *testing.T) {
	t.Helper()
	if os.Getenv(inPostgres) != "" {
		t.Skip("this is that process")
	}
	cluster := pgtest.Start(t)
	template := cluster.Database(t)
	store, err := postgres.Open(t.Context(), cluster.Address(template))
	must.Do(t, err)
	must.Do(t, store.Close()) // what is copied has no guests
	program, err := os.Executable()
	must.Do(t, err)
	args := []string{"-test.timeout=15m"}
	if testing.Short() {
		args = append(args, "-test.short")
	}
	again := exec.CommandContext(t.Context(), program, args...)
	again.Env = append(os.Environ(), inPostgres+"="+cluster.Folder()+":"+template)
	if said, err := again.CombinedOutput(); err != nil {
		t.Errorf("on PostgreSQL: %v\n%s", err, said)
	}
}
