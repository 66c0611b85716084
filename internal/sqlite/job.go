package sqlite

import (
	"context"
	"time"
)

type jobs struct{ runner }

func (s jobs) Claim(ctx context.Context, name string, now, lease time.Time) (taken bool, err error) {
	err = s.write(ctx, func(c *conn) error {
		n, err := c.exec(
			`INSERT INTO jobs (name, due_at, lease_until) VALUES ($1, $2, $3)
			 ON CONFLICT (name) DO UPDATE SET lease_until = excluded.lease_until
			 WHERE due_at <= $2 AND lease_until <= $2`,
			name, now.UnixMilli(), lease.UnixMilli())
		taken = n == 1
		return within("claim a job", err)
	})
	return taken, err
}

func (s jobs) Finish(ctx context.Context, name string, due time.Time) error {
	return s.write(ctx, func(c *conn) error {
		_, err := c.exec(
			`INSERT INTO jobs (name, due_at, lease_until) VALUES ($1, $2, 0)
			 ON CONFLICT (name) DO UPDATE SET due_at = excluded.due_at, lease_until = 0`,
			name, due.UnixMilli())
		return within("finish a job", err)
	})
}
