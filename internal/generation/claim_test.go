package generation

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/testkit/must"
)

// lateStore gives runs only when the lease is over that was asked for.
type lateStore struct{ svc.Store }

func (s lateStore) Runs() svc.Runs { return lateRuns{s.Store.Runs()} }

type lateRuns struct{ svc.Runs }

func (r lateRuns) Claim(ctx context.Context, now, lease time.Time, limit int) ([]svc.Run, error) {
	time.Sleep(leaseTime + time.Second)
	return r.Runs.Claim(ctx, now, lease, limit)
}

func TestRunsThatAreGivenLateAreNotTakenFromOneself(t *testing.T) {
	inHouse(t, func(h *house) {
		t := h.t
		h.config.Store = lateStore{h.config.Store}
		run := h.start("", "x")
		defer h.work(twoFiles(time.Minute), 2)()
		checkStory(t, h.watchAll(run.ID, 0), h.run(run.ID))
		if done := h.run(run.ID); done.Losses != 0 || done.Epoch != 1 {
			t.Errorf("the run ended with epoch %d and %d losses", done.Epoch, done.Losses)
		}
	})
}

// countingStore counts how often runs are looked for, and what else is asked by those
// who have none.
type countingStore struct {
	svc.Store
	claims, retakes, others *atomic.Int32
}

func (s countingStore) Now(ctx context.Context) (time.Time, error) {
	s.others.Add(1)
	return s.Store.Now(ctx)
}

func (s countingStore) Workers() svc.Workers {
	s.others.Add(1)
	return s.Store.Workers()
}

func (s countingStore) Runs() svc.Runs { return countingRuns{s.Store.Runs(), s} }

type countingRuns struct {
	svc.Runs
	in countingStore
}

func (r countingRuns) Claim(ctx context.Context, now, lease time.Time, limit int) ([]svc.Run, error) {
	r.in.claims.Add(1)
	return r.Runs.Claim(ctx, now, lease, limit)
}

func (r countingRuns) Retake(ctx context.Context, now, lease time.Time, limit int) ([]svc.Run, error) {
	r.in.retakes.Add(1)
	return r.Runs.Retake(ctx, now, lease, limit)
}

func (r countingRuns) UnpublishedEnds(ctx context.Context, finished time.Time, limit int) ([]svc.Run, error) {
	r.in.others.Add(1)
	return r.Runs.UnpublishedEnds(ctx, finished, limit)
}

// Every process hears of every run, and most in vain: what they ask the records
// then is bounded by time and not by the number of runs.
func TestRingsInVainAreNotAllFollowed(t *testing.T) {
	inHouse(t, func(h *house) {
		t := h.t
		var claims, retakes, others atomic.Int32
		h.config.Store = countingStore{h.config.Store, &claims, &retakes, &others}
		defer h.work(twoFiles(time.Millisecond), 1)()
		time.Sleep(leaseTime) // before that nobody is taken to be lost
		synctest.Wait()
		claims.Store(0)
		retakes.Store(0)
		const span = 10 * time.Second
		for range span / time.Millisecond {
			must.Do(t, h.config.Notifier.NotifyQueued())
			time.Sleep(time.Millisecond)
		}
		if most := int32(span/restAfter + span/lookEvery + 2); claims.Load() > most || claims.Load() < most/2 {
			t.Errorf("%d looks at the queue, want at most %d", claims.Load(), most)
		}
		if most := int32(span/lookEvery/2 + 2); retakes.Load() > most || retakes.Load() < most/2 {
			t.Errorf("%d looks for lost runs, want at most %d", retakes.Load(), most)
		}
		run := h.start("", "x")
		checkStory(t, h.watchAll(run.ID, 0), h.run(run.ID))
	})
}

// TestARunWakesOneWorker: of several processes with a free place one looks for a new
// run, and those without one hear nothing; what idle ones ask is bounded.
// Promise: worker-wake
func TestARunWakesOneWorker(t *testing.T) {
	for _, places := range []int{1, 2} {
		t.Run(fmt.Sprintf("%d places in each process", places), func(t *testing.T) {
			inHouse(t, func(h *house) { oneWorkerWakes(h, places) })
		})
	}
}

