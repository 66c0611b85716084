package generation

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/testkit/must"
)

// twoFiles writes two files, with a pause between them.
func twoFiles(pause time.Duration) engineFunc {
	return func(ctx context.Context, req engine.Request, emit func(engine.Output) error) error {
		if err := emit(engine.File{Path: "a.txt", Content: []byte("first of " + req.Prompt)}); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
		return emit(engine.File{Path: "b.txt", Content: []byte("second")})
	}
}

// deadWorker takes the next run as a worker would, tells the beginning of a
// story and is never heard of again.
func (h *house) deadWorker() svc.Run {
	h.t.Helper()
	now := time.Now()
	claimed, err := h.Store.Runs().Claim(h.t.Context(), now, now.Add(leaseTime), 1)
	must.Do(h.t, err)
	run := claimed[0]
	w, err := h.log.Writer(h.t.Context(), svc.RunClaim{ID: run.ID, Epoch: run.Epoch})
	must.Do(h.t, err)
	var events []svc.Event
	for _, p := range []svc.Payload{
		svc.ToolStatusEvent{Action: "plan", Status: "started", RunAttempt: run.Epoch},
		svc.TokenEvent{File: "a.txt", Attempt: 1, Delta: "half a wo"},
		svc.TokenEvent{File: "gone.txt", Attempt: 1, Delta: "never again"},
	} {
		e, err := svc.NewEvent(p)
		must.Do(h.t, err)
		events = append(events, e)
	}
	must.Do(h.t, w.Append(h.t.Context(), events))
	return run
}

// Promise: run-taken-up
func TestRunThatLostItsWorkerIsTakenUp(t *testing.T) {
	inHouse(t, func(h *house) {
		t := h.t
		h.start("", "x")
		run := h.deadWorker()
		died := time.Now()
		defer h.work(twoFiles(0), 1)()
		events := h.watchAll(run.ID, 0)
		if took := time.Since(died); took > 15*time.Second {
			t.Errorf("the run was taken up after %v", took)
		}
		done := h.run(run.ID)
		checkStory(t, events, done)
		if done.Status != svc.RunSucceeded || done.Epoch != 2 || done.Losses != 1 {
			t.Errorf("the run is %+v", done)
		}
		want := map[string]string{"a.txt": "first of x", "b.txt": "second"}
		if diff := cmp.Diff(want, rebuild(t, events)); diff != "" {
			t.Errorf("rebuilt (-want +got):\n%s", diff)
		}
		// The text of the lost attempt has a lower number, for whoever ignores plans.
		for _, e := range events[3:] {
			if e.Name == svc.EventToken {
				if d := payload[svc.TokenEvent](t, e); d.File == "a.txt" && d.Attempt != 2 {
					t.Errorf("the new text of a.txt is attempt %d", d.Attempt)
				}
			}
		}
		plan := payload[svc.ToolStatusEvent](t, events[3])
		if plan.Action != "plan" || plan.RunAttempt != 2 {
			t.Errorf("the second worker begins with %+v", plan)
		}
	})
}

// hushedLog has feeds that give nothing until they are told to verify.
type hushedLog struct{ svc.EventLog }

func (l hushedLog) Follow(ctx context.Context, runID string, after int64) (svc.EventFeed, error) {
	f, err := l.EventLog.Follow(ctx, runID, after)
	return &hushedFeed{EventFeed: f}, err
}

type hushedFeed struct {
	svc.EventFeed
	verified bool
}

