package sqlite_test

import (
	"path/filepath"
	"testing"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/store/sqlite"
	"github.com/bundle-delivery/svc/internal/testkit/storetest"
)

// Promise: unreadable-one-engine, records-kept, batches-leased, lease-silent-database
// Promise: attestation-kept, audit-transaction, passkey-challenge
func TestConformance(t *testing.T) {
	database := func(t *testing.T) storetest.OpenStore {
		path := filepath.Join(t.TempDir(), "svc.db")
		return func(t *testing.T, clock func() time.Time) (svc.Store, error) {
			return sqlite.Open(t.Context(), path, sqlite.WithClock(clock))
		}
	}
	storetest.Records(t, database)
	t.Run("BundleModel", func(t *testing.T) { storetest.BundleModel(t, database) })
}