func oneWorkerWakes(h *house, places int) {
	t, store := h.t, h.config.Store
	const processes = 4
	var claims, running [processes]atomic.Int32
	var retakes, others atomic.Int32
	begun := time.Now()
	for i := range processes {
		h.config.Store = countingStore{store, &claims[i], &retakes, &others}
		long := twoFiles(time.Hour)
		defer h.work(engineFunc(func(ctx context.Context, req engine.Request, emit func(engine.Output) error) error {
			running[i].Add(1)
			return long(ctx, req, emit)
		}), places)()
	}
	looks := func() (all int32) {
		for i := range claims {
			all += claims[i].Load()
		}
		return all
	}
	time.Sleep(leaseTime) // all look for the lost
	synctest.Wait()
	for i := range claims {
		claims[i].Store(0)
	}
	retakes.Store(0)
	others.Store(0)
	const span = time.Minute
	const cleaning = 5 // what a process asks in that time about its sweep and the clean-up
	time.Sleep(span)
	synctest.Wait()
	if asked := looks() + retakes.Load() + others.Load(); asked > int32(processes*(span/time.Second-cleaning)) {
		t.Errorf("%d idle processes asked %d times in %v", processes, asked, span)
	}
	for n := range processes*places + 1 {
		// Not when idle ones look by the clock, which all do at the same moments.
		time.Sleep(lookEvery - time.Since(begun)%lookEvery + lookEvery/4)
		synctest.Wait()
		var before [processes]int32
		for i := range claims {
			before[i] = running[i].Load()
			claims[i].Store(0)
		}
		run := h.start("", fmt.Sprint("run ", n))
		time.Sleep(2 * restAfter)
		synctest.Wait()
		want, status := int32(1), svc.RunRunning
		if n == processes*places {
			want, status = 0, svc.RunQueued // nobody has a place
		}
		if got := h.run(run.ID); got.Status != status {
			t.Errorf("run %d is %s a moment after it was queued, want %s", n, got.Status, status)
		}
		free := 0
		for i := range claims {
			if running[i].Load() < int32(places) {
				free++
			}
			if before[i] == int32(places) && claims[i].Load() > 0 {
				t.Errorf("process %d has no place, and looked for run %d", i, n)
			}
			// Whoever is full by this run hands what may be left to one that is not.
			if before[i] == int32(places)-1 && running[i].Load() == int32(places) && n < processes*places-1 {
				want = 2
			}
		}
		if asked := looks(); asked != want {
			t.Errorf("%d looks for run %d, want %d", asked, n, want)
		}
		if heard := h.notifier.listening(); heard != free {
			t.Errorf("after run %d %d processes hear of the next, and %d have a place", n, heard, free)
		}
	}
}

// recordsClock is a store of which only the clock is asked.
type recordsClock struct {
	svc.Store
	at    time.Time
	asked int
	slow  []time.Duration // of the next answers
}

func (c *recordsClock) Now(context.Context) (time.Time, error) {
	c.asked++
	if len(c.slow) > 0 {
		time.Sleep(c.slow[0])
		c.at, c.slow = c.at.Add(c.slow[0]), c.slow[1:]
	}
	return c.at, nil
}

// Clocks of machines part: that of the records is asked again before it matters.
func TestTheClockOfTheRecordsIsAskedNowAndThen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		records := &recordsClock{at: time.Now().Add(time.Hour)}
		p := &Pool{PoolConfig: PoolConfig{Config: Config{Store: records}}}
		ask := func(want time.Time, asked int) {
			t.Helper()
			if got, err := p.now(t.Context()); err != nil || !got.Equal(want) || records.asked != asked {
				t.Errorf("it is %v (%v) after %d questions, want %v after %d", got, err, records.asked, want, asked)
			}
		}
		first := records.at
		ask(first, 1)
		records.at = first.Add(time.Minute)
		time.Sleep(clockTime - time.Second)
		ask(first.Add(clockTime-time.Second), 1)
		time.Sleep(time.Second)
		ask(records.at, 2)
	})
}

// An answer that came late says nothing about now: a clock that is ahead by as much would
// take runs from workers that live.
// Promise: lease-silent-database
func TestATimeThatWasLongOnItsWayDoesNotCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		records := &recordsClock{at: time.Now().Add(time.Hour), slow: []time.Duration{11 * time.Second}}
		p := &Pool{PoolConfig: PoolConfig{Config: Config{Store: records}}}
		for range 2 {
			if got, err := p.now(t.Context()); err != nil || !got.Equal(time.Now().Add(time.Hour)) || records.asked != 2 {
				t.Errorf("it is %v (%v) after %d questions, want %v after 2", got, err, records.asked, time.Now().Add(time.Hour))
			}
			time.Sleep(time.Second)
		}
		if p.mayRetake() {
			t.Error("runs are taken from workers that could not renew their leases either")
		}
		time.Sleep(clockTime)
		records.slow = []time.Duration{clockDoubt + time.Millisecond, time.Minute}
		if got, err := p.now(t.Context()); !errors.Is(err, svc.ErrUnavailable) {
			t.Errorf("it is %v (%v) by answers that all came late", got, err)
		}
	})
}

// slowQueue is a store whose queue is empty, and says so late.
type slowQueue struct {
	recordsClock
	takes time.Duration
}

func (q *slowQueue) Runs() svc.Runs { return slowRuns{takes: q.takes} }

type slowRuns struct {
	svc.Runs
	takes time.Duration
}

func (q slowRuns) Claim(context.Context, time.Time, time.Time, int) ([]svc.Run, error) {
	time.Sleep(q.takes)
	return nil, nil
}

// Whoever waited for the records waited with those who renew their leases there.
// Promise: lease-silent-database
func TestAfterASilenceEveryWorkerHasTheTimeOfALease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for takes, want := range map[time.Duration]bool{clockDoubt: true, leaseTime + time.Second: false} {
			p := &Pool{PoolConfig: PoolConfig{Config: Config{Store: &slowQueue{takes: takes}}, Workers: 1}, inReach: time.Now().Add(-leaseTime)}
			p.claimAll(t.Context(), look{queued: true})
			if got := p.mayRetake(); got != want {
				t.Errorf("after a silence of %s runs are taken from others: %v", takes, got)
			}
			time.Sleep(leaseTime)
			if !p.mayRetake() {
				t.Errorf("after %s and a lease no run is taken up", takes)
			}
		}
	})
}
