//go:build unix

package postgres_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/delivery"
	"github.com/bundle-delivery/svc/internal/faultproxy"
	"github.com/bundle-delivery/svc/internal/fsblob"
	"github.com/bundle-delivery/svc/internal/pgmeter"
	"github.com/bundle-delivery/svc/internal/pgtest"
	"github.com/bundle-delivery/svc/internal/postgres"
)

const (
	linkClients = 8
	linkRounds  = 5
	linkDue     = 400 // bundles in each round of the clean-up
	linkAcks    = 400 // for each client
	// linkNoise is what a busy machine may add to the quickest of some rounds.
	linkNoise = 150 * time.Millisecond
)

// populateForLink makes accounts with bundles: those of the first are due, each of the
// others has its own client.
func populateForLink(t *testing.T, cluster *pgtest.Cluster, name string) {
	t.Helper()
	cluster.SQL(t, name, fmt.Sprintf(`
INSERT INTO accounts (id, email, plan, password_hash, admin, created_at, pending_bytes)
  SELECT 'acct_' || n, n || '@example.com', 'developer', '', false, 0, 1000000000 FROM generate_series(0, %[1]d) AS n;
INSERT INTO projects (id, account_id, name, created_at, updated_at, revision, pack_blob, pack_files, pack_bytes, pack_size, pack_sha256, state, memory, memory_revision)
  SELECT 'proj_' || n, 'acct_' || n, '', 0, 0, 0, '', 0, 0, 0, ''::bytea, '{}', '', 0 FROM generate_series(0, %[1]d) AS n;
INSERT INTO bundles (id, account_id, project_id, generation_id, status, file_count, size, sha256, blob, created_at, expires_at)
  SELECT format('00000000-0000-7000-8000-%%s', lpad((a * 1000000 + n)::text, 12, '0')), 'acct_' || a, 'proj_' || a, '', 'pending_download', 1, 1,
    decode(repeat('00', 32), 'hex'), format('bundles/%%s-%%s', a, n), n, CASE a WHEN 0 THEN n ELSE 9000000000000 END
  FROM generate_series(0, %[1]d) AS a, generate_series(1, CASE a WHEN 0 THEN %[2]d ELSE %[3]d END) AS n;`,
		linkClients, 2*linkRounds*linkDue, 2*linkAcks))
}

// TestTheCleanUpKeepsItsPaceOverALink: strangers that acknowledge at the same time cost
// it at most half of its pace, and it costs them as little; nothing is rolled back.
func TestTheCleanUpKeepsItsPaceOverALink(t *testing.T) {
	cluster := pgtest.Start(t)
	name := cluster.Database(t)
	aside, err := postgres.Open(t.Context(), cluster.Address(name))
	ok(t, err)
	defer func() { ok(t, aside.Close()) }()
	populateForLink(t, cluster, name)
	link, err := faultproxy.Listen(t.Context(), "unix", cluster.Socket())
	ok(t, err)
	defer func() { ok(t, link.Close()) }()
	link.Set(faultproxy.Fault{Delay: time.Millisecond / 2})
	store, err := postgres.Open(t.Context(), "postgres://svc@"+link.Address()+"/"+name+"?sslmode=disable&pool_max_conns=20")
	ok(t, err)
	defer func() { ok(t, store.Close()) }()
	blobs, err := fsblob.Open(t.TempDir())
	ok(t, err)
	defer func() { ok(t, blobs.Close()) }()
	service := delivery.New(delivery.Config{Store: store, Blobs: blobs, Limits: delivery.DefaultLimits()})

	clean := func() time.Duration { // one round: as many bundles are due
		begun := time.Now()
		for left := linkDue; left > 0; {
			expired, err := store.Bundles().Expire(t.Context(), time.Now(), min(left, 200))
			ok(t, err)
			if len(expired) == 0 {
				t.Fatal("nothing is left to expire")
			}
			left -= len(expired)
		}
		return time.Since(begun)
	}
	acknowledge := func(ctx context.Context, client, from int) (took []time.Duration) {
		for n := from; n <= from+linkAcks-1 && ctx.Err() == nil; n++ {
			begun := time.Now()
			id := "00000000-0000-7000-8000-" + fmt.Sprintf("%012d", client*1000000+n)
			if _, err := service.Acknowledge(ctx, fmt.Sprint("acct_", client), id); err != nil && ctx.Err() == nil {
				t.Errorf("acknowledge %s: %v", id, err)
				return took
			}
			took = append(took, time.Since(begun))
		}
		return took
	}
	together := func(from int, during func()) (all []time.Duration) {
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		var clients sync.WaitGroup
		var mu sync.Mutex
		for c := range linkClients {
			clients.Go(func() {
				took := acknowledge(ctx, c+1, from)
				mu.Lock()
				defer mu.Unlock()
				all = append(all, took...)
			})
		}
		during()
		stop()
		clients.Wait()
		return all
	}
	var alone, beside []time.Duration
	clean() // prepares statements
	for range linkRounds - 1 {
		alone = append(alone, clean())
	}
	acksAlone := together(1, func() { time.Sleep(time.Second) })
	rolledBack := rollbacks(t, cluster, name)
	acksBeside := together(linkAcks+1, func() {
		for range linkRounds {
			beside = append(beside, clean())
		}
	})
	if n := rollbacks(t, cluster, name) - rolledBack; n > 2*linkClients { // those that were under way at the ends of both
		t.Errorf("%d transactions were rolled back", n)
	}
	t.Logf("a clean-up of %d: alone %v, beside %d clients %v; an acknowledgement: alone %v, beside it %v (%d)",
		linkDue, median(alone), linkClients, median(beside), median(acksAlone), median(acksBeside), len(acksBeside))
	if slices.Min(beside) > 2*slices.Min(alone)+linkNoise {
		t.Errorf("beside acknowledgements the clean-up takes %v, alone %v", beside, alone)
	}
	if median(acksBeside) > 2*median(acksAlone)+linkNoise {
		t.Errorf("beside the clean-up an acknowledgement takes %v, alone %v", median(acksBeside), median(acksAlone))
	}
	tally, err := aside.Bundles().Tally(t.Context())
	ok(t, err)
	if expired := tally[2]; expired.Status != svc.BundleExpired || expired.Count != 2*linkRounds*linkDue {
		t.Errorf("%d are counted as expired, want %d", expired.Count, 2*linkRounds*linkDue)
	}
}

