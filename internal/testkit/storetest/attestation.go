package storetest

import (
	"testing"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/testkit/must"
)

func testAttestations(t *testing.T, db Database) {
	const envelope = `{"payload":"☃","signatures":[]}`

	db.run(t, "keeps the first of a bundle, for its account alone", func(t *testing.T, w *world) {
		p := w.project(t, w.account(t).ID)
		b := w.bundle(t, p, noon)
		fails(t, "none yet", svc.ErrNotFound)(w.Attestations().Get(t.Context(), p.AccountID, b.ID))
		must.Do(t, w.Attestations().Put(t.Context(), b.ID, []byte(envelope)))
		must.Do(t, w.Attestations().Put(t.Context(), b.ID, []byte("another")))
		gives(t, "attestation", []byte(envelope))(w.another(t).Attestations().Get(t.Context(), p.AccountID, b.ID))
		fails(t, "another account", svc.ErrNotFound)(w.Attestations().Get(t.Context(), w.account(t).ID, b.ID))
	})

	db.run(t, "is made in one transaction with its bundle", func(t *testing.T, w *world) {
		p := w.project(t, w.account(t).ID)
		b := newBundle(p, noon, 10)
		must.Do(t, w.TxLocked(t.Context(), func(r svc.Records) error {
			if err := r.Bundles().Insert(t.Context(), b); err != nil {
				return err
			}
			return r.Attestations().Put(t.Context(), b.ID, []byte(envelope))
		}))
		gives(t, "attestation", []byte(envelope))(w.Attestations().Get(t.Context(), p.AccountID, b.ID))
	})

	db.run(t, "stays when the bundle is gone, and goes with its record", func(t *testing.T, w *world) {
		p := w.project(t, w.account(t).ID)
		b := w.bundle(t, p, noon)
		must.Do(t, w.Attestations().Put(t.Context(), b.ID, []byte(envelope)))
		must.Get(w.Bundles().Acknowledge(t.Context(), p.AccountID, b.ID, noon))(t)
		gives(t, "attestation", []byte(envelope))(w.Attestations().Get(t.Context(), p.AccountID, b.ID))
		wantSame(t, "pruned", must.Get(w.Bundles().Prune(t.Context(), noon.Add(time.Hour), 10))(t), 1)
		fails(t, "pruned", svc.ErrNotFound)(w.Attestations().Get(t.Context(), p.AccountID, b.ID))
		must.Do(t, w.Attestations().Put(t.Context(), b.ID, []byte(envelope)))
		fails(t, "of no bundle", svc.ErrNotFound)(w.Attestations().Get(t.Context(), p.AccountID, b.ID))
	})
}
