package generation

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/testkit/must"
)

// outage makes records, bytes or events unavailable.
type outage struct {
	records, bytes, events atomic.Bool
	// loseAnswers has transactions and claims be made whose answers are lost.
	loseAnswers atomic.Bool
}

var errOut = fmt.Errorf("%w: the cable is cut", svc.ErrUnavailable)

func (o *outage) during(is *atomic.Bool) error {
	if is.Load() {
		return errOut
	}
	return nil
}

// outageStore is a store that can be out of reach.
type outageStore struct {
	svc.Store
	out *outage
}

func (s outageStore) Tx(ctx context.Context, fn func(svc.Records) error) error {
	if err := s.out.during(&s.out.records); err != nil {
		return err
	}
	err := s.Store.Tx(ctx, fn)
	if err == nil && s.out.loseAnswers.Load() {
		return errOut
	}
	return err
}

func (s outageStore) TxLocked(ctx context.Context, fn func(svc.Records) error) error {
	return s.Tx(ctx, fn)
}

func (s outageStore) Now(ctx context.Context) (time.Time, error) {
	if err := s.out.during(&s.out.records); err != nil {
		return time.Time{}, err
	}
	return s.Store.Now(ctx)
}

func (s outageStore) Runs() svc.Runs { return outageRuns{s.Store.Runs(), s.out} }

func (s outageStore) Projects() svc.Projects { return outageProjects{s.Store.Projects(), s.out} }

type outageProjects struct {
	svc.Projects
	out *outage
}

func (p outageProjects) Get(ctx context.Context, accountID, id string) (svc.Project, error) {
	if err := p.out.during(&p.out.records); err != nil {
		return svc.Project{}, err
	}
	return p.Projects.Get(ctx, accountID, id)
}

type outageRuns struct {
	svc.Runs
	out *outage
}

func (r outageRuns) Claim(ctx context.Context, now, lease time.Time, limit int) ([]svc.Run, error) {
	if err := r.out.during(&r.out.records); err != nil {
		return nil, err
	}
	runs, err := r.Runs.Claim(ctx, now, lease, limit)
	if err == nil && r.out.loseAnswers.Load() {
		return nil, errOut
	}
	return runs, err
}

func (r outageRuns) Retake(ctx context.Context, now, lease time.Time, limit int) ([]svc.Run, error) {
	if err := r.out.during(&r.out.records); err != nil {
		return nil, err
	}
	return r.Runs.Retake(ctx, now, lease, limit)
}

func (r outageRuns) Renew(ctx context.Context, claims []svc.RunClaim, lease time.Time) ([]svc.RunClaim, error) {
	if err := r.out.during(&r.out.records); err != nil {
		return nil, err
	}
	return r.Runs.Renew(ctx, claims, lease)
}

// outageBlobs are bytes that can be out of reach.
type outageBlobs struct {
	svc.Blobs
	out *outage
}

func (b outageBlobs) Create(ctx context.Context, key string) (svc.BlobWriter, error) {
	w, err := b.Blobs.Create(ctx, key)
	return outageBlobWriter{w, b.out}, err
}

func (b outageBlobs) Open(ctx context.Context, key string) (svc.BlobReader, error) {
	if err := b.out.during(&b.out.bytes); err != nil {
		return nil, err
	}
	return b.Blobs.Open(ctx, key)
}

type outageBlobWriter struct {
	svc.BlobWriter
	out *outage
}

func (w outageBlobWriter) Commit() error {
	if err := w.out.during(&w.out.bytes); err != nil {
		return err
	}
	return w.BlobWriter.Commit()
}

// outageLog is a log that can be out of reach.
type outageLog struct {
	svc.EventLog
	out *outage
}

func (l outageLog) Writer(ctx context.Context, c svc.RunClaim) (svc.EventWriter, error) {
	if err := l.out.during(&l.out.events); err != nil {
		return nil, err
	}
	w, err := l.EventLog.Writer(ctx, c)
	return outageWriter{w, l.out}, err
}

type outageWriter struct {
	svc.EventWriter
	out *outage
}

func (w outageWriter) Append(ctx context.Context, events []svc.Event) error {
	for w.out.events.Load() {
		select {
		case <-ctx.Done():
			return errors.Join(errOut, ctx.Err())
		case <-time.After(100 * time.Millisecond):
		}
	}
	return w.EventWriter.Append(ctx, events)
}

// suffer puts the house on parts that can be out of reach.
func (h *house) suffer() *outage {
	out := new(outage)
	h.config.Store = outageStore{h.config.Store, out}
	h.config.Events = outageLog{h.config.Events, out}
	h.packager.Store, h.packager.Blobs = h.config.Store, outageBlobs{h.packager.Blobs, out}
	return out
}

