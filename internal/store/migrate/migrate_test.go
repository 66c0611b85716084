//go:build unix

package migrate_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/store/fsblob"
	"github.com/bundle-delivery/svc/internal/store/migrate"
	"github.com/bundle-delivery/svc/internal/store/postgres"
	"github.com/bundle-delivery/svc/internal/testkit/pgtest"
)

// fault fails one operation of the target, and all after it, as if the process
// had ended there.
type fault struct {
	at  int64 // 0: never
	ops atomic.Int64
}

var errFault = errors.New("the power is gone")

func (f *fault) step() error {
	if n := f.ops.Add(1); f.at > 0 && n >= f.at {
		return errFault
	}
	return nil
}

// records is a database that fails.
type records struct {
	*postgres.Store
	fault *fault
}

func (r records) CheckEmpty(ctx context.Context) error {
	return errors.Join(r.fault.step(), r.Store.CheckEmpty(ctx))
}

func (r records) Load(ctx context.Context, origin string, fill func(svc.Loader) error) error {
	if err := r.fault.step(); err != nil {
		return err
	}
	err := r.Store.Load(ctx, origin, func(l svc.Loader) error { return fill(loader{l, r.fault}) })
	return errors.Join(err, r.fault.step()) // committed, and nobody hears of it
}

type loader struct {
	svc.Loader
	fault *fault
}

func (l loader) Put(ctx context.Context, t svc.Table, rows iter.Seq2[[]any, error]) error {
	return l.Loader.Put(ctx, t, func(yield func([]any, error) bool) {
		for row, err := range rows {
			if !yield(row, errors.Join(err, l.fault.step())) {
				return
			}
		}
	})
}

// blobs is a store that fails.
type blobs struct {
	*fsblob.Store
	fault *fault
	name  string    // of something that is there, or empty
	keys  *sync.Map // of those that moves made
}

func (b *blobs) CheckEmpty(context.Context) error {
	if b.name != "" {
		return svc.ErrConflict
	}
	return b.fault.step()
}

func (b *blobs) Create(ctx context.Context, key string) (svc.BlobWriter, error) {
	if err := b.fault.step(); err != nil {
		return nil, err
	}
	w, err := b.Store.Create(ctx, key)
	return &writer{w, b, key}, err
}

func (b *blobs) Delete(ctx context.Context, key string) error {
	if err := b.fault.step(); err != nil {
		return err
	}
	b.keys.Delete(key)
	return errors.Join(b.Store.Delete(ctx, key), b.fault.step())
}

func (b *blobs) Keys(context.Context) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for key := range b.keys.Range {
			if !yield(fmt.Sprint(key), b.fault.step()) {
				return
			}
		}
	}
}

type writer struct {
	svc.BlobWriter
	store *blobs
	key   string
}

func (w *writer) Commit() error {
	if err := w.store.fault.step(); err != nil {
		return err
	}
	w.store.keys.Store(w.key, true)
	return errors.Join(w.BlobWriter.Commit(), w.store.fault.step())
}

// target is what a source is moved to.
type target struct {
	records *postgres.Store
	blobs   *fsblob.Store
	keys    *sync.Map
}

func newTarget(t *testing.T, address string) *target {
	t.Helper()
	store, err := postgres.Open(t.Context(), address+"&pool_max_conns=3")
	if err != nil {
		t.Fatal(err)
	}
	files, err := fsblob.Open(filepath.Join(t.TempDir(), "target"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(store.Close(), files.Close()); err != nil {
			t.Error(err)
		}
	})
	return &target{store, files, &sync.Map{}}
}

// begin makes a move, with a fault.
func (to *target) begin(dump svc.Dump, from *source, f *fault) (m *migrate.Move, sealed *bool) {
	sealed = new(bool)
	return &migrate.Move{
		Origin: "origin", From: dump, FromBlobs: from.blobs,
		To: records{to.records, f}, ToBlobs: &blobs{Store: to.blobs, fault: f, keys: to.keys},
		Seal:   func() error { *sealed = true; return nil },
		Unseal: func() error { *sealed = false; return nil },
	}, sealed
}

// move moves once, with a fault. It tells what the source knows then.
func (to *target) move(t *testing.T, from *source, f *fault) (sum migrate.Summary, sealed bool, err error) {
	t.Helper()
	dump, closeAll := from.dump(t)
	defer closeAll()
	m, seal := to.begin(dump, from, f)
	sum, err = m.Run(t.Context())
	return sum, *seal, err
}

