package pull

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Promise: pull-temporary
func TestTempArchiveLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	t.Setenv("TMP", dir)
	file, err := newTempArchive()
	if err != nil {
		t.Fatal(err)
	}
	// What a kill would leave now.
	if left := names(t, dir); runtime.GOOS != "windows" && len(left) > 0 {
		t.Errorf("while it is used: %v", left)
	}
	if _, err := file.WriteString("abc"); err != nil {
		t.Error(err)
	}
	part := make([]byte, 2)
	if _, err := file.ReadAt(part, 1); err != nil || string(part) != "bc" {
		t.Errorf("%q, %v", part, err)
	}
	if err := file.discard(); err != nil {
		t.Error(err)
	}
	if left := names(t, dir); len(left) > 0 {
		t.Errorf("afterwards: %v", left)
	}
}

// Promise: pull-temporary
func TestOnlyOwnOldArchivesAreCleared(t *testing.T) {
	dir := t.TempDir()
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	put := func(name string, age time.Duration, mode os.FileMode) {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("zip"), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, now.Add(-age), now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	put("svc-bundle-123.zip", 2*time.Hour, 0o600) // the one that goes
	kept := []string{"svc-bundle-124.zip", "svc-bundle-x.zip", "svc-bundle-.zip", "svc-bundle-12.zip.bak", "svc-125.zip", "other.zip"}
	for i, name := range kept {
		age := 2 * time.Hour
		if i == 0 {
			age = time.Minute // perhaps of a pull that just begins
		}
		put(name, age, 0o600)
	}
	folder := "svc-bundle-77.zip"
	if err := os.Mkdir(filepath.Join(dir, folder), 0o700); err != nil {
		t.Fatal(err)
	}
	kept = append(kept, folder)
	if runtime.GOOS != "windows" {
		put("svc-bundle-126.zip", 2*time.Hour, 0o644) // no client writes one that others may read
		if err := os.Symlink("other.zip", filepath.Join(dir, "svc-bundle-127.zip")); err != nil {
			t.Fatal(err)
		}
		kept = append(kept, "svc-bundle-126.zip", "svc-bundle-127.zip")
	}
	clearTempArchives(dir, now)
	slices.Sort(kept)
	if diff := cmp.Diff(kept, names(t, dir)); diff != "" {
		t.Error(diff)
	}
	clearTempArchives(filepath.Join(dir, "missing"), now) // is no failure
}

func names(t *testing.T, dir string) (out []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}
