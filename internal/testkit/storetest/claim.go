package storetest

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/testkit/must"
)

func runsFair(t *testing.T, f *runFixture) {
	a, b, c := f.account(t, "a"), f.account(t, "b"), f.account(t, "c")
	for i := range 3 {
		f.queue(t, a, fmt.Sprintf("gen_a%d", i))
	}
	f.queue(t, b, "gen_b0")
	f.queue(t, b, "gen_b1")
	f.queue(t, c, "gen_c0")
	var order []string
	for range 6 {
		order = append(order, f.claim(t).ID)
	}
	same(t, order, []string{"gen_a0", "gen_b0", "gen_c0", "gen_a1", "gen_b1", "gen_a2"})
	f.claimsNothing(t)
}

// runsFairTogether: a batch has what as many claims one after the other would have.
func runsFairTogether(t *testing.T, f *runFixture) {
	a, b := f.account(t, "a"), f.account(t, "b")
	f.queue(t, a, "gen_running")
	f.claim(t)
	project := f.project(t, a)
	f.queueIn(t, a, project, "gen_a0")
	f.queueIn(t, a, project, "gen_a1") // after gen_a0
	f.queue(t, a, "gen_a2")
	for i := range 3 {
		f.queue(t, b, fmt.Sprintf("gen_b%d", i))
	}
	for _, want := range [][]string{{"gen_a0", "gen_b0", "gen_b1"}, {"gen_a2", "gen_b2"}, nil} {
		var got []string
		for _, r := range must.Get(f.Runs().Claim(t.Context(), f.now, f.now.Add(time.Second), 3))(t) {
			got = append(got, r.ID)
			if r.Status != svc.RunRunning || r.Epoch != 1 || !r.Lease.Equal(f.now.Add(time.Second)) {
				t.Errorf("claimed as %+v", r)
			}
		}
		slices.Sort(got)
		same(t, got, want)
	}
}

func runsOneAProject(t *testing.T, f *runFixture) {
	a := f.account(t, "a")
	project := f.project(t, a)
	first := f.queueIn(t, a, project, "gen_z")
	f.queueIn(t, a, project, "gen_a")
	if got := f.claim(t); got.ID != first.ID {
		t.Errorf("claimed %s before the older %s", got.ID, first.ID)
	}
	f.claimsNothing(t)
	done := f.get(t, first)
	done.Status, done.FinishedAt, done.LastEvent = svc.RunFailed, f.now, 1
	must.Do(t, f.Runs().Finish(t.Context(), svc.RunRunning, done))
	if got := f.claim(t); got.ID != "gen_a" {
		t.Errorf("claimed %s, want gen_a", got.ID)
	}
}

func runsClaimedOnce(t *testing.T, f *runFixture) {
	a := f.account(t, "a")
	for i := range 20 {
		f.queue(t, a, fmt.Sprintf("gen_%d", i))
	}
	var mu sync.Mutex
	taken := map[string]int{}
	var wait sync.WaitGroup
	for worker := range 8 {
		limit := 1 + worker%3
		wait.Go(func() {
			for {
				claimed, err := f.Runs().Claim(t.Context(), f.now, f.now.Add(time.Second), limit)
				if err != nil {
					t.Errorf("claim: %v", err)
				}
				if len(claimed) == 0 {
					return
				}
				mu.Lock()
				for _, r := range claimed {
					taken[r.ID]++
				}
				mu.Unlock()
			}
		})
	}
	wait.Wait()
	if len(taken) != 20 {
		t.Errorf("%d runs were taken, want 20", len(taken))
	}
	for id, n := range taken {
		if n != 1 {
			t.Errorf("%s was taken %d times", id, n)
		}
	}
}

func runsQueue(t *testing.T, f *runFixture) {
	a, b := f.account(t, "a"), f.account(t, "b")
	first, second, third := f.queue(t, a, "gen_1"), f.queue(t, b, "gen_2"), f.queue(t, a, "gen_3")
	length := must.Get(f.Runs().Waiting(t.Context(), a))(t)
	same(t, length, svc.QueueLength{All: 3, Account: 2})
	for want, r := range []svc.Run{first, second, third} {
		gives(t, "position", want+1)(f.Runs().Position(t.Context(), r.ID))
	}
	started, when, err := f.Runs().StartedSince(t.Context(), f.now, 10)
	must.Do(t, err)
	same(t, started, 0)
	same(t, when, time.Time{})

	if got := f.claim(t); got.ID != first.ID || !got.StartedAt.Equal(f.now) {
		t.Errorf("claimed %s, started %v", got.ID, got.StartedAt)
	}
	position := must.Get(f.Runs().Position(t.Context(), first.ID))(t)
	same(t, position, 0)
	gives(t, "position", 1)(f.Runs().Position(t.Context(), second.ID))
	gives(t, "queue", svc.QueueLength{All: 2, Account: 1})(f.Runs().Waiting(t.Context(), b))
	later := f.now.Add(time.Second)
	must.Get(f.Runs().Claim(t.Context(), later, later.Add(10*time.Second), 1))(t)
	for _, test := range []struct {
		since time.Time
		limit int
		want  int
		first time.Time
	}{{f.now, 10, 2, f.now}, {f.now, 1, 1, later}, {later, 10, 1, later}, {later.Add(time.Millisecond), 10, 0, time.Time{}}} {
		got, first, err := f.Runs().StartedSince(t.Context(), test.since, test.limit)
		must.Do(t, err)
		same(t, got, test.want)
		same(t, first.UTC(), test.first.UTC())
	}
}