// clear empties the target.
func (to *target) clear(t *testing.T, from *source, run func(query string)) {
	t.Helper()
	run(`DO $$ DECLARE names text; BEGIN
		SELECT string_agg(quote_ident(tablename), ', ') INTO names FROM pg_tables
		WHERE schemaname = current_schema() AND tablename NOT IN ('goose_db_version', 'schema_terms');
		SET LOCAL session_replication_role = replica; -- the audit log cannot be emptied otherwise
		EXECUTE 'TRUNCATE ' || names;
	END $$`)
	for key := range from.bytes {
		if err := to.blobs.Delete(t.Context(), key); err != nil {
			t.Fatal(err)
		}
	}
}

// check insists that everything of the source is there.
func (to *target) check(t *testing.T, from *source) {
	t.Helper()
	for key, want := range from.bytes {
		r, err := to.blobs.Open(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(r)
		if err := errors.Join(err, r.Close()); err != nil || string(got) != string(want) {
			t.Errorf("%s is another one (%v)", key, err)
		}
	}
	if _, err := to.blobs.Open(t.Context(), "svcd-migration"); !errors.Is(err, svc.ErrNotFound) {
		t.Errorf("the mark of the move is still there (%v)", err)
	}
	w := svc.Window{}
	err := to.records.Tx(t.Context(), func(r svc.Records) (err error) {
		w, err = r.Windows().Lock(t.Context(), "a1", "download")
		return err
	})
	if err != nil || len(w.Admitted) != 3 || w.Admitted[2].UnixMilli() != 300000000000 {
		t.Errorf("the window is %+v (%v)", w, err)
	}
	project, err := to.records.Projects().Get(t.Context(), "a1", "proj_1")
	if err != nil || project.Memory != "me\uFFFDmory" {
		t.Errorf("the project is %+v (%v)", project, err)
	}
}

// Promise: move-complete, move-interrupted, move-refuses, audit-moves
func TestMove(t *testing.T) {
	cluster := pgtest.Start(t)
	template := cluster.Database(t)
	if s, err := postgres.Open(t.Context(), cluster.Address(template)); err != nil || s.Close() != nil {
		t.Fatal(err)
	}
	fresh := func(t *testing.T) *target { return newTarget(t, cluster.Address(cluster.Copy(t, template))) }
	steps := int64(0)

	t.Run("everything arrives and is compared", func(t *testing.T) {
		from, to, f := newSource(t), fresh(t), &fault{}
		sum, sealed, err := to.move(t, from, f)
		if err != nil || !sealed {
			t.Fatalf("sealed %v: %v", sealed, err)
		}
		steps = f.ops.Load()
		to.check(t, from)
		want := migrate.BlobSummary{Count: int64(len(from.bytes)), Bytes: sum.Blobs.Bytes}
		if diff := cmp.Diff(want, sum.Blobs); diff != "" {
			t.Error(diff)
		}
		for _, table := range sum.Tables {
			if table.Rows == 0 {
				t.Errorf("the table %s was empty and shows nothing: fill it in this test", table.Name)
			}
		}
		if sum.Replaced != projects {
			t.Errorf("%d texts were replaced", sum.Replaced)
		}
		again, _, err := to.move(t, from, &fault{})
		if err != nil || !again.Already {
			t.Errorf("moved again: %+v (%v)", again, err)
		}
	})

	t.Run("it can end at every step and be begun again", func(t *testing.T) {
		if steps == 0 {
			t.Skip("it never succeeded")
		}
		name := cluster.Copy(t, template)
		from, to := newSource(t), newTarget(t, cluster.Address(name))
		for at := int64(1); at <= steps; at++ {
			if testing.Short() && at%5 != 0 {
				continue
			}
			to.clear(t, from, func(query string) { cluster.SQL(t, name, query) })
			_, sealed, err := to.move(t, from, &fault{at: at})
			if !errors.Is(err, errFault) {
				t.Fatalf("step %d: %v", at, err)
			}
			loaded, err := to.records.Loaded(t.Context(), "origin")
			if err != nil {
				t.Fatal(err)
			}
			if loaded && !sealed {
				t.Errorf("step %d: the target has the records, and the source may be used", at)
			}
			if !loaded && to.records.CheckEmpty(t.Context()) != nil {
				t.Errorf("step %d: the target has some of the records", at)
			}
			if _, _, err := to.move(t, from, &fault{}); err != nil {
				t.Fatalf("after step %d: %v", at, err)
			}
			to.check(t, from)
		}
	})

	t.Run("a damaged source is named and nothing is loaded", func(t *testing.T) {
		from, to := newSource(t), fresh(t)
		from.write(t, from.blobs, "packs/1", []byte("rotten"))
		if err := from.blobs.Delete(t.Context(), "bundles/2-3"); err != nil {
			t.Fatal(err)
		}
		_, sealed, err := to.move(t, from, &fault{})
		if err == nil || sealed || !strings.Contains(err.Error(), "proj_1") || !strings.Contains(err.Error(), "bundle-2-3") {
			t.Errorf("sealed %v: %v", sealed, err)
		}
		if err := to.records.CheckEmpty(t.Context()); err != nil {
			t.Error(err)
		}
	})

	t.Run("a target that holds something else is refused", func(t *testing.T) {
		from, to := newSource(t), fresh(t)
		if err := to.records.Accounts().Insert(t.Context(), svc.Account{ID: "x", Email: "x@example.com", Plan: svc.PlanHobby}); err != nil {
			t.Fatal(err)
		}
		if _, _, err := to.move(t, from, &fault{}); !errors.Is(err, svc.ErrConflict) || !strings.Contains(err.Error(), "accounts") {
			t.Errorf("database: %v", err)
		}
		to = fresh(t)
		from.write(t, to.blobs, "svcd-migration", []byte("another"))
		if _, _, err := to.move(t, from, &fault{}); !errors.Is(err, svc.ErrConflict) {
			t.Errorf("another move: %v", err)
		}
		dump, closeAll := from.dump(t)
		defer closeAll()
		m, _ := to.begin(dump, from, &fault{})
		m.ToBlobs = &blobs{Store: fresh(t).blobs, fault: &fault{}, name: "something"}
		if _, err := m.Run(t.Context()); !errors.Is(err, svc.ErrConflict) || !strings.Contains(err.Error(), "archive store") {
			t.Errorf("bucket: %v", err)
		}
	})

	t.Run("what is acknowledged between two tries does not stay in the target", func(t *testing.T) {
		from, to := newSource(t), fresh(t)
		dump, closeAll := from.dump(t)
		m, _ := to.begin(dump, from, &fault{})
		m.Seal = func() error { return errFault } // all blobs are there, and no record is
		if _, err := m.Run(t.Context()); !errors.Is(err, errFault) {
			t.Fatal(err)
		}
		closeAll()
		from.acknowledge(t, "bundle-1-2", "bundles/1-2")
		sum, _, err := to.move(t, from, &fault{})
		if err != nil || sum.Blobs.Removed != 1 || sum.Blobs.Found != int64(len(from.bytes)) {
			t.Errorf("moved %+v (%v)", sum.Blobs, err)
		}
		to.check(t, from)
		if _, err := to.blobs.Open(t.Context(), "bundles/1-2"); !errors.Is(err, svc.ErrNotFound) {
			t.Errorf("the archive is still there (%v)", err)
		}
	})

	t.Run("the source stays sealed as long as an earlier try may arrive", func(t *testing.T) {
		for name, tc := range map[string]struct {
			earlier bool // it sealed the source and was killed
			load    error
			sealed  bool
		}{
			"nobody was there before":                    {false, errFault, false},
			"an earlier try may still hold the lock":     {true, errFault, true},
			"the target holds something from elsewhere":  {true, svc.ErrConflict, false},
			"it was elsewhere's, and nobody came before": {false, svc.ErrConflict, false},
		} {
			from, to := newSource(t), fresh(t)
			dump, closeAll := from.dump(t)
			m, sealed := to.begin(dump, from, &fault{})
			m.To, m.Sealed = &refusing{Records: m.To, load: tc.load}, tc.earlier
			if _, err := m.Run(t.Context()); !errors.Is(err, tc.load) || *sealed != tc.sealed {
				t.Errorf("%s: sealed %v (%v)", name, *sealed, err)
			}
			closeAll()
		}
	})

	t.Run("records of an earlier try that arrive late are the truth", func(t *testing.T) {
		from, to := newSource(t), fresh(t)
		if _, _, err := to.move(t, from, &fault{}); err != nil {
			t.Fatal(err)
		}
		dump, closeAll := from.dump(t)
		defer closeAll()
		m, sealed := to.begin(dump, from, &fault{})
		m.To, m.Sealed = &late{Records: m.To}, true
		sum, err := m.Run(t.Context())
		if err != nil || !sum.Already || !*sealed {
			t.Errorf("sealed %v: %+v (%v)", *sealed, sum, err)
		}
		to.check(t, from)
	})
}

// refusing is a database in which nothing can be begun.
type refusing struct {
	migrate.Records
	load error
}

func (r *refusing) Load(context.Context, string, func(svc.Loader) error) error { return r.load }

// late is a database that looks empty until it is to be loaded.
type late struct {
	migrate.Records
	arrived bool
}

func (l *late) Loaded(ctx context.Context, origin string) (bool, error) {
	if !l.arrived {
		return false, nil
	}
	return l.Records.Loaded(ctx, origin)
}

func (*late) CheckEmpty(context.Context) error { return nil }

func (l *late) Load(ctx context.Context, origin string, fill func(svc.Loader) error) error {
	l.arrived = true
	return l.Records.Load(ctx, origin, fill)
}
