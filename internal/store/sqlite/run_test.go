package sqlite

import (
	"path/filepath"
	"testing"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/testkit/storetest"
)

// Promise: queue-fair
func TestRuns(t *testing.T) {
	storetest.Runs(t, func(t *testing.T) svc.Store {
		t.Helper()
		s, err := Open(t.Context(), filepath.Join(t.TempDir(), "svcd.db"))
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
}
