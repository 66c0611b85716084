//go:build unix

package postgres_test

import (
	"testing"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/store/postgres"
	"github.com/bundle-delivery/svc/internal/testkit/pgtest"
	"github.com/bundle-delivery/svc/internal/testkit/storetest"
)

// Promise: unreadable-one-engine, records-kept, batches-leased, lease-silent-database
// Promise: attestation-kept, audit-transaction, passkey-challenge
func TestConformance(t *testing.T) {
	cluster := pgtest.Start(t)
	conform(t, cluster, "")
}

// Behind a pooler that hands out connections by transaction and knows nothing
// of prepared statements. The address says nothing of it.
func TestConformanceBehindAPooler(t *testing.T) {
	if testing.Short() {
		t.Skip("the suite without a pooler is enough for a short run")
	}
	cluster := pgtest.Start(t)
	conform(t, cluster, cluster.Pooler(t))
}

// conform runs the suites on databases of the cluster, at addresses with a
// setting added.
func conform(t *testing.T, cluster *pgtest.Cluster, setting string) {
	t.Helper()
	open := func(t *testing.T, name string, opts ...postgres.Option) (svc.Store, error) {
		return postgres.Open(t.Context(), cluster.Address(name)+"&pool_max_conns=8"+setting, opts...)
	}
	template := cluster.Database(t)
	s, err := postgres.Open(t.Context(), cluster.Address(template)) // past the pooler, which would stay connected
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	database := func(t *testing.T) storetest.OpenStore {
		name := cluster.Copy(t, template)
		return func(t *testing.T, clock func() time.Time) (svc.Store, error) {
			return open(t, name, postgres.WithClock(clock))
		}
	}
	storetest.Records(t, database)
	if setting == "" {
		t.Run("BundleModel", func(t *testing.T) { storetest.BundleModel(t, database) })
	}
	t.Run("Runs", func(t *testing.T) {
		storetest.Runs(t, func(t *testing.T) svc.Store {
			t.Helper()
			s, err := open(t, cluster.Copy(t, template))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			})
			return s
		})
	})
	t.Run("makes the schema once, for many who come at once", func(t *testing.T) {
		name := cluster.Database(t)
		stores := make(chan error, 6)
		for range cap(stores) {
			go func() {
				s, err := open(t, name)
				if err == nil {
					err = s.Close()
				}
				stores <- err
			}()
		}
		for range cap(stores) {
			if err := <-stores; err != nil {
				t.Error(err)
			}
		}
	})
}
