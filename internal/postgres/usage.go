package postgres

import (
	"context"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/column"
)

type usage struct{ *runner }

const day = 24 * time.Hour

// dailyUsage puts runs and downloads of an account side by side, day by day.
const dailyUsage = `
SELECT day * 86400000, sum(runs)::bigint, sum(succeeded)::bigint, sum(failed)::bigint,
       sum(input)::bigint, sum(output)::bigint, sum(cost)::float8, sum(time)::bigint, sum(downloads)::bigint
FROM (
  SELECT created_at / 86400000 AS day, count(*) AS runs,
         count(*) FILTER (WHERE status = 'succeeded') AS succeeded, count(*) FILTER (WHERE status = 'failed') AS failed,
         coalesce(sum((cost::json ->> 'InputTokens')::bigint), 0) AS input,
         coalesce(sum((cost::json ->> 'OutputTokens')::bigint), 0) AS output,
         coalesce(sum((cost::json ->> 'EstimatedUSD')::float8), 0) AS cost,
         coalesce(sum((cost::json ->> 'Time')::bigint), 0) AS time,
         0 AS downloads
  FROM runs WHERE account_id = $1 AND created_at >= $2 AND created_at < $3 AND id <> $4
  GROUP BY 1
  UNION ALL
  SELECT downloaded_at / 86400000, 0, 0, 0, 0, 0, 0, 0, count(*)
  FROM bundles WHERE account_id = $1 AND status = 'downloaded' AND downloaded_at >= $2 AND downloaded_at < $3
  GROUP BY 1
) AS parts
GROUP BY day ORDER BY day`

func (s usage) Daily(ctx context.Context, accountID string, from, to time.Time) ([]svc.DayUsage, error) {
	return s.DailyWithout(ctx, accountID, "", from, to)
}

func (s usage) DailyWithout(ctx context.Context, accountID, runID string, from, to time.Time) ([]svc.DayUsage, error) {
	first, end := from.UTC().Truncate(day), to.UTC().Truncate(day).Add(day)
	all, err := rows(ctx, s.runner, dailyUsage, []any{accountID, first.UnixMilli(), end.UnixMilli(), runID}, func(d *svc.DayUsage) []any {
		return []any{
			(*column.Stamp)(&d.Day), &d.Runs, &d.Succeeded, &d.Failed,
			&d.InputTokens, &d.OutputTokens, &d.CostUSD, (*int64)(&d.Time), &d.Downloads,
		}
	})
	return all, within("read the usage of an account", err)
}
