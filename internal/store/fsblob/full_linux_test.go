package fsblob_test

import (
	"errors"
	"strings"
	"syscall"
	"testing"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/testkit/smalldisk"
)

// TestFullDisk fills a small file system of its own; only the superuser can
// mount one.
// Promise: store-without-room
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	smalldisk.ForTest(t, dir, 2<<20)
	s := open(t, dir)
	put(t, s, "packs/kept", strings.Repeat("k", 100<<10))
	if err := s.Ping(t.Context()); err != nil {
		t.Error(err)
	}

	w, err := s.Create(t.Context(), "packs/large")
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.Write(make([]byte, 4<<20))
	if err == nil {
		err = w.Commit()
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("error %v, want that the disk is full", err)
	}
	if err := w.Commit(); err == nil {
		t.Error("a blob that was not written can be committed")
	}
	w.Abort()
	if err := s.Ping(t.Context()); !errors.Is(err, svc.ErrUnavailable) {
		t.Errorf("it can be used: %v", err)
	}

	if got := files(t, dir); len(got) != 1 {
		t.Errorf("files %v, want the blob that was there alone", got)
	}
	put(t, s, "packs/after", strings.Repeat("a", 1<<20)) // the room has come back
	if got := len(get(t, s, "packs/kept")); got != 100<<10 {
		t.Errorf("the blob that was there has %d bytes", got)
	}
}
