package llm_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/engine/llm"
	"github.com/bundle-delivery/svc/internal/testkit/wiretest"
)

// endlessFiles answers with the greeter's plan, and with files that do not end:
// one is silent after a few words, the others go on and on.
func endlessFiles(a wiretest.Ask) wiretest.Answer {
	switch a.File() {
	case "":
		return greeter().Answer(a)
	case "go.mod":
		return wiretest.Answer{Text: "<file_content>\nmodule x\n", Piece: 12, After: 2, Stall: true}
	}
	return wiretest.Answer{Text: "<file_content>\nword\n", Endless: true}
}

// sawEverybodyLeave waits until the provider has noticed that nobody listens to
// any answer that it has not ended.
func sawEverybodyLeave(t *testing.T, server *wiretest.Handler, unfinished func(wiretest.Ask) bool) {
	t.Helper()
	missing := map[string]int{}
	for _, a := range server.Asks() {
		if unfinished(a) {
			missing[a.File()]++
		}
	}
	if len(missing) == 0 {
		t.Error("no answer was under way")
	}
	for len(missing) > 0 {
		select {
		case a := <-server.Left():
			if missing[a.File()]--; missing[a.File()] == 0 {
				delete(missing, a.File())
			}
		case <-t.Context().Done():
			t.Fatalf("the provider still writes %v", missing)
		}
	}
}

func isFile(a wiretest.Ask) bool { return a.File() != "" }

// Promise: llm-cancel
func TestCancelClosesEveryConnection(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, protocol string) {
		e, server := engineOf(t, protocol, llm.Config{}, endlessFiles)
		ctx, cancel := context.WithCancelCause(t.Context())
		why := errors.New("cancelled")
		r := newRecord(t)
		spoken := map[string]bool{}
		r.refuse = func(o engine.Output) error {
			if token, ok := o.(engine.Token); ok {
				if spoken[token.File] = true; len(spoken) == 2 { // the silent one and another
					cancel(why)
				}
			}
			return nil
		}
		if err := e.Generate(ctx, request("a server"), r.emit); !errors.Is(err, why) {
			t.Errorf("got %v", err)
		}
		sawEverybodyLeave(t, server, isFile)
		if r.usage.Output == 0 || r.cost == 0 {
			t.Errorf("what was used up to then is told as %+v", r.usage)
		}
	})
}

// Promise: llm-cancel
func TestABudgetThatIsReachedClosesEveryConnection(t *testing.T) {
	t.Parallel()
	for name, budget := range map[string]engine.Budget{
		"tokens": {Tokens: 20_000}, "money": {USD: 30}, "time": {Time: 3 * time.Second}, // the files are begun by then
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, protocol string) {
				e, server := engineOf(t, protocol, llm.Config{Budget: budget, MaxFileBytes: 1 << 30}, endlessFiles)
				wantError(t, e.Generate(t.Context(), request("x"), newRecord(t).emit), engine.CodeConstraintUnresolvable, "budget of "+name, false)
				sawEverybodyLeave(t, server, isFile)
			})
		})
	}
}

// What other runs of the account spend meanwhile ends this one: the account is
// asked about before every call.
// Promise: llm-account-budget
func TestOtherRunsOfTheAccountCount(t *testing.T) {
	t.Parallel()
	for name, left := range map[string]engine.Budget{
		"nothing is left": {Spent: true}, "few tokens": {Tokens: 10}, "little money": {USD: 0.01}, "no time": {Time: time.Nanosecond},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			asked := 0
			e, server := engineOf(t, wiretest.Anthropic, llm.Config{
				Parallel: 1,
				Account: func(context.Context, string, string) (engine.Budget, error) {
					mu.Lock()
					defer mu.Unlock()
					if asked++; asked <= 3 { // at the start, for the plan, for the first file
						return engine.Budget{Tokens: 1_000_000, USD: 1000, Time: time.Hour}, nil
					}
					return left, nil
				},
			}, greeter().Answer)
			wantError(t, e.Generate(t.Context(), request("x"), newRecord(t).emit), engine.CodeConstraintUnresolvable, "account has used", true)
			if n := len(server.Asks()); n != 2 {
				t.Errorf("%d calls were made", n)
			}
		})
	}
}

func TestAnAccountThatCannotBeAskedAbout(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	asked, fails := 0, 1
	e, server := engineOf(t, wiretest.OpenAI, llm.Config{Account: func(context.Context, string, string) (engine.Budget, error) {
		mu.Lock()
		defer mu.Unlock()
		if asked++; asked >= fails {
			return engine.Budget{}, errors.New("no database")
		}
		return engine.Budget{Tokens: 1_000_000}, nil
	}}, greeter().Answer)
	wantError(t, e.Generate(t.Context(), request("x"), newRecord(t).emit), engine.CodeInternal, "cannot be read", true)
	if len(server.Asks()) != 0 {
		t.Error("a model was asked all the same")
	}
	// In the middle of a run what is known holds.
	asked, fails = 0, 3
	if err := e.Generate(t.Context(), request("x"), newRecord(t).emit); err != nil {
		t.Error(err)
	}
}

// A run that lost its worker, or was mended before, has what is left of its
// budget.
// Promise: llm-run-budget
func TestWhatTheRunSpentBeforeCounts(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		budget engine.Budget
		spent  engine.Spent
	}{
		"tokens": {engine.Budget{Tokens: 20_000}, engine.Spent{Tokens: 20_000}},
		"money":  {engine.Budget{USD: 5}, engine.Spent{CostUSD: 5}},
		"time":   {engine.Budget{Time: time.Hour}, engine.Spent{Time: time.Hour}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, server := engineOf(t, wiretest.OpenAI, llm.Config{Budget: tc.budget}, greeter().Answer)
			req := request("x")
			req.Spent = tc.spent
			wantError(t, e.Generate(t.Context(), req, newRecord(t).emit), engine.CodeConstraintUnresolvable, "budget of "+name, false)
			if len(server.Asks()) != 0 {
				t.Errorf("%d calls were made", len(server.Asks()))
			}
		})
	}
}
