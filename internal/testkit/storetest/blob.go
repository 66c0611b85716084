package storetest

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/testkit/must"
)

func testLedger(t *testing.T, db Database) {
	later := noon.Add(time.Millisecond)
	collect := func(t *testing.T, s svc.Records, now time.Time, limit int) []string {
		t.Helper()
		keys := must.Get(s.Ledger().Collect(t.Context(), now, now, limit))(t)
		slices.Sort(keys)
		return keys
	}

	db.run(t, "forgets an intent that is fulfilled", func(t *testing.T, w *world) {
		must.Do(t, w.Ledger().Intend(t.Context(), "packs/a", later))
		must.Do(t, w.Ledger().Fulfil(t.Context(), "packs/a"))
		wantSame(t, "garbage", collect(t, w, noon.Add(time.Hour), 10), []string{})
		wantErr(t, "fulfil twice", w.Ledger().Fulfil(t.Context(), "packs/a"), svc.ErrConflict)
		wantErr(t, "fulfil what was never intended", w.Ledger().Fulfil(t.Context(), "packs/b"), svc.ErrConflict)
	})

	db.run(t, "turns an intent to garbage when its time is over", func(t *testing.T, w *world) {
		must.Do(t, w.Ledger().Intend(t.Context(), "packs/a", later))
		wantSame(t, "garbage in time", collect(t, w, noon, 10), []string{})
		wantSame(t, "garbage", collect(t, w, later, 10), []string{"packs/a"})
		wantErr(t, "fulfil after collect", w.Ledger().Fulfil(t.Context(), "packs/a"), svc.ErrConflict)
		wantErr(t, "intend what is garbage", w.Ledger().Intend(t.Context(), "packs/a", noon.Add(time.Hour)), svc.ErrConflict)
	})

	db.run(t, "turns every intent whose time is over, beyond the limit too", func(t *testing.T, w *world) {
		for n := range 3 {
			must.Do(t, w.Ledger().Intend(t.Context(), fmt.Sprint("packs/", n), noon))
		}
		wantSame(t, "batch", len(collect(t, w, noon, 1)), 1)
		for n := range 3 {
			wantErr(t, "fulfil", w.Ledger().Fulfil(t.Context(), fmt.Sprint("packs/", n)), svc.ErrConflict)
		}
	})

	db.run(t, "can still fulfil an intent that is late but not collected", func(t *testing.T, w *world) {
		must.Do(t, w.Ledger().Intend(t.Context(), "packs/a", noon))
		w.clock.Set(noon.Add(time.Hour))
		must.Do(t, w.Ledger().Fulfil(t.Context(), "packs/a"))
	})

	db.run(t, "prolongs an intent that is announced again", func(t *testing.T, w *world) {
		must.Do(t, w.Ledger().Intend(t.Context(), "packs/a", noon))
		must.Do(t, w.Ledger().Intend(t.Context(), "packs/a", later))
		wantSame(t, "garbage", collect(t, w, noon, 10), []string{})
		must.Do(t, w.Ledger().Fulfil(t.Context(), "packs/a"))
	})

	db.run(t, "replaces an intent by garbage", func(t *testing.T, w *world) {
		must.Do(t, w.Ledger().Intend(t.Context(), "packs/a", noon.Add(time.Hour)))
		must.Do(t, w.Ledger().Discard(t.Context(), "packs/a", noon))
		wantErr(t, "fulfil", w.Ledger().Fulfil(t.Context(), "packs/a"), svc.ErrConflict)
		wantSame(t, "garbage", collect(t, w, noon, 10), []string{"packs/a"})
	})

	db.run(t, "returns garbage that is due until it is forgotten", func(t *testing.T, w *world) {
		must.Do(t, w.Ledger().Discard(t.Context(), "packs/later", later))
		must.Do(t, w.Ledger().Discard(t.Context(), "packs/b", noon))
		must.Do(t, w.Ledger().Discard(t.Context(), "packs/a", noon))
		must.Do(t, w.Ledger().Discard(t.Context(), "packs/old", noon.Add(-time.Hour)))
		wantSame(t, "longest due", collect(t, w, noon, 1), []string{"packs/old"})
		for range 2 { // the lease is over at once
			wantSame(t, "garbage", collect(t, w, noon, 10), []string{"packs/a", "packs/b", "packs/old"})
		}
		must.Do(t, w.Ledger().Forget(t.Context(), []string{"packs/old", "packs/a", "packs/unknown"}))
		must.Do(t, w.Ledger().Forget(t.Context(), nil))
		wantSame(t, "garbage that is left", collect(t, w, later, 10), []string{"packs/b", "packs/later"})
	})

	db.run(t, "gives garbage to one at a time, until the lease is over", func(t *testing.T, w *world) {
		var all []string
		for n := range 40 {
			all = append(all, fmt.Sprintf("packs/%02d", n))
		}
		must.Do(t, w.Ledger().DiscardAll(t.Context(), all, noon))
		stores := []svc.Store{w.Store, w.another(t)}
		var mu sync.Mutex
		var taken []string
		together(2, func(i int) {
			for {
				keys, err := stores[i].Ledger().Collect(t.Context(), noon, later, 3)
				if err != nil {
					t.Error(err)
				}
				if len(keys) == 0 {
					return
				}
				mu.Lock()
				taken = append(taken, keys...)
				mu.Unlock()
			}
		})
		slices.Sort(taken)
		wantSame(t, "what both got", taken, all)
		wantSame(t, "at the end of the lease", collect(t, w, later, 100), all)
	})

	db.run(t, "forgets garbage, never an intent", func(t *testing.T, w *world) {
		must.Do(t, w.Ledger().Intend(t.Context(), "packs/a", later))
		must.Do(t, w.Ledger().Forget(t.Context(), []string{"packs/a"}))
		must.Do(t, w.Ledger().Fulfil(t.Context(), "packs/a"))
	})

	db.run(t, "keeps an intent whose fulfilment was undone", func(t *testing.T, w *world) {
		stop := errors.New("stop")
		must.Do(t, w.Ledger().Intend(t.Context(), "packs/a", noon))
		wantErr(t, "Tx", w.Tx(t.Context(), func(r svc.Records) error {
			must.Do(t, r.Ledger().Fulfil(t.Context(), "packs/a"))
			return stop
		}), stop)
		wantSame(t, "garbage", collect(t, w, noon, 10), []string{"packs/a"})
	})

	db.run(t, "gives a blob either to the writer or to the sweep", func(t *testing.T, w *world) {
		stores := []svc.Store{w.Store, w.another(t)}
		for n := range 10 {
			key := fmt.Sprint("packs/", n)
			must.Do(t, w.Ledger().Intend(t.Context(), key, noon))
			var owners atomic.Int32
			together(2, func(i int) {
				if i == 0 {
					switch err := stores[0].Ledger().Fulfil(t.Context(), key); {
					case err == nil:
						owners.Add(1)
					case !errors.Is(err, svc.ErrConflict):
						t.Error(err)
					}
					return
				}
				keys, err := stores[1].Ledger().Collect(t.Context(), noon, noon, 10)
				if err != nil {
					t.Error(err)
				} else if slices.Contains(keys, key) {
					owners.Add(1)
				}
			})
			wantSame(t, "owners", owners.Load(), int32(1))
		}
	})
}
