package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/bundle-delivery/svc/internal/attest"
	"github.com/bundle-delivery/svc/internal/workdir"
)

func (a *app) verifyCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Say whether this folder still holds what was delivered",
		Long: `Compares the files that svc diff knows with what the last pull left, or a push
since, by content, and the archive that was pulled with its attestation, by the keys
that the service is known by here. Names every file that is not as it was delivered:
changed or missing ones make it exit with 1; merged, kept, deleted or in conflict are
those that the pull itself left so. A conflict is one as long as what the bundle
brings lies beside the file. Nothing is sent over the network.`,
		Example: `  svc verify
  svc verify --json`,
		Args: none,
		RunE: func(*cobra.Command, []string) error { return a.verify(asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func (a *app) verify(asJSON bool) (err error) {
	folder, err := a.settledFolder()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, folder.Close()) }()
	v, err := folder.Verify()
	if err != nil {
		return err
	}
	if !v.Signed {
		a.warn("The log of this folder was not written by your svc, or was changed since.")
	}
	maker, signedBy := a.keptProvenance(folder)
	if asJSON {
		if err := a.printJSON(verification{Verification: v, Attestation: viewAttestation(maker, signedBy)}); err != nil {
			return err
		}
	}
	if signedBy != nil && !errors.Is(signedBy, errUnsigned) {
		return signedBy
	}
	asDelivered := true
	for _, f := range v.Files {
		if f.State == workdir.Intact {
			continue
		}
		asDelivered = false
		if !asJSON {
			if err := a.print("%-8s  %s%s\n", f.State, f.Path, settleBy(f.Incoming)); err != nil {
				return err
			}
		}
	}
	if n := v.Changed(); n > 0 {
		return fmt.Errorf("%d of %s differ from what the pull of bundle %s left", n, count(len(v.Files), "file"), v.BundleID)
	}
	if asJSON {
		return nil
	}
	switch {
	case signedBy == nil:
		a.note("The bundle is signed by %s.", maker.Service)
	case v.Signed:
		a.note("Who made the bundle is not known: it was pulled without an attestation.")
	default:
		a.note("Who made the bundle is not known.")
	}
	if !asDelivered {
		return a.print("All %s are as the pull of bundle %s left them.\n", count(len(v.Files), "file"), v.BundleID)
	}
	return a.print("All %s are as bundle %s delivered them.\n", count(len(v.Files), "file"), v.BundleID)
}

// settleBy says what to do about a conflict, if what the bundle brings lies there.
func settleBy(incoming string) string {
	if incoming == "" {
		return ""
	}
	return " (merge " + incoming + " into it and delete that)"
}

// verification is what svc verify --json prints.
type verification struct {
	workdir.Verification
	Attestation attestationView `json:"attestation"`
}

// attestationView says whether the kept attestation holds, and by whom it is.
type attestationView struct {
	Status  string `json:"status"` // verified, unsigned, refused
	Service string `json:"service,omitempty"`
	Error   string `json:"error,omitempty"`
}

func viewAttestation(p attest.Provenance, err error) attestationView {
	switch {
	case err == nil:
		return attestationView{Status: "verified", Service: p.Service}
	case errors.Is(err, errUnsigned):
		return attestationView{Status: "unsigned"}
	}
	return attestationView{Status: "refused", Error: err.Error()}
}

// keptProvenance verifies the attestation that was kept with the last pull, with the
// keys that are known here. errUnsigned if none was kept, or the log is a stranger's,
// who may have taken it from anywhere.
func (a *app) keptProvenance(folder *workdir.Folder) (attest.Provenance, error) {
	kept, err := folder.Delivered()
	if err != nil {
		return attest.Provenance{}, err
	}
	if len(kept.Attestation) == 0 || !kept.Authentic {
		return attest.Provenance{}, errUnsigned
	}
	p, err := a.readPin(kept.Service)
	if err != nil {
		return attest.Provenance{}, err
	}
	sum, err := hex.DecodeString(kept.State)
	if err != nil || len(sum) != sha256.Size {
		return attest.Provenance{}, errUnsigned
	}
	if !p.known() {
		return attest.Provenance{}, fmt.Errorf("no key of %s is known here, so that its attestation cannot be verified; if the pull took one from %s, set that again", kept.Service, signingKeyVariable)
	}
	made, err := attest.Verify(kept.Attestation, [sha256.Size]byte(sum), kept.BundleID, p.Trust)
	if err != nil {
		return attest.Provenance{}, p.explain(err)
	}
	return made, nil
}
