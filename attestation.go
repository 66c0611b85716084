package svc

import "context"

// Origin says by what a bundle, or a state of a project, came to be.
type Origin string

// The origins. The state of a project comes from a run, an import or a push.
const (
	OriginRun       Origin = "run"
	OriginRepackage Origin = "repackage"
	OriginImport    Origin = "import"
	OriginPush      Origin = "push"
	// OriginPreSigning is that of a bundle which was made by a program that did not
	// sign: what is said of it was not written down when it was made.
	OriginPreSigning Origin = "pre-signing"
)

// Provenance is where the files of one state of a project come from. It outlives
// the run that made them.
type Provenance struct {
	// State is the state that this is about, as Pack.State has it.
	State  string `json:"state"`
	Origin Origin `json:"origin"`
	// Engine, Model, Run and Validation are those of the run, if one made the state.
	Engine     string      `json:"engine,omitempty"`
	Model      string      `json:"model,omitempty"`
	Run        string      `json:"run,omitempty"`
	Validation *Validation `json:"validation,omitempty"`
	// Base is the state before, if there was one, and BasePack the blob that holds it
	// for a while longer.
	Base     string `json:"base,omitempty"`
	BasePack string `json:"base_pack,omitempty"`
}

// StateProvenance is where the project's state comes from, or nil if nobody wrote
// it down.
func (p Project) StateProvenance() *Provenance {
	if p.Provenance == nil || p.Provenance.State != p.Pack.State() {
		return nil // a program that knows nothing of it made the state
	}
	return p.Provenance
}

// Attestations are the steps on signed statements about bundles. They are the
// bundle's, and go with its record.
type Attestations interface {
	// Put keeps the attestation of a bundle. One that has an attestation, or is gone,
	// is left as it is. It may be put off.
	Put(ctx context.Context, bundleID string, envelope []byte) error
	// Get returns the attestation of a bundle of the account. ErrNotFound.
	Get(ctx context.Context, accountID, bundleID string) ([]byte, error)
}

// Attester states where bundles come from, so that others can check it.
type Attester interface {
	// Attest makes and keeps the attestation of a bundle: a step of the transaction
	// that makes the bundle, so that none is seen without. files may be nil: where
	// the files come from is not known.
	Attest(ctx context.Context, r Records, b Bundle, origin Origin, files *Provenance) error
}
