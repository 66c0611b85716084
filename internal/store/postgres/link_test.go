//go:build unix

package postgres_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/delivery"
	"github.com/bundle-delivery/svc/internal/store/fsblob"
	"github.com/bundle-delivery/svc/internal/store/postgres"
	"github.com/bundle-delivery/svc/internal/testkit/faultproxy"
	"github.com/bundle-delivery/svc/internal/testkit/must"
	"github.com/bundle-delivery/svc/internal/testkit/pgmeter"
	"github.com/bundle-delivery/svc/internal/testkit/pgtest"
)

const (
	linkClients = 8
	linkRounds  = 5    // of each kind
	linkDue     = 2000 // bundles in each round of the clean-up
	linkAcks    = 3000 // bundles of each client, far more than it comes to
	// linkNoise is what a busy machine may add to the median of some rounds.
	linkNoise = 20 * time.Millisecond
)

// populateForLink makes accounts with bundles: those of the first are due, one each
// millisecond, each of the others has its own client.
func populateForLink(t *testing.T, cluster *pgtest.Cluster, name string, due, acks int) {
	t.Helper()
	cluster.SQL(t, name, fmt.Sprintf(`
INSERT INTO accounts (id, email, plan, password_hash, admin, created_at, pending_bytes)
  SELECT 'acct_' || n, n || '@example.com', 'developer', '', false, 0, 1000000000 FROM generate_series(0, %[1]d) AS n;
INSERT INTO projects (id, account_id, name, created_at, updated_at, revision, pack_blob, pack_files, pack_bytes, pack_size, pack_sha256, state, memory, memory_revision)
  SELECT 'proj_' || n, 'acct_' || n, '', 0, 0, 0, '', 0, 0, 0, ''::bytea, '{}', '', 0 FROM generate_series(0, %[1]d) AS n;
INSERT INTO bundles (id, account_id, project_id, generation_id, status, file_count, size, sha256, blob, created_at, expires_at)
  SELECT format('00000000-0000-7000-8000-%%s', lpad((a * 1000000 + n)::text, 12, '0')), 'acct_' || a, 'proj_' || a, '', 'pending_download', 1, 1,
    decode(repeat('00', 32), 'hex'), format('bundles/%%s-%%s', a, n), n, CASE a WHEN 0 THEN n ELSE 9000000000000 END
  FROM generate_series(0, %[1]d) AS a, generate_series(1, CASE a WHEN 0 THEN %[2]d ELSE %[3]d END) AS n;
ANALYZE`, linkClients, due, acks))
}

// linked is a database over a link of a millisecond, with what is done on it.
type linked struct {
	name    string
	store   *postgres.Store
	service *delivery.Service
	cleaner *delivery.Cleaner
	clock   atomic.Int64 // in milliseconds: as many bundles are due
	acked   [linkClients]int
}

// deletesAll is a bucket that deletes whatever it is told: it is the database that is
// looked at.
type deletesAll struct{ svc.Blobs }

func (deletesAll) Delete(context.Context, string) error                  { return nil }
func (deletesAll) DeleteAll(context.Context, []string) ([]string, error) { return nil, nil }

func newLinked(t *testing.T, cluster *pgtest.Cluster, due int) *linked {
	t.Helper()
	l := &linked{name: cluster.Database(t)}
	aside, err := postgres.Open(t.Context(), cluster.Address(l.name)) // makes the schema
	must.Do(t, err)
	must.Do(t, aside.Close())
	populateForLink(t, cluster, l.name, due, linkAcks)
	link, err := faultproxy.Listen(t.Context(), "unix", cluster.Socket())
	must.Do(t, err)
	t.Cleanup(func() { must.Do(t, link.Close()) })
	link.Set(faultproxy.Fault{Delay: time.Millisecond / 2})
	l.store, err = postgres.Open(t.Context(), "postgres://svc@"+link.Address()+"/"+l.name+"?sslmode=disable&pool_max_conns=20",
		postgres.WithClock(func() time.Time { return time.UnixMilli(l.clock.Load()) }))
	must.Do(t, err)
	t.Cleanup(func() { must.Do(t, l.store.Close()) })
	l.service = delivery.New(delivery.Config{Store: l.store, Blobs: deletesAll{}, Limits: delivery.DefaultLimits()})
	l.cleaner = &delivery.Cleaner{Store: l.store, Blobs: deletesAll{}, Interval: time.Nanosecond}
	return l
}

// clean is one round of the clean-up.
func (l *linked) clean(t *testing.T) time.Duration {
	t.Helper()
	l.clock.Add(linkDue)
	done, ran, err := l.cleaner.CleanUp(t.Context())
	must.Do(t, err)
	if !ran || done.Expired != linkDue || done.Deleted < linkDue || !done.Complete { // also what was acknowledged
		t.Fatalf("%+v, %t", done, ran)
	}
	return done.Took
}

