package generation

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/testkit/must"
)

// spender uses ten tokens for a dollar, then waits to be stopped and tells that
// it used five more up to then.
func spender(told chan<- engine.Spent) engineFunc {
	return func(ctx context.Context, req engine.Request, emit func(engine.Output) error) error {
		told <- req.Spent
		if err := emit(engine.Usage{Model: "m", InputTokens: 4, OutputTokens: 6, CostUSD: 1}); err != nil {
			return err
		}
		<-ctx.Done()
		_ = emit(engine.Usage{OutputTokens: 5, CostUSD: 0.5}) // refused, and counted
		return ctx.Err()
	}
}

// Promise: llm-account-budget
func TestWhatARunUsesIsKnownWhileItRuns(t *testing.T) {
	inHouse(t, func(h *house) {
		t := h.t
		run := h.start("", "x")
		told := make(chan engine.Spent, 1)
		defer h.work(spender(told), 1)()
		<-told
		time.Sleep(2 * renewEvery)
		got := h.run(run.ID)
		if got.Status != svc.RunRunning || got.Cost == nil || got.Cost.InputTokens != 4 || got.Cost.OutputTokens != 6 || got.Cost.EstimatedUSD != 1 {
			t.Errorf("the record of the running run has %+v", got.Cost)
		}
		days, err := h.Store.Usage().Daily(t.Context(), h.account.ID, run.CreatedAt, run.CreatedAt)
		must.Do(t, err)
		if len(days) != 1 || days[0].CostUSD != 1 || days[0].Time == 0 {
			t.Errorf("the account has used %+v", days)
		}
	})
}

// Promise: llm-failure-charged
func TestWhatARunUsedBeforeItWasCancelledCounts(t *testing.T) {
	inHouse(t, func(h *house) {
		t := h.t
		run := h.start("", "x")
		told := make(chan engine.Spent, 1)
		defer h.work(spender(told), 1)()
		<-told
		done, err := h.Cancel(t.Context(), h.account.ID, run.ID)
		must.Do(t, err)
		done.Cost.Time = 0 // up to the moment at which it was seen
		if diff := cmp.Diff(&svc.Cost{Model: "m", InputTokens: 4, OutputTokens: 11, EstimatedUSD: 1.5}, done.Cost); diff != "" || done.Status != svc.RunCancelled {
			t.Errorf("%s (-want +got):\n%s", done.Status, diff)
		}
	})
}

// A run that changes hands keeps its meter: one that is handed back, and one
// whose worker was lost.
// Promise: llm-run-budget
func TestWhatEarlierWorkersUsedIsNotForgotten(t *testing.T) {
	inHouse(t, func(h *house) {
		t := h.t
		run := h.start("", "x")
		told := make(chan engine.Spent, 1)
		stop := h.work(spender(told), 1)
		if first := <-told; first.Tokens != 0 || first.CostUSD != 0 {
			t.Errorf("a new run has used %+v", first)
		}
		time.Sleep(time.Second)
		stop() // hands it back
		handed := h.run(run.ID)
		if handed.Status != svc.RunQueued || handed.Cost == nil || handed.Cost.EstimatedUSD != 1.5 {
			t.Fatalf("handed back with %+v", handed.Cost)
		}
		lost := h.deadWorker() // and never heard of again
		must.Do(t, h.Store.Runs().Spend(t.Context(), svc.RunClaim{ID: lost.ID, Epoch: lost.Epoch}, svc.Cost{Model: "m", InputTokens: 4, OutputTokens: 21, EstimatedUSD: 2.5, Time: 7 * time.Second}))
		defer h.work(engineFunc(func(_ context.Context, req engine.Request, emit func(engine.Output) error) error {
			told <- req.Spent
			if err := emit(engine.Usage{OutputTokens: 10, CostUSD: 0.25}); err != nil {
				return err
			}
			return emit(engine.File{Path: "a.txt", Content: []byte("a")})
		}), 1)()
		if third := <-told; third != (engine.Spent{Tokens: 25, CostUSD: 2.5, Time: 7 * time.Second}) {
			t.Errorf("the third worker's engine is told %+v", third)
		}
		events := h.watchAll(run.ID, 0)
		cost := payload[svc.CostSummaryEvent](t, events[len(events)-2])
		if cost.InputTokens != 4 || cost.OutputTokens != 31 || cost.EstimatedCostUSD != 2.75 {
			t.Errorf("the whole cost is told as %+v", cost)
		}
	})
}
