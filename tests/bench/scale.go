package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/accounts"
	"github.com/bundle-delivery/svc/internal/delivery"
	"github.com/bundle-delivery/svc/internal/store/fsblob"
	"github.com/bundle-delivery/svc/internal/store/sqlite"
	"github.com/bundle-delivery/svc/internal/testkit/harness"
)

const (
	scaleAccounts = 100
	scaleSmall    = 1_000
	scaleLarge    = 1_000_000
	// scaleBatch is how many bundles fall due between two clean-ups.
	scaleBatch = 20
	// scaleRepeat is how often a bundle is acknowledged in one round, scaleReads
	// how often the latest one is asked for: every account twice.
	scaleRepeat = 20
	scaleReads  = 2 * (scaleAccounts - 1)
)

// benchScale compares operations on a database of a million bundles with the
// same on a thousand: latest and ack over HTTPS, the clean-up by its use case.
func benchScale(ctx context.Context, e *env) (s section) {
	small, large := newScaled(ctx, e, "scale-small", scaleSmall), newScaled(ctx, e, "scale-large", scaleLarge)
	s.compare(e, fmt.Sprintf("clean-up of %d due bundles", scaleBatch), small, large, func(side *scaled, _ int) error { return side.cleanUp(ctx) })
	for _, side := range []*scaled{small, large} {
		check(side.close())
		side.daemon = e.server(ctx, filepath.Base(side.dir), "--cleanup-interval", "1000h")
	}
	s.compare(e, "latest", small, large, func(side *scaled, _ int) error { return side.latest(ctx) })
	s.compare(e, "ack", small, large, func(side *scaled, round int) error { return side.acknowledge(ctx, round) })
	s.note("%d accounts; `latest` is the time of %d requests over HTTPS, `ack` of %d, one after the other. The two sizes are measured one after the other, on a machine that others may use meanwhile: the ratio of a single round tells little. That no more is read among a million is a test (`internal/store/sqlite:TestQueriesUseIndexes`, `internal/store/postgres:TestReadsOnlyWhatItAnswersWithAmongAMillion`).", scaleAccounts, scaleReads, scaleRepeat)
	return s
}

// compare measures one operation on both sides, in turns.
func (s *section) compare(e *env, name string, small, large *scaled, do func(side *scaled, round int) error) {
	var few, many sample
	e.inRounds(func(round int, keep func(*sample, float64)) {
		keep(&few, must(timed(func() error { return do(small, round) })))
		keep(&many, must(timed(func() error { return do(large, round) })))
	})
	s.add(name+", 1,000 bundles", few.show("%.2f ms"), "")
	s.add(name+", 1,000,000 bundles", many.show("%.2f ms"), "")
	s.add(name+", ratio", many.over(few).show("%.2f×"), "at most 1.5×")
}

// scaled is a data folder with many bundles: open at first, and then served.
type scaled struct {
	dir     string
	now     time.Time
	pending []svc.Bundle
	keys    []string // of the accounts, in their order
	store   *sqlite.Store
	blobs   *fsblob.Store
	daemon  daemon
}

func newScaled(ctx context.Context, e *env, name string, bundles int) *scaled {
	s := &scaled{dir: e.folder(name), now: time.Now()}
	file := filepath.Join(s.dir, "svcd.db")
	s.store = must(sqlite.Open(ctx, file, sqlite.WithClock(func() time.Time { return s.now })))
	s.blobs = must(fsblob.Open(filepath.Join(s.dir, "blobs")))
	e.later(s.close)
	check(seed(ctx, file, bundles, s.now))
	people := accounts.New(s.store, time.Now)
	for i := range scaleAccounts {
		full, _, err := people.CreateKey(ctx, accounts.NewKey{AccountID: fmt.Sprintf("acct_%d", i), Name: "bench"})
		check(err)
		s.keys = append(s.keys, full)
	}
	s.addBundles(ctx, e.rounds+1)
	return s
}

// addBundles makes what the rounds acknowledge and expire, the same on both sides.
func (s *scaled) addBundles(ctx context.Context, rounds int) {
	for i := range rounds * (scaleRepeat + scaleBatch) {
		b := svc.Bundle{
			ID: svc.NewBundleID(s.now), AccountID: "acct_0", ProjectID: "proj_0",
			Status: svc.BundlePending, FileCount: 1, Size: 1, CreatedAt: s.now, ExpiresAt: s.now.Add(48 * time.Hour),
		}
		b.Blob = "bundles/" + b.ID + ".zip"
		if i < rounds*scaleRepeat {
			s.pending = append(s.pending, b)
		} else {
			b.ExpiresAt = s.now.Add(time.Duration(1+(i-rounds*scaleRepeat)/scaleBatch) * time.Hour)
		}
		check(s.store.Bundles().Insert(ctx, b))
	}
}

