package s3blob_test

import (
	"errors"
	"strings"
	"testing"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/testkit/needs"
	"github.com/bundle-delivery/svc/internal/testkit/s3test"
	"github.com/bundle-delivery/svc/internal/testkit/smalldisk"
	"github.com/bundle-delivery/svc/internal/testkit/toolbox"
)

// TestFullDisk fills the disk of a real store; only the superuser can mount one.
// Promise: store-without-room
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	disk := smalldisk.ForTest(t, dir, 16<<20)
	address, err := toolbox.FreeAddress()
	if err != nil {
		t.Fatal(err)
	}
	server, err := s3test.New(t.Context(), dir, address)
	needs.Check(t, err)
	t.Setenv("AWS_ACCESS_KEY_ID", s3test.AccessKey)
	t.Setenv("AWS_SECRET_ACCESS_KEY", s3test.SecretKey)
	server.ForTest(t)
	if err := s3test.MakeBucket(t.Context(), address, "small"); err != nil {
		t.Fatal(err)
	}
	s := openAt(t, s3test.URL(address, "small"))
	write := func() error {
		w, err := s.Create(t.Context(), "packs/one")
		if err != nil {
			return err
		}
		defer w.Abort()
		if _, err := w.Write(make([]byte, 1<<20)); err != nil {
			return err
		}
		return w.Commit()
	}
	if err := errors.Join(write(), s.Ping(t.Context())); err != nil {
		t.Fatal(err)
	}
	if err := disk.Fill(); err != nil {
		t.Fatal(err)
	}
	for how, err := range map[string]error{"write": write(), "copy": s.Copy(t.Context(), "packs/one", "packs/two")} {
		if !errors.Is(err, svc.ErrUnavailable) || !strings.Contains(err.Error(), "no room") {
			t.Errorf("%s: %v, want that there is no room", how, err)
		}
	}
	if err := s.Ping(t.Context()); !errors.Is(err, svc.ErrUnavailable) {
		t.Errorf("it can be used: %v", err)
	}
	if err := disk.Clear(); err != nil {
		t.Fatal(err)
	}
	if err := write(); err != nil {
		t.Errorf("with room again: %v", err)
	}
}
