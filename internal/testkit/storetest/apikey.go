package storetest

import (
	"slices"
	"testing"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/testkit/must"
)

func testKeys(t *testing.T, db Database) {
	db.run(t, "keeps every field, and shows the plan of the moment", func(t *testing.T, w *world) {
		a := w.account(t)
		k := svc.Key{
			Prefix: "abcd1234", AccountID: a.ID, Name: "ci läden 7", Hash: [32]byte{7, 31: 9},
			CreatedAt: noon, LastUsedAt: noon.Add(time.Second), ExpiresAt: noon.Add(time.Hour), RevokedAt: noon.Add(time.Minute),
		}
		must.Do(t, w.Keys().Insert(t.Context(), k))
		must.Do(t, w.Accounts().SetPlan(t.Context(), a.ID, svc.PlanArchitectPro))
		want := svc.Credential{Key: k, Plan: svc.PlanArchitectPro}
		gives(t, "Credential", want)(w.Keys().Credential(t.Context(), k.Prefix))
	})

	db.run(t, "refuses a prefix that is taken and an owner that does not exist", func(t *testing.T, w *world) {
		a, other := w.account(t), w.account(t)
		k := w.key(t, a.ID)
		twin := k
		twin.AccountID = other.ID
		wantErr(t, "twin", w.Keys().Insert(t.Context(), twin), svc.ErrConflict)
		_, orphan := svc.NewKey()
		orphan.AccountID = "acct_none"
		wantErr(t, "orphan", w.Keys().Insert(t.Context(), orphan), svc.ErrNotFound)
	})

	db.run(t, "says of an unknown prefix that it is not found", func(t *testing.T, w *world) {
		fails(t, "Credential", svc.ErrNotFound)(w.Keys().Credential(t.Context(), "nobody00"))
		wantErr(t, "Revoke", w.Keys().Revoke(t.Context(), "nobody00", noon), svc.ErrNotFound)
	})

	db.run(t, "lists newest first, revoked ones included", func(t *testing.T, w *world) {
		a := w.account(t)
		w.key(t, w.account(t).ID)
		var want []svc.Key
		for i := range 4 {
			_, k := svc.NewKey()
			k.AccountID, k.CreatedAt = a.ID, noon.Add(time.Duration(i)*time.Millisecond)
			must.Do(t, w.Keys().Insert(t.Context(), k))
			want = append(want, k)
		}
		slices.Reverse(want)
		must.Do(t, w.Keys().Revoke(t.Context(), want[1].Prefix, noon))
		want[1].RevokedAt = noon
		gives(t, "keys", want)(w.Keys().List(t.Context(), a.ID))
	})

	db.run(t, "keeps the first report, and the time of a revocation before it", func(t *testing.T, w *world) {
		k, revoked := w.key(t, w.account(t).ID), w.key(t, w.account(t).ID)
		must.Do(t, w.Keys().Revoke(t.Context(), revoked.Prefix, noon))
		first := svc.KeyReport{At: noon.Add(time.Minute), From: "192.0.2.7", URL: "https://paste.example/ä\"<b>"}
		for _, prefix := range []string{k.Prefix, revoked.Prefix} {
			must.Do(t, w.Keys().Report(t.Context(), prefix, first))
			must.Do(t, w.Keys().Report(t.Context(), prefix, svc.KeyReport{At: noon.Add(time.Hour), From: "198.51.100.9"}))
		}
		k.RevokedAt, k.Report = first.At, &first
		revoked.RevokedAt, revoked.Report = noon, &first
		gives(t, "keys", []svc.Key{k})(w.Keys().List(t.Context(), k.AccountID))
		wantSame(t, "key", must.Get(w.Keys().Credential(t.Context(), revoked.Prefix))(t).Key, revoked)
		gives(t, "usable", []string(nil))(w.Keys().Usable(t.Context(), []string{k.Prefix}, noon.Add(time.Minute)))
		wantErr(t, "of no key", w.Keys().Report(t.Context(), "nobody00", first), svc.ErrNotFound)
	})

	db.run(t, "revokes once: the first time stays", func(t *testing.T, w *world) {
		k, other := w.key(t, w.account(t).ID), w.key(t, w.account(t).ID)
		must.Do(t, w.Keys().Revoke(t.Context(), k.Prefix, noon))
		must.Do(t, w.Keys().Revoke(t.Context(), k.Prefix, noon.Add(time.Hour)))
		got := must.Get(w.Keys().Credential(t.Context(), k.Prefix))(t)
		wantSame(t, "revoked at", got.Key.RevokedAt, noon)
		got = must.Get(w.Keys().Credential(t.Context(), other.Prefix))(t)
		wantSame(t, "another key is revoked", got.Key.RevokedAt.IsZero(), true)
	})

	db.run(t, "gets another name from its owner alone", func(t *testing.T, w *world) {
		k := w.key(t, w.account(t).ID)
		must.Do(t, w.Keys().Rename(t.Context(), k.AccountID, k.Prefix, "build"))
		wantErr(t, "another's", w.Keys().Rename(t.Context(), w.account(t).ID, k.Prefix, "mine"), svc.ErrNotFound)
		k.Name = "build"
		gives(t, "keys", []svc.Key{k})(w.Keys().List(t.Context(), k.AccountID))
	})

	db.run(t, "notes use unless it was noted since", func(t *testing.T, w *world) {
		k := w.key(t, w.account(t).ID)
		steps := []struct {
			what            string
			at, since, want time.Duration
		}{
			{"never used", 0, -time.Minute, 0},
			{"noted after since", time.Second, -time.Second, 0},
			{"noted exactly at since", 2 * time.Second, 0, 0},
			{"noted before since", 3 * time.Second, time.Millisecond, 3 * time.Second},
		}
		for _, s := range steps {
			must.Do(t, w.Keys().Touch(t.Context(), k.Prefix, noon.Add(s.at), noon.Add(s.since)))
			got := must.Get(w.Keys().Credential(t.Context(), k.Prefix))(t)
			wantSame(t, s.what, got.Key.LastUsedAt, noon.Add(s.want))
		}
		must.Do(t, w.Keys().Touch(t.Context(), "nobody00", noon, noon))
	})

	db.run(t, "tells which of many keys are usable", func(t *testing.T, w *world) {
		a := w.account(t)
		add := func(change func(*svc.Key)) string {
			_, k := svc.NewKey()
			k.AccountID, k.CreatedAt = a.ID, noon
			change(&k)
			must.Do(t, w.Keys().Insert(t.Context(), k))
			return k.Prefix
		}
		forever := add(func(*svc.Key) {})
		lasting := add(func(k *svc.Key) { k.ExpiresAt = noon.Add(time.Millisecond) })
		ending := add(func(k *svc.Key) { k.ExpiresAt = noon })
		revoked := add(func(k *svc.Key) { k.RevokedAt = noon.Add(-time.Hour) })
		add(func(*svc.Key) {}) // not asked for
		got := must.Get(w.Keys().Usable(t.Context(), []string{revoked, lasting, "nobody00", ending, forever}, noon))(t)
		want := []string{forever, lasting}
		slices.Sort(got)
		slices.Sort(want)
		wantSame(t, "usable", got, want)
		gives(t, "usable of none", []string{})(w.Keys().Usable(t.Context(), nil, noon))
	})
}
