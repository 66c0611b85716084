package sqlshared

import (
	"context"
	"time"

	svc "github.com/bundle-delivery/svc"
)

// Jobs are the steps of [svc.Jobs].
type Jobs struct{ DB }

var _ svc.Jobs = Jobs{}

// Claim implements [svc.Jobs].
func (s Jobs) Claim(ctx context.Context, name string, now, lease time.Time) (bool, error) {
	n, err := s.Exec(ctx,
		`INSERT INTO jobs (name, due_at, lease_until) VALUES ($1, $2, $3)
		 ON CONFLICT (name) DO UPDATE SET lease_until = excluded.lease_until
		 WHERE jobs.due_at <= $2 AND jobs.lease_until <= $2`,
		name, now.UnixMilli(), lease.UnixMilli())
	return n == 1, Within("claim a job", err)
}

// Finish implements [svc.Jobs].
func (s Jobs) Finish(ctx context.Context, name string, due time.Time) error {
	_, err := s.Exec(ctx,
		`INSERT INTO jobs (name, due_at, lease_until) VALUES ($1, $2, 0)
		 ON CONFLICT (name) DO UPDATE SET due_at = excluded.due_at, lease_until = 0`,
		name, due.UnixMilli())
	return Within("finish a job", err)
}
