package generation

import (
	"context"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/engine"
)

// AccountBudget is what the generations of one account may use, all together.
// Zero fields are not bounded.
type AccountBudget struct {
	Day      engine.Budget // by UTC
	MonthUSD float64       // in 30 days
}

const day = 24 * time.Hour

// LeftBy returns what engines ask before they spend: what an account has left
// beside one of its runs. It returns nil if nothing is bounded or usage is nil.
func (b AccountBudget) LeftBy(usage svc.Usage) func(ctx context.Context, account, run string) (engine.Budget, error) {
	if b == (AccountBudget{}) || usage == nil {
		return nil
	}
	return func(ctx context.Context, account, run string) (engine.Budget, error) {
		return b.left(ctx, usage, account, run, time.Now())
	}
}

// left is what an account may still spend beside a run: of this day, and of the
// last 30. Runs are counted on the day on which they were asked for, running ones
// by what the records know of them.
func (b AccountBudget) left(ctx context.Context, usage svc.Usage, account, run string, now time.Time) (engine.Budget, error) {
	days, err := usage.DailyWithout(ctx, account, run, now.Add(-29*day), now)
	if err != nil {
		return engine.Budget{}, err
	}
	today := now.UTC().Truncate(day)
	var used svc.DayUsage
	var month float64
	for _, d := range days {
		month += d.CostUSD
		if d.Day.Equal(today) {
			used = d
		}
	}
	left := engine.Budget{Until: today.Add(day)}
	if b.Day.Tokens > 0 {
		left.Tokens = b.Day.Tokens - used.InputTokens - used.OutputTokens
		left.Spent = left.Tokens <= 0
	}
	if b.Day.Time > 0 {
		left.Time = b.Day.Time - used.Time
		left.Spent = left.Spent || left.Time <= 0
	}
	for _, limit := range []struct{ most, used float64 }{{b.Day.USD, used.CostUSD}, {b.MonthUSD, month}} {
		if limit.most <= 0 {
			continue
		}
		rest := limit.most - limit.used
		left.Spent = left.Spent || rest <= 0
		if left.USD == 0 || rest < left.USD {
			left.USD = rest
		}
	}
	return left, nil
}
