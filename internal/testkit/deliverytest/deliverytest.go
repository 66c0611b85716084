// Package deliverytest sets the use cases up on a real database and a real
// folder, with a clock that stands still until a test moves it.
package deliverytest

import (
	"fmt"
	"io"
	"path/filepath"
	"sync"
	"testing"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/accounts"
	"github.com/bundle-delivery/svc/internal/bundle/assemble"
	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
	"github.com/bundle-delivery/svc/internal/bundle/pack"
	"github.com/bundle-delivery/svc/internal/bundle/signing"
	"github.com/bundle-delivery/svc/internal/delivery"
	"github.com/bundle-delivery/svc/internal/store/fsblob"
	"github.com/bundle-delivery/svc/internal/testkit/must"
)

// Clock is a time that a test moves.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// Now reads the clock.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance moves the clock.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// Start is when every test begins.
var Start = time.Date(2026, 11, 3, 9, 30, 0, 7_000_000, time.UTC)

// Service is the address that the service signs under.
const Service = "https://svc.example.com"

// World is everything that the use cases of bundles need.
type World struct {
	TB        testing.TB
	Clock     *Clock
	Store     svc.Store
	Blobs     *Blobs
	Assembler *Assembler
	Packager  *pack.Packager
	Signer    *signing.Signer
	Accounts  *accounts.Service
	Limits    delivery.Limits
	Delivery  *delivery.Service
	Cleaner   *delivery.Cleaner
	Seen      *Seen
}

// New makes a world with the published limits; change adjusts them.
func New(tb testing.TB, change ...func(*delivery.Limits)) *World {
	tb.Helper()
	dir := tb.TempDir()
	w := &World{TB: tb, Clock: &Clock{now: Start}, Limits: delivery.DefaultLimits(), Seen: &Seen{}}
	for _, c := range change {
		c(&w.Limits)
	}
	store, err := openStore(tb, filepath.Join(dir, "svc.db"), w.Clock.Now)
	must.Do(tb, err)
	blobs, err := fsblob.Open(filepath.Join(dir, "blobs"))
	must.Do(tb, err)
	tb.Cleanup(func() {
		must.Do(tb, store.Close())
		must.Do(tb, blobs.Close())
	})
	w.Store = store
	w.Blobs = &Blobs{Blobs: blobs}
	w.Assembler = &Assembler{Assembler: assemble.Local{Blobs: w.Blobs}}
	w.Signer = signing.New(store, "1.2.3")
	must.Do(tb, w.Signer.Open(tb.Context(), Service, "", nil))
	w.Packager = &pack.Packager{Store: store, Blobs: w.Blobs, BundleTTL: w.Limits.BundleTTL, Attester: w.Signer}
	w.Accounts = accounts.New(store, w.Clock.Now)
	w.Delivery = w.Service()
	w.Cleaner = &delivery.Cleaner{
		Store: store, Blobs: w.Blobs, Interval: time.Hour, Observer: w.Seen,
		Report: func(err error) { tb.Errorf("clean-up: %v", err) },
	}
	return w
}

// Service makes one more set of use cases on the same records, as another
// process would have.
func (w *World) Service() *delivery.Service {
	return delivery.New(delivery.Config{
		Store: w.Store, Blobs: w.Blobs, Assembler: w.Assembler, Attester: w.Signer, Limits: w.Limits, Observer: w.Seen,
	})
}

// Account makes an account.
func (w *World) Account(email string) svc.Account {
	w.TB.Helper()
	a, err := w.Accounts.Create(w.TB.Context(), accounts.NewAccount{Email: email, Plan: svc.PlanDeveloper})
	must.Do(w.TB, err)
	return a
}

// Key makes a key of an account and gives its full text.
func (w *World) Key(a svc.Account) string {
	w.TB.Helper()
	full, _, err := w.Accounts.CreateKey(w.TB.Context(), accounts.NewKey{AccountID: a.ID, Name: "test"})
	must.Do(w.TB, err)
	return full
}

// Files makes the content of a project.
func Files(contents map[string]string) pack.Content {
	var state bundlezip.State
	for path, content := range contents {
		state.Put(bundlezip.StateFile{Path: path, Content: bundlezip.Bytes([]byte(content))})
	}
	return pack.Content{State: state}
}

// ManyFiles makes a number of files of which the first has the given size and
// the others are empty.
func ManyFiles(files int, bytes int64) pack.Content {
	var state bundlezip.State
	for i := range files {
		content := bundlezip.Bytes(nil)
		if i == 0 {
			content = bundlezip.Reader(func() (io.ReadCloser, error) { return io.NopCloser(io.LimitReader(zeros{}, bytes)), nil })
		}
		state.Put(bundlezip.StateFile{Path: fmt.Sprintf("f%04d.txt", i), Content: content})
	}
	return pack.Content{State: state}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// Project makes a project with these contents, and its first bundle.
func (w *World) Project(a svc.Account, content pack.Content) (svc.Project, svc.Bundle) {
	w.TB.Helper()
	return w.Advance(svc.Project{ID: svc.NewProjectID(), AccountID: a.ID, Name: "demo"}, content)
}

// Advance gives a project its next state, and a bundle of it.
func (w *World) Advance(p svc.Project, content pack.Content) (svc.Project, svc.Bundle) {
	w.TB.Helper()
	ctx := w.TB.Context()
	draft, err := w.Packager.Draft(ctx, p, content)
	must.Do(w.TB, err)
	var b svc.Bundle
	must.Do(w.TB, w.Store.Tx(ctx, func(r svc.Records) error {
		now, err := r.Now(ctx)
		if err != nil {
			return err
		}
		p, b, err = draft.Commit(ctx, r, "", now)
		return err
	}))
	return p, b
}

// EmptyProject makes a project without files.
func (w *World) EmptyProject(a svc.Account) svc.Project {
	w.TB.Helper()
	p := svc.Project{ID: svc.NewProjectID(), AccountID: a.ID, Name: "empty", CreatedAt: w.Clock.Now(), UpdatedAt: w.Clock.Now()}
	must.Do(w.TB, w.Store.Projects().Insert(w.TB.Context(), p))
	return p
}

// HasBlob says whether there are bytes under a key.
func (w *World) HasBlob(key string) bool {
	w.TB.Helper()
	r, err := w.Blobs.Open(w.TB.Context(), key)
	if err != nil {
		return false
	}
	must.Do(w.TB, r.Close())
	return true
}

// ExpireNow moves the clock past a bundle's life and runs the clean-up job.
func (w *World) ExpireNow() {
	w.TB.Helper()
	w.Clock.Advance(w.Limits.BundleTTL + time.Hour)
	_, ran, err := w.Cleaner.CleanUp(w.TB.Context())
	must.Do(w.TB, err)
	if !ran {
		w.TB.Fatal("the clean-up was not due")
	}
}
