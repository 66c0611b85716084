package storetest

import (
	"testing"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/testkit/must"
)

func testRetention(t *testing.T, db Database) {
	db.run(t, "prunes bundles that are gone, the oldest first, and counts them no more", func(t *testing.T, w *world) {
		p := w.project(t, w.account(t).ID)
		waits := w.bundle(t, p, noon)
		var gone []svc.Bundle
		for i := range 3 {
			b := w.bundle(t, p, noon)
			must.Get(w.Bundles().Acknowledge(t.Context(), p.AccountID, b.ID, noon.Add(time.Duration(i)*time.Hour)))(t)
			gone = append(gone, b)
		}
		wantSame(t, "pruned", must.Get(w.Bundles().Prune(t.Context(), noon.Add(-time.Second), 10))(t), 0)
		wantSame(t, "pruned", must.Get(w.Bundles().Prune(t.Context(), noon.Add(time.Hour), 1))(t), 1)
		fails(t, "get", svc.ErrNotFound)(w.Bundles().Get(t.Context(), p.AccountID, gone[0].ID))
		wantSame(t, "pruned", must.Get(w.Bundles().Prune(t.Context(), noon.Add(time.Hour), 10))(t), 1)
		must.Get(w.Bundles().Get(t.Context(), p.AccountID, gone[2].ID))(t)
		must.Get(w.Bundles().Get(t.Context(), p.AccountID, waits.ID))(t)
		tally := must.Get(w.Bundles().Tally(t.Context()))(t)
		wantSame(t, "bundles that wait", tally[0].Count, int64(1))
		wantSame(t, "downloaded bundles", tally[1].Count, int64(1))
	})

	db.run(t, "prunes runs that ended and whose end was published, the oldest first", func(t *testing.T, w *world) {
		p := w.project(t, w.account(t).ID)
		for i := range 4 {
			id := svc.NewGenerationID()
			must.Do(t, w.Runs().Insert(t.Context(), svc.Run{ID: id, AccountID: p.AccountID, ProjectID: p.ID, Prompt: "x", Status: svc.RunQueued, CreatedAt: noon}))
			if i == 3 {
				continue // it waits
			}
			run := must.Get(w.Runs().Claim(t.Context(), noon, noon.Add(time.Minute), 1))(t)[0]
			run.Status, run.FinishedAt = svc.RunFailed, noon.Add(time.Duration(i)*time.Hour)
			must.Do(t, w.Runs().Finish(t.Context(), svc.RunRunning, run))
			if i != 1 {
				must.Do(t, w.Runs().MarkEndPublished(t.Context(), run.ID))
			}
		}
		wantSame(t, "pruned", must.Get(w.Runs().Prune(t.Context(), noon.Add(time.Hour), 10))(t), 1)
		wantSame(t, "pruned", must.Get(w.Runs().Prune(t.Context(), noon.Add(24*time.Hour), 1))(t), 1)
		wantSame(t, "pruned", must.Get(w.Runs().Prune(t.Context(), noon.Add(24*time.Hour), 10))(t), 0)
		left := must.Get(w.Runs().List(t.Context(), svc.RunQuery{AccountID: p.AccountID, Limit: 10}))(t)
		wantSame(t, "runs that are left", len(left), 2)
	})
}
