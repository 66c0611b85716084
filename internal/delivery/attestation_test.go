package delivery_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/bundle/pack"
	"github.com/bundle-delivery/svc/internal/bundle/provenance"
	"github.com/bundle-delivery/svc/internal/delivery"
	"github.com/bundle-delivery/svc/internal/testkit/deliverytest"
)

// attested gives what a bundle's attestation says, verified with the published keys.
func attested(t *testing.T, w *deliverytest.World, b svc.Bundle) provenance.Provenance {
	t.Helper()
	keys, err := w.Signer.Published(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	trust, err := provenance.Pin(keys)
	if err != nil {
		t.Fatal(err)
	}
	text, err := w.Delivery.Attestation(t.Context(), b.AccountID, b.ID)
	if err != nil {
		t.Fatal(err)
	}
	p, err := provenance.Verify(text, b.SHA256, b.ID, trust)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func repackaged(t *testing.T, w *deliverytest.World, p svc.Project) svc.Bundle {
	t.Helper()
	var made svc.Bundle
	_, err := w.Delivery.Repackage(t.Context(), delivery.Repackage{
		AccountID: p.AccountID, ProjectID: p.ID,
		Encode: func(b svc.Bundle, err error) (svc.Answer, error) {
			made = b
			return svc.Answer{Status: 200}, err
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// Promise: attestation
func TestEveryBundleSaysWhereItComesFrom(t *testing.T) {
	w := deliverytest.New(t)
	account := w.Account("ada@example.com")
	content := deliverytest.Files(map[string]string{"a.txt": "one"})
	content.Provenance = svc.Provenance{
		Origin: svc.OriginRun, Engine: "anthropic", Model: "model-1", Run: "gen_1",
		Validation: &svc.Validation{Level: "test", Status: "passed", Checks: []svc.ValidationCheck{{Check: "go test", Status: "passed", Version: "go1.26"}}},
	}
	project, first := w.Project(account, content)
	want := provenance.Provenance{
		Service: deliverytest.Service, Version: "1.2.3", Bundle: first.ID, Project: project.ID, Origin: svc.OriginRun,
		Files: *project.Provenance, MadeAt: deliverytest.Start.Truncate(1e9), Archive: first.SHA256,
	}
	if diff := cmp.Diff(want, attested(t, w, first)); diff != "" {
		t.Errorf("of the run's own bundle:\n%s", diff)
	}

	again := repackaged(t, w, project)
	want.Bundle, want.Origin = again.ID, svc.OriginRepackage
	if diff := cmp.Diff(want, attested(t, w, again)); diff != "" {
		t.Errorf("of the same state, packaged again:\n%s", diff)
	}
	if _, err := w.Delivery.Acknowledge(t.Context(), account.ID, again.ID); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, attested(t, w, again)); diff != "" {
		t.Errorf("after the acknowledgement:\n%s", diff)
	}

	pushed := pushFiles(t, w, project, map[string]string{"a.txt": "two"})
	third := repackaged(t, w, pushed)
	got := attested(t, w, third)
	if got.Origin != svc.OriginPush || got.Files.Origin != svc.OriginPush || got.Files.Run != "" || got.Files.Base != project.Pack.State() || got.Files.Validation != nil {
		t.Errorf("of a pushed state: %+v", got)
	}
}

// pushFiles gives a project the state that a push makes.
func pushFiles(t *testing.T, w *deliverytest.World, p svc.Project, files map[string]string) svc.Project {
	t.Helper()
	content := deliverytest.Files(files)
	content.Provenance = svc.Provenance{Origin: svc.OriginPush}
	draft, err := w.Packager.DraftState(t.Context(), p, content)
	if err != nil {
		t.Fatal(err)
	}
	err = w.Store.Tx(t.Context(), func(r svc.Records) (err error) {
		p, err = draft.CommitState(t.Context(), r, deliverytest.Start)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A state that an older program made keeps the provenance of the one before in its
// record: it must not be taken for this one's.
// Promise: unsigned-never
func TestProvenanceIsThatOfTheStateAlone(t *testing.T) {
	w := deliverytest.New(t)
	content := deliverytest.Files(map[string]string{"a.txt": "one"})
	content.Provenance = svc.Provenance{Origin: svc.OriginRun, Run: "gen_1"}
	project, _ := w.Project(w.Account("ada@example.com"), content)
	project.Revision++
	project.Pack.SHA256 = sha256.Sum256([]byte("another"))
	if err := w.Store.Projects().Advance(t.Context(), project); err != nil {
		t.Fatal(err)
	}
	now, err := w.Store.Projects().Get(t.Context(), project.AccountID, project.ID)
	if err != nil || now.Provenance == nil || now.StateProvenance() != nil {
		t.Errorf("%+v, %v", now.StateProvenance(), err)
	}
}

// Promise: unsigned-former
func TestBundlesFromBeforeSigningAreSignedWhenAskedFor(t *testing.T) {
	w := deliverytest.New(t)
	account := w.Account("ada@example.com")
	unsigned := &pack.Packager{Store: w.Store, Blobs: w.Blobs}
	signed := w.Packager
	w.Packager = unsigned
	project, old := w.Project(account, deliverytest.Files(map[string]string{"a.txt": "one"}))
	w.Packager = signed
	if _, err := w.Store.Attestations().Get(t.Context(), account.ID, old.ID); !errors.Is(err, svc.ErrNotFound) {
		t.Fatalf("the old program signed: %v", err)
	}
	first := attested(t, w, old)
	if first.Origin != svc.OriginPreSigning || first.Files.Origin != "" || hex.EncodeToString(first.Archive[:]) != project.Pack.State() {
		t.Errorf("%+v", first)
	}
	if diff := cmp.Diff(first, attested(t, w, old)); diff != "" {
		t.Errorf("asked again, it says something else:\n%s", diff)
	}
	other := w.Account("eve@example.com")
	for _, id := range []string{old.ID, svc.NewBundleID(deliverytest.Start), "no-id"} {
		_, err := w.Delivery.Attestation(t.Context(), other.ID, id)
		wantCode(t, err, svc.CodeBundleNotFound)
	}
}

// failing is an attester that cannot sign.
type failing struct{}

func (failing) Attest(context.Context, svc.Records, svc.Bundle, svc.Origin, *svc.Provenance) error {
	return errors.New("the key is gone")
}

// Promise: unsigned-never
func TestNoBundleIsMadeThatCannotBeSigned(t *testing.T) {
	w := deliverytest.New(t)
	project, first := w.Project(w.Account("ada@example.com"), deliverytest.Files(map[string]string{"a.txt": "one"}))
	broken := delivery.New(delivery.Config{Store: w.Store, Blobs: w.Blobs, Assembler: w.Assembler, Attester: failing{}, Limits: w.Limits})
	_, err := broken.Repackage(t.Context(), delivery.Repackage{
		AccountID: project.AccountID, ProjectID: project.ID,
		Encode: func(svc.Bundle, error) (svc.Answer, error) { return svc.Answer{Status: 200}, nil },
	})
	latest, lookErr := w.Store.Bundles().Latest(t.Context(), project.AccountID, project.ID)
	if err == nil || lookErr != nil || latest.ID != first.ID {
		t.Errorf("%v; the newest bundle is %s (%v), want %s", err, latest.ID, lookErr, first.ID)
	}
}
