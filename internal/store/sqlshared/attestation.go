package sqlshared

import (
	"context"

	svc "github.com/bundle-delivery/svc"
)

// Attestations are the steps of [svc.Attestations].
type Attestations struct{ DB }

var _ svc.Attestations = Attestations{}

// PutAttestation keeps $2 as the attestation of the bundle $1.
const PutAttestation = `INSERT INTO attestations (bundle_id, envelope)
SELECT id, CAST($2 AS TEXT) FROM bundles WHERE id = $1 ON CONFLICT DO NOTHING`

// Put implements [svc.Attestations].
func (s Attestations) Put(ctx context.Context, bundleID string, envelope []byte) error {
	_, err := s.Exec(ctx, PutAttestation, bundleID, string(envelope))
	return Within("put an attestation", err)
}

// Get implements [svc.Attestations].
func (s Attestations) Get(ctx context.Context, accountID, bundleID string) ([]byte, error) {
	var envelope string
	err := s.Row(ctx, `SELECT envelope FROM attestations JOIN bundles ON bundles.id = bundle_id
		 WHERE bundle_id = $1 AND account_id = $2`, []any{bundleID, accountID}, []any{&envelope})
	return []byte(envelope), Within("get an attestation", err)
}