// TestACancelledRunWaitsForItsLogOnce: it is not taken and handed back until the log is
// there, and then it ends.
// Promise: cancel-in-outage
func TestACancelledRunWaitsForItsLogOnce(t *testing.T) {
	inHouse(t, func(h *house) {
		t := h.t
		out := h.suffer()
		out.events.Store(true)
		run := h.start("", "x")
		defer h.work(twoFiles(time.Second), 1)()
		time.Sleep(5 * time.Second)
		_, err := h.Cancel(t.Context(), h.account.ID, run.ID)
		must.Do(t, err)
		time.Sleep(time.Minute)
		out.events.Store(false)
		time.Sleep(10 * time.Second)
		if done := h.run(run.ID); done.Status != svc.RunCancelled || done.Epoch != 1 {
			t.Errorf("the run is %s with epoch %d", done.Status, done.Epoch)
		}
		checkStory(t, h.watchAll(run.ID, 0), h.run(run.ID))
	})
}

// TestRunsSurviveTenMinutesOfAnyOutage: whenever it begins, nothing fails, nothing is
// begun anew, and the time does not count.
// Promise: run-survives-outage
func TestRunsSurviveTenMinutesOfAnyOutage(t *testing.T) {
	kinds := map[string]func(*outage, bool){
		"records": func(o *outage, out bool) { o.records.Store(out) },
		"bytes":   func(o *outage, out bool) { o.bytes.Store(out) },
		"events":  func(o *outage, out bool) { o.events.Store(out) },
		"all":     func(o *outage, out bool) { o.records.Store(out); o.bytes.Store(out); o.events.Store(out) },
	}
	for kind, set := range kinds {
		// Before the engine works, while it does, and when it is done.
		for _, begins := range []time.Duration{0, 10 * time.Second, 29990 * time.Millisecond} {
			t.Run(fmt.Sprintf("%s after %v", kind, begins), func(t *testing.T) {
				inHouse(t, func(h *house) {
					t := h.t
					h.limit(func(l *Limits) { l.RunTime = 2 * time.Minute })
					out := h.suffer()
					base := h.start("", "first")
					stop := h.work(twoFiles(0), 1)
					first := h.run(base.ID)
					for !first.Status.Final() {
						time.Sleep(time.Second)
						first = h.run(base.ID)
					}
					stop()
					var asked atomic.Int32
					slow := engineFunc(func(ctx context.Context, req engine.Request, emit func(engine.Output) error) error {
						asked.Add(1)
						return twoFiles(30*time.Second)(ctx, req, emit)
					})
					run := h.start(first.ProjectID, "x") // it has a pack to read
					if begins == 0 {
						set(out, true)
					}
					// Two processes: when the records are back, neither takes the other's.
					defer h.work(slow, 1)()
					defer h.work(slow, 1)()
					time.Sleep(begins)
					set(out, true)
					time.Sleep(10 * time.Minute)
					if got := h.run(run.ID); got.Status.Final() && kind != "events" {
						t.Errorf("during the outage the run is %s", got.Status)
					}
					set(out, false)
					time.Sleep(time.Minute)
					synctest.Wait()
					done := h.run(run.ID)
					if done.Status != svc.RunSucceeded || done.Epoch != 1 || done.Losses != 0 {
						t.Errorf("the run is %s with epoch %d and %d losses: %+v", done.Status, done.Epoch, done.Losses, done.Error)
					}
					if n := asked.Load(); n != 1 {
						t.Errorf("the engine was asked %d times", n)
					}
					checkStory(t, h.watchAll(run.ID, 0), done)
				})
			})
		}
	}
}

// TestACommitWhoseAnswerIsLostCounts: the outcome was made true, and is not made
// again.
// Promise: run-survives-outage
func TestACommitWhoseAnswerIsLostCounts(t *testing.T) {
	for name, e := range map[string]engineFunc{
		"success": twoFiles(10 * time.Second),
		"failure": func(context.Context, engine.Request, func(engine.Output) error) error {
			time.Sleep(10 * time.Second)
			return &engine.Error{Code: engine.CodeUpstreamOutage, Message: "down", Retryable: true}
		},
	} {
		t.Run(name, func(t *testing.T) {
			inHouse(t, func(h *house) {
				t := h.t
				out := h.suffer()
				run := h.start("", "x")
				defer h.work(e, 1)()
				time.Sleep(5 * time.Second)
				out.loseAnswers.Store(true)
				time.Sleep(20 * time.Second)
				out.loseAnswers.Store(false)
				time.Sleep(20 * time.Second)
				done := h.run(run.ID)
				if !done.Status.Final() || done.Epoch != 1 || done.Status == svc.RunFailed && name == "success" {
					t.Errorf("the run is %s with epoch %d: %+v", done.Status, done.Epoch, done.Error)
				}
				checkStory(t, h.watchAll(run.ID, 0), done)
			})
		})
	}
}

