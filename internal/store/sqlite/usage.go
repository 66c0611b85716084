package sqlite

// usageByDay puts runs and downloads of an account side by side, day by day.
const usageByDay = `
SELECT day * 86400000, sum(runs), sum(succeeded), sum(failed), sum(input), sum(output), sum(cost), sum(time), sum(downloads)
FROM (
  SELECT created_at / 86400000 AS day, count(*) AS runs,
         sum(status = 'succeeded') AS succeeded, sum(status = 'failed') AS failed,
         coalesce(sum(json_extract(cost, '$.InputTokens')), 0) AS input,
         coalesce(sum(json_extract(cost, '$.OutputTokens')), 0) AS output,
         coalesce(sum(json_extract(cost, '$.EstimatedUSD')), 0.0) AS cost,
         coalesce(sum(json_extract(cost, '$.Time')), 0) AS time,
         0 AS downloads
  FROM runs WHERE account_id = $1 AND created_at >= $2 AND created_at < $3 AND id <> $4
  GROUP BY 1
  UNION ALL
  SELECT downloaded_at / 86400000, 0, 0, 0, 0, 0, 0.0, 0, count(*)
  FROM bundles WHERE account_id = $1 AND status = 'downloaded' AND downloaded_at >= $2 AND downloaded_at < $3
  GROUP BY 1
)
GROUP BY day ORDER BY day`
