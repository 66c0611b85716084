package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/store/sqlshared"
)

type audit struct {
	*runner
	sqlshared.Audit
}

func (s audit) Append(ctx context.Context, e svc.AuditEntry) error {
	return within("add to the audit log", s.later(ctx, ignored, sqlshared.AppendAudit, sqlshared.AuditValues(e)...))
}

func (s audit) Prune(ctx context.Context, by time.Time, limit int) (n int, err error) {
	err = s.batch(ctx, func(b *pgx.Batch) {
		b.Queue(sqlshared.MoveHorizon, by.UnixMilli())
		b.Queue(sqlshared.PruneAudit, by.UnixMilli(), limit).Exec(func(tag pgconn.CommandTag) error {
			n = int(tag.RowsAffected())
			return nil
		})
	})
	return n, within("prune the audit log", err)
}
