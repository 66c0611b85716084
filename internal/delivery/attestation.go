package delivery

import (
	"context"
	"errors"
	"fmt"

	svc "github.com/bundle-delivery/svc"
)

// attest signs where a repackaged bundle comes from. That of a state which was
// pushed is the first to deliver it, and says so.
func (s *Service) attest(ctx context.Context, r svc.Records, b svc.Bundle, files *svc.Provenance) error {
	if s.Attester == nil {
		return nil
	}
	origin := svc.OriginRepackage
	if files != nil && files.Origin == svc.OriginPush {
		origin = svc.OriginPush
	}
	if err := s.Attester.Attest(ctx, r, b, origin, files); err != nil {
		return fmt.Errorf("attest bundle %s: %w", b.ID, err)
	}
	return nil
}

// Attestation returns the signed statement where a bundle comes from, also of one
// that is gone. A bundle of a program that did not sign is signed now, as what it is.
// CodeBundleNotFound, CodeNotFound where nobody signs.
func (s *Service) Attestation(ctx context.Context, accountID, id string) ([]byte, error) {
	b, err := s.lookUp(ctx, s.Store, accountID, id)
	switch {
	case err != nil:
		return nil, err
	case b == nil:
		return nil, bundleNotFound()
	case s.Attester == nil:
		return nil, svc.Errorf(svc.CodeNotFound, "This service does not sign bundles.")
	}
	kept, err := s.Store.Attestations().Get(ctx, accountID, id)
	if errors.Is(err, svc.ErrNotFound) {
		err = s.Store.TxLocked(ctx, func(r svc.Records) error {
			if err := s.Attester.Attest(ctx, r, *b, svc.OriginPreSigning, nil); err != nil {
				return err
			}
			kept, err = r.Attestations().Get(ctx, accountID, id)
			return err
		})
	}
	switch {
	case errors.Is(err, svc.ErrNotFound): // its record went meanwhile
		return nil, bundleNotFound()
	case err != nil:
		return nil, fmt.Errorf("read the attestation of bundle %s: %w", id, err)
	}
	return kept, nil
}
