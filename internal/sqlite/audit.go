package sqlite

import (
	"context"
	"time"

	"github.com/bundle-delivery/svc/internal/sqlrecords"
)

type audit struct {
	runner
	sqlrecords.Audit
}

func (s audit) Prune(ctx context.Context, by time.Time, limit int) (n int, err error) {
	err = s.write(ctx, func(c *conn) error {
		if _, err := c.exec(sqlrecords.MoveHorizon, by.UnixMilli()); err != nil {
			return within("move the horizon of the audit log", err)
		}
		gone, err := c.exec(sqlrecords.PruneAudit, by.UnixMilli(), limit)
		n = int(gone)
		return within("prune the audit log", err)
	})
	return n, err
}
