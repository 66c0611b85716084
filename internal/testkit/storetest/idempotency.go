package storetest

import (
	"sync/atomic"
	"testing"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/testkit/must"
)

func testIdempotencies(t *testing.T, db Database) {
	lock := func(t *testing.T, s svc.Store, id svc.IdempotencyID) (i svc.Idempotency, now time.Time) {
		t.Helper()
		must.Do(t, s.Tx(t.Context(), func(r svc.Records) (err error) {
			i, now, err = r.Idempotencies().Lock(t.Context(), id)
			return err
		}))
		return i, now
	}

	db.run(t, "knows nothing of a request never seen", func(t *testing.T, w *world) {
		id := svc.IdempotencyID{AccountID: w.account(t).ID, Scope: "s", Key: "k"}
		w.clock.Set(noon.Add(999_999))
		i, now := lock(t, w, id)
		wantSame(t, "entry", i, svc.Idempotency{ID: id})
		wantSame(t, "time", now, noon)
	})

	db.run(t, "keeps what was saved last, byte for byte", func(t *testing.T, w *world) {
		id := svc.IdempotencyID{AccountID: w.account(t).ID, Scope: "repackage/proj_x", Key: `~!"key`}
		body := make([]byte, 256)
		for i := range body {
			body[i] = byte(i)
		}
		for _, want := range []svc.Idempotency{
			{ID: id, Fence: 1, Lease: noon.Add(time.Minute)},
			{ID: id, Fence: 2, Lease: noon.Add(time.Hour), Request: [32]byte{1, 31: 2}},
			{ID: id, Fence: 2, Lease: noon.Add(time.Hour), Expires: noon.Add(2 * time.Hour), Answer: &svc.Answer{Status: 200, Header: map[string]string{"Content-Type": "application/json", "X-A": "ü\""}, Body: body}},
			{ID: id, Fence: 3, Expires: noon.Add(time.Hour), Answer: &svc.Answer{Status: 409}},
			{ID: id, Fence: 4, Lease: noon.Add(time.Hour)},
		} {
			must.Do(t, w.Idempotencies().Save(t.Context(), want))
			got, _ := lock(t, w, id)
			wantSame(t, "entry", got, want)
		}
		wantErr(t, "no account", w.Idempotencies().Save(t.Context(), svc.Idempotency{ID: svc.IdempotencyID{AccountID: "acct_none", Scope: "s", Key: "k"}, Lease: noon}), svc.ErrNotFound)
	})

	db.run(t, "tells account, scope and key apart", func(t *testing.T, w *world) {
		a, b := w.account(t).ID, w.account(t).ID
		ids := []svc.IdempotencyID{{AccountID: a, Scope: "s", Key: "k"}, {AccountID: b, Scope: "s", Key: "k"}, {AccountID: a, Scope: "s2", Key: "k"}, {AccountID: a, Scope: "s", Key: "K"}}
		for n, id := range ids {
			must.Do(t, w.Idempotencies().Save(t.Context(), svc.Idempotency{ID: id, Fence: int64(n + 1), Lease: noon}))
		}
		for n, id := range ids {
			got, _ := lock(t, w, id)
			wantSame(t, "fence", got.Fence, int64(n+1))
		}
	})

	db.run(t, "lets one of many take up the work, also when it was never seen", func(t *testing.T, w *world) {
		stores := []svc.Store{w.Store, w.another(t)}
		id := svc.IdempotencyID{AccountID: w.account(t).ID, Scope: "s", Key: "k"}
		var won atomic.Int32
		together(8, func(i int) {
			took := false
			if err := stores[i%2].Tx(t.Context(), func(r svc.Records) error {
				took = false
				known, now, err := r.Idempotencies().Lock(t.Context(), id)
				if err != nil || known.Lease.After(now) {
					return err
				}
				took = true
				known.Fence++
				known.Lease = now.Add(time.Minute)
				return r.Idempotencies().Save(t.Context(), known)
			}); err != nil {
				t.Error(err)
			} else if took {
				won.Add(1)
			}
		})
		wantSame(t, "winners", won.Load(), int32(1))
		got, _ := lock(t, w, id)
		wantSame(t, "fence", got.Fence, int64(1))
	})

	db.run(t, "sweeps what neither runs nor can be replayed", func(t *testing.T, w *world) {
		a := w.account(t).ID
		later := noon.Add(time.Millisecond)
		entries := []struct {
			key   string
			i     svc.Idempotency
			stays bool
		}{
			{"running", svc.Idempotency{Fence: 1, Lease: later}, true},
			{"answered", svc.Idempotency{Fence: 1, Lease: noon.Add(-time.Hour), Expires: later, Answer: &svc.Answer{Status: 200}}, true},
			{"lease over", svc.Idempotency{Fence: 1, Lease: noon}, false},
			{"answer over", svc.Idempotency{Fence: 1, Lease: later, Expires: noon, Answer: &svc.Answer{Status: 200}}, false},
			{"long over", svc.Idempotency{Fence: 1, Lease: noon.Add(-time.Hour)}, false},
		}
		for _, e := range entries {
			e.i.ID = svc.IdempotencyID{AccountID: a, Scope: "s", Key: e.key}
			must.Do(t, w.Idempotencies().Save(t.Context(), e.i))
		}
		for _, want := range []int{2, 1, 0} {
			gives(t, "swept", want)(w.Idempotencies().Sweep(t.Context(), noon, 2))
		}
		for _, e := range entries {
			got, _ := lock(t, w, svc.IdempotencyID{AccountID: a, Scope: "s", Key: e.key})
			wantSame(t, e.key+" stays", got.Fence == 1, e.stays)
		}
	})
}
