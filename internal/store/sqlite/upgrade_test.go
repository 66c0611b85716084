package sqlite

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/testkit/storetest"
)

// withMigrations makes the Store that of a program which knows others.
func withMigrations(files fs.FS) Option { return func(s *Store) { s.files = files } }

func opener(path string, opts ...Option) storetest.OpenStore {
	return func(t *testing.T, clock func() time.Time) (svc.Store, error) {
		return Open(t.Context(), path, append(opts, WithClock(clock))...)
	}
}

// Promise: migration-claims
func TestMigrationsFollowTheRule(t *testing.T) {
	storetest.Migrations(t, ownMigrations())
	names := func(files fs.FS) []string {
		found, err := fs.Glob(files, "*.sql")
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	others := os.DirFS(filepath.Join("..", "postgres", "migrations"))
	if diff := cmp.Diff(names(others), names(ownMigrations())); diff != "" {
		t.Errorf("the migrations of the databases have other numbers or names:\n%s", diff)
	}
}

// Promise: upgrade-rolling
func TestTwoVersionsSideBySide(t *testing.T) {
	expanded, contracted := storetest.Later(t, ownMigrations())
	path := filepath.Join(t.TempDir(), "svc.db")
	storetest.Upgrade(t, storetest.Versions{
		Own: opener(path), Expanded: opener(path, withMigrations(expanded)), Contracted: opener(path, withMigrations(contracted)),
	})
}

// All that a program does, it does on a schema that has gained something, too.
// Promise: upgrade-newer-schema
func TestConformanceOnANewerSchema(t *testing.T) {
	expanded, _ := storetest.Later(t, ownMigrations())
	storetest.Records(t, func(t *testing.T) storetest.OpenStore {
		path := filepath.Join(t.TempDir(), "svc.db")
		s, err := Open(t.Context(), path, withMigrations(expanded))
		if err == nil {
			err = s.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		return opener(path)
	})
}
