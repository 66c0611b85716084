package sqlshared

import (
	"context"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/store/column"
)

// Usage are the steps of [svc.Usage].
type Usage struct {
	DB
	// ByDay is the query: of the account $1, from $2 until before $3, without the
	// run $4. Each database reads JSON in its own way.
	ByDay string
}

var _ svc.Usage = Usage{}

const day = 24 * time.Hour

// Daily implements [svc.Usage].
func (s Usage) Daily(ctx context.Context, accountID string, from, to time.Time) ([]svc.DayUsage, error) {
	return s.DailyWithout(ctx, accountID, "", from, to)
}

// DailyWithout implements [svc.Usage].
func (s Usage) DailyWithout(ctx context.Context, accountID, runID string, from, to time.Time) ([]svc.DayUsage, error) {
	first, end := from.UTC().Truncate(day), to.UTC().Truncate(day).Add(day)
	all, err := Rows(ctx, s, s.ByDay, []any{accountID, first.UnixMilli(), end.UnixMilli(), runID}, func(d *svc.DayUsage) []any {
		return []any{
			(*column.Stamp)(&d.Day), &d.Runs, &d.Succeeded, &d.Failed,
			&d.InputTokens, &d.OutputTokens, &d.CostUSD, (*int64)(&d.Time), &d.Downloads,
		}
	})
	return all, Within("read the usage of an account", err)
}
