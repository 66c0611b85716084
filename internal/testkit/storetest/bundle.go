package storetest

import (
	"slices"
	"sync"
	"testing"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/testkit/must"
)

func testBundles(t *testing.T, db Database) {
	db.run(t, "keeps every field of a pending bundle", func(t *testing.T, w *world) {
		a := w.account(t)
		p := w.project(t, a.ID)
		b := newBundle(p, noon, 9_000_000_000)
		b.GenerationID = svc.NewGenerationID()
		entered := b
		entered.Status = svc.BundleExpired // Insert makes it pending whatever it says
		must.Do(t, w.Bundles().Insert(t.Context(), entered))
		gives(t, "bundle", b)(w.Bundles().Get(t.Context(), a.ID, b.ID))
		wantSame(t, "pending bytes", w.pendingBytes(t, a.ID), b.Size)
	})

	db.run(t, "refuses an id that is taken, and a project that is not the account's", func(t *testing.T, w *world) {
		a, other := w.account(t), w.account(t)
		p := w.project(t, a.ID)
		b := w.bundle(t, p, noon)
		wantErr(t, "same id", w.Bundles().Insert(t.Context(), b), svc.ErrConflict)
		stray := newBundle(p, noon, 1)
		stray.AccountID = other.ID
		wantErr(t, "foreign project", w.Bundles().Insert(t.Context(), stray), svc.ErrNotFound)
		wantErr(t, "no project", w.Bundles().Insert(t.Context(), newBundle(svc.Project{ID: "proj_none", AccountID: a.ID}, noon, 1)), svc.ErrNotFound)
		wantSame(t, "pending bytes", w.pendingBytes(t, a.ID), b.Size)
		wantSame(t, "foreign pending bytes", w.pendingBytes(t, other.ID), int64(0))
	})

	db.run(t, "hides what is another account's or does not exist", func(t *testing.T, w *world) {
		a, other := w.account(t), w.account(t)
		p := w.project(t, a.ID)
		b := w.bundle(t, p, noon)
		for _, id := range []string{b.ID, svc.NewBundleID(noon), "no id at all"} {
			fails(t, "Get", svc.ErrNotFound)(w.Bundles().Get(t.Context(), other.ID, id))
			fails(t, "Acknowledge", svc.ErrNotFound)(w.Bundles().Acknowledge(t.Context(), other.ID, id, noon))
		}
		fails(t, "Latest", svc.ErrNotFound)(w.Bundles().Latest(t.Context(), other.ID, ""))
		fails(t, "Latest of a project", svc.ErrNotFound)(w.Bundles().Latest(t.Context(), other.ID, p.ID))
		gives(t, "foreign listing", []svc.Bundle{})(w.Bundles().List(t.Context(), svc.BundleQuery{AccountID: other.ID, ProjectID: p.ID, Limit: 10}))
		gives(t, "bundle", b)(w.Bundles().Get(t.Context(), a.ID, b.ID))
	})

	db.run(t, "finds the newest pending bundle, by id where the time is the same", func(t *testing.T, w *world) {
		a := w.account(t)
		p, quiet := w.project(t, a.ID), w.project(t, a.ID)
		fails(t, "Latest of none", svc.ErrNotFound)(w.Bundles().Latest(t.Context(), a.ID, ""))
		early := w.bundle(t, quiet, noon.Add(-time.Millisecond))
		twins := []svc.Bundle{w.bundle(t, p, noon), w.bundle(t, p, noon)}
		slices.SortFunc(twins, func(x, y svc.Bundle) int { return -compareBundles(x, y) })
		newest := w.bundle(t, p, noon.Add(time.Millisecond))
		for _, want := range []svc.Bundle{newest, twins[0], twins[1], early} {
			got := must.Get(w.Bundles().Latest(t.Context(), a.ID, ""))(t)
			wantSame(t, "Latest", got, want)
			got = must.Get(w.Bundles().Latest(t.Context(), a.ID, want.ProjectID))(t)
			wantSame(t, "Latest of the project", got, want)
			gives(t, "Latest of the quiet project", early)(w.Bundles().Latest(t.Context(), a.ID, quiet.ID))
			must.Get(w.Bundles().Acknowledge(t.Context(), a.ID, want.ID, noon))(t)
		}
		fails(t, "Latest of all acknowledged", svc.ErrNotFound)(w.Bundles().Latest(t.Context(), a.ID, ""))
	})

	db.run(t, "acknowledges once: the first time stays", func(t *testing.T, w *world) {
		a := w.account(t)
		b := w.bundle(t, w.project(t, a.ID), noon)
		first := noon.Add(time.Second)
		before := must.Get(w.Bundles().Acknowledge(t.Context(), a.ID, b.ID, first))(t)
		wantSame(t, "before", before, b)
		b.Status, b.Blob, b.DownloadedAt = svc.BundleDownloaded, "", first
		for range 2 {
			gives(t, "bundle", b)(w.Bundles().Get(t.Context(), a.ID, b.ID))
			wantSame(t, "pending bytes", w.pendingBytes(t, a.ID), int64(0))
			gives(t, "repeated", b)(w.Bundles().Acknowledge(t.Context(), a.ID, b.ID, first.Add(time.Hour)))
		}
	})

	db.run(t, "leaves an expired bundle as it is", func(t *testing.T, w *world) {
		a := w.account(t)
		b := w.bundle(t, w.project(t, a.ID), noon)
		must.Get(w.Bundles().Expire(t.Context(), b.ExpiresAt, 10))(t)
		b.Status, b.Blob, b.ExpiredAt = svc.BundleExpired, "", b.ExpiresAt
		gives(t, "before", b)(w.Bundles().Acknowledge(t.Context(), a.ID, b.ID, noon.Add(48*time.Hour)))
		gives(t, "bundle", b)(w.Bundles().Get(t.Context(), a.ID, b.ID))
	})

	db.run(t, "makes one transition of many acknowledgements and a clean-up at once", func(t *testing.T, w *world) {
		a := w.account(t)
		p := w.project(t, a.ID)
		stores := []svc.Store{w.Store, w.another(t)}
		for range 5 {
			b := w.bundle(t, p, noon)
			var mu sync.Mutex
			transitions := 0
			together(8, func(i int) {
				s := stores[i%2]
				seen := svc.BundleStatus("")
				if i < 2 {
					before, err := s.Bundles().Expire(t.Context(), b.ExpiresAt, 10)
					if err != nil {
						t.Error(err)
					} else if len(before) == 1 {
						seen = before[0].Status
					}
				} else {
					before, err := s.Bundles().Acknowledge(t.Context(), a.ID, b.ID, noon)
					if err != nil {
						t.Error(err)
					}
					seen = before.Status
				}
				mu.Lock()
				defer mu.Unlock()
				if seen == svc.BundlePending {
					transitions++
				}
			})
			wantSame(t, "transitions", transitions, 1)
			wantSame(t, "pending bytes", w.pendingBytes(t, a.ID), int64(0))
		}
	})

	db.run(t, "expires what is due, the longest due first, in batches", func(t *testing.T, w *world) {
		a, other := w.account(t), w.account(t)
		p, q := w.project(t, a.ID), w.project(t, other.ID)
		third, first, second := w.bundle(t, p, noon.Add(2*time.Millisecond)), w.bundle(t, q, noon), w.bundle(t, p, noon.Add(time.Millisecond))
		later := w.bundle(t, p, noon.Add(3*time.Millisecond))
		acked := w.bundle(t, p, noon)
		must.Get(w.Bundles().Acknowledge(t.Context(), a.ID, acked.ID, noon))(t)
		now := third.ExpiresAt
		for _, want := range [][]svc.Bundle{{first, second}, {third}, nil} {
			gives(t, "expired", want)(w.Bundles().Expire(t.Context(), now, 2))
		}
		for _, b := range []svc.Bundle{first, second, third} {
			b.Status, b.Blob, b.ExpiredAt = svc.BundleExpired, "", now
			gives(t, "bundle", b)(w.Bundles().Get(t.Context(), b.AccountID, b.ID))
		}
		wantSame(t, "pending bytes", w.pendingBytes(t, a.ID), later.Size)
		wantSame(t, "other pending bytes", w.pendingBytes(t, other.ID), int64(0))
	})

	db.run(t, "lists by project and state, newest first, page by page", func(t *testing.T, w *world) {
		a := w.account(t)
		p, q := w.project(t, a.ID), w.project(t, a.ID)
		w.bundle(t, w.project(t, w.account(t).ID), noon)
		var all []svc.Bundle
		for i := range 12 {
			b := newBundle([]svc.Project{p, q}[i%2], noon.Add(time.Duration(i/3)*time.Millisecond), 10)
			if i%4 >= 2 {
				b.ExpiresAt = noon // to be expired below
			}
			must.Do(t, w.Bundles().Insert(t.Context(), b))
			all = append(all, b)
		}
		must.Get(w.Bundles().Expire(t.Context(), noon, 100))(t)
		for i := range all {
			switch {
			case i%4 >= 2:
				all[i].Status, all[i].Blob, all[i].ExpiredAt = svc.BundleExpired, "", noon
			case i%3 == 0:
				must.Get(w.Bundles().Acknowledge(t.Context(), a.ID, all[i].ID, noon))(t)
				all[i].Status, all[i].Blob, all[i].DownloadedAt = svc.BundleDownloaded, "", noon
			}
		}
		slices.SortFunc(all, func(x, y svc.Bundle) int { return -compareBundles(x, y) })
		for _, project := range []string{"", p.ID, q.ID, "proj_none"} {
			for _, status := range []svc.BundleStatus{"", svc.BundlePending, svc.BundleDownloaded, svc.BundleExpired} {
				want := slices.DeleteFunc(slices.Clone(all), func(b svc.Bundle) bool {
					return (project != "" && b.ProjectID != project) || (status != "" && b.Status != status)
				})
				for _, limit := range []int{1, 2, 5, 100} {
					got := pages(t, w, svc.BundleQuery{AccountID: a.ID, ProjectID: project, Status: status, Limit: limit})
					wantSame(t, "listing", got, want)
				}
			}
		}
	})

	db.run(t, "counts the bundles of all accounts by state, always all three", func(t *testing.T, w *world) {
		want := []svc.BundleTally{{Status: svc.BundlePending}, {Status: svc.BundleDownloaded}, {Status: svc.BundleExpired}}
		got := must.Get(w.Bundles().Tally(t.Context()))(t)
		wantSame(t, "tally of none", got, want)
		for i := range 40 {
			a := w.account(t)
			b := newBundle(w.project(t, a.ID), noon, int64(1+i))
			must.Do(t, w.Bundles().Insert(t.Context(), b))
			if i%2 == 0 {
				must.Get(w.Bundles().Acknowledge(t.Context(), a.ID, b.ID, noon))(t)
				want[1].Count++
				continue
			}
			want[0].Count++
			want[0].Bytes += b.Size
		}
		gives(t, "tally", want)(w.Bundles().Tally(t.Context()))
	})
}

// pages reads a listing to its end. A page is full unless it is the last.
func pages(t tester, w *world, q svc.BundleQuery) []svc.Bundle {
	t.Helper()
	var all []svc.Bundle
	for {
		page := must.Get(w.Bundles().List(t.Context(), q))(t)
		all = append(all, page...)
		if len(page) < q.Limit {
			return all
		}
		if len(page) > q.Limit {
			t.Fatalf("a page of %d bundles, want %d at most", len(page), q.Limit)
		}
		last := page[len(page)-1]
		q.After = &svc.Cursor{CreatedAt: last.CreatedAt, ID: last.ID}
	}
}

// compareBundles orders bundles by time, then by id, both rising.
func compareBundles(x, y svc.Bundle) int {
	if c := x.CreatedAt.Compare(y.CreatedAt); c != 0 {
		return c
	}
	if x.ID < y.ID {
		return -1
	}
	return 1
}
