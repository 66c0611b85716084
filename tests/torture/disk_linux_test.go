package torture

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/bundle-delivery/svc/internal/store/fsblob"
	"github.com/bundle-delivery/svc/internal/store/sqlite"
	"github.com/bundle-delivery/svc/internal/testkit/harness"
	"github.com/bundle-delivery/svc/internal/testkit/must"
	"github.com/bundle-delivery/svc/internal/testkit/needs"
	"github.com/bundle-delivery/svc/internal/testkit/smalldisk"
	"github.com/bundle-delivery/svc/tests/torture/checker"
)

const (
	diskTenants = 40
	diskTTL     = 30 * time.Second
)

// TestFullDisk fills the disk under a server that keeps everything in its data
// folder, while a checker works on it, and makes room again.
// Promise: bundle-survives-faults
func TestFullDisk(t *testing.T) {
	needs.Long(t, "a full disk under load")
	t.Logf("seed %d, %d rounds", *seed, *rounds)
	s := &small{data: filepath.Join(t.TempDir(), "data")}
	must.Do(t, os.Mkdir(s.data, 0o700))
	disk := smalldisk.ForTest(t, s.data, 64<<20)
	tree := sampleTree(t)
	var tenants []checker.Tenant
	s.open(t, time.Now, func(store *sqlite.Store, blobs *fsblob.Store) {
		var err error
		tenants, err = checker.Populate(t.Context(), store, blobs, diskTenants, tree, diskTTL)
		must.Do(t, err)
	})
	d := s.start(t)
	w := checker.New(t.Context(), checker.Config{
		Base: d.Base, Client: d.Client, Tenants: tenants, BundleTTL: diskTTL,
		Clients: 8, RunsEvery: 700 * time.Millisecond, Seed: *seed,
	})
	working, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	var clients sync.WaitGroup
	clients.Go(func() { w.Work(working) })
	for range *rounds {
		pause(t, 2*calmTime)
		w.Phase("the disk full", checker.Unavailable, checker.Assembly, checker.Broken)
		for end := time.Now().Add(faultTime); time.Now().Before(end); pause(t, 100*time.Millisecond) {
			must.Do(t, disk.Fill()) // also what the service gives free
		}
		w.Phase("the disk full, mended", checker.Unavailable, checker.Assembly, checker.Broken)
		must.Do(t, disk.Clear())
		s.mended(t, d)
		w.Phase("calm after the disk full")
	}
	pause(t, calmTime)
	stop()
	clients.Wait()
	w.Settle(allEnd)
	if err := d.Stop(); err != nil {
		t.Error(err)
	}
	s.open(t, func() time.Time { return time.Now().Add(6 * time.Hour) }, func(store *sqlite.Store, blobs *fsblob.Store) {
		must.Do(t, w.Inspect(t.Context(), store, blobs, func() ([]string, error) { return s.blobs(t), nil }))
	})
	for _, problem := range w.Problems() {
		t.Error(problem)
	}
	t.Logf("what was answered, phase by phase:\n%s", w.Summary())
	t.Logf("what became of the runs:\n%s", w.RunTable())
	if t.Failed() {
		t.Logf("the end of the server's log:\n%s", tail(s.data+".log"))
	}
}

// small is a data folder on a small disk.
type small struct{ data string }

func (s *small) start(t *testing.T) *harness.Server {
	t.Helper()
	engine := buildEngine(t)
	d, err := harness.Start(context.WithoutCancel(t.Context()), binary, s.data, "--engine", "exec", "--engine-command", engine,
		"--workers", "6", "--bundle-ttl", diskTTL.String(), "--cleanup-interval", "1s", "--queue-depth", "10000", "--queue-share", "10000")
	must.Do(t, err)
	return d
}

// open works on the data folder while no server does.
func (s *small) open(t *testing.T, clock func() time.Time, work func(*sqlite.Store, *fsblob.Store)) {
	t.Helper()
	(&world{data: s.data}).open(t, clock, work)
}

func (s *small) blobs(t *testing.T) (keys []string) {
	for key := range (&world{data: s.data}).blobFiles(t) {
		keys = append(keys, key)
	}
	return keys
}

// mended waits until the server is ready.
func (s *small) mended(t *testing.T, d *harness.Server) {
	t.Helper()
	for late := time.Now().Add(readyAgain); ; pause(t, 100*time.Millisecond) {
		status, err := d.Do(t.Context(), "", "GET", "/readyz", io.Discard)
		if err == nil && status == 200 {
			return
		}
		if time.Now().After(late) {
			t.Fatalf("the server is not ready again: %d, %v\n%s", status, err, tail(s.data+".log"))
		}
	}
}
