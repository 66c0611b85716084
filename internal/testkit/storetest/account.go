package storetest

import (
	"fmt"
	"testing"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/testkit/must"
)

func testAccounts(t *testing.T, db Database) {
	db.run(t, "keeps every field but the pending bytes, which begin at zero", func(t *testing.T, w *world) {
		a := svc.Account{
			ID: "acct_1", Email: "a@example.com", Plan: svc.PlanArchitectPro, PasswordHash: "$argon2id$x",
			Admin: true, CreatedAt: noon, PendingBytes: 99,
		}
		must.Do(t, w.Accounts().Insert(t.Context(), a))
		a.PendingBytes = 0
		gives(t, "Get", a)(w.Accounts().Get(t.Context(), a.ID))
		gives(t, "ByEmail", a)(w.Accounts().ByEmail(t.Context(), a.Email))
	})

	db.run(t, "cuts times to whole milliseconds in UTC", func(t *testing.T, w *world) {
		east := time.FixedZone("east", 3600)
		must.Do(t, w.Accounts().Insert(t.Context(), svc.Account{ID: "acct_1", Email: "a", Plan: svc.PlanHobby, CreatedAt: noon.Add(999_999).In(east)}))
		a := must.Get(w.Accounts().Get(t.Context(), "acct_1"))(t)
		if !a.CreatedAt.Equal(noon) || a.CreatedAt.Location() != time.UTC {
			t.Errorf("created at %v, want %v", a.CreatedAt, noon)
		}
	})

	db.run(t, "refuses an address or an id that is taken", func(t *testing.T, w *world) {
		a := w.account(t)
		twin := a
		twin.ID = "acct_twin"
		wantErr(t, "same address", w.Accounts().Insert(t.Context(), twin), svc.ErrConflict)
		twin = a
		twin.Email = "twin@example.com"
		wantErr(t, "same id", w.Accounts().Insert(t.Context(), twin), svc.ErrConflict)
		gives(t, "accounts", int64(1))(w.Accounts().Count(t.Context()))
	})

	db.run(t, "says of what does not exist that it is not found", func(t *testing.T, w *world) {
		fails(t, "Get", svc.ErrNotFound)(w.Accounts().Get(t.Context(), "acct_none"))
		fails(t, "ByEmail", svc.ErrNotFound)(w.Accounts().ByEmail(t.Context(), "none@example.com"))
		wantErr(t, "SetPlan", w.Accounts().SetPlan(t.Context(), "acct_none", svc.PlanHobby), svc.ErrNotFound)
		wantErr(t, "SetPassword", w.Accounts().SetPassword(t.Context(), "acct_none", "h"), svc.ErrNotFound)
		wantErr(t, "Delete", w.Accounts().Delete(t.Context(), "acct_none", noon), svc.ErrNotFound)
	})

	db.run(t, "lists by address, page by page, and counts", func(t *testing.T, w *world) {
		for _, n := range []int{3, 1, 5, 2, 4} {
			must.Do(t, w.Accounts().Insert(t.Context(), svc.Account{
				ID: fmt.Sprintf("acct_%d", 9-n), Email: fmt.Sprintf("p%d@example.com", n), Plan: svc.PlanHobby, CreatedAt: noon,
			}))
		}
		var pages [][]string
		for after := ""; len(pages) < 4; {
			list := must.Get(w.Accounts().List(t.Context(), after, 2))(t)
			var page []string
			for _, a := range list {
				page = append(page, a.Email)
				after = a.Email
			}
			pages = append(pages, page)
		}
		wantSame(t, "pages", pages, [][]string{
			{"p1@example.com", "p2@example.com"}, {"p3@example.com", "p4@example.com"}, {"p5@example.com"}, nil,
		})
		gives(t, "accounts", int64(5))(w.Accounts().Count(t.Context()))
	})

	db.run(t, "changes plan and password of one account", func(t *testing.T, w *world) {
		a, other := w.account(t), w.account(t)
		must.Do(t, w.Accounts().SetPlan(t.Context(), a.ID, svc.PlanArchitectPro))
		must.Do(t, w.Accounts().SetPassword(t.Context(), a.ID, "$argon2id$y"))
		a.Plan, a.PasswordHash = svc.PlanArchitectPro, "$argon2id$y"
		for _, want := range []svc.Account{a, other} {
			gives(t, "account", want)(w.Accounts().Get(t.Context(), want.ID))
		}
	})

	db.run(t, "deletes an account with all it has and discards its blobs", func(t *testing.T, w *world) {
		a, other := w.account(t), w.account(t)
		k, kept := w.key(t, a.ID), w.key(t, other.ID)
		p, otherProject := w.project(t, a.ID), w.project(t, other.ID)
		p.Revision, p.Pack.Blob, p.Provenance = 1, "packs/mine", &svc.Provenance{BasePack: "packs/before"}
		must.Do(t, w.Projects().Advance(t.Context(), p))
		pending, acked := w.bundle(t, p, noon), w.bundle(t, p, noon)
		must.Get(w.Bundles().Acknowledge(t.Context(), a.ID, acked.ID, noon))(t)
		otherBundle := w.bundle(t, otherProject, noon)
		id := svc.IdempotencyID{AccountID: a.ID, Scope: "s", Key: "k"}
		must.Do(t, w.Windows().Save(t.Context(), a.ID, svc.OpDownload, []time.Time{noon}))
		must.Do(t, w.Idempotencies().Save(t.Context(), svc.Idempotency{ID: id, Fence: 1, Lease: noon.Add(time.Hour)}))

		due := noon.Add(time.Hour)
		must.Do(t, w.Accounts().Delete(t.Context(), a.ID, due))

		fails(t, "account", svc.ErrNotFound)(w.Accounts().Get(t.Context(), a.ID))
		fails(t, "key", svc.ErrNotFound)(w.Keys().Credential(t.Context(), k.Prefix))
		fails(t, "project", svc.ErrNotFound)(w.Projects().Get(t.Context(), a.ID, p.ID))
		for _, b := range []svc.Bundle{pending, acked} {
			fails(t, "bundle", svc.ErrNotFound)(w.Bundles().Get(t.Context(), a.ID, b.ID))
		}
		must.Do(t, w.Tx(t.Context(), func(r svc.Records) error {
			window := must.Get(r.Windows().Lock(t.Context(), a.ID, svc.OpDownload))(t)
			wantSame(t, "admissions", window.Admitted, []time.Time{})
			known, _, err := r.Idempotencies().Lock(t.Context(), id)
			must.Do(t, err)
			wantSame(t, "fence", known.Fence, int64(0))
			return nil
		}))
		tally := must.Get(w.Bundles().Tally(t.Context()))(t)
		wantSame(t, "tally", tally, []svc.BundleTally{
			{Status: svc.BundlePending, Count: 1, Bytes: otherBundle.Size}, {Status: svc.BundleDownloaded}, {Status: svc.BundleExpired},
		})
		gives(t, "garbage before it is due", []string{})(w.Ledger().Collect(t.Context(), due.Add(-time.Millisecond), due.Add(-time.Millisecond), 10))
		gives(t, "garbage", []string{pending.Blob, "packs/before", "packs/mine"})(w.Ledger().Collect(t.Context(), due, due, 10))

		// The other account has lost nothing.
		cred := must.Get(w.Keys().Credential(t.Context(), kept.Prefix))(t)
		wantSame(t, "other key", cred.Key, kept)
		bundle := must.Get(w.Bundles().Get(t.Context(), other.ID, otherBundle.ID))(t)
		wantSame(t, "other bundle", bundle, otherBundle)
		wantSame(t, "other pending bytes", w.pendingBytes(t, other.ID), otherBundle.Size)
	})
}
