package fsblob

import (
	"errors"
	"io"
	"path/filepath"
	"testing"

	svc "github.com/bundle-delivery/svc"
)

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
	if err := hold.Close(); err != nil {
		t.Fatal(err)
	}
	left, err := filepath.Glob(filepath.Join(dir, "tmp", "*", "*"))
	if err != nil || len(left) != 0 {
		t.Errorf("%v is left (%v)", left, err)
	}
}
