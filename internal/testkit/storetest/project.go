package storetest

import (
	"sync/atomic"
	"testing"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/testkit/must"
)

func testProjects(t *testing.T, db Database) {
	full := func(accountID string) svc.Project {
		return svc.Project{
			ID: svc.NewProjectID(), AccountID: accountID, Name: "Läden & Co", CreatedAt: noon, UpdatedAt: noon.Add(time.Second), Revision: 3,
			Pack:  svc.Pack{Blob: "packs/a.zip", Extent: svc.Extent{Files: 500, Bytes: 26214400}, Size: 9000000000, SHA256: [32]byte{5, 31: 6}},
			State: map[string]string{"language": "go", "quote\"": "line\nbreak ☃"}, Memory: "# Memory\n", MemoryRevision: 8,
			Push: &svc.Push{Base: "0500", State: "0006", Changes: "07", At: noon.Add(time.Millisecond), Files: []svc.PushedFile{
				{Path: "ä/b.go", Change: svc.FileChanged, Before: 1, After: 9000000000}, {Path: "gone", Change: svc.FileDeleted, Before: 3},
			}},
			Provenance: &svc.Provenance{
				State: "0006", Origin: svc.OriginRun, Engine: "llm", Model: "m\"1", Run: "gen_1", Base: "0500", BasePack: "packs/before.zip",
				Validation: &svc.Validation{Level: "test", Status: "passed", Checks: []svc.ValidationCheck{{Check: "go vet ☃", Status: "passed", Seconds: 0.25, Version: "1"}}},
			},
		}
	}

	db.run(t, "keeps every field", func(t *testing.T, w *world) {
		a := w.account(t)
		for _, p := range []svc.Project{full(a.ID), {ID: "proj_bare", AccountID: a.ID, CreatedAt: noon, UpdatedAt: noon}} {
			must.Do(t, w.Projects().Insert(t.Context(), p))
			got := must.Get(w.Projects().Get(t.Context(), a.ID, p.ID))(t)
			wantSame(t, "project", got, p)
			if got.State == nil {
				t.Error("the state is nil, so that nothing can be put into it")
			}
			wantErr(t, "same id", w.Projects().Insert(t.Context(), p), svc.ErrConflict)
		}
		wantErr(t, "no owner", w.Projects().Insert(t.Context(), full("acct_none")), svc.ErrNotFound)
	})

	db.run(t, "hides what is another account's or does not exist", func(t *testing.T, w *world) {
		a, other := w.account(t), w.account(t)
		p := w.project(t, a.ID)
		next := p
		next.AccountID, next.Revision = other.ID, 1
		fails(t, "Get", svc.ErrNotFound)(w.Projects().Get(t.Context(), other.ID, p.ID))
		wantErr(t, "Advance", w.Projects().Advance(t.Context(), next), svc.ErrNotFound)
		wantErr(t, "Delete", w.Projects().Delete(t.Context(), other.ID, p.ID, noon), svc.ErrNotFound)
		next = svc.Project{ID: "proj_none", AccountID: a.ID, Revision: 1}
		fails(t, "Get none", svc.ErrNotFound)(w.Projects().Get(t.Context(), a.ID, next.ID))
		wantErr(t, "Advance none", w.Projects().Advance(t.Context(), next), svc.ErrNotFound)
		wantErr(t, "Delete none", w.Projects().Delete(t.Context(), a.ID, next.ID, noon), svc.ErrNotFound)
		gives(t, "project", p)(w.Projects().Get(t.Context(), a.ID, p.ID))
	})

	db.run(t, "lists newest first, by id where the time is the same", func(t *testing.T, w *world) {
		a := w.account(t)
		w.project(t, w.account(t).ID)
		for _, p := range []svc.Project{{ID: "proj_b", CreatedAt: noon}, {ID: "proj_z", CreatedAt: noon.Add(-time.Millisecond)}, {ID: "proj_a", CreatedAt: noon}, {ID: "proj_0", CreatedAt: noon.Add(time.Millisecond)}} {
			p.AccountID = a.ID
			must.Do(t, w.Projects().Insert(t.Context(), p))
		}
		var pages [][]string
		for after := (*svc.Cursor)(nil); len(pages) < 3; {
			list := must.Get(w.Projects().List(t.Context(), a.ID, after, 2))(t)
			var page []string
			for _, p := range list {
				page = append(page, p.ID)
				after = &svc.Cursor{CreatedAt: p.CreatedAt, ID: p.ID}
			}
			pages = append(pages, page)
		}
		wantSame(t, "pages", pages, [][]string{{"proj_0", "proj_b"}, {"proj_a", "proj_z"}, nil})
	})

	db.run(t, "lists all but memory, push and provenance", func(t *testing.T, w *world) {
		p := svc.Project{
			ID: svc.NewProjectID(), AccountID: w.account(t).ID, Name: "shop", CreatedAt: noon, UpdatedAt: noon,
			State: map[string]string{"plan": "grow"}, Memory: "what was learned", MemoryRevision: 3,
			Push: &svc.Push{State: "x", At: noon}, Provenance: &svc.Provenance{State: "x"},
		}
		must.Do(t, w.Projects().Insert(t.Context(), p))
		list := must.Get(w.Projects().List(t.Context(), p.AccountID, nil, 10))(t)
		p.Memory, p.Push, p.Provenance = "", nil, nil
		wantSame(t, "projects", list, []svc.Project{p})
	})

	db.run(t, "advances by one revision", func(t *testing.T, w *world) {
		a := w.account(t)
		p := w.project(t, a.ID)
		next := full(a.ID)
		next.ID, next.Revision = p.ID, 1
		must.Do(t, w.Projects().Advance(t.Context(), next))
		got := must.Get(w.Projects().Get(t.Context(), a.ID, p.ID))(t)
		wantSame(t, "project", got, next)
		for _, revision := range []int64{0, 1, 3} {
			stale := p
			stale.Revision = revision
			wantErr(t, "wrong revision", w.Projects().Advance(t.Context(), stale), svc.ErrConflict)
		}
		gives(t, "project after refusals", next)(w.Projects().Get(t.Context(), a.ID, p.ID))
		next.Revision, next.Push = 2, nil
		must.Do(t, w.Projects().Advance(t.Context(), next))
		gives(t, "project whose state no push made", next)(w.Projects().Get(t.Context(), a.ID, p.ID))
	})

	db.run(t, "keeps the name that somebody gave while the next state was made", func(t *testing.T, w *world) {
		a := w.account(t)
		p := w.project(t, a.ID)
		must.Do(t, w.Projects().Rename(t.Context(), a.ID, p.ID, "Bücher"))
		wantErr(t, "another's", w.Projects().Rename(t.Context(), w.account(t).ID, p.ID, "mine"), svc.ErrNotFound)
		next := full(a.ID)
		next.ID, next.Revision, next.Name = p.ID, 1, ""
		must.Do(t, w.Projects().Advance(t.Context(), next))
		next.Name = "Bücher"
		gives(t, "project", next)(w.Projects().Get(t.Context(), a.ID, p.ID))
	})

	db.run(t, "lets one of many advance", func(t *testing.T, w *world) {
		p := w.project(t, w.account(t).ID)
		p.Revision = 1
		stores := []svc.Store{w.Store, w.another(t)}
		var won, lost atomic.Int32
		together(8, func(i int) {
			switch err := stores[i%2].Projects().Advance(t.Context(), p); {
			case err == nil:
				won.Add(1)
			default:
				wantErr(t, "Advance", err, svc.ErrConflict)
				lost.Add(1)
			}
		})
		if won.Load() != 1 || lost.Load() != 7 {
			t.Errorf("%d advanced and %d were refused, want 1 and 7", won.Load(), lost.Load())
		}
	})

	db.run(t, "deletes a project with its bundles and discards their blobs", func(t *testing.T, w *world) {
		a := w.account(t)
		p, other := full(a.ID), w.project(t, a.ID)
		must.Do(t, w.Projects().Insert(t.Context(), p))
		pending, acked, kept := w.bundle(t, p, noon), w.bundle(t, p, noon), w.bundle(t, other, noon)
		must.Get(w.Bundles().Acknowledge(t.Context(), a.ID, acked.ID, noon))(t)
		due := noon.Add(time.Minute)
		must.Do(t, w.Projects().Delete(t.Context(), a.ID, p.ID, due))
		fails(t, "project", svc.ErrNotFound)(w.Projects().Get(t.Context(), a.ID, p.ID))
		gives(t, "bundles", []svc.Bundle{kept})(w.Bundles().List(t.Context(), svc.BundleQuery{AccountID: a.ID, Limit: 10}))
		wantSame(t, "pending bytes", w.pendingBytes(t, a.ID), kept.Size)
		tally := must.Get(w.Bundles().Tally(t.Context()))(t)
		wantSame(t, "tally", tally, []svc.BundleTally{
			{Status: svc.BundlePending, Count: 1, Bytes: kept.Size}, {Status: svc.BundleDownloaded}, {Status: svc.BundleExpired},
		})
		gives(t, "garbage before it is due", []string{})(w.Ledger().Collect(t.Context(), due.Add(-time.Millisecond), due.Add(-time.Millisecond), 10))
		gives(t, "garbage", []string{pending.Blob, "packs/a.zip", "packs/before.zip"})(w.Ledger().Collect(t.Context(), due, due, 10))
	})
}
