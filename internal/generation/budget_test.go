package generation

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/engine"
)

// spending is what an account did.
type spending []svc.DayUsage

func (s spending) Daily(context.Context, string, time.Time, time.Time) ([]svc.DayUsage, error) {
	return s, nil
}

func (s spending) DailyWithout(context.Context, string, string, time.Time, time.Time) ([]svc.DayUsage, error) {
	return s, nil
}

// Promise: llm-account-budget
func TestWhatIsLeftToAnAccount(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 15, 17, 0, 0, 0, time.UTC)
	today, before := time.Date(2026, 11, 15, 0, 0, 0, 0, time.UTC), time.Date(2026, 11, 2, 0, 0, 0, 0, time.UTC)
	used := spending{{Day: before, CostUSD: 7, InputTokens: 1e6}, {Day: today, CostUSD: 2, InputTokens: 300, OutputTokens: 200, Time: 40 * time.Minute}}
	tomorrow := today.Add(24 * time.Hour)
	for name, tc := range map[string]struct {
		account AccountBudget
		want    engine.Budget
	}{
		"tokens":      {AccountBudget{Day: engine.Budget{Tokens: 800}}, engine.Budget{Tokens: 300, Until: tomorrow}},
		"no tokens":   {AccountBudget{Day: engine.Budget{Tokens: 500}}, engine.Budget{Spent: true, Until: tomorrow}},
		"money":       {AccountBudget{Day: engine.Budget{USD: 3}, MonthUSD: 100}, engine.Budget{USD: 1, Until: tomorrow}},
		"of a month":  {AccountBudget{Day: engine.Budget{USD: 3}, MonthUSD: 9.5}, engine.Budget{USD: 0.5, Until: tomorrow}},
		"time":        {AccountBudget{Day: engine.Budget{Time: time.Hour}}, engine.Budget{Time: 20 * time.Minute, Until: tomorrow}},
		"no time":     {AccountBudget{Day: engine.Budget{Time: 40 * time.Minute}}, engine.Budget{Spent: true, Until: tomorrow}},
		"month spent": {AccountBudget{MonthUSD: 9}, engine.Budget{Spent: true, Until: tomorrow}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := tc.account.left(t.Context(), used, "acc", "gen", now)
			if err != nil {
				t.Fatal(err)
			}
			got.USD = math.Round(got.USD*1000) / 1000
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
