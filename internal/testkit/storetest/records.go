// Package storetest holds the suites that every adapter passes: Records for
// databases, Blobs for stores of bytes.
//
// Its law: a suite knows the contracts of the root package and nothing of any
// adapter, and tests every sentence of them. The test file of an adapter says
// how to open it and calls the suite; new behaviour enters the suite first. No
// test waits for time to pass: the clock is the suite's.
package storetest

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/testkit/must"
)

// Database makes a new, empty database and returns how to open it. The database
// goes when the test ends.
type Database func(t *testing.T) OpenStore

// OpenStore opens the database, with a clock that stands in for the one that
// all processes share. It may be called while other stores have the database
// open, from several goroutines, and again after they are closed: each store is
// like another process. The suite closes the stores.
type OpenStore func(t *testing.T, clock func() time.Time) (svc.Store, error)

// Records tests an adapter of records.
func Records(t *testing.T, db Database) {
	t.Run("Store", func(t *testing.T) { testStore(t, db) })
	t.Run("Accounts", func(t *testing.T) { testAccounts(t, db) })
	t.Run("Keys", func(t *testing.T) { testKeys(t, db) })
	t.Run("Projects", func(t *testing.T) { testProjects(t, db) })
	t.Run("Bundles", func(t *testing.T) { testBundles(t, db) })
	t.Run("Retention", func(t *testing.T) { testRetention(t, db) })
	t.Run("Windows", func(t *testing.T) { testWindows(t, db) })
	t.Run("Idempotencies", func(t *testing.T) { testIdempotencies(t, db) })
	t.Run("Ledger", func(t *testing.T) { testLedger(t, db) })
	t.Run("Jobs", func(t *testing.T) { testJobs(t, db) })
	t.Run("Workers", func(t *testing.T) { testWorkers(t, db) })
	t.Run("Sessions", func(t *testing.T) { testSessions(t, db) })
	t.Run("Links", func(t *testing.T) { testLinks(t, db) })
	t.Run("GuessLog", func(t *testing.T) { testGuessLog(t, db) })
	t.Run("Passkeys", func(t *testing.T) { testPasskeys(t, db) })
	t.Run("Challenges", func(t *testing.T) { testChallenges(t, db) })
	t.Run("Identities", func(t *testing.T) { testIdentities(t, db) })
	t.Run("Usage", func(t *testing.T) { testUsage(t, db) })
	t.Run("Attestations", func(t *testing.T) { testAttestations(t, db) })
	t.Run("Audit", func(t *testing.T) { testAudit(t, db) })
	t.Run("CertificateFiles", func(t *testing.T) { testCertificateFiles(t, db) })
}

// Clock is a clock that stands still until it is set. It is safe for use by
// several goroutines.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// NewClock makes a clock that shows the given time.
func NewClock(now time.Time) *Clock { return &Clock{now: now} }

// Now reads the clock.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Set sets the clock, forward or back.
func (c *Clock) Set(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = now
}

// noon is when the tests begin; it has milliseconds that must not be lost.
var noon = time.Date(2026, time.March, 1, 12, 0, 0, 123_000_000, time.UTC)

// world is one new database with a store and what the tests put into it.
type world struct {
	svc.Store
	clock *Clock
	open  OpenStore
}

// run holds one test against an empty database.
func (db Database) run(t *testing.T, name string, test func(t *testing.T, w *world)) {
	t.Helper()
	t.Run(name, func(t *testing.T) { test(t, newWorld(t, db)) })
}

func newWorld(t *testing.T, db Database) *world {
	t.Helper()
	w := &world{clock: NewClock(noon), open: db(t)}
	w.Store = w.another(t)
	return w
}

// another opens the database once more, as another process would.
func (w *world) another(t *testing.T) svc.Store {
	t.Helper()
	s, err := w.open(t, w.clock.Now)
	if err != nil {
		t.Fatalf("open the database: %v", err)
	}
	once := &closeOnce{Store: s}
	t.Cleanup(func() {
		if err := once.Close(); err != nil {
			t.Errorf("close the store: %v", err)
		}
	})
	return once
}

// closeOnce lets a test close a store that the suite closes again at its end.
type closeOnce struct {
	svc.Store
	once sync.Once
	err  error
}

func (c *closeOnce) Close() error {
	c.once.Do(func() { c.err = c.Store.Close() })
	return c.err
}

// account puts a new account into the database.
func (w *world) account(t *testing.T) svc.Account {
	t.Helper()
	id := svc.NewAccountID()
	a := svc.Account{ID: id, Email: id + "@example.com", Plan: svc.PlanDeveloper, CreatedAt: noon}
	must.Do(t, w.Accounts().Insert(t.Context(), a))
	return a
}

// key puts a new key of an account into the database.
func (w *world) key(t *testing.T, accountID string) svc.Key {
	t.Helper()
	_, k := svc.NewKey()
	k.AccountID, k.Name, k.CreatedAt = accountID, "laptop", noon
	must.Do(t, w.Keys().Insert(t.Context(), k))
	return k
}

// project puts a new project without files into the database.
func (w *world) project(t *testing.T, accountID string) svc.Project {
	t.Helper()
	p := svc.Project{ID: svc.NewProjectID(), AccountID: accountID, Name: "shop", CreatedAt: noon, UpdatedAt: noon}
	must.Do(t, w.Projects().Insert(t.Context(), p))
	return p
}

// bundle puts a new bundle, made at the given time, into the database.
func (w *world) bundle(t *testing.T, p svc.Project, createdAt time.Time) svc.Bundle {
	t.Helper()
	b := newBundle(p, createdAt, 1000)
	must.Do(t, w.Bundles().Insert(t.Context(), b))
	return b
}

func newBundle(p svc.Project, createdAt time.Time, size int64) svc.Bundle {
	id := svc.NewBundleID(createdAt)
	return svc.Bundle{
		ID: id, AccountID: p.AccountID, ProjectID: p.ID, Status: svc.BundlePending,
		FileCount: 7, Size: size, SHA256: [32]byte{1, 2, 31: 3}, Blob: "bundles/" + id + ".zip",
		CreatedAt: createdAt, ExpiresAt: createdAt.Add(24 * time.Hour),
	}
}

// pendingBytes tells what waits for an account.
func (w *world) pendingBytes(t *testing.T, accountID string) int64 {
	t.Helper()
	a := must.Get(w.Accounts().Get(t.Context(), accountID))(t)
	return a.PendingBytes
}

// tester is what the helpers need of *testing.T and of *rapid.T.
type tester interface {
	Helper()
	Context() context.Context
	Errorf(format string, args ...any)
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

func wantErr(t tester, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: error %v, want %v", what, err, want)
	}
}

// gives insists that a call succeeds with a value, as in gives(t, what, want)(call()).
func gives(t tester, what string, want any) func(got any, err error) {
	t.Helper()
	return func(got any, err error) {
		t.Helper()
		must.Do(t, err)
		wantSame(t, what, got, want)
	}
}

// fails insists that a call fails with an error.
func fails(t tester, what string, want error) func(_ any, err error) {
	t.Helper()
	return func(_ any, err error) {
		t.Helper()
		wantErr(t, what, err, want)
	}
}

// wantSame compares values; an empty map or list is as good as none.
func wantSame(t tester, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// together runs fn n times at once, each with its number, and waits for all.
func together(n int, fn func(i int)) {
	var wg sync.WaitGroup
	start := make(chan struct{})
	for i := range n {
		wg.Go(func() {
			<-start
			fn(i)
		})
	}
	close(start)
	wg.Wait()
}
