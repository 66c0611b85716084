package generation

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/testkit/must"
)

func finishedRun(t *testing.T, h *house) (svc.Run, []svc.Event) {
	t.Helper()
	run := h.start("", "x")
	stop := h.work(twoFiles(time.Second), 1)
	defer stop()
	events := h.watchAll(run.ID, 0)
	return h.run(run.ID), events
}

// Promise: stream-resume
func TestResume(t *testing.T) {
	inHouse(t, func(h *house) {
		t := h.t
		run, all := finishedRun(t, h)
		for after := range run.LastEvent {
			if diff := cmp.Diff(all[after:], h.watchAll(run.ID, after)); diff != "" {
				t.Errorf("after %d (-want +got):\n%s", after, diff)
			}
		}
		if diff := cmp.Diff(all, h.watchAll(run.ID, -3)); diff != "" {
			t.Errorf("after -3 (-want +got):\n%s", diff)
		}
		for _, after := range []int64{run.LastEvent, run.LastEvent + 1, 1 << 60} {
			if _, err := h.Watch(t.Context(), h.account.ID, run.ID, after); !errors.Is(err, ErrOver) {
				t.Errorf("after %d of %d: %v, want ErrOver", after, run.LastEvent, err)
			}
		}
	})
}

// Promise: stream-resume
func TestResumeOfALiveRun(t *testing.T) {
	inHouse(t, func(h *house) {
		t := h.t
		run := h.start("", "x")
		defer h.work(twoFiles(10*time.Second), 1)()
		time.Sleep(5 * time.Second) // plan and the first file have been told
		last, err := h.log.Last(t.Context(), run.ID)
		must.Do(t, err)
		reached := last.Seq
		fromReached, err := h.follow(t.Context(), run.ID, reached)
		must.Do(t, err)
		if fromReached[0].Seq != reached+1 {
			t.Errorf("after %d the first event is %d", reached, fromReached[0].Seq)
		}
		second := h.start("", "y")
		time.Sleep(5 * time.Second)
		ahead, err := h.follow(t.Context(), second.ID, 1000)
		must.Do(t, err)
		checkStory(t, ahead, h.run(second.ID))
	})
}

// A power cut takes events that a viewer has seen, and the next worker needs
// fewer: the viewer's number lies past the ending, which it has not seen.
// Promise: stream-no-early-204
func TestResumeWithANumberThatAPowerCutTook(t *testing.T) {
	inHouse(t, func(h *house) {
		t := h.t
		h.start("", "x")
		run := h.deadWorker()
		h.log.Truncate(run.ID, 1)
		defer h.work(says(), 1)()
		all := h.watchAll(run.ID, 0)
		done := h.run(run.ID)
		checkStory(t, all, done)
		for _, after := range []int64{done.LastEvent + 1, done.LastEvent + 100} {
			if diff := cmp.Diff(all, h.watchAll(run.ID, after)); diff != "" {
				t.Errorf("after %d (-want +got):\n%s", after, diff)
			}
		}
		if _, err := h.Watch(t.Context(), h.account.ID, run.ID, done.LastEvent); !errors.Is(err, ErrOver) {
			t.Errorf("after the ending: %v, want ErrOver", err)
		}
	})
}

// Promise: stream-gapless
func TestManyViewersSeeTheSame(t *testing.T) {
	inHouse(t, func(h *house) {
		t := h.t
		run := h.start("", "x")
		type seen struct {
			events []svc.Event
			err    error
		}
		results := make(chan seen)
		for range 20 {
			go func() {
				events, err := h.follow(t.Context(), run.ID, 0)
				results <- seen{events, err}
			}()
		}
		defer h.work(twoFiles(time.Second), 1)()
		all := h.watchAll(run.ID, 0)
		for range 20 {
			s := <-results
			if diff := cmp.Diff(all, s.events); s.err != nil || diff != "" {
				t.Errorf("a viewer saw (%v) (-want +got):\n%s", s.err, diff)
			}
		}
	})
}

