package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/delivery"
	"github.com/bundle-delivery/svc/internal/fsblob"
	"github.com/bundle-delivery/svc/internal/sqlite"
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
// same on a thousand. It calls the use cases: over HTTPS the constant part of a
// request would hide a difference.
func benchScale(ctx context.Context, l *lab) (s section, err error) {
	small, err := newScaled(ctx, filepath.Join(l.dir, "scale-small"), scaleSmall, l.rounds)
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, small.close()) }()
	large, err := newScaled(ctx, filepath.Join(l.dir, "scale-large"), scaleLarge, l.rounds)
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, large.close()) }()

	operations := []struct {
		name string
		do   func(*scaled, context.Context, int) error
	}{
		{"latest", (*scaled).latest},
		{"ack", (*scaled).acknowledge},
		{fmt.Sprintf("clean-up of %d due bundles", scaleBatch), (*scaled).cleanUp},
	}
	for _, op := range operations {
		var few, many sample
		for round := range l.rounds + 1 {
			f, err := timed(func() error { return op.do(small, ctx, round) })
			if err != nil {
				return s, fmt.Errorf("%s, small: %w", op.name, err)
			}
			m, err := timed(func() error { return op.do(large, ctx, round) })
			if err != nil {
				return s, fmt.Errorf("%s, large: %w", op.name, err)
			}
			if round > 0 {
				few, many = append(few, f), append(many, m)
			}
		}
		s.add(op.name+", 1,000 bundles", few.show("%.2f ms"), "")
		s.add(op.name+", 1,000,000 bundles", many.show("%.2f ms"), "")
		s.add(op.name+", ratio", many.over(few).show("%.2f×"), "at most 1.5×")
	}
	s.note("%d accounts; `latest` is the time of %d calls, `ack` of %d, one after the other.", scaleAccounts, scaleReads, scaleRepeat)
	return s, nil
}

// scaled is a database with many bundles, and the use cases on it.
type scaled struct {
	store   *sqlite.Store
	blobs   *fsblob.Store
	service *delivery.Service
	cleaner *delivery.Cleaner
	now     time.Time
	pending []svc.Bundle
}

func newScaled(ctx context.Context, dir string, bundles, rounds int) (*scaled, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	s := &scaled{now: time.Now()}
	file := filepath.Join(dir, "svcd.db")
	var err error
	if s.store, err = sqlite.Open(ctx, file, sqlite.WithClock(func() time.Time { return s.now })); err != nil {
		return nil, err
	}
	if s.blobs, err = fsblob.Open(filepath.Join(dir, "blobs")); err != nil {
		return nil, errors.Join(err, s.store.Close())
	}
	s.service = delivery.New(delivery.Config{Store: s.store, Blobs: s.blobs, Limits: delivery.DefaultLimits()})
	s.cleaner = &delivery.Cleaner{Store: s.store, Blobs: s.blobs, Interval: time.Millisecond}
	if err := seed(ctx, file, bundles, s.now); err != nil {
		return nil, errors.Join(fmt.Errorf("seed: %w", err), s.close())
	}
	// What the rounds acknowledge and expire is on top, the same in both.
	for i := range (rounds + 1) * (scaleRepeat + scaleBatch) {
		b := svc.Bundle{
			ID: svc.NewBundleID(s.now), AccountID: "acct_0", ProjectID: "proj_0",
			Status: svc.BundlePending, FileCount: 1, Size: 1, CreatedAt: s.now, ExpiresAt: s.now.Add(48 * time.Hour),
		}
		b.Blob = "bundles/" + b.ID + ".zip"
		if i >= (rounds+1)*scaleRepeat {
			b.ExpiresAt = s.now.Add(time.Duration(1+(i-(rounds+1)*scaleRepeat)/scaleBatch) * time.Hour)
		} else {
			s.pending = append(s.pending, b)
		}
		if err := s.store.Bundles().Insert(ctx, b); err != nil {
			return nil, errors.Join(err, s.close())
		}
	}
	return s, nil
}

func (s *scaled) close() error { return errors.Join(s.store.Close(), s.blobs.Close()) }

func (s *scaled) latest(ctx context.Context, _ int) error {
	for i := range scaleReads {
		if _, err := s.service.Latest(ctx, fmt.Sprintf("acct_%d", 1+i%(scaleAccounts-1)), ""); err != nil {
			return err
		}
	}
	return nil
}

func (s *scaled) acknowledge(ctx context.Context, round int) error {
	for _, b := range s.pending[round*scaleRepeat : (round+1)*scaleRepeat] {
		if _, err := s.service.Acknowledge(ctx, b.AccountID, b.ID); err != nil {
			return err
		}
	}
	return nil
}

// cleanUp lets an hour pass, in which one batch falls due.
func (s *scaled) cleanUp(ctx context.Context, _ int) error {
	s.now = s.now.Add(time.Hour)
	done, ran, err := s.cleaner.CleanUp(ctx)
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
	defer func() { _ = db.Close() }()
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
