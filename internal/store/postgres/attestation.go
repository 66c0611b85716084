package postgres

import (
	"context"

	"github.com/bundle-delivery/svc/internal/store/sqlshared"
)

type attestations struct {
	*runner
	sqlshared.Attestations
}

func (s attestations) Put(ctx context.Context, bundleID string, envelope []byte) error {
	return within("put an attestation", s.later(ctx, ignored, sqlshared.PutAttestation, bundleID, string(envelope)))
}