// Promise: stream-lost-news
func TestLostNewsIsFoundAtAHeartbeat(t *testing.T) {
	inHouse(t, func(h *house) {
		t := h.t
		run := h.start("", "x")
		h.log.MuteFeeds(true)
		begun := time.Now()
		defer h.work(twoFiles(20*time.Second), 1)()
		events := h.watchAll(run.ID, 0)
		checkStory(t, events, h.run(run.ID))
		if took := time.Since(begun); took > 46*time.Second {
			t.Errorf("the viewer needed %v", took)
		}
	})
}

// Promise: stream-lost-log
func TestEndingIsRebuiltFromTheRecordWhenTheLogWasLost(t *testing.T) {
	for _, kept := range []int64{0, 2, 1 << 40} {
		t.Run(fmt.Sprintf("%d events kept", kept), func(t *testing.T) {
			inHouse(t, func(h *house) {
				t := h.t
				run, all := finishedRun(t, h)
				h.log.Truncate(run.ID, kept)
				seen := h.watchAll(run.ID, 0)
				if kept >= run.LastEvent {
					kept = run.LastEvent - 2
				}
				want := append(append([]svc.Event{}, all[:kept]...), all[len(all)-2:]...)
				if diff := cmp.Diff(want, seen); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
				only := h.watchAll(run.ID, run.LastEvent-1)
				if diff := cmp.Diff(all[len(all)-1:], only); diff != "" {
					t.Errorf("after the last but one (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// Promise: stream-lost-log
func TestViewerOfALiveRunWhoseLogWasLost(t *testing.T) {
	inHouse(t, func(h *house) {
		t := h.t
		run := h.start("", "x")
		h.log.MuteFeeds(true)
		results := make(chan []svc.Event, 1)
		go func() {
			events, err := h.follow(t.Context(), run.ID, 0)
			if err != nil {
				t.Errorf("follow: %v", err)
			}
			results <- events
		}()
		synctest.Wait() // the viewer follows before anything is told
		stop := h.work(twoFiles(0), 1)
		time.Sleep(5 * time.Second)
		stop()
		done := h.run(run.ID)
		h.log.Truncate(run.ID, 0)
		events := <-results
		if len(events) != 2 || events[1].Name != svc.EventBundleReady || events[1].Seq != done.LastEvent {
			t.Errorf("the viewer saw %v", events)
		}
	})
}

func TestWatchEndsWhenTheProjectIsDeleted(t *testing.T) {
	inHouse(t, func(h *house) {
		t := h.t
		run := h.start("", "x")
		results := make(chan error, 1)
		go func() {
			_, err := h.follow(t.Context(), run.ID, 0)
			results <- err
		}()
		time.Sleep(time.Second)
		must.Do(t, h.Store.Projects().Delete(t.Context(), h.account.ID, run.ProjectID, time.Now()))
		if err := <-results; err != nil {
			t.Errorf("the watch ends with %v", err)
		}
	})
}

func TestEventsAreToldInBatchesAndInTime(t *testing.T) {
	inHouse(t, func(h *house) {
		t := h.t
		const tokens = 500
		e := engineFunc(func(_ context.Context, req engine.Request, emit func(engine.Output) error) error {
			for range tokens {
				if err := emit(engine.Token{File: "a.txt", Delta: "0123456789"}); err != nil {
					return err
				}
			}
			time.Sleep(batchTime) // by then all of it is told, though nothing more was said
			synctest.Wait()
			events, err := h.log.Read(t.Context(), req.GenerationID, 0)
			if got := rebuild(t, events)["a.txt"]; len(got) != 10*tokens {
				t.Errorf("after %v viewers have %d bytes", batchTime, len(got))
			}
			return err
		})
		counted := &batches{}
		h.config.Observer = counted
		run := h.start("", "x")
		defer h.work(e, 1)()
		events := h.watchAll(run.ID, 0)
		checkStory(t, events, h.run(run.ID))
		if counted.batches > 20 || counted.events < tokens {
			t.Errorf("%d events were told in %d batches", counted.events, counted.batches)
		}
	})
}

type batches struct {
	Unobserved
	batches, events int
}

func (b *batches) EventsStored(events int) { b.batches, b.events = b.batches+1, b.events+events }
