package generation

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/testkit/must"
)

// Promise: run-cancel
func TestCancel(t *testing.T) {
	inHouse(t, func(h *house) {
		t := h.t
		queued := h.start("", "x")
		cancelled, err := h.Cancel(t.Context(), h.account.ID, queued.ID)
		must.Do(t, err)
		if cancelled.Status != svc.RunCancelled || cancelled.Error.Code != "CANCELLED" {
			t.Errorf("a queued run is %+v after its cancellation", cancelled)
		}
		checkStory(t, h.watchAll(queued.ID, 0), h.run(queued.ID))

		running := h.start("", "y")
		defer h.work(twoFiles(time.Hour/2), 1)()
		time.Sleep(time.Second)
		asked := time.Now()
		cancelled, err = h.Cancel(t.Context(), h.account.ID, running.ID)
		must.Do(t, err)
		if took := time.Since(asked); took > time.Second || cancelled.Status != svc.RunCancelled {
			t.Errorf("a running run is %s after %v", cancelled.Status, took)
		}
		events := h.watchAll(running.ID, 0)
		checkStory(t, events, h.run(running.ID))
		if e := payload[svc.ErrorEvent](t, events[len(events)-1]); e.Code != "CANCELLED" {
			t.Errorf("the stream ends with %+v", e)
		}
		again, err := h.Cancel(t.Context(), h.account.ID, running.ID)
		must.Do(t, err)
		if diff := cmp.Diff(h.run(running.ID), again); diff != "" {
			t.Errorf("a second cancellation changes the run (-want +got):\n%s", diff)
		}
	})
}

// Promise: run-cancel
func TestCancelOfARunThatWasHandedBack(t *testing.T) {
	inHouse(t, func(h *house) {
		t := h.t
		run := h.start("", "x")
		stop := h.work(twoFiles(time.Minute), 1)
		time.Sleep(time.Second)
		stop()
		cancelled, err := h.Cancel(t.Context(), h.account.ID, run.ID)
		must.Do(t, err)
		events := h.watchAll(run.ID, 0)
		checkStory(t, events, cancelled)
		if len(events) < 3 {
			t.Errorf("the story of the first worker is gone: %d events", len(events))
		}
	})
}

// Promise: queue-fair
func TestRunsOfOneProjectFollowEachOther(t *testing.T) {
	inHouse(t, func(h *house) {
		t := h.t
		var mu sync.Mutex
		running := map[string]int{}
		e := engineFunc(func(_ context.Context, req engine.Request, emit func(engine.Output) error) error {
			mu.Lock()
			running[req.ProjectID]++
			if n := running[req.ProjectID]; n > 1 {
				t.Errorf("%d runs of one project at a time", n)
			}
			mu.Unlock()
			time.Sleep(time.Second)
			mu.Lock()
			running[req.ProjectID]--
			mu.Unlock()
			return emit(engine.File{Path: req.Prompt + ".txt", Content: []byte("x")})
		})
		defer h.work(e, 4)()
		first := h.start("", "one")
		second := h.start(first.ProjectID, "two")
		third := h.start(first.ProjectID, "three")
		for _, r := range []svc.Run{first, second, third} {
			h.watchAll(r.ID, 0)
		}
		files := h.projectFiles(h.run(third.ID))
		if diff := cmp.Diff(map[string]string{"one.txt": "x", "two.txt": "x", "three.txt": "x"}, files); diff != "" {
			t.Errorf("files (-want +got):\n%s", diff)
		}
	})
}
