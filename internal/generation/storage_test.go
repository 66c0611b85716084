package generation

import (
	"crypto/rand"
	"encoding/hex"
	"strings"
	"testing"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/bundle/pack"
	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/testkit/must"
)

// pending is what waits for the account of the house.
func (h *house) pending() int64 {
	h.t.Helper()
	a, err := h.Store.Accounts().Get(h.t.Context(), h.account.ID)
	must.Do(h.t, err)
	return a.PendingBytes
}

// accepted tries to start runs of new projects and gives those that were.
func (h *house) accepted(tries int) (runs []svc.Run) {
	h.t.Helper()
	for range tries {
		s, err := h.Start(h.t.Context(), Start{AccountID: h.account.ID, Prompt: "x", Encode: encodeID})
		if err == nil {
			runs = append(runs, s.Run)
			continue
		}
		if e := refusal(h.t, err, svc.CodeStorageLimitReached); e.RetryAfter <= 0 {
			h.t.Error("there is no Retry-After")
		}
	}
	return runs
}

// Promise: storage-reserved
func TestRunsReserveWhatTheirBundlesMayTake(t *testing.T) {
	for _, tc := range []struct {
		name     string
		limit    int64
		accepted int
	}{
		{"room for one small bundle", 3000, 1},
		{"room for several new projects", 5*pack.FirstSize + 1, 5},
	} {
		t.Run(tc.name, func(t *testing.T) {
			inHouse(t, func(h *house) {
				t := h.t
				h.limit(func(l *Limits) { l.PendingBytes = tc.limit })
				runs := h.accepted(12)
				if len(runs) != tc.accepted {
					t.Errorf("%d runs were accepted at once, want %d", len(runs), tc.accepted)
				}
				stop := h.work(says(engine.File{Path: "a.txt", Content: []byte("hello\n")}), 3)
				for _, run := range runs {
					checkStory(t, h.watchAll(run.ID, 0), h.run(run.ID))
					if got := h.run(run.ID); got.Status != svc.RunSucceeded {
						t.Errorf("the run ended as %s: %+v", got.Status, got.Error)
					}
				}
				stop()
				if got := h.pending(); got == 0 || got > tc.limit {
					t.Errorf("%d bytes wait, of %d", got, tc.limit)
				}
				// What was reserved is given back, but for what waits now.
				if tc.limit > pack.FirstSize && len(h.accepted(1)) != 1 {
					t.Error("a finished run still holds what it reserved")
				}
			})
		})
	}
}

// Promise: storage-reserved
func TestAContinuedProjectReservesItsLastSize(t *testing.T) {
	inHouse(t, func(h *house) {
		t := h.t
		stop := h.work(says(engine.File{Path: "a.txt", Content: []byte("hello\n")}), 1)
		first := h.start("", "x")
		h.watchAll(first.ID, 0)
		stop()
		size := h.pending()
		h.limit(func(l *Limits) { l.PendingBytes = 3 * size })
		h.start(first.ProjectID, "x")
		h.start(first.ProjectID, "x")
		_, err := h.Start(t.Context(), Start{AccountID: h.account.ID, ProjectID: first.ProjectID, Prompt: "x", Encode: encodeID})
		refusal(t, err, svc.CodeStorageLimitReached)
	})
}

// Promise: storage-full-at-end
func TestABundleThatDoesNotFitLeavesItsProjectTheState(t *testing.T) {
	inHouse(t, func(h *house) {
		t := h.t
		h.limit(func(l *Limits) { l.PendingBytes = 3000 })
		run := h.start("", "x")
		noise := make([]byte, 6000)
		_, _ = rand.Read(noise) // deflate makes nothing smaller of it
		stop := h.work(says(engine.File{Path: "a.txt", Content: []byte(strings.Repeat("x", 10))}, engine.File{Path: "noise.txt", Content: []byte(hex.EncodeToString(noise))},
			engine.Usage{Model: "m", InputTokens: 1, OutputTokens: 2}), 1)
		events := h.watchAll(run.ID, 0)
		stop()
		done := h.run(run.ID)
		checkStory(t, events, done)
		told := payload[svc.ErrorEvent](t, events[len(events)-1])
		if told.Code != string(svc.CodeStorageLimitReached) || told.Retryable || !strings.Contains(told.Message, "svc export "+run.ProjectID) || !strings.Contains(told.Message, "cknowledge") {
			t.Errorf("the run ended with %+v", told)
		}
		if done.Status != svc.RunFailed || done.BundleID != "" || done.Cost == nil || done.Cost.OutputTokens != 2 {
			t.Errorf("the record is %+v", done)
		}
		if files := h.projectFiles(done); len(files) != 2 || files["a.txt"] != "xxxxxxxxxx" {
			t.Errorf("the project has %d files", len(files))
		}
		if h.pending() != 0 {
			t.Errorf("%d bytes wait", h.pending())
		}
	})
}
