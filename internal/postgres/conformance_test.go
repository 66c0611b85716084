//go:build unix

package postgres_test

import (
	"testing"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/conformance"
	"github.com/bundle-delivery/svc/internal/pgtest"
	"github.com/bundle-delivery/svc/internal/postgres"
)

// ready gives a database that has the schema already, to make others from.
func ready(t *testing.T, cluster *pgtest.Cluster) string {
	t.Helper()
	name := cluster.Database(t)
	s, err := postgres.Open(t.Context(), cluster.Address(name))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestConformance(t *testing.T) {
	cluster := pgtest.Start(t)
	template := ready(t, cluster)
	for _, mode := range []struct{ name, setting string }{
		{"prepared", ""},
		{"without prepared statements", "&default_query_exec_mode=exec"},
	} {
		t.Run(mode.name, func(t *testing.T) {
			open := func(t *testing.T, name string, opts ...postgres.Option) (svc.Store, error) {
				return postgres.Open(t.Context(), cluster.Address(name)+"&pool_max_conns=8"+mode.setting, opts...)
			}
			conformance.Records(t, func(t *testing.T) conformance.OpenStore {
				name := cluster.Copy(t, template)
				return func(t *testing.T, clock func() time.Time) (svc.Store, error) {
					return open(t, name, postgres.WithClock(clock))
				}
			})
			t.Run("Runs", func(t *testing.T) {
				conformance.Runs(t, func(t *testing.T) svc.Store {
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
		})
	}
}
