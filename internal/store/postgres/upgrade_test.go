//go:build unix

package postgres

import (
	"io/fs"
	"testing"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/testkit/needs"
	"github.com/bundle-delivery/svc/internal/testkit/pgtest"
	"github.com/bundle-delivery/svc/internal/testkit/storetest"
)

// withMigrations makes the Store that of a program which knows others.
func withMigrations(files fs.FS) Option { return func(s *Store) { s.files = files } }

func opener(address string, opts ...Option) storetest.OpenStore {
	return func(t *testing.T, clock func() time.Time) (svc.Store, error) {
		return Open(t.Context(), address+"&pool_max_conns=8", append(opts, WithClock(clock))...)
	}
}

// Promise: migration-claims
func TestMigrationsFollowTheRule(t *testing.T) { storetest.Migrations(t, ownMigrations()) }

// Promise: upgrade-rolling
func TestTwoVersionsSideBySide(t *testing.T) {
	cluster := pgtest.Start(t)
	expanded, contracted := storetest.Later(t, ownMigrations())
	address := cluster.Address(cluster.Database(t))
	storetest.Upgrade(t, storetest.Versions{
		Own: opener(address), Expanded: opener(address, withMigrations(expanded)), Contracted: opener(address, withMigrations(contracted)),
	})
}

// All that a program does, it does on a schema that has gained something, too. With
// SQLite, whose statements are mostly the same, that is tried for every change.
// Promise: upgrade-newer-schema
func TestConformanceOnANewerSchema(t *testing.T) {
	needs.Long(t, "the suite of PostgreSQL on a newer schema")
	cluster := pgtest.Start(t)
	expanded, _ := storetest.Later(t, ownMigrations())
	template := cluster.Database(t)
	s, err := Open(t.Context(), cluster.Address(template), withMigrations(expanded))
	if err == nil {
		err = s.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	storetest.Records(t, func(t *testing.T) storetest.OpenStore {
		return opener(cluster.Address(cluster.Copy(t, template)))
	})
}
