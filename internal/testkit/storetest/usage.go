package storetest

import (
	"testing"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/testkit/must"
)

func testUsage(t *testing.T, db Database) {
	db.run(t, "adds up runs and downloads by day", func(t *testing.T, w *world) {
		a, other := w.account(t), w.account(t)
		p, foreign := w.project(t, a.ID), w.project(t, other.ID)
		midnight := noon.Truncate(24 * time.Hour)
		run := func(p svc.Project, at time.Time, status svc.RunStatus, cost *svc.Cost) string {
			t.Helper()
			r := svc.Run{ID: svc.NewGenerationID(), AccountID: p.AccountID, ProjectID: p.ID, Prompt: "x", CreatedAt: at}
			must.Do(t, w.Runs().Insert(t.Context(), r))
			if status == svc.RunQueued {
				return r.ID
			}
			r.Status, r.Cost, r.LastEvent, r.FinishedAt = status, cost, 1, at
			must.Do(t, w.Runs().Finish(t.Context(), svc.RunQueued, r))
			return r.ID
		}
		first := run(p, midnight, svc.RunSucceeded, &svc.Cost{InputTokens: 10, OutputTokens: 5, EstimatedUSD: 0.25, Time: time.Minute})
		run(p, midnight.Add(24*time.Hour-time.Millisecond), svc.RunSucceeded, &svc.Cost{InputTokens: 1, OutputTokens: 2, EstimatedUSD: 0.5, Time: time.Second})
		run(p, noon, svc.RunFailed, nil)
		run(p, noon, svc.RunCancelled, nil)
		run(p, noon.Add(24*time.Hour), svc.RunQueued, nil)
		run(p, midnight.Add(-time.Millisecond), svc.RunSucceeded, nil) // the day before
		run(foreign, noon, svc.RunSucceeded, nil)
		for _, at := range []time.Time{noon, noon.Add(48 * time.Hour), noon.Add(72 * time.Hour)} {
			b := w.bundle(t, p, noon)
			must.Get(w.Bundles().Acknowledge(t.Context(), a.ID, b.ID, at))(t)
		}
		got := must.Get(w.Usage().Daily(t.Context(), a.ID, noon, noon.Add(48*time.Hour)))(t)
		wantSame(t, "usage", got, []svc.DayUsage{
			{Day: midnight, Runs: 4, Succeeded: 2, Failed: 1, InputTokens: 11, OutputTokens: 7, CostUSD: 0.75, Time: 61 * time.Second, Downloads: 1},
			{Day: midnight.Add(24 * time.Hour), Runs: 1},
			{Day: midnight.Add(48 * time.Hour), Downloads: 1},
		})
		got = must.Get(w.Usage().DailyWithout(t.Context(), a.ID, first, noon, noon))(t)
		wantSame(t, "usage without a run", got, []svc.DayUsage{
			{Day: midnight, Runs: 3, Succeeded: 1, Failed: 1, InputTokens: 1, OutputTokens: 2, CostUSD: 0.5, Time: time.Second, Downloads: 1},
		})
	})

	db.run(t, "lists runs in one state", func(t *testing.T, w *world) {
		a := w.account(t)
		p := w.project(t, a.ID)
		ids := map[svc.RunStatus]string{}
		for i, status := range []svc.RunStatus{svc.RunQueued, svc.RunFailed, svc.RunCancelled} {
			r := svc.Run{ID: svc.NewGenerationID(), AccountID: a.ID, ProjectID: p.ID, Prompt: "x", CreatedAt: noon.Add(time.Duration(i))}
			must.Do(t, w.Runs().Insert(t.Context(), r))
			if status != svc.RunQueued {
				r.Status, r.LastEvent, r.FinishedAt = status, 1, noon
				must.Do(t, w.Runs().Finish(t.Context(), svc.RunQueued, r))
			}
			ids[status] = r.ID
		}
		for status, id := range ids {
			for _, project := range []string{"", p.ID} {
				got := must.Get(w.Runs().List(t.Context(), svc.RunQuery{AccountID: a.ID, ProjectID: project, Status: status, Limit: 10}))(t)
				if len(got) != 1 || got[0].ID != id {
					t.Errorf("runs in %s of %q: %+v", status, project, got)
				}
			}
		}
	})
}