func rollbacks(t *testing.T, cluster *pgtest.Cluster, name string) (n int64) {
	t.Helper()
	s, err := postgres.Open(t.Context(), cluster.Address(name))
	ok(t, err)
	defer func() { ok(t, s.Close()) }()
	n, err = postgres.RolledBack(t.Context(), s)
	ok(t, err)
	return n
}

func median(of []time.Duration) time.Duration {
	if len(of) == 0 {
		return 0
	}
	slices.Sort(of)
	return of[len(of)/2]
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestACleanUpCostsFewRoundTrips: a hundred bundles expire in one statement, and what is
// due is collected, forgotten and noted in one each.
func TestACleanUpCostsFewRoundTrips(t *testing.T) {
	cluster := pgtest.Start(t)
	name := cluster.Database(t)
	meter, err := pgmeter.Start(t.Context(), "unix", cluster.Socket())
	ok(t, err)
	defer func() { ok(t, meter.Close()) }()
	store, err := postgres.Open(t.Context(), "postgres://svc@"+meter.Address()+"/"+name+"?sslmode=disable")
	ok(t, err)
	defer func() { ok(t, store.Close()) }()
	populateForLink(t, cluster, name)
	blobs, err := fsblob.Open(t.TempDir())
	ok(t, err)
	defer func() { ok(t, blobs.Close()) }()
	cleaner := &delivery.Cleaner{Store: store, Blobs: blobs, Interval: time.Nanosecond}
	var cost int64
	for n := range 2 { // the first prepares the statements
		cluster.SQL(t, name, fmt.Sprintf(`UPDATE bundles SET expires_at = CASE WHEN created_at > %d AND created_at <= %d THEN 1 ELSE 9000000000000 END
			WHERE account_id = 'acct_0' AND status = 'pending_download'`, 100*n, 100*(n+1)))
		before := meter.Trips()
		done, ran, err := cleaner.CleanUp(t.Context())
		ok(t, err)
		if cost = meter.Trips() - before; !ran || done.Expired != 100 || done.Deleted != 100 {
			t.Fatalf("%+v, %t", done, ran)
		}
	}
	if t.Logf("a clean-up of 100 bundles costs %d round trips", cost); cost > 8 {
		t.Errorf("a clean-up of 100 bundles costs %d round trips, want at most 8", cost)
	}
}
