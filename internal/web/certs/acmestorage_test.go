package certs

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/store/sqlite"
)

func newTestStorages(t *testing.T, n int) []*acmeStorage {
	t.Helper()
	store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	storages := make([]*acmeStorage, n)
	for i := range storages {
		storages[i] = newACMEStorage(store.CertificateFiles(), store.Now, slog.New(slog.DiscardHandler))
	}
	return storages
}

func TestACMEStorageIsAFolderToTheLibrary(t *testing.T) {
	s := newTestStorages(t, 1)[0]
	ctx := t.Context()
	for _, key := range []string{"ca/site/a.key", "ca/site/a.crt", "ca/b.json"} {
		if err := s.Store(ctx, key, []byte(key)); err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct {
		folder    string
		recursive bool
		want      []string
	}{
		{"ca", false, []string{"ca/b.json", "ca/site"}},
		{"ca", true, []string{"ca/b.json", "ca/site/a.crt", "ca/site/a.key"}},
		{"", false, []string{"ca"}},
	} {
		got, err := s.List(ctx, tc.folder, tc.recursive)
		if diff := cmp.Diff(tc.want, got); diff != "" || err != nil {
			t.Errorf("below %q: %v\n%s", tc.folder, err, diff)
		}
	}
	folder, err := s.Stat(ctx, "ca/site")
	if err != nil || folder.IsTerminal {
		t.Errorf("a folder is %+v, %v", folder, err)
	}
	file, err := s.Stat(ctx, "ca/site/a.key")
	if err != nil || !file.IsTerminal || file.Size != int64(len("ca/site/a.key")) || file.Modified.IsZero() {
		t.Errorf("a file is %+v, %v", file, err)
	}
	if content, err := s.Load(ctx, "ca/b.json"); err != nil || string(content) != "ca/b.json" {
		t.Errorf("loaded %q, %v", content, err)
	}
	if err := s.Delete(ctx, "ca/site"); err != nil || s.Exists(ctx, "ca/site/a.key") || s.Exists(ctx, "ca/site") {
		t.Errorf("something is left of a deleted folder: %v", err)
	}
	for name, err := range map[string]error{
		"load": second(s.Load(ctx, "ca/site/a.key")), "stat": second(s.Stat(ctx, "nothing")), "list": second(s.List(ctx, "nothing", true)),
	} {
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s of what is not there: %v", name, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// Promise: acme-cluster
func TestACMEStorageLocksOutOthersUntilItIsGivenBack(t *testing.T) {
	storages := newTestStorages(t, 2)
	ctx := t.Context()
	if err := storages[0].Lock(ctx, "issue"); err != nil {
		t.Fatal(err)
	}
	for i, s := range storages {
		if taken, err := s.TryLock(ctx, "issue"); err != nil || taken {
			t.Errorf("storage %d: taken %v, %v", i, taken, err)
		}
	}
	waiting, cancel := context.WithTimeout(ctx, 10*time.Millisecond)
	defer cancel()
	if err := storages[1].Lock(waiting, "issue"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("waiting ended with %v", err)
	}
	over, end := context.WithCancel(ctx)
	end() // a lock is given back also when everything else is over
	if err := storages[0].Unlock(over, "issue"); err != nil {
		t.Fatal(err)
	}
	if taken, err := storages[1].TryLock(ctx, "issue"); err != nil || !taken {
		t.Errorf("after it was given back: %v, %v", taken, err)
	}
	if storages[0].Unlock(ctx, "issue") == nil {
		t.Error("who does not have a lock gives it back")
	}
	if err := storages[1].Unlock(ctx, "issue"); err != nil {
		t.Error(err)
	}
}

// beats are locks that only count; the library is told that it has them.
type beats struct {
	svc.CertificateFiles
	locks, prolonged atomic.Int32
}

func (b *beats) Lock(context.Context, string, string, time.Time, time.Time) (bool, error) {
	b.locks.Add(1)
	return true, nil
}

func (b *beats) Prolong(context.Context, string, string, time.Time) (bool, error) {
	b.prolonged.Add(1)
	return true, nil
}

func (*beats) Unlock(context.Context, string, string) error { return nil }

func TestACMEStorageKeepsALockWithoutTakingItAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		files := new(beats)
		s := newACMEStorage(files, func(context.Context) (time.Time, error) { return time.Now(), nil }, slog.New(slog.DiscardHandler))
		if err := s.Lock(t.Context(), "issue"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(3*lockBeat + lockBeat/2)
		if err := s.Unlock(t.Context(), "issue"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(lockLease)
		if locks, prolonged := files.locks.Load(), files.prolonged.Load(); locks != 1 || prolonged != 3 {
			t.Errorf("taken %d times and prolonged %d times, want 1 and 3", locks, prolonged)
		}
	})
}

func TestACMEStoragesLateSignOfLifeBringsNoLockBack(t *testing.T) {
	storages := newTestStorages(t, 2)
	if err := storages[0].Lock(t.Context(), "issue"); err != nil {
		t.Fatal(err)
	}
	owner := storages[0].held["issue"].owner
	if held, err := storages[0].prolong(t.Context(), "issue", owner); err != nil || !held {
		t.Errorf("while it is held: %v, %v", held, err)
	}
	if err := storages[0].Unlock(t.Context(), "issue"); err != nil {
		t.Fatal(err)
	}
	if held, err := storages[0].prolong(t.Context(), "issue", owner); err != nil || held {
		t.Errorf("after it was given back: %v, %v", held, err)
	}
	if taken, err := storages[1].TryLock(t.Context(), "issue"); err != nil || !taken {
		t.Errorf("the next one: %v, %v", taken, err)
	}
	if err := storages[1].Unlock(t.Context(), "issue"); err != nil {
		t.Error(err)
	}
}
