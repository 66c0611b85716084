package storetest

import (
	"testing"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/testkit/must"
)

// passkey puts a new passkey of an account into the database.
func (w *world) passkey(t *testing.T, accountID, id string, created time.Time) svc.Passkey {
	t.Helper()
	p := svc.Passkey{
		ID: id, AccountID: accountID, Name: "phone ü", Host: "svc.example", Record: `{"id":"` + id + `"}`, CreatedAt: created,
	}
	must.Do(t, w.Passkeys().Insert(t.Context(), p))
	return p
}

func testPasskeys(t *testing.T, db Database) {
	db.run(t, "keeps every field", func(t *testing.T, w *world) {
		p := w.passkey(t, w.account(t).ID, "cGs", noon)
		wantSame(t, "passkey", must.Get(w.Passkeys().Get(t.Context(), p.ID))(t), p)
		p.Record, p.UsedAt = `{"id":"cGs","authenticator":{"signCount":7}}`, noon.Add(time.Minute)
		must.Do(t, w.Passkeys().Update(t.Context(), p.ID, p.Record, p.UsedAt))
		p.Name = "old phone"
		must.Do(t, w.Passkeys().Rename(t.Context(), p.AccountID, p.ID, p.Name))
		wantSame(t, "passkey", must.Get(w.Passkeys().Get(t.Context(), p.ID))(t), p)
		fails(t, "unknown", svc.ErrNotFound)(w.Passkeys().Get(t.Context(), "x"))
		wantErr(t, "unknown", w.Passkeys().Update(t.Context(), "x", p.Record, noon), svc.ErrNotFound)
		wantErr(t, "twin", w.Passkeys().Insert(t.Context(), p), svc.ErrConflict)
		wantErr(t, "twin of another", w.Passkeys().Insert(t.Context(), svc.Passkey{ID: p.ID, AccountID: w.account(t).ID, CreatedAt: noon}), svc.ErrConflict)
		wantErr(t, "orphan", w.Passkeys().Insert(t.Context(), svc.Passkey{ID: "b3I", AccountID: "acct_none", CreatedAt: noon}), svc.ErrNotFound)
	})

	db.run(t, "lists those of an account, the oldest first", func(t *testing.T, w *world) {
		a := w.account(t)
		w.passkey(t, w.account(t).ID, "b3RoZXI", noon)
		second := w.passkey(t, a.ID, "YQ", noon.Add(time.Second))
		first := w.passkey(t, a.ID, "Yg", noon)
		gives(t, "passkeys", []svc.Passkey{first, second})(w.Passkeys().List(t.Context(), a.ID))
	})

	db.run(t, "are renamed and removed by their owner alone, and go with the account", func(t *testing.T, w *world) {
		a, other := w.account(t), w.account(t)
		p, left := w.passkey(t, a.ID, "YQ", noon), w.passkey(t, a.ID, "Yg", noon)
		wantErr(t, "rename another's", w.Passkeys().Rename(t.Context(), other.ID, p.ID, "mine"), svc.ErrNotFound)
		wantErr(t, "delete another's", w.Passkeys().Delete(t.Context(), other.ID, p.ID), svc.ErrNotFound)
		must.Do(t, w.Passkeys().Delete(t.Context(), a.ID, p.ID))
		wantErr(t, "deleted", w.Passkeys().Delete(t.Context(), a.ID, p.ID), svc.ErrNotFound)
		gives(t, "passkeys", []svc.Passkey{left})(w.Passkeys().List(t.Context(), a.ID))
		must.Do(t, w.Accounts().Delete(t.Context(), a.ID, noon))
		fails(t, "of an account that is gone", svc.ErrNotFound)(w.Passkeys().Get(t.Context(), left.ID))
	})
}

func testChallenges(t *testing.T, db Database) {
	newChallenge := func(expires time.Time) svc.Challenge {
		_, hash := svc.NewToken()
		return svc.Challenge{Hash: hash, State: `{"kind":"sign_in"}`, ExpiresAt: expires}
	}
	db.run(t, "keeps every field, and is removed by one of many who try", func(t *testing.T, w *world) {
		c := newChallenge(noon)
		must.Do(t, w.Challenges().Insert(t.Context(), c))
		wantErr(t, "twin", w.Challenges().Insert(t.Context(), c), svc.ErrConflict)
		wantSame(t, "challenge", must.Get(w.Challenges().Get(t.Context(), c.Hash))(t), c)
		const hands = 6
		errs := make([]error, hands)
		together(hands, func(i int) { errs[i] = w.Challenges().Delete(t.Context(), c.Hash) })
		won := 0
		for _, err := range errs {
			if err == nil {
				won++
				continue
			}
			wantErr(t, "too late", err, svc.ErrNotFound)
		}
		wantSame(t, "winners", won, 1)
		fails(t, "removed", svc.ErrNotFound)(w.Challenges().Get(t.Context(), c.Hash))
	})

	db.run(t, "are swept once they are over", func(t *testing.T, w *world) {
		over, lasting := newChallenge(noon), newChallenge(noon.Add(time.Millisecond))
		must.Do(t, w.Challenges().Insert(t.Context(), over))
		must.Do(t, w.Challenges().Insert(t.Context(), lasting))
		must.Do(t, w.Sessions().Sweep(t.Context(), noon, noon))
		fails(t, "expired challenge", svc.ErrNotFound)(w.Challenges().Get(t.Context(), over.Hash))
		wantSame(t, "lasting", must.Get(w.Challenges().Get(t.Context(), lasting.Hash))(t), lasting)
	})
}
