package sqlite_test

import (
	"path/filepath"
	"testing"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/conformance"
	"github.com/bundle-delivery/svc/internal/sqlite"
)

// Promise: unreadable-one-engine, records-kept, batches-leased, lease-silent-database
// Promise: attestation-kept, audit-transaction, passkey-challenge
func TestConformance(t *testing.T) {
	database := func(t *testing.T) conformance.OpenStore {
		path := filepath.Join(t.TempDir(), "svc.db")
		return func(t *testing.T, clock func() time.Time) (svc.Store, error) {
			return sqlite.Open(t.Context(), path, sqlite.WithClock(clock))
		}
	}
	conformance.Records(t, database)
	t.Run("BundleModel", func(t *testing.T) { conformance.BundleModel(t, database) })
}
