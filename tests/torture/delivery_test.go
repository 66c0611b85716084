package torture

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/accounts"
	"github.com/bundle-delivery/svc/internal/bundle/pack"
	"github.com/bundle-delivery/svc/internal/delivery"
	"github.com/bundle-delivery/svc/internal/store/fsblob"
	"github.com/bundle-delivery/svc/internal/store/sqlite"
	"github.com/bundle-delivery/svc/internal/testkit/harness"
)

const (
	tenants = 150
	clients = 8
	// bundleTTL is so short that bundles expire between the kills as well.
	bundleTTL = 4 * time.Second
)

// TestKilledServerKeepsItsPromises kills the server again and again while
// clients repackage, download and acknowledge. After each kill and one sweep,
// the records and the bytes must agree with each other and with everything that
// a client was told.
// Promise: bundle-survives-kill
func TestKilledServerKeepsItsPromises(t *testing.T) {
	ctx := t.Context()
	random := rand.New(rand.NewPCG(*seed, 1))
	t.Logf("seed %d, %d kills", *seed, *kills)
	w := newWorld(t)
	killed := 0
	// On a busy machine clients get less done between two kills, and there are more.
	for ; killed < *kills || w.heard.lacks() != "" && killed < 5**kills; killed++ {
		kill := killed
		d, err := harness.Start(ctx, binary, w.data, "--bundle-ttl", bundleTTL.String(), "--cleanup-interval", "1s")
		if err != nil {
			t.Fatalf("start %d: %v", kill, err)
		}
		load, stop := context.WithCancel(ctx)
		var working sync.WaitGroup
		for i := range clients {
			choices := rand.New(rand.NewPCG(*seed, uint64(2+kill*clients+i)))
			working.Go(func() { w.client(load, d, choices) })
		}
		// The moment of the kill is what the campaign is about; nothing is waited for.
		timer := time.NewTimer(time.Duration(random.IntN(500)) * time.Millisecond)
		<-timer.C
		if err := d.Kill(); err != nil {
			t.Fatalf("kill %d: %v", kill, err)
		}
		stop()
		working.Wait()
		w.verify(t, kill)
		if t.Failed() {
			t.Fatalf("broken after kill %d; seed %d", kill+1, *seed)
		}
	}
	w.verifyNothingLeftOver(t)
	if lacks := w.heard.lacks(); lacks != "" {
		t.Errorf("%s, after %d kills: nothing was proved", lacks, killed)
	}
	t.Log(w.heard.summary())
}

// world is a data folder with accounts, and what clients were told about it.
type world struct {
	data     string
	accounts []tenant
	heard    *heard
}

type tenant struct{ accountID, key, projectID string }

func newWorld(t *testing.T) *world {
	t.Helper()
	ctx := t.Context()
	w := &world{data: filepath.Join(t.TempDir(), "data"), heard: newHeard()}
	tree := t.TempDir()
	for i := range 12 {
		text := strings.Repeat(fmt.Sprintf("line of file %d\n", i), 200)
		if err := os.WriteFile(filepath.Join(tree, fmt.Sprintf("file%d.txt", i)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(w.data, 0o700); err != nil {
		t.Fatal(err)
	}
	w.open(t, time.Now, func(store *sqlite.Store, blobs *fsblob.Store) {
		people := accounts.New(store, time.Now)
		packager := &pack.Packager{Store: store, Blobs: blobs, BundleTTL: bundleTTL}
		for i := range tenants {
			a, err := people.Create(ctx, accounts.NewAccount{Email: fmt.Sprintf("torture%d@example.com", i), Plan: svc.PlanDeveloper})
			if err != nil {
				t.Fatal(err)
			}
			full, _, err := people.CreateKey(ctx, accounts.NewKey{AccountID: a.ID, Name: "torture"})
			if err != nil {
				t.Fatal(err)
			}
			made, err := packager.ImportDir(ctx, a, tree, pack.ImportOptions{Name: "torture"})
			if err != nil {
				t.Fatal(err)
			}
			w.accounts = append(w.accounts, tenant{a.ID, full, made.Project.ID})
			w.heard.created(a.ID, made.Bundle.ID)
		}
	})
	return w
}

// open works on the data folder while no server does.
func (w *world) open(t *testing.T, clock func() time.Time, work func(*sqlite.Store, *fsblob.Store)) {
	t.Helper()
	store, err := sqlite.Open(t.Context(), filepath.Join(w.data, "svcd.db"), sqlite.WithClock(clock))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	}()
	blobs, err := fsblob.Open(filepath.Join(w.data, "blobs"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := blobs.Close(); err != nil {
			t.Error(err)
		}
	}()
	work(store, blobs)
}

// sweepSoon sweeps in a minute: what a server that was killed was about to delete is
// due again then.
func (w *world) sweepSoon(t *testing.T) {
	t.Helper()
	soon := func() time.Time { return time.Now().Add(time.Minute) }
	w.open(t, soon, func(store *sqlite.Store, blobs *fsblob.Store) { w.sweep(t, store, blobs) })
}

func (w *world) sweep(t *testing.T, store svc.Store, blobs svc.Blobs) {
	t.Helper()
	cleaner := &delivery.Cleaner{Store: store, Blobs: blobs, Interval: time.Hour}
	if _, err := cleaner.Sweep(t.Context()); err != nil {
		t.Fatalf("sweep: %v", err)
	}
}
