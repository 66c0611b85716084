package sqlshared

import (
	"context"
	"time"

	svc "github.com/bundle-delivery/svc"
)

// Ledger are the steps of [svc.BlobLedger] that concern one announced blob.
type Ledger struct{ DB }

// IntendBlob announces the blob $1 until $2.
const IntendBlob = `INSERT INTO blob_ledger (key, kind, due_at) VALUES ($1, 'intent', $2)
ON CONFLICT (key) DO UPDATE SET due_at = excluded.due_at WHERE blob_ledger.kind = 'intent'`

// Intend implements [svc.BlobLedger].
func (s Ledger) Intend(ctx context.Context, key string, until time.Time) error {
	n, err := s.Exec(ctx, IntendBlob, key, until.UnixMilli())
	return Within("announce a blob", orElse(svc.ErrConflict, n, err))
}

// Fulfil implements [svc.BlobLedger].
func (s Ledger) Fulfil(ctx context.Context, key string) error {
	n, err := s.Exec(ctx, `DELETE FROM blob_ledger WHERE key = $1 AND kind = 'intent'`, key)
	return Within("fulfil the intent of a blob", orElse(svc.ErrConflict, n, err))
}

// BreakIntents turns intents that were not kept into garbage, and DueGarbage are the
// keys of what is due then.
const (
	BreakIntents = `UPDATE blob_ledger SET kind = 'garbage' WHERE kind = 'intent' AND due_at <= $1`
	DueGarbage   = `SELECT key, due_at FROM blob_ledger WHERE kind = 'garbage' AND due_at <= $1 ORDER BY due_at, key LIMIT $2`
)
