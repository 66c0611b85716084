package storetest

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/testkit/must"
)

func testStore(t *testing.T, db Database) {
	db.run(t, "tells the shared time in whole milliseconds and UTC", func(t *testing.T, w *world) {
		w.clock.Set(noon.Add(987_654).In(time.FixedZone("east", 3600)))
		want := func(now time.Time, err error) {
			t.Helper()
			must.Do(t, err)
			if !now.Equal(noon) || now.Location() != time.UTC {
				t.Errorf("now is %v, want %v", now, noon)
			}
		}
		want(w.Now(t.Context()))
		must.Do(t, w.Tx(t.Context(), func(r svc.Records) error {
			want(r.Now(t.Context()))
			return nil
		}))
	})

	db.run(t, "keeps everything when it is closed and opened again", func(t *testing.T, w *world) {
		a := w.account(t)
		k := w.key(t, a.ID)
		p := w.project(t, a.ID)
		b := w.bundle(t, p, noon)
		id := svc.IdempotencyID{AccountID: a.ID, Scope: "repackage/" + p.ID, Key: "k"}
		must.Do(t, w.Windows().Save(t.Context(), a.ID, svc.OpDownload, []time.Time{noon}))
		must.Do(t, w.Idempotencies().Save(t.Context(), svc.Idempotency{ID: id, Fence: 4, Lease: noon.Add(time.Minute)}))
		must.Do(t, w.Ledger().Discard(t.Context(), "packs/old", noon))
		must.Do(t, w.Jobs().Finish(t.Context(), "clean-up", noon.Add(time.Hour)))
		must.Do(t, w.Close())

		again := w.another(t)
		a.PendingBytes = b.Size
		gives(t, "account", a)(again.Accounts().Get(t.Context(), a.ID))
		gives(t, "credential", svc.Credential{Key: k, Plan: a.Plan})(again.Keys().Credential(t.Context(), k.Prefix))
		gives(t, "bundle", b)(again.Bundles().Get(t.Context(), a.ID, b.ID))
		gives(t, "project", p)(again.Projects().Get(t.Context(), a.ID, p.ID))
		must.Do(t, again.Tx(t.Context(), func(r svc.Records) error {
			window := must.Get(r.Windows().Lock(t.Context(), a.ID, svc.OpDownload))(t)
			wantSame(t, "window", window.Admitted, []time.Time{noon})
			known, _, err := r.Idempotencies().Lock(t.Context(), id)
			must.Do(t, err)
			wantSame(t, "fence", known.Fence, int64(4))
			return nil
		}))
		gives(t, "garbage", []string{"packs/old"})(again.Ledger().Collect(t.Context(), noon, noon, 10))
		gives(t, "job taken before it is due", false)(again.Jobs().Claim(t.Context(), "clean-up", noon, noon.Add(time.Minute)))
	})

	t.Run("can be opened by several at once from the start", func(t *testing.T) {
		clock, open := NewClock(noon), db(t)
		stores := make([]svc.Store, 4)
		errs := make([]error, len(stores))
		together(len(stores), func(i int) { stores[i], errs[i] = open(t, clock.Now) })
		for i, s := range stores {
			must.Do(t, errs[i])
			must.Do(t, s.Ping(t.Context()))
			must.Do(t, s.Close())
		}
	})

	db.run(t, "answers a ping while it is open, and nothing once it is closed", func(t *testing.T, w *world) {
		must.Do(t, w.Ping(t.Context()))
		must.Do(t, w.Close())
		if err := w.Ping(t.Context()); err == nil {
			t.Error("a closed store answers a ping")
		}
		if _, err := w.Accounts().Count(t.Context()); err == nil {
			t.Error("a closed store reads")
		}
		if err := w.Tx(t.Context(), func(svc.Records) error { return nil }); err == nil {
			t.Error("a closed store begins a transaction")
		}
	})

	t.Run("Tx", func(t *testing.T) { testTx(t, db) })
}

