package postgres

// usageByDay puts runs and downloads of an account side by side, day by day.
const usageByDay = `
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
