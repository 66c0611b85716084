package pull

import (
	"context"
	"errors"
	"fmt"

	"github.com/bundle-delivery/svc/internal/bundle/provenance"
	"github.com/bundle-delivery/svc/internal/workdir"
)

// Provenance returns what the service states about a bundle, once that is verified. The
// bundle may have been acknowledged.
func (s *Session) Provenance(ctx context.Context, id string) (made provenance.Provenance, err error) {
	if err := s.connect(); err != nil {
		return made, err
	}
	p, err := s.Keys.read(s.client.BaseURL())
	if err != nil {
		return made, err
	}
	text, err := s.client.Attestation(ctx, id)
	if err != nil {
		return made, err
	}
	_, err = meet(ctx, s.client, p, func(trust provenance.Trust) (err error) {
		made, err = provenance.Read(text, id, trust)
		return err
	})
	return made, err
}

// KeptProvenance verifies the attestation that was kept with the last pull, with the
// keys that are known here and without the network. The error is [ErrUnsigned] if none
// was kept, or the log is a stranger's, who may have taken it from anywhere.
func (s *Session) KeptProvenance() (provenance.Provenance, error) {
	kept, err := s.Folder.Delivered()
	if err != nil {
		return provenance.Provenance{}, err
	}
	if len(kept.Attestation) == 0 || !kept.Authentic {
		return provenance.Provenance{}, ErrUnsigned
	}
	p, err := s.Keys.read(kept.Service)
	if err != nil {
		return provenance.Provenance{}, err
	}
	sum, err := digest(kept.State)
	if err != nil {
		return provenance.Provenance{}, ErrUnsigned
	}
	if !p.known() {
		return provenance.Provenance{}, fmt.Errorf("no key of %s is known here, so that its attestation cannot be verified; if the pull took one from %s, set that again", kept.Service, KeyVariable)
	}
	made, err := provenance.Verify(kept.Attestation, sum, kept.BundleID, p.Trust)
	if err != nil {
		return provenance.Provenance{}, p.explain(err)
	}
	return made, nil
}

// NotSigned is the warning about a folder whose log has no valid signature.
const NotSigned = "The log of this folder was not written by your svc, or was changed since."

// Verification says whether the folder still holds what was delivered, and by whom that
// was made.
type Verification struct {
	workdir.Comparison
	Attestation Attestation `json:"attestation"`
	// Refused is the reason why the kept attestation is refused, or nil.
	Refused error `json:"-"`
}

// Attestation says whether the kept attestation holds, and by whom it is.
type Attestation struct {
	Status  AttestationStatus `json:"status"`
	Service string            `json:"service,omitempty"`
	Error   string            `json:"error,omitempty"`
}

// AttestationStatus is what became of a kept attestation.
type AttestationStatus string

// The states of an attestation.
const (
	Verified AttestationStatus = "verified"
	Unsigned AttestationStatus = "unsigned" // nobody knows who made the bundle
	Refused  AttestationStatus = "refused"
)

// Verify compares the folder with what the last pull left, and the archive that was
// pulled with its attestation. It does not use the network.
func (s *Session) Verify() (v Verification, err error) {
	if err := s.Folder.CheckFinished(); err != nil {
		return v, err
	}
	if v.Comparison, err = s.Folder.Verify(); err != nil {
		return v, err
	}
	if !v.Signed {
		s.warn(NotSigned)
	}
	maker, err := s.KeptProvenance()
	switch {
	case err == nil:
		v.Attestation = Attestation{Status: Verified, Service: maker.Service}
	case errors.Is(err, ErrUnsigned):
		v.Attestation.Status = Unsigned
	default:
		v.Attestation, v.Refused = Attestation{Status: Refused, Error: err.Error()}, err
	}
	return v, nil
}
