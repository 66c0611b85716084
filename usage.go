package svc

import (
	"context"
	"time"
)

// DayUsage is what an account did on one day, by UTC.
type DayUsage struct {
	Day time.Time // its midnight
	// Runs are those that were asked for on the day, Succeeded those of them
	// that made a bundle, Failed those that made none; cancelled ones are
	// neither.
	Runs, Succeeded, Failed   int64
	InputTokens, OutputTokens int64
	CostUSD                   float64
	// Time is how long engines worked on the runs.
	Time time.Duration
	// Downloads are the bundles that were acknowledged on the day.
	Downloads int64
}

// Usage are the questions about what an account did.
type Usage interface {
	// Daily returns the days from the one that from lies in to the one that to
	// lies in, oldest first; days on which nothing happened are left out.
	Daily(ctx context.Context, accountID string, from, to time.Time) ([]DayUsage, error)
	// DailyWithout is Daily, with one run left out.
	DailyWithout(ctx context.Context, accountID, runID string, from, to time.Time) ([]DayUsage, error)
}
