// Package sleep waits for a time or for the end of a context. Programs and the
// client library link it, so it needs the standard library alone.
package sleep

import (
	"context"
	"time"
)

// For waits for a duration. When ctx has ended, or ends first, it returns ctx's
// error.
func For(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil || d <= 0 {
		return err
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
