package storetest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/testkit/must"
)

// Runs is the suite for the steps on runs. open gives an empty store.
func Runs(t *testing.T, open func(t *testing.T) svc.Store) {
	t.Helper()
	for _, test := range []struct {
		name string
		run  func(*testing.T, *runFixture)
	}{
		{"keeps what was asked and who asked", runsKept},
		{"lists newest first, page by page", runsListed},
		{"claims from the account with the fewest running, its oldest first", runsFair},
		{"claims many at once as it would one after the other", runsFairTogether},
		{"runs one run of a project at a time", runsOneAProject},
		{"gives a run to one of many that want it", runsClaimedOnce},
		{"says how long the queue is and where a run stands", runsQueue},
		{"sums what the bundles of unfinished runs may take", runsReserved},
		{"retakes what was lost, and nothing else", runsRetaken},
		{"renews only what is held", runsRenewed},
		{"hands back only what is held", runsReleased},
		{"notes what a run has cost while it is held", runsSpent},
		{"remembers that a run is to stop", runsCancelled},
		{"commits an outcome only under the latest epoch", runsFinished},
		{"knows which endings were not told", runsTold},
		{"renumbers endings that were not told", runsRenumbered},
		{"forgets runs with their project", runsDeleted},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := &runFixture{Store: open(t), now: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)}
			test.run(t, f)
		})
	}
}

type runFixture struct {
	svc.Store
	now   time.Time
	count int
}

func (f *runFixture) account(t *testing.T, name string) string {
	t.Helper()
	id := "acct_" + name
	must.Do(t, f.Accounts().Insert(t.Context(), svc.Account{ID: id, Email: name + "@example.com", Plan: svc.PlanDeveloper, CreatedAt: f.now}))
	return id
}

func (f *runFixture) project(t *testing.T, accountID string) string {
	t.Helper()
	f.count++
	id := fmt.Sprintf("proj_%d", f.count)
	must.Do(t, f.Projects().Insert(t.Context(), svc.Project{ID: id, AccountID: accountID, CreatedAt: f.now, UpdatedAt: f.now}))
	return id
}

// queue adds a run of a new project, a millisecond younger than the one before.
func (f *runFixture) queue(t *testing.T, accountID, id string) svc.Run {
	t.Helper()
	return f.queueIn(t, accountID, f.project(t, accountID), id)
}

func (f *runFixture) queueIn(t *testing.T, accountID, projectID, id string) svc.Run {
	t.Helper()
	f.count++
	r := svc.Run{
		ID: id, AccountID: accountID, ProjectID: projectID, Prompt: "make " + id,
		Constraints: map[string]string{"language": "go"}, Status: svc.RunQueued,
		CreatedAt: f.now.Add(time.Duration(f.count) * time.Millisecond),
	}
	must.Do(t, f.Runs().Insert(t.Context(), r))
	return r
}

func (f *runFixture) claim(t *testing.T) svc.Run {
	t.Helper()
	claimed := must.Get(f.Runs().Claim(t.Context(), f.now, f.now.Add(10*time.Second), 1))(t)
	if len(claimed) != 1 {
		t.Fatalf("claimed %d runs, want one", len(claimed))
	}
	return claimed[0]
}

func (f *runFixture) claimsNothing(t *testing.T) {
	t.Helper()
	if claimed := must.Get(f.Runs().Claim(t.Context(), f.now, f.now.Add(time.Second), 10))(t); len(claimed) != 0 {
		t.Errorf("claimed %v, want nothing to claim", claimed)
	}
}

func (f *runFixture) get(t *testing.T, r svc.Run) svc.Run {
	t.Helper()
	got := must.Get(f.Runs().Get(t.Context(), r.AccountID, r.ID))(t)
	return got
}