func runsRetaken(t *testing.T, f *runFixture) {
	a := f.account(t, "a")
	f.queue(t, a, "gen_1")
	r := f.claim(t)
	if r.Epoch != 1 || r.Status != svc.RunRunning || r.Losses != 0 || !r.Lease.Equal(f.now.Add(10*time.Second)) {
		t.Errorf("claimed %+v", r)
	}
	retake := func(now, lease time.Time, limit int) []svc.Run {
		return must.Get(f.Runs().Retake(t.Context(), now, lease, limit))(t)
	}
	same(t, len(retake(r.Lease, r.Lease.Add(time.Second), 10)), 0)
	late := r.Lease.Add(time.Millisecond)
	taken := retake(late, late.Add(10*time.Second), 10)
	same(t, len(taken), 1)
	again := taken[0]
	if again.ID != r.ID || again.Epoch != 2 || again.Losses != 1 || !again.StartedAt.Equal(r.StartedAt) || !again.Lease.Equal(late.Add(10*time.Second)) {
		t.Errorf("retook %+v", again)
	}
	same(t, f.get(t, r), again)
	same(t, len(retake(late, late.Add(time.Second), 10)), 0)

	for i := range 3 { // the longest overdue first
		f.queue(t, a, fmt.Sprintf("gen_late%d", i))
		f.now = f.now.Add(time.Millisecond)
		f.claim(t)
	}
	end := f.now.Add(time.Hour)
	for _, want := range [][]string{{"gen_late0", "gen_late1"}, {"gen_1", "gen_late2"}} {
		var got []string
		for _, r := range retake(end, end.Add(time.Minute), 2) {
			got = append(got, r.ID)
		}
		slices.Sort(got)
		same(t, got, want)
	}
}

func runsRenewed(t *testing.T, f *runFixture) {
	a := f.account(t, "a")
	for i := range 3 {
		f.queue(t, a, fmt.Sprintf("gen_%d", i))
	}
	one, two := f.claim(t), f.claim(t)
	later := f.now.Add(time.Minute)
	held, err := f.Runs().Renew(t.Context(), []svc.RunClaim{
		claimOf(one), {ID: two.ID, Epoch: two.Epoch + 1}, {ID: "gen_2", Epoch: 0}, {ID: "gen_none", Epoch: 1},
	}, later)
	must.Do(t, err)
	same(t, held, []svc.RunClaim{claimOf(one)})
	if got := f.get(t, one).Lease; !got.Equal(later) {
		t.Errorf("the lease ends %v, want %v", got, later)
	}
	if got := f.get(t, two).Lease; !got.Equal(two.Lease) {
		t.Errorf("a lease that was not held was moved to %v", got)
	}
	// One that was long on its way comes after its successor.
	same(t, must.Get(f.Runs().Renew(t.Context(), []svc.RunClaim{claimOf(one)}, f.now.Add(time.Second)))(t), []svc.RunClaim{claimOf(one)})
	if got := f.get(t, one).Lease; !got.Equal(later) {
		t.Errorf("an old renewal moved the end of the lease to %v", got)
	}
	held = must.Get(f.Runs().Renew(t.Context(), nil, later))(t)
	if len(held) != 0 {
		t.Errorf("nothing was asked for, %v is held", held)
	}
}

func runsReleased(t *testing.T, f *runFixture) {
	a := f.account(t, "a")
	f.queue(t, a, "gen_1")
	r := f.claim(t)
	wantErr(t, "release another's claim", f.Runs().Release(t.Context(), svc.RunClaim{ID: r.ID, Epoch: 0}), svc.ErrConflict)
	must.Do(t, f.Runs().Release(t.Context(), claimOf(r)))
	wantErr(t, "release twice", f.Runs().Release(t.Context(), claimOf(r)), svc.ErrConflict)
	got := f.get(t, r)
	if got.Status != svc.RunQueued || !got.Lease.IsZero() || got.Epoch != 1 || got.Losses != 0 {
		t.Errorf("released as %+v", got)
	}
	if again := f.claim(t); again.Epoch != 2 || !again.StartedAt.Equal(r.StartedAt) {
		t.Errorf("claimed again as %+v", again)
	}
}