// TestAClaimWhoseAnswerIsLostAsksTheEngineOnce: the worker never heard of the run, so
// another takes it up when its lease has ended, and nothing is paid for twice.
// Promise: run-survives-outage
func TestAClaimWhoseAnswerIsLostAsksTheEngineOnce(t *testing.T) {
	inHouse(t, func(h *house) {
		t := h.t
		out := h.suffer()
		var asked atomic.Int32
		counted := engineFunc(func(ctx context.Context, req engine.Request, emit func(engine.Output) error) error {
			asked.Add(1)
			return twoFiles(time.Second)(ctx, req, emit)
		})
		run := h.start("", "x")
		out.loseAnswers.Store(true)
		defer h.work(counted, 1)()
		time.Sleep(time.Second)
		if got := h.run(run.ID); got.Status != svc.RunRunning || asked.Load() != 0 {
			t.Fatalf("the run is %s, and the engine was asked %d times", got.Status, asked.Load())
		}
		out.loseAnswers.Store(false)
		time.Sleep(2*leaseTime + 3*lookEvery)
		if done := h.run(run.ID); done.Status != svc.RunSucceeded || asked.Load() != 1 {
			t.Errorf("the run is %s, and the engine was asked %d times: %+v", done.Status, asked.Load(), done.Error)
		}
		checkStory(t, h.watchAll(run.ID, 0), h.run(run.ID))
	})
}

// TestAnEngineIsHeardWhileEventsCannotBeStored: what a model says at that moment is
// paid for, so somebody listens, as long as it is not too much.
// Promise: run-survives-outage
func TestAnEngineIsHeardWhileEventsCannotBeStored(t *testing.T) {
	inHouse(t, func(h *house) {
		t := h.t
		out := h.suffer()
		run := h.start("", "x")
		piece := strings.Repeat("x", 4<<10)
		var said atomic.Int64
		defer h.work(engineFunc(func(_ context.Context, _ engine.Request, emit func(engine.Output) error) error {
			for range 2 * stallBytes / len(piece) {
				if err := emit(engine.Token{File: "a.txt", Delta: piece}); err != nil {
					return err
				}
				said.Add(int64(len(piece)))
				time.Sleep(10 * time.Millisecond)
			}
			return nil
		}), 1)()
		time.Sleep(100 * time.Millisecond)
		out.events.Store(true)
		time.Sleep(time.Minute)
		if got := said.Load(); got < stallBytes/2 || got > stallBytes+1<<17 {
			t.Errorf("the engine was heard for %d bytes, want about %d", got, stallBytes)
		}
		out.events.Store(false)
		events := h.watchAll(run.ID, 0)
		checkStory(t, events, h.run(run.ID))
		if got := len(rebuild(t, events)["a.txt"]); got != 2*stallBytes {
			t.Errorf("the events have %d bytes of the file, want %d", got, 2*stallBytes)
		}
	})
}

// TestStoppingDoesNotWaitForAnOutage: a process that is to end ends, and another
// has the run when the outage is over.
// Promise: stop-in-outage
func TestStoppingDoesNotWaitForAnOutage(t *testing.T) {
	for kind, set := range map[string]func(*outage, bool){
		"records": func(o *outage, out bool) { o.records.Store(out) },
		"events":  func(o *outage, out bool) { o.events.Store(out) },
	} {
		for name, pause := range map[string]time.Duration{"at work": time.Hour, "at its end": 9 * time.Second} {
			t.Run(kind+" "+name, func(t *testing.T) {
				inHouse(t, func(h *house) {
					t := h.t
					out := h.suffer()
					run := h.start("", "x")
					stop := h.work(twoFiles(pause), 1)
					time.Sleep(5 * time.Second)
					set(out, true)
					time.Sleep(5 * time.Second)
					begun := time.Now()
					var stopped sync.WaitGroup
					stopped.Go(stop)
					stopped.Wait()
					if took := time.Since(begun); took > 8*time.Second {
						t.Errorf("stopping took %v", took)
					}
					set(out, false)
					defer h.work(twoFiles(0), 1)()
					checkStory(t, h.watchAll(run.ID, 0), h.run(run.ID))
					if got := h.run(run.ID); got.Status != svc.RunSucceeded {
						t.Errorf("the run is %s: %+v", got.Status, got.Error)
					}
				})
			})
		}
	}
}
