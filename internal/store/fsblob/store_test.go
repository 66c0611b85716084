package fsblob_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/store/fsblob"
	"github.com/bundle-delivery/svc/internal/testkit/storetest"
)

func TestConformance(t *testing.T) {
	storetest.Blobs(t, func(t *testing.T) storetest.OpenBlobs {
		dir := filepath.Join(t.TempDir(), "data", "blobs")
		return func(t *testing.T) svc.Blobs { return open(t, dir) }
	})
}

func open(t *testing.T, dir string) *fsblob.Store {
	t.Helper()
	s, err := fsblob.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func put(t *testing.T, s *fsblob.Store, key, content string) {
	t.Helper()
	w, err := s.Create(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	if _, err := io.WriteString(w, content); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, s *fsblob.Store, key string) string {
	t.Helper()
	r, err := s.Open(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(r)
	if err := errors.Join(err, r.Close()); err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// files lists the regular files under a folder that are no lock files, with
// their permissions checked.
func files(t *testing.T, dir string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if loose := info.Mode().Perm() &^ 0o700; loose != 0 && path != dir {
			t.Errorf("%s is open to others: %v", path, info.Mode())
		}
		if d.Type().IsRegular() && filepath.Ext(path) != ".lock" {
			name, err := filepath.Rel(dir, path)
			if err != nil {
				return err
			}
			names = append(names, name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestOnlyBlobsRemain(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	put(t, s, "packs/a", "a")
	if err := s.Copy(t.Context(), "packs/a", "packs/b"); err != nil {
		t.Fatal(err)
	}
	w, err := s.Create(t.Context(), "packs/c")
	if err != nil {
		t.Fatal(err)
	}
	w.Abort()
	if err := s.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := files(t, dir); len(got) != 2 {
		t.Errorf("files %v, want the two blobs alone", got)
	}
}

func TestOpenRemovesWhatTheDeadLeft(t *testing.T) {
	dir := t.TempDir()
	living := open(t, dir)
	w, err := living.Create(t.Context(), "packs/living")
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	if _, err := io.Copy(w, bytes.NewReader(make([]byte, 1<<20))); err != nil {
		t.Fatal(err)
	}
	// A store that died leaves its folder behind, with a lock file that nobody
	// holds, or without one when a power cut took it.
	for _, path := range []string{"tmp/dead/half", "tmp/cut/half"} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(path)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, path), []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "tmp/dead.lock"), nil, 0o600); err != nil {
		t.Fatal(err)
	}

	another := open(t, dir)
	if got := files(t, dir); len(got) != 1 {
		t.Errorf("files %v, want the half-written one of the living store alone", got)
	}
	if err := w.Commit(); err != nil {
		t.Fatalf("the living store lost its file: %v", err)
	}
	if got := len(get(t, another, "packs/living")); got != 1<<20 {
		t.Errorf("%d bytes, want %d", got, 1<<20)
	}
}

// One store opens while another closes, as a backup beside a service does.
func TestStoresComeAndGo(t *testing.T) {
	dir := t.TempDir()
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			for range 300 {
				s, err := fsblob.Open(dir)
				if err != nil {
					t.Error(err)
					return
				}
				if err := s.Close(); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	both.Wait()
}

func TestCloseLeavesOnlyTheShards(t *testing.T) {
	dir := t.TempDir()
	s, err := fsblob.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	left, err := filepath.Glob(filepath.Join(dir, "tmp", "*"))
	if err != nil {
		t.Fatal(err)
	}
	if len(left) != 1 || filepath.Base(left[0]) != ".lock" {
		t.Errorf("%v is left of a closed store, want the guard's lock file alone", left)
	}
}

func TestManyBlobsAreSpread(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	put(t, s, "packs/a", "")
	for range 1000 {
		if err := s.Copy(t.Context(), "packs/a", "bundles/"+svc.NewProjectID()); err != nil {
			t.Fatal(err)
		}
	}
	folders := make(map[string]int)
	for _, name := range files(t, dir) {
		folders[filepath.Dir(name)]++
	}
	for folder, n := range folders {
		if n > 20 {
			t.Errorf("folder %s has %d of 1001 blobs", folder, n)
		}
	}
}

func TestCopy(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	put(t, s, "packs/a", "old")
	put(t, s, "packs/b", "other")
	for range 2 { // the second time over itself
		if err := s.Copy(t.Context(), "packs/a", "packs/b"); err != nil {
			t.Fatal(err)
		}
		if got := get(t, s, "packs/b"); got != "old" {
			t.Errorf("the copy is %q", got)
		}
	}
	put(t, s, "packs/a", "new")
	if got := get(t, s, "packs/b"); got != "old" {
		t.Errorf("the copy follows its source: %q", got)
	}
	if err := s.Delete(t.Context(), "packs/a"); err != nil {
		t.Fatal(err)
	}
	if got := get(t, s, "packs/b"); got != "old" {
		t.Errorf("the copy went with its source: %q", got)
	}
	if err := s.Copy(t.Context(), "packs/a", "packs/c"); !errors.Is(err, svc.ErrNotFound) {
		t.Errorf("copy of nothing: %v", err)
	}
	if err := s.Copy(t.Context(), "packs/b", "../c"); err == nil {
		t.Error("a copy outside the folder succeeds")
	}
	if got := files(t, dir); len(got) != 1 {
		t.Errorf("files %v, want one", got)
	}
}

// A link that somebody put into the folder leads nowhere outside it.
func TestNothingOutsideIsTouched(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	secret := filepath.Join(outside, "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := open(t, dir)
	put(t, s, "secret", "blob")
	blob := filepath.Join(dir, files(t, dir)[0])
	if err := errors.Join(os.Remove(blob), os.Symlink(secret, blob)); err != nil {
		t.Fatal(err)
	}
	if r, err := s.Open(t.Context(), "secret"); err == nil {
		_ = r.Close()
		t.Error("a link out of the folder is followed")
	}
	shard := filepath.Dir(blob)
	if err := errors.Join(os.RemoveAll(shard), os.Symlink(outside, shard)); err != nil {
		t.Fatal(err)
	}
	if err := s.Delete(t.Context(), "secret"); err == nil {
		t.Error("a link out of the folder is followed to delete")
	}
	if _, err := os.Stat(secret); err != nil {
		t.Errorf("a file outside is gone: %v", err)
	}
}
