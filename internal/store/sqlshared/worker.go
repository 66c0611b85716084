package sqlshared

import (
	"context"
	"time"

	svc "github.com/bundle-delivery/svc"
)

// Workers are the steps of [svc.Workers].
type Workers struct{ DB }

var _ svc.Workers = Workers{}

// Renew implements [svc.Workers].
func (s Workers) Renew(ctx context.Context, w svc.Worker) error {
	_, err := s.Exec(ctx,
		`INSERT INTO workers (id, engine, lease) VALUES ($1, $2, $3)
		 ON CONFLICT (id) DO UPDATE SET engine = excluded.engine, lease = excluded.lease`,
		w.ID, w.Engine, w.Lease.UnixMilli())
	return Within("renew a worker", err)
}

// Remove implements [svc.Workers].
func (s Workers) Remove(ctx context.Context, id string) error {
	_, err := s.Exec(ctx, `DELETE FROM workers WHERE id = $1`, id)
	return Within("remove a worker", err)
}

// Prune implements [svc.Workers].
func (s Workers) Prune(ctx context.Context, ended time.Time) error {
	_, err := s.Exec(ctx, `DELETE FROM workers WHERE lease <= $1`, ended.UnixMilli())
	return Within("remove dead workers", err)
}

// Engines implements [svc.Workers].
func (s Workers) Engines(ctx context.Context, now time.Time) ([]string, error) {
	all, err := Rows(ctx, s, `SELECT DISTINCT engine FROM workers WHERE lease > $1 ORDER BY engine`, []any{now.UnixMilli()}, Itself[string])
	return all, Within("list the engines of workers", err)
}
