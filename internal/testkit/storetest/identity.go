package storetest

import (
	"testing"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/testkit/must"
)

func testIdentities(t *testing.T, db Database) {
	const issuer, elsewhere = "https://login.example", "https://other.example"

	db.run(t, "keeps every field, and opens one account", func(t *testing.T, w *world) {
		a, b := w.account(t), w.account(t)
		want := svc.Identity{Issuer: issuer, Subject: "s-1", AccountID: a.ID, Email: "ada@example.com", LinkedAt: noon}
		must.Do(t, w.Identities().Insert(t.Context(), want))
		wantSame(t, "identity", must.Get(w.Identities().Get(t.Context(), issuer, "s-1"))(t), want)
		for _, account := range []string{a.ID, b.ID} {
			twin := want
			twin.AccountID = account
			wantErr(t, "twin", w.Identities().Insert(t.Context(), twin), svc.ErrConflict)
		}
		wantErr(t, "orphan", w.Identities().Insert(t.Context(), svc.Identity{Issuer: issuer, Subject: "s-2", AccountID: "acct_none"}), svc.ErrConflict)
		fails(t, "another subject", svc.ErrNotFound)(w.Identities().Get(t.Context(), issuer, "S-1"))
		fails(t, "another issuer", svc.ErrNotFound)(w.Identities().Get(t.Context(), elsewhere, "s-1"))

		want.Email, want.UsedAt = "ada@example.org", noon.Add(time.Minute)
		must.Do(t, w.Identities().Use(t.Context(), issuer, "s-1", want.Email, want.UsedAt))
		wantSame(t, "used", must.Get(w.Identities().Get(t.Context(), issuer, "s-1"))(t), want)
		wantErr(t, "unknown", w.Identities().Use(t.Context(), issuer, "s-9", "", noon), svc.ErrNotFound)
	})

	db.run(t, "lists those of an account and unlinks them", func(t *testing.T, w *world) {
		a, b := w.account(t), w.account(t)
		add := func(account, from, subject string, at time.Time) svc.Identity {
			i := svc.Identity{Issuer: from, Subject: subject, AccountID: account, Email: "x@example.com", LinkedAt: at}
			must.Do(t, w.Identities().Insert(t.Context(), i))
			return i
		}
		second := add(a.ID, issuer, "s", noon.Add(time.Second))
		first := add(a.ID, elsewhere, "s", noon)
		add(b.ID, issuer, "t", noon)
		gives(t, "identities", []svc.Identity{first, second})(w.Identities().List(t.Context(), a.ID))
		wantErr(t, "another's", w.Identities().Delete(t.Context(), b.ID, issuer, "s"), svc.ErrNotFound)
		must.Do(t, w.Identities().Delete(t.Context(), a.ID, issuer, "s"))
		wantErr(t, "again", w.Identities().Delete(t.Context(), a.ID, issuer, "s"), svc.ErrNotFound)
		gives(t, "left", []svc.Identity{first})(w.Identities().List(t.Context(), a.ID))
		must.Do(t, w.Accounts().Delete(t.Context(), a.ID, noon))
		fails(t, "of an account that is gone", svc.ErrNotFound)(w.Identities().Get(t.Context(), elsewhere, "s"))
	})

	db.run(t, "a sign-in that has begun is ended once, and swept", func(t *testing.T, w *world) {
		attempt := func(account string, expires time.Time) svc.IdentityAttempt {
			_, hash := svc.NewToken()
			a := svc.IdentityAttempt{Hash: hash, AccountID: account, Next: "/console/bundles", ExpiresAt: expires}
			must.Do(t, w.IdentityAttempts().Insert(t.Context(), a))
			return a
		}
		want, over := attempt("acct_x", noon.Add(time.Minute)), attempt("", noon)
		wantSame(t, "attempt", must.Get(w.IdentityAttempts().Get(t.Context(), want.Hash))(t), want)
		wantErr(t, "twin", w.IdentityAttempts().Insert(t.Context(), want), svc.ErrConflict)
		must.Do(t, w.Sessions().Sweep(t.Context(), noon, noon))
		fails(t, "swept", svc.ErrNotFound)(w.IdentityAttempts().Get(t.Context(), over.Hash))
		const hands = 6
		errs := make([]error, hands)
		together(hands, func(i int) { errs[i] = w.IdentityAttempts().Delete(t.Context(), want.Hash) })
		ended := 0
		for _, err := range errs {
			if err == nil {
				ended++
				continue
			}
			wantErr(t, "lost", err, svc.ErrNotFound)
		}
		wantSame(t, "ended", ended, 1)
		fails(t, "ended", svc.ErrNotFound)(w.IdentityAttempts().Get(t.Context(), want.Hash))
	})

	db.run(t, "an invitation is found by its address while it is usable", func(t *testing.T, w *world) {
		invite := func(email string, expires time.Time) svc.Link {
			l := newLink(svc.LinkInvite, expires)
			l.Email, l.Plan = email, svc.PlanDeveloper
			must.Do(t, w.Links().Insert(t.Context(), l))
			return l
		}
		want := invite("ada@example.com", noon.Add(time.Hour))
		invite("bob@example.com", noon)
		wantSame(t, "invitation", must.Get(w.Links().Invitation(t.Context(), "ada@example.com", noon))(t), want)
		fails(t, "over", svc.ErrNotFound)(w.Links().Invitation(t.Context(), "bob@example.com", noon))
		fails(t, "nobody's", svc.ErrNotFound)(w.Links().Invitation(t.Context(), "eve@example.com", noon))
		must.Do(t, w.Links().Use(t.Context(), want.Hash, noon))
		fails(t, "used", svc.ErrNotFound)(w.Links().Invitation(t.Context(), "ada@example.com", noon))
	})
}