func same(t *testing.T, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func claimOf(r svc.Run) svc.RunClaim { return svc.RunClaim{ID: r.ID, Epoch: r.Epoch} }

func runsKept(t *testing.T, f *runFixture) {
	a, b := f.account(t, "a"), f.account(t, "b")
	want := f.queue(t, a, "gen_1")
	same(t, f.get(t, want), want)
	for _, owner := range []string{b, ""} {
		fails(t, "get another's run", svc.ErrNotFound)(f.Runs().Get(t.Context(), owner, want.ID))
	}
	fails(t, "get no run", svc.ErrNotFound)(f.Runs().Get(t.Context(), a, "gen_none"))
	wantErr(t, "insert twice", f.Runs().Insert(t.Context(), want), svc.ErrConflict)
	orphan := want
	orphan.ID, orphan.ProjectID = "gen_orphan", "proj_none"
	wantErr(t, "insert for no project", f.Runs().Insert(t.Context(), orphan), svc.ErrNotFound)
}

func runsListed(t *testing.T, f *runFixture) {
	a, b := f.account(t, "a"), f.account(t, "b")
	project := f.project(t, a)
	var all, ofProject []string
	for i := range 5 {
		r := f.queue(t, a, fmt.Sprintf("gen_a%d", i))
		all = append(all, r.ID)
		r = f.queueIn(t, a, project, fmt.Sprintf("gen_p%d", i))
		all, ofProject = append(all, r.ID), append(ofProject, r.ID)
		f.queue(t, b, fmt.Sprintf("gen_b%d", i))
	}
	slices.Reverse(all)
	slices.Reverse(ofProject)
	for _, test := range []struct {
		project string
		want    []string
	}{{"", all}, {project, ofProject}, {"proj_none", nil}} {
		var got []string
		q := svc.RunQuery{AccountID: a, ProjectID: test.project, Limit: 3}
		for {
			page := must.Get(f.Runs().List(t.Context(), q))(t)
			for _, r := range page {
				got = append(got, r.ID)
				q.After = &svc.Cursor{CreatedAt: r.CreatedAt, ID: r.ID}
			}
			if len(page) < q.Limit {
				break
			}
		}
		same(t, got, test.want)
	}
}

func runsSpent(t *testing.T, f *runFixture) {
	a := f.account(t, "a")
	f.queue(t, a, "gen_1")
	r := f.claim(t)
	cost := svc.Cost{Model: "m", InputTokens: 1, OutputTokens: 2, EstimatedUSD: 0.25, Time: time.Second}
	must.Do(t, f.Runs().Spend(t.Context(), claimOf(r), cost))
	cost.OutputTokens = 5
	must.Do(t, f.Runs().Spend(t.Context(), claimOf(r), cost))
	wantErr(t, "spend under another's claim", f.Runs().Spend(t.Context(), svc.RunClaim{ID: r.ID, Epoch: r.Epoch - 1}, svc.Cost{}), svc.ErrConflict)
	r.Cost = &cost
	same(t, f.get(t, r), r)
	f.queue(t, a, "gen_2")
	other := f.claim(t)
	cost.OutputTokens = 6
	must.Do(t, f.Runs().SpendAll(t.Context(), map[svc.RunClaim]svc.Cost{
		claimOf(r): cost, {ID: other.ID, Epoch: other.Epoch + 1}: {Model: "late"}, {ID: "gen_none", Epoch: 1}: {Model: "none"},
	}))
	must.Do(t, f.Runs().SpendAll(t.Context(), nil))
	r.Cost = &cost
	same(t, f.get(t, r), r)
	same(t, f.get(t, other), other)
	days := must.Get(f.Usage().Daily(t.Context(), a, r.CreatedAt, r.CreatedAt))(t)
	if len(days) != 1 || days[0].OutputTokens != 6 || days[0].CostUSD != 0.25 || days[0].Time != time.Second {
		t.Errorf("a running run counts as %+v", days)
	}
	must.Do(t, f.Runs().Release(t.Context(), claimOf(r)))
	wantErr(t, "spend on what was handed back", f.Runs().Spend(t.Context(), claimOf(r), svc.Cost{}), svc.ErrConflict)
	again := f.claim(t)
	same(t, again.Cost, &cost)
}

func runsCancelled(t *testing.T, f *runFixture) {
	a, b := f.account(t, "a"), f.account(t, "b")
	queued, running := f.queue(t, a, "gen_1"), f.queue(t, a, "gen_0")
	fails(t, "cancel another's run", svc.ErrNotFound)(f.Runs().RequestCancel(t.Context(), b, queued.ID, f.now))
	got := must.Get(f.Runs().RequestCancel(t.Context(), a, queued.ID, f.now))(t)
	if !got.CancelRequestedAt.Equal(f.now) || got.Status != svc.RunQueued {
		t.Errorf("after the request the run is %+v", got)
	}
	got = must.Get(f.Runs().RequestCancel(t.Context(), a, queued.ID, f.now.Add(time.Hour)))(t)
	if !got.CancelRequestedAt.Equal(f.now) {
		t.Errorf("a second request moves the first to %v", got.CancelRequestedAt)
	}
	gives(t, "cancelled", []string{queued.ID})(f.Runs().CancelRequested(t.Context(), []string{running.ID, queued.ID, "gen_none"}))
	done := got
	done.Status, done.FinishedAt, done.LastEvent = svc.RunCancelled, f.now, 1
	must.Do(t, f.Runs().Finish(t.Context(), svc.RunQueued, done))
	again := must.Get(f.Runs().RequestCancel(t.Context(), a, queued.ID, f.now.Add(time.Hour)))(t)
	same(t, again, f.get(t, queued))
}

func runsFinished(t *testing.T, f *runFixture) {
	a := f.account(t, "a")
	f.queue(t, a, "gen_1")
	r := f.claim(t)
	done := r
	done.Status, done.BundleID, done.LastEvent = svc.RunSucceeded, "bundle", 42
	done.Validation = &svc.Validation{Level: "test", Status: "passed", Checks: []svc.ValidationCheck{
		{Check: "go build ./...", Status: "passed", Seconds: 1.5, Version: "go1.26"}, {Check: "go test", Status: "skipped", Detail: "why"},
	}}
	done.Cost = &svc.Cost{Model: "m", InputTokens: 1, OutputTokens: 2, EstimatedUSD: 0.25}
	done.FinishedAt, done.Lease = f.now.Add(time.Second), time.Time{}
	stale := done
	stale.Epoch--
	wantErr(t, "finish under an old epoch", f.Runs().Finish(t.Context(), svc.RunRunning, stale), svc.ErrConflict)
	wantErr(t, "finish from another state", f.Runs().Finish(t.Context(), svc.RunQueued, done), svc.ErrConflict)
	same(t, f.get(t, r), r)
	must.Do(t, f.Runs().Finish(t.Context(), svc.RunRunning, done))
	same(t, f.get(t, r), done)

	other := done
	other.Status, other.Error = svc.RunFailed, &svc.RunError{
		Code: "CONSTRAINT_UNRESOLVABLE", Message: "no", Retryable: true,
		Suggestion: &svc.Suggestion{Spec: "api in go\nbook: title", Understood: []string{"books"}, NotUnderstood: []string{}},
	}
	wantErr(t, "finish twice", f.Runs().Finish(t.Context(), svc.RunRunning, other), svc.ErrConflict)
	wantErr(t, "hand back what is over", f.Runs().Release(t.Context(), claimOf(r)), svc.ErrConflict)
	held := must.Get(f.Runs().Renew(t.Context(), []svc.RunClaim{claimOf(r)}, f.now))(t)
	if len(held) != 0 {
		t.Errorf("a run that is over is held: %v", held)
	}
	same(t, f.get(t, r), done)

	f.queue(t, a, "gen_2")
	failed := f.claim(t)
	failed.Status, failed.Error, failed.LastEvent = svc.RunFailed, other.Error, 3
	failed.FinishedAt, failed.Lease = f.now, time.Time{}
	must.Do(t, f.Runs().Finish(t.Context(), svc.RunRunning, failed))
	same(t, f.get(t, failed), failed)
}

func runsTold(t *testing.T, f *runFixture) {
	a := f.account(t, "a")
	var ids []string
	for i := range 3 {
		f.queue(t, a, fmt.Sprintf("gen_%d", i))
		r := f.claim(t)
		r.Status, r.LastEvent, r.FinishedAt = svc.RunFailed, 1, f.now.Add(time.Duration(i)*time.Second)
		must.Do(t, f.Runs().Finish(t.Context(), svc.RunRunning, r))
		ids = append(ids, r.ID)
	}
	untold := func(until time.Time, limit int) (got []string) {
		all := must.Get(f.Runs().UnpublishedEnds(t.Context(), until, limit))(t)
		for _, r := range all {
			got = append(got, r.ID)
		}
		return got
	}
	same(t, untold(f.now.Add(time.Hour), 10), ids)
	same(t, untold(f.now.Add(time.Hour), 2), ids[:2])
	same(t, untold(f.now.Add(time.Second), 10), ids[:2])
	for range 2 {
		must.Do(t, f.Runs().MarkEndPublished(t.Context(), ids[0]))
	}
	same(t, untold(f.now.Add(time.Hour), 10), ids[1:])
}

func runsRenumbered(t *testing.T, f *runFixture) {
	a := f.account(t, "a")
	f.queue(t, a, "gen_1")
	r := f.claim(t)
	must.Do(t, f.Runs().Renumber(t.Context(), r.ID, 9)) // not final
	same(t, f.get(t, r).LastEvent, int64(0))
	r.Status, r.LastEvent, r.FinishedAt = svc.RunFailed, 5, f.now
	must.Do(t, f.Runs().Finish(t.Context(), svc.RunRunning, r))
	for _, step := range []struct{ last, want int64 }{{7, 7}, {6, 7}, {7, 7}, {8, 8}} {
		must.Do(t, f.Runs().Renumber(t.Context(), r.ID, step.last))
		same(t, f.get(t, r).LastEvent, step.want)
	}
	must.Do(t, f.Runs().MarkEndPublished(t.Context(), r.ID))
	must.Do(t, f.Runs().Renumber(t.Context(), r.ID, 9))
	same(t, f.get(t, r).LastEvent, int64(8))
	must.Do(t, f.Runs().Renumber(t.Context(), "gen_none", 9))
}

func runsDeleted(t *testing.T, f *runFixture) {
	a := f.account(t, "a")
	r := f.queue(t, a, "gen_1")
	must.Do(t, f.Projects().Delete(t.Context(), a, r.ProjectID, f.now))
	fails(t, "get a run of a deleted project", svc.ErrNotFound)(f.Runs().Get(t.Context(), a, r.ID))
	f.claimsNothing(t)
}
