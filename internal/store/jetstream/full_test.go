package jetstream

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/testkit/smalldisk"
)

// TestFullDisk fills the disk of the embedded log while a run is told, and makes
// room again: the run goes on where it was, and nothing that was stored is lost.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	disk := smalldisk.ForTest(t, dir, 16<<20)
	b := open(t, filepath.Join(dir, "events"))
	t.Cleanup(b.Close) // before the disk goes
	claim := svc.RunClaim{ID: "gen_full", Epoch: 1}
	w, err := b.Events().Writer(t.Context(), claim)
	if err != nil {
		t.Fatal(err)
	}
	appended := int64(0)
	for range 3 {
		if err := w.Append(t.Context(), batchOf(appended+1, 10)); err != nil {
			t.Fatal(err)
		}
		appended += 10
	}
	if err := disk.Fill(); err != nil {
		t.Fatal(err)
	}
	for err = nil; err == nil; { // until what room its files still had is used
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		if err = w.Append(ctx, batchOf(appended+1, 100)); err == nil {
			appended += 100
		}
		cancel()
	}
	if err := disk.Clear(); err != nil {
		t.Fatal(err)
	}
	for w, err = b.Events().Writer(t.Context(), claim); err != nil; w, err = b.Events().Writer(t.Context(), claim) {
		if t.Context().Err() != nil { // a question may be lost while the store is opened again
			t.Fatal(err)
		}
	}
	appended = w.Last() // what was given up may have been stored, and then it counts
	if err := w.Append(t.Context(), batchOf(appended+1, 10)); err != nil {
		t.Fatalf("with room again: %v", err)
	}
	last := appended + 10
	feed, err := b.Events().Follow(t.Context(), "gen_full", 0)
	if err != nil {
		t.Fatal(err)
	}
	defer feed.Close()
	wantNext(t, feed, 1, last)
	if err := b.Ping(t.Context()); err != nil {
		t.Error(err)
	}
}