func (f *hushedFeed) Next(ctx context.Context) ([]svc.Event, error) {
	if !f.verified {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return f.EventFeed.Next(ctx)
}

func (f *hushedFeed) Verify(ctx context.Context) error {
	f.verified = true
	return f.EventFeed.Verify(ctx)
}

// A worker reads what the one before it told, also where no news of it comes.
func TestFormerAttemptsAreReadWhenNewsIsLost(t *testing.T) {
	inHouse(t, func(h *house) {
		t := h.t
		h.start("", "x")
		run := h.deadWorker() // which told a first attempt at a.txt
		h.config.Events = hushedLog{h.log}
		defer h.work(twoFiles(0), 1)()
		time.Sleep(time.Minute)
		done := h.run(run.ID)
		if done.Status != svc.RunSucceeded {
			t.Fatalf("after a minute the run is %s", done.Status)
		}
		attempts := map[string]int{}
		events, err := h.log.Read(t.Context(), run.ID, 3)
		must.Do(t, err)
		for _, e := range events {
			if e.Name == svc.EventToken {
				d := payload[svc.TokenEvent](t, e)
				attempts[d.File] = d.Attempt
			}
		}
		if diff := cmp.Diff(map[string]int{"a.txt": 2, "b.txt": 1}, attempts); diff != "" {
			t.Errorf("attempts of the second worker (-want +got):\n%s", diff)
		}
	})
}

// Promise: run-taken-up
func TestRunThatLosesItsWorkersTooOftenEnds(t *testing.T) {
	inHouse(t, func(h *house) {
		t := h.t
		run := h.start("", "x")
		h.deadWorker()
		for range h.Limits.Losses {
			time.Sleep(leaseTime + time.Millisecond)
			now := time.Now()
			_, err := h.Store.Runs().Retake(t.Context(), now, now.Add(leaseTime), 1)
			must.Do(t, err)
		}
		defer h.work(twoFiles(0), 1)()
		events := h.watchAll(run.ID, 0)
		done := h.run(run.ID)
		checkStory(t, events, done)
		// The last worker has moved the fence before it counted.
		if plan := payload[svc.ToolStatusEvent](t, events[len(events)-2]); plan.RunAttempt != done.Epoch {
			t.Errorf("worker %d begins with %+v", done.Epoch, plan)
		}
		failure := payload[svc.ErrorEvent](t, events[len(events)-1])
		if done.Status != svc.RunFailed || failure.Code != "INTERNAL" || !failure.Retryable {
			t.Errorf("the run is %s, told as %+v", done.Status, failure)
		}
	})
}

// Promise: run-taken-up
func TestLostRunsNeedNoFreePlace(t *testing.T) {
	inHouse(t, func(h *house) {
		t := h.t
		lost := h.start("", "lost")
		h.deadWorker()
		busy := h.start("", "busy")
		defer h.work(twoFiles(time.Hour/2), 1)()
		time.Sleep(15 * time.Second)
		for _, id := range []string{lost.ID, busy.ID} {
			if got := h.run(id); got.Status != svc.RunRunning || got.Lease.Before(time.Now()) {
				t.Errorf("%s is %s with a lease until %v", got.Prompt, got.Status, got.Lease)
			}
		}
	})
}

// Promise: runs-handed-back
func TestStoppingHandsRunsBack(t *testing.T) {
	inHouse(t, func(h *house) {
		t := h.t
		run := h.start("", "x")
		stop := h.work(twoFiles(time.Minute), 1)
		time.Sleep(30 * time.Second)
		before := time.Now()
		stop()
		if got := h.run(run.ID); got.Status != svc.RunQueued || got.Losses != 0 || got.Epoch != 1 {
			t.Errorf("after the stop the run is %+v", got)
		}
		if took := time.Since(before); took > time.Second {
			t.Errorf("stopping took %v", took)
		}
		defer h.work(twoFiles(time.Minute), 1)()
		events := h.watchAll(run.ID, 0)
		checkStory(t, events, h.run(run.ID))
		want := map[string]string{"a.txt": "first of x", "b.txt": "second"}
		if diff := cmp.Diff(want, rebuild(t, events)); diff != "" {
			t.Errorf("rebuilt (-want +got):\n%s", diff)
		}
	})
}

// slowStore lets nobody ask for the time or begin a transaction while its gate
// is shut.
type slowStore struct {
	svc.Store
	gate chan struct{} // holds one while it is open
}

func (s slowStore) Now(ctx context.Context) (time.Time, error) {
	<-s.gate
	s.gate <- struct{}{}
	return s.Store.Now(ctx)
}

func (s slowStore) Tx(ctx context.Context, fn func(svc.Records) error) error {
	<-s.gate
	s.gate <- struct{}{}
	return s.Store.Tx(ctx, fn)
}

func (s slowStore) TxLocked(ctx context.Context, fn func(svc.Records) error) error {
	return s.Tx(ctx, fn)
}

func TestSlowRecordsCostNobodyItsRuns(t *testing.T) {
	inHouse(t, func(h *house) {
		t := h.t
		gate := make(chan struct{}, 1)
		gate <- struct{}{}
		h.config.Store = slowStore{h.config.Store, gate}
		run := h.start("", "x")
		defer h.work(twoFiles(time.Minute), 1)()
		time.Sleep(5 * time.Second)
		<-gate
		time.Sleep(3 * leaseTime)
		gate <- struct{}{}
		events := h.watchAll(run.ID, 0)
		done := h.run(run.ID)
		checkStory(t, events, done)
		if done.Losses != 0 || done.Epoch != 1 || done.Status != svc.RunSucceeded {
			t.Errorf("the run is %s with epoch %d and %d losses", done.Status, done.Epoch, done.Losses)
		}
	})
}

// deafStore loses every renewal on the way to the records, and finds no runs
// that others lost.
type deafStore struct{ svc.Store }

func (s deafStore) Tx(ctx context.Context, fn func(svc.Records) error) error {
	return s.Store.Tx(ctx, func(r svc.Records) error { return fn(deafRecords{r}) })
}

func (s deafStore) Runs() svc.Runs { return deafRuns{s.Store.Runs()} }

type deafRecords struct{ svc.Records }

func (r deafRecords) Runs() svc.Runs { return deafRuns{r.Records.Runs()} }

type deafRuns struct{ svc.Runs }

func (deafRuns) Renew(context.Context, []svc.RunClaim, time.Time) ([]svc.RunClaim, error) {
	return nil, errors.New("the records cannot be reached")
}

func (deafRuns) Retake(context.Context, time.Time, time.Time, int) ([]svc.Run, error) {
	return nil, nil
}

// TestWorkerThatLostItsRunSaysNothingMore is the fence: a worker that goes on
// while another has its run publishes, and no viewer sees it.
// Promise: stream-lost-worker
func TestWorkerThatLostItsRunSaysNothingMore(t *testing.T) {
	inHouse(t, func(h *house) {
		t := h.t
		run := h.start("", "x")
		release := make(chan struct{})
		var refusedOnce sync.Once
		refusal := make(chan error, 1)
		// The first worker's engine does not listen to anybody while it sleeps.
		stubborn := engineFunc(func(_ context.Context, _ engine.Request, emit func(engine.Output) error) error {
			if err := emit(engine.Token{File: "ghost.txt", Delta: "boo"}); err != nil {
				return err
			}
			<-release
			err := emit(engine.Token{File: "ghost.txt", Delta: "boo again"})
			if err == nil { // it was begun to be stored, in vain
				time.Sleep(batchTime)
				err = emit(engine.Token{File: "ghost.txt", Delta: "boo for ever"})
			}
			refusedOnce.Do(func() { refusal <- err })
			return err
		})
		whole := h.config.Store
		h.config.Store = deafStore{whole}
		stopFirst := h.work(stubborn, 1)
		defer stopFirst()
		synctest.Wait()
		h.config.Store = whole
		time.Sleep(time.Second)
		if got := h.run(run.ID); got.Status != svc.RunRunning {
			t.Fatalf("the first worker has not begun: %+v", got)
		}
		// From now on the first worker can take nothing: it is busy. The second
		// takes over when the lease has ended.
		defer h.work(twoFiles(20*time.Second), 1)()
		time.Sleep(15 * time.Second)
		close(release)
		events := h.watchAll(run.ID, 0)
		if err := <-refusal; err == nil {
			t.Error("the lost worker was not refused")
		}
		done := h.run(run.ID)
		checkStory(t, events, done)
		if done.Status != svc.RunSucceeded {
			t.Errorf("the run is %s: %+v", done.Status, done.Error)
		}
		if got := rebuild(t, events); got["ghost.txt"] != "" {
			t.Errorf("viewers rebuilt %q of the lost worker", got["ghost.txt"])
		}
		if files := h.projectFiles(done); files["ghost.txt"] != "" {
			t.Error("a file of the lost worker was packaged")
		}
	})
}

// brokenLog refuses endings, as if the process died before it told them.
type brokenLog struct{ svc.EventLog }

func (l brokenLog) Writer(ctx context.Context, c svc.RunClaim) (svc.EventWriter, error) {
	w, err := l.EventLog.Writer(ctx, c)
	return brokenWriter{w}, err
}

type brokenWriter struct{ svc.EventWriter }

func (w brokenWriter) Append(ctx context.Context, events []svc.Event) error {
	if slices.ContainsFunc(events, func(e svc.Event) bool { return e.Name.Terminal() }) {
		return errors.New("the process is gone")
	}
	return w.EventWriter.Append(ctx, events)
}

// Promise: ending-told
func TestEndingThatNobodyToldIsTold(t *testing.T) {
	for name, e := range map[string]engineFunc{
		"success": twoFiles(0),
		"failure": func(context.Context, engine.Request, func(engine.Output) error) error {
			return &engine.Error{Code: engine.CodeUpstreamOutage, Message: "down", Retryable: true}
		},
	} {
		t.Run(name, func(t *testing.T) {
			inHouse(t, func(h *house) {
				t := h.t
				run := h.start("", "x")
				h.config.Events = brokenLog{h.log}
				stop := h.work(e, 1)
				time.Sleep(time.Second)
				stop()
				done := h.run(run.ID)
				if last, err := h.log.Last(t.Context(), run.ID); err != nil || !done.Status.Final() || last.Seq >= done.LastEvent {
					t.Fatalf("the run is %s, the log ends at %d (%v) of %d", done.Status, last.Seq, err, done.LastEvent)
				}
				h.config.Events = h.log
				defer h.work(e, 1)()
				time.Sleep(publishAfter + 2*publishEvery)
				synctest.Wait()
				events, err := h.log.Read(t.Context(), run.ID, 0)
				must.Do(t, err)
				checkStory(t, events, done)
				untold, err := h.Store.Runs().UnpublishedEnds(t.Context(), time.Now(), 10)
				if err != nil || len(untold) != 0 {
					t.Errorf("%d runs are untold (%v)", len(untold), err)
				}
			})
		})
	}
}
