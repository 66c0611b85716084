package postgres

import (
	"context"

	"github.com/bundle-delivery/svc/internal/sqlrecords"
)

type attestations struct {
	*runner
	sqlrecords.Attestations
}

func (s attestations) Put(ctx context.Context, bundleID string, envelope []byte) error {
	return within("put an attestation", s.later(ctx, ignored, sqlrecords.PutAttestation, bundleID, string(envelope)))
}