// close leaves the folder to a server; it can be called again.
func (s *scaled) close() error {
	if s.store == nil {
		return nil
	}
	err := errors.Join(s.blobs.Close(), s.store.Close())
	s.store = nil
	return err
}

func (s *scaled) latest(ctx context.Context) (err error) {
	for i := range scaleReads {
		t := harness.Tenant{Key: s.keys[1+i%(scaleAccounts-1)]}
		err = errors.Join(err, s.daemon.expect(ctx, t, http.MethodGet, "/bundles/latest", http.StatusOK, io.Discard))
	}
	return err
}

func (s *scaled) acknowledge(ctx context.Context, round int) (err error) {
	for _, b := range s.pending[round*scaleRepeat : (round+1)*scaleRepeat] {
		t := harness.Tenant{Key: s.keys[0]}
		err = errors.Join(err, s.daemon.expect(ctx, t, http.MethodPost, "/bundles/"+b.ID+"/ack", http.StatusOK, io.Discard))
	}
	return err
}

// cleanUp lets an hour pass, in which one batch falls due.
func (s *scaled) cleanUp(ctx context.Context) error {
	s.now = s.now.Add(time.Hour)
	cleaner := &delivery.Cleaner{Store: s.store, Blobs: s.blobs, Interval: time.Millisecond}
	done, ran, err := cleaner.CleanUp(ctx)
	if err == nil && (!ran || done.Expired != scaleBatch) {
		err = fmt.Errorf("the clean-up ran: %v, and expired %d bundles instead of %d", ran, done.Expired, scaleBatch)
	}
	return err
}

// seed writes bundles in bulk: one in ten waits, the others are history.
func seed(ctx context.Context, file string, bundles int, now time.Time) error {
	db, err := sql.Open("sqlite", "file:"+file+"?_pragma=busy_timeout(10000)")
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }() // every statement was answered
	for _, step := range []struct {
		text string
		args []any
	}{
		{`WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i+1 FROM n WHERE i+1 < $1)
		  INSERT INTO accounts (id, email, plan, password_hash, admin, created_at, pending_bytes)
		  SELECT 'acct_'||i, 'bench'||i||'@example.com', 'developer', '', 0, $2, 0 FROM n`, []any{scaleAccounts, now.UnixMilli()}},
		{`WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i+1 FROM n WHERE i+1 < $1)
		  INSERT INTO projects (id, account_id, name, created_at, updated_at, revision, pack_blob, pack_files, pack_bytes,
		    pack_size, pack_sha256, state, memory, memory_revision)
		  SELECT 'proj_'||i, 'acct_'||i, 'bench', $2, $2, 0, '', 0, 0, 0, zeroblob(32), '{}', '', 0 FROM n`, []any{scaleAccounts, now.UnixMilli()}},
		{`WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i+1 FROM n WHERE i+1 < $1)
		  INSERT INTO bundles (id, account_id, project_id, generation_id, status, file_count, size, sha256, blob,
		    created_at, expires_at, downloaded_at, expired_at)
		  SELECT printf('%08x-0000-7000-8000-%012x', i * 2654435761 % 4294967296, i), 'acct_'||((i / 10) % $2), 'proj_'||((i / 10) % $2), '',
		    CASE i % 10 WHEN 0 THEN 'pending_download' WHEN 1 THEN 'expired' ELSE 'downloaded' END, 3, 1000, zeroblob(32),
		    CASE i % 10 WHEN 0 THEN 'bundles/seed'||i ELSE '' END, $3 - i % 86400000, $3 + 86400000 * 30,
		    CASE WHEN i % 10 > 1 THEN $3 END, CASE WHEN i % 10 = 1 THEN $3 END FROM n`, []any{bundles, scaleAccounts, now.UnixMilli()}},
		{`ANALYZE`, nil},
	} {
		if _, err := db.ExecContext(ctx, step.text, step.args...); err != nil {
			return err
		}
	}
	return nil
}