// acknowledgeDuring has every client acknowledge one bundle after the other meanwhile.
func (l *linked) acknowledgeDuring(t *testing.T, do func()) (took []time.Duration) {
	t.Helper()
	var over atomic.Bool
	var clients sync.WaitGroup
	var mu sync.Mutex
	for c := range linkClients {
		clients.Go(func() {
			for !over.Load() && l.acked[c] < linkAcks {
				l.acked[c]++
				id := fmt.Sprintf("00000000-0000-7000-8000-%012d", (c+1)*1000000+l.acked[c])
				begun := time.Now()
				if _, err := l.service.Acknowledge(t.Context(), fmt.Sprint("acct_", c+1), id); err != nil {
					t.Errorf("acknowledge %s: %v", id, err)
					return
				}
				mu.Lock()
				took = append(took, time.Since(begun))
				mu.Unlock()
			}
		})
	}
	do()
	over.Store(true)
	clients.Wait()
	return took
}

// TestTheCleanUpKeepsItsPaceOverALink: strangers that acknowledge at the same time cost
// it at most half of its pace, and it costs them as little; nothing is rolled back. What
// that is compared with is the same work of the same machine at the same time, with the
// strangers in another database, so that a busy machine slows both.
// Promise: cleanup-contention
func TestTheCleanUpKeepsItsPaceOverALink(t *testing.T) {
	cluster := pgtest.Start(t)
	const dueInAll = 2 * (linkRounds + 1) * linkDue
	here, elsewhere := newLinked(t, cluster, dueInAll), newLinked(t, cluster, 0)
	var apart, beside, acksApart, acksBeside []time.Duration
	var rolledBack int64
	for round := range linkRounds + 1 {
		var cleanApart, cleanBeside time.Duration
		a := elsewhere.acknowledgeDuring(t, func() { cleanApart = here.clean(t) })
		before := rollbacks(t, cluster, here.name)
		b := here.acknowledgeDuring(t, func() { cleanBeside = here.clean(t) })
		rolledBack += rollbacks(t, cluster, here.name) - before
		if round > 0 { // the first prepares connections and statements
			apart, beside = append(apart, cleanApart), append(beside, cleanBeside)
			acksApart, acksBeside = append(acksApart, a...), append(acksBeside, b...)
		}
	}
	t.Logf("a clean-up of %d: %v, beside strangers %v; one of %d acknowledgements: %v, beside the clean-up %v (of %d); %d rolled back",
		linkDue, median(apart), median(beside), len(acksApart), median(acksApart), median(acksBeside), len(acksBeside), rolledBack)
	if rolledBack > 0 {
		t.Errorf("%d transactions were rolled back", rolledBack)
	}
	if median(beside) > 2*median(apart)+linkNoise {
		t.Errorf("beside acknowledgements the clean-up takes %v, beside those in another database %v", beside, apart)
	}
	if len(acksBeside) == 0 || median(acksBeside) > 2*median(acksApart) {
		t.Errorf("beside the clean-up %d acknowledgements take %v, beside that of another database %v", len(acksBeside), median(acksBeside), median(acksApart))
	}
	tally, err := here.store.Bundles().Tally(t.Context())
	must.Do(t, err)
	if expired := tally[2]; expired.Status != svc.BundleExpired || expired.Count != dueInAll {
		t.Errorf("%d are counted as expired, want %d", expired.Count, dueInAll)
	}
}

func rollbacks(t *testing.T, cluster *pgtest.Cluster, name string) (n int64) {
	t.Helper()
	s, err := postgres.Open(t.Context(), cluster.Address(name))
	must.Do(t, err)
	defer func() { must.Do(t, s.Close()) }()
	n, err = postgres.RolledBack(t.Context(), s)
	must.Do(t, err)
	return n
}

func median(of []time.Duration) time.Duration {
	if len(of) == 0 {
		return 0
	}
	slices.Sort(of)
	return of[len(of)/2]
}

// TestACleanUpCostsFewRoundTrips: a hundred bundles expire in one statement, and what is
// due is collected, forgotten and noted in one each.
// Promise: round-trips
func TestACleanUpCostsFewRoundTrips(t *testing.T) {
	cluster := pgtest.Start(t)
	name := cluster.Database(t)
	meter, err := pgmeter.Start(t.Context(), "unix", cluster.Socket())
	must.Do(t, err)
	defer func() { must.Do(t, meter.Close()) }()
	store, err := postgres.Open(t.Context(), "postgres://svc@"+meter.Address()+"/"+name+"?sslmode=disable")
	must.Do(t, err)
	defer func() { must.Do(t, store.Close()) }()
	populateForLink(t, cluster, name, 200, 0)
	blobs, err := fsblob.Open(t.TempDir())
	must.Do(t, err)
	defer func() { must.Do(t, blobs.Close()) }()
	cleaner := &delivery.Cleaner{Store: store, Blobs: blobs, Interval: time.Nanosecond}
	var cost int64
	for n := range 2 { // the first prepares the statements
		cluster.SQL(t, name, fmt.Sprintf(`UPDATE bundles SET expires_at = CASE WHEN created_at > %d AND created_at <= %d THEN 1 ELSE 9000000000000 END
			WHERE account_id = 'acct_0' AND status = 'pending_download'`, 100*n, 100*(n+1)))
		before := meter.Trips()
		done, ran, err := cleaner.CleanUp(t.Context())
		must.Do(t, err)
		if cost = meter.Trips() - before; !ran || done.Expired != 100 || done.Deleted != 100 {
			t.Fatalf("%+v, %t", done, ran)
		}
	}
	if t.Logf("a clean-up of 100 bundles costs %d round trips", cost); cost > 8 {
		t.Errorf("a clean-up of 100 bundles costs %d round trips, want at most 8", cost)
	}
}
