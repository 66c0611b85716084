package fsblob

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"testing"

	svc "github.com/bundle-delivery/svc"
)

// Promise: backup-consistent
func TestHeldBlobsOutliveTheirDeletion(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	w, err := s.Create(t.Context(), "a/b")
	if err == nil {
		_, err = io.WriteString(w, "bytes")
		err = errors.Join(err, w.Commit())
	}
	if err != nil {
		t.Fatal(err)
	}
	hold, err := s.Hold()
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // holding twice is holding
		if err := hold.Add(t.Context(), "a/b"); err != nil {
			t.Fatal(err)
		}
	}
	if err := hold.Add(t.Context(), "none"); !errors.Is(err, svc.ErrNotFound) {
		t.Errorf("held nothing: %v", err)
	}
	// Whoever is told that a blob is gone forgets it.
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if err := s.Delete(stopped, "a/b"); !errors.Is(err, context.Canceled) {
		t.Errorf("a deletion that was stopped: %v", err)
	}
	if r, err := s.Open(t.Context(), "a/b"); err != nil || r.Close() != nil {
		t.Errorf("after a deletion that was stopped: %v", err)
	}
	if err := s.Delete(t.Context(), "a/b"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Open(t.Context(), "a/b"); !errors.Is(err, svc.ErrNotFound) {
		t.Errorf("the blob is not deleted: %v", err)
	}
	r, err := hold.Open(t.Context(), "a/b")
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(r)
	if err := errors.Join(err, r.Close()); err != nil || string(got) != "bytes" {
		t.Errorf("held %q (%v)", got, err)
	}
	for _, key := range []string{"", "..", "../a/b", "A"} {
		if r, err := hold.Open(t.Context(), key); err == nil {
			_ = r.Close()
			t.Errorf("%q is held", key)
		}
	}
	if err := hold.Close(); err != nil {
		t.Fatal(err)
	}
	left, err := filepath.Glob(filepath.Join(dir, "tmp", "*", "*"))
	if err != nil || len(left) != 0 {
		t.Errorf("%v is left (%v)", left, err)
	}
}
