package postgres

import (
	"context"
	"time"
)

type jobs struct{ *runner }

func (s jobs) Claim(ctx context.Context, name string, now, lease time.Time) (bool, error) {
	n, err := s.exec(ctx,
		`INSERT INTO jobs (name, due_at, lease_until) VALUES ($1, $2, $3)
		 ON CONFLICT (name) DO UPDATE SET lease_until = excluded.lease_until
		 WHERE jobs.due_at <= $2 AND jobs.lease_until <= $2`,
		name, now.UnixMilli(), lease.UnixMilli())
	return n == 1, within("claim a job", err)
}

func (s jobs) Finish(ctx context.Context, name string, due time.Time) error {
	_, err := s.exec(ctx,
		`INSERT INTO jobs (name, due_at, lease_until) VALUES ($1, $2, 0)
		 ON CONFLICT (name) DO UPDATE SET due_at = excluded.due_at, lease_until = 0`,
		name, due.UnixMilli())
	return within("finish a job", err)
}
