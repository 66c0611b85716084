package datadir

import (
	"os"
	"path/filepath"
	"testing"
)

// What a server that was killed left behind is gone with the next start.
func TestScratchIsEmptiedAtTheStart(t *testing.T) {
	dir := Dir(t.TempDir())
	for range 2 {
		folder, err := dir.Scratch()
		if err != nil {
			t.Fatal(err)
		}
		left, err := os.ReadDir(folder)
		if err != nil || len(left) != 0 || !filepath.IsAbs(folder) {
			t.Errorf("%s holds %d entries (%v)", folder, len(left), err)
		}
		if err := os.MkdirAll(filepath.Join(folder, "svc-run-1", "a"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
}
