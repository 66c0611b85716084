package sqlite

import (
	"context"
	"time"

	"github.com/bundle-delivery/svc/internal/store/sqlshared"
)

type audit struct {
	runner
	sqlshared.Audit
}

func (s audit) Prune(ctx context.Context, by time.Time, limit int) (n int, err error) {
	err = s.write(ctx, func(c *conn) error {
		if _, err := c.exec(sqlshared.MoveHorizon, by.UnixMilli()); err != nil {
			return within("move the horizon of the audit log", err)
		}
		gone, err := c.exec(sqlshared.PruneAudit, by.UnixMilli(), limit)
		n = int(gone)
		return within("prune the audit log", err)
	})
	return n, err
}