func testTx(t *testing.T, db Database) {
	newAccount := func() svc.Account {
		id := svc.NewAccountID()
		return svc.Account{ID: id, Email: id + "@example.com", Plan: svc.PlanHobby, CreatedAt: noon}
	}
	exists := func(t *testing.T, s svc.Store, a svc.Account) bool {
		t.Helper()
		_, err := s.Accounts().Get(t.Context(), a.ID)
		if err != nil {
			wantErr(t, "get", err, svc.ErrNotFound)
		}
		return err == nil
	}

	db.run(t, "shows its steps to itself at once and to others with the commit", func(t *testing.T, w *world) {
		other := w.another(t)
		first, second := newAccount(), newAccount()
		must.Do(t, w.Tx(t.Context(), func(r svc.Records) error {
			must.Do(t, r.Accounts().Insert(t.Context(), first))
			must.Do(t, r.Accounts().Insert(t.Context(), second))
			if _, err := r.Accounts().Get(t.Context(), first.ID); err != nil {
				t.Errorf("a transaction does not see its own step: %v", err)
			}
			if exists(t, other, first) {
				t.Error("a step is seen before the commit")
			}
			return nil
		}))
		if !exists(t, other, first) || !exists(t, other, second) {
			t.Error("the steps are not seen after the commit")
		}
	})

	db.run(t, "undoes every step and returns the error when fn fails", func(t *testing.T, w *world) {
		a, stop := newAccount(), errors.New("stop")
		err := w.Tx(t.Context(), func(r svc.Records) error {
			must.Do(t, r.Accounts().Insert(t.Context(), a))
			must.Do(t, r.Ledger().Discard(t.Context(), "packs/x", noon))
			return stop
		})
		wantErr(t, "Tx", err, stop)
		if exists(t, w, a) {
			t.Error("a step outlived its transaction")
		}
		gives(t, "garbage", []string{})(w.Ledger().Collect(t.Context(), noon, noon, 10))
	})

	db.run(t, "undoes every step when fn panics, and goes on", func(t *testing.T, w *world) {
		a := newAccount()
		func() {
			defer func() {
				if r := recover(); r != "boom" {
					t.Errorf("recovered %v, want the panic of fn", r)
				}
			}()
			_ = w.Tx(t.Context(), func(r svc.Records) error {
				must.Do(t, r.Accounts().Insert(t.Context(), a))
				panic("boom")
			})
		}()
		if exists(t, w, a) {
			t.Error("a step outlived its transaction")
		}
		must.Do(t, w.Accounts().Insert(t.Context(), a))
	})

	db.run(t, "goes on after an error that a step names", func(t *testing.T, w *world) {
		a := w.account(t)
		k := w.key(t, a.ID)
		b := newAccount()
		must.Do(t, w.Tx(t.Context(), func(r svc.Records) error {
			twin := newAccount()
			twin.Email = a.Email
			wantErr(t, "insert an account", r.Accounts().Insert(t.Context(), twin), svc.ErrConflict)
			wantErr(t, "insert a key", r.Keys().Insert(t.Context(), k), svc.ErrConflict)
			fails(t, "get", svc.ErrNotFound)(r.Accounts().Get(t.Context(), "acct_none"))
			wantErr(t, "insert a project", r.Projects().Insert(t.Context(), svc.Project{ID: "proj_x", AccountID: "acct_none"}), svc.ErrNotFound)
			wantErr(t, "fulfil", r.Ledger().Fulfil(t.Context(), "packs/x"), svc.ErrConflict)
			return r.Accounts().Insert(t.Context(), b)
		}))
		if !exists(t, w, b) {
			t.Error("the step after the errors was lost")
		}
	})

	db.run(t, "commits nothing once its context has ended", func(t *testing.T, w *world) {
		a := newAccount()
		ctx, cancel := context.WithCancel(t.Context())
		err := w.Tx(ctx, func(r svc.Records) error {
			must.Do(t, r.Accounts().Insert(ctx, a))
			cancel()
			return nil
		})
		wantErr(t, "Tx", err, context.Canceled)
		wantErr(t, "Tx", w.Tx(ctx, func(svc.Records) error { return nil }), context.Canceled)
		wantErr(t, "step", w.Accounts().Insert(ctx, a), context.Canceled)
		if exists(t, w, a) {
			t.Error("a step outlived its transaction")
		}
	})

	db.run(t, "gives up waiting when its context ends", func(t *testing.T, w *world) {
		a := w.account(t)
		lock := func(ctx context.Context) error {
			return w.Tx(ctx, func(r svc.Records) error {
				_, err := r.Windows().Lock(ctx, a.ID, svc.OpDownload)
				return err
			})
		}
		must.Do(t, w.Tx(t.Context(), func(r svc.Records) error {
			if _, err := r.Windows().Lock(t.Context(), a.ID, svc.OpDownload); err != nil {
				return err
			}
			ctx, cancel := context.WithCancel(t.Context())
			waiting := make(chan error, 1)
			go func() { waiting <- lock(ctx) }()
			cancel()
			wantErr(t, "waiting Tx", <-waiting, context.Canceled)
			return nil
		}))
		must.Do(t, lock(t.Context()))
	})

	db.run(t, "behaves as if alone, from several stores at once", func(t *testing.T, w *world) {
		a := w.account(t)
		p := w.project(t, a.ID)
		stores := []svc.Store{w.Store, w.another(t)}
		const hands, turns = 6, 10
		var failed atomic.Pointer[error]
		together(hands, func(i int) {
			for range turns {
				err := stores[i%len(stores)].Tx(t.Context(), func(r svc.Records) error {
					// Whoever reads a revision may write the next: no other comes between.
					if _, err := r.Windows().Lock(t.Context(), a.ID, svc.OpGeneration); err != nil {
						return err
					}
					now, err := r.Projects().Get(t.Context(), a.ID, p.ID)
					if err != nil {
						return err
					}
					now.Revision++
					return r.Projects().Advance(t.Context(), now)
				})
				if err != nil {
					failed.Store(&err)
				}
			}
		})
		if err := failed.Load(); err != nil {
			t.Fatal(*err)
		}
		got := must.Get(w.Projects().Get(t.Context(), a.ID, p.ID))(t)
		wantSame(t, "revisions", got.Revision, int64(hands*turns))
	})
}
