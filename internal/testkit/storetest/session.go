package storetest

import (
	"testing"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/testkit/must"
)

// session puts a new session of an account into the database.
func (w *world) session(t *testing.T, accountID string, seen time.Time) svc.Session {
	t.Helper()
	_, hash := svc.NewToken()
	s := svc.Session{
		Hash: hash, AccountID: accountID, Browser: "Firefox", Network: "192.0.2.7",
		CreatedAt: noon, SeenAt: seen, ExpiresAt: seen.Add(time.Hour),
	}
	must.Do(t, w.Sessions().Insert(t.Context(), s))
	return s
}

func testSessions(t *testing.T, db Database) {
	db.run(t, "keeps every field, and shows the account of the moment", func(t *testing.T, w *world) {
		a := w.account(t)
		want := w.session(t, a.ID, noon)
		must.Do(t, w.Accounts().SetPlan(t.Context(), a.ID, svc.PlanArchitectPro))
		a.Plan = svc.PlanArchitectPro
		got, account, err := w.Sessions().Get(t.Context(), want.Hash)
		must.Do(t, err)
		wantSame(t, "session", got, want)
		wantSame(t, "account", account, a)
		_, _, err = w.Sessions().Get(t.Context(), svc.HashToken("another"))
		wantErr(t, "unknown", err, svc.ErrNotFound)
		wantErr(t, "twin", w.Sessions().Insert(t.Context(), want), svc.ErrConflict)
		_, orphan := svc.NewToken()
		wantErr(t, "orphan", w.Sessions().Insert(t.Context(), svc.Session{Hash: orphan, AccountID: "acct_none"}), svc.ErrNotFound)
	})

	db.run(t, "moves on while it is used", func(t *testing.T, w *world) {
		s := w.session(t, w.account(t).ID, noon)
		s.SeenAt, s.ExpiresAt = noon.Add(time.Minute), noon.Add(2*time.Hour)
		must.Do(t, w.Sessions().Touch(t.Context(), s.Hash, s.SeenAt, s.ExpiresAt))
		got, _, err := w.Sessions().Get(t.Context(), s.Hash)
		must.Do(t, err)
		wantSame(t, "session", got, s)
		wantErr(t, "unknown", w.Sessions().Touch(t.Context(), svc.HashToken("x"), noon, noon), svc.ErrNotFound)
	})

	db.run(t, "lists those of an account, the last seen first", func(t *testing.T, w *world) {
		a := w.account(t)
		w.session(t, w.account(t).ID, noon)
		old, fresh := w.session(t, a.ID, noon), w.session(t, a.ID, noon.Add(time.Second))
		gives(t, "sessions", []svc.Session{fresh, old})(w.Sessions().List(t.Context(), a.ID))
	})

	db.run(t, "ends one, the others, and all of an account", func(t *testing.T, w *world) {
		a, other := w.account(t), w.account(t)
		foreign := w.session(t, other.ID, noon)
		one, two, three := w.session(t, a.ID, noon), w.session(t, a.ID, noon), w.session(t, a.ID, noon)
		left := func(want ...svc.Session) {
			t.Helper()
			got := must.Get(w.Sessions().List(t.Context(), a.ID))(t)
			wantSame(t, "left", len(got), len(want))
			for _, s := range want {
				_, _, err := w.Sessions().Get(t.Context(), s.Hash)
				must.Do(t, err)
			}
		}
		must.Do(t, w.Sessions().Delete(t.Context(), one.Hash))
		must.Do(t, w.Sessions().Delete(t.Context(), one.Hash))
		left(two, three)
		wantErr(t, "another's", w.Sessions().DeleteOwn(t.Context(), other.ID, two.Hash), svc.ErrNotFound)
		four := w.session(t, a.ID, noon)
		must.Do(t, w.Sessions().DeleteOwn(t.Context(), a.ID, four.Hash))
		wantErr(t, "ended", w.Sessions().DeleteOwn(t.Context(), a.ID, four.Hash), svc.ErrNotFound)
		left(two, three)
		must.Do(t, w.Sessions().DeleteOthers(t.Context(), a.ID, two.Hash))
		left(two)
		must.Do(t, w.Sessions().DeleteOthers(t.Context(), a.ID, [32]byte{}))
		left()
		_, _, err := w.Sessions().Get(t.Context(), foreign.Hash)
		must.Do(t, err)
	})

	db.run(t, "go with their account", func(t *testing.T, w *world) {
		a := w.account(t)
		s := w.session(t, a.ID, noon)
		must.Do(t, w.Accounts().Delete(t.Context(), a.ID, noon))
		_, _, err := w.Sessions().Get(t.Context(), s.Hash)
		wantErr(t, "session", err, svc.ErrNotFound)
	})

	db.run(t, "are swept once they are over, with links and old guesses", func(t *testing.T, w *world) {
		a := w.account(t)
		over, lasting := w.session(t, a.ID, noon.Add(-time.Hour)), w.session(t, a.ID, noon.Add(-time.Hour+time.Millisecond))
		link := newLink(svc.LinkSetUp, noon)
		must.Do(t, w.Links().Insert(t.Context(), link))
		must.Do(t, w.GuessLog().Save(t.Context(), svc.Guesses{Bucket: "old", Count: 2, LastAt: noon.Add(-2 * time.Minute)}))
		must.Do(t, w.GuessLog().Save(t.Context(), svc.Guesses{Bucket: "new", Count: 2, LastAt: noon.Add(-time.Minute)}))
		must.Do(t, w.Sessions().Sweep(t.Context(), noon, noon.Add(-time.Minute)))
		_, _, err := w.Sessions().Get(t.Context(), over.Hash)
		wantErr(t, "expired session", err, svc.ErrNotFound)
		_, _, err = w.Sessions().Get(t.Context(), lasting.Hash)
		must.Do(t, err)
		fails(t, "expired link", svc.ErrNotFound)(w.Links().Get(t.Context(), link.Hash))
		for bucket, want := range map[string]int{"old": 0, "new": 2} {
			must.Do(t, w.Tx(t.Context(), func(r svc.Records) error {
				g, err := r.GuessLog().Lock(t.Context(), bucket)
				wantSame(t, bucket, g.Count, want)
				return err
			}))
		}
	})
}

func newLink(kind svc.LinkKind, expires time.Time) svc.Link {
	_, hash := svc.NewToken()
	return svc.Link{Hash: hash, Kind: kind, CreatedAt: noon, ExpiresAt: expires}
}

func testLinks(t *testing.T, db Database) {
	db.run(t, "keeps every field and is used once", func(t *testing.T, w *world) {
		l := newLink(svc.LinkInvite, noon.Add(time.Hour))
		l.Email, l.Plan = "ada@example.com", svc.PlanHobby
		must.Do(t, w.Links().Insert(t.Context(), l))
		got := must.Get(w.Links().Get(t.Context(), l.Hash))(t)
		wantSame(t, "link", got, l)
		must.Do(t, w.Links().Use(t.Context(), l.Hash, noon))
		wantErr(t, "second use", w.Links().Use(t.Context(), l.Hash, noon.Add(time.Second)), svc.ErrConflict)
		got = must.Get(w.Links().Get(t.Context(), l.Hash))(t)
		wantSame(t, "used at", got.UsedAt, noon)
		wantErr(t, "unknown", w.Links().Use(t.Context(), svc.HashToken("x"), noon), svc.ErrNotFound)
		wantErr(t, "twin", w.Links().Insert(t.Context(), l), svc.ErrConflict)
		l = newLink(svc.LinkReset, noon)
		l.AccountID = "acct_none"
		wantErr(t, "orphan", w.Links().Insert(t.Context(), l), svc.ErrNotFound)
	})

	db.run(t, "is used by one of many who try", func(t *testing.T, w *world) {
		l := newLink(svc.LinkSetUp, noon.Add(time.Hour))
		must.Do(t, w.Links().Insert(t.Context(), l))
		const hands = 6
		errs := make([]error, hands)
		together(hands, func(i int) { errs[i] = w.Links().Use(t.Context(), l.Hash, noon) })
		won := 0
		for _, err := range errs {
			if err == nil {
				won++
				continue
			}
			wantErr(t, "lost", err, svc.ErrConflict)
		}
		wantSame(t, "winners", won, 1)
	})

	db.run(t, "is withdrawn by kind, account and address", func(t *testing.T, w *world) {
		a, b := w.account(t), w.account(t)
		add := func(change func(*svc.Link)) svc.Link {
			l := newLink(svc.LinkReset, noon.Add(time.Hour))
			change(&l)
			must.Do(t, w.Links().Insert(t.Context(), l))
			return l
		}
		ofA := add(func(l *svc.Link) { l.AccountID = a.ID })
		ofB := add(func(l *svc.Link) { l.AccountID = b.ID })
		setUp := add(func(l *svc.Link) { l.Kind = svc.LinkSetUp })
		invited := add(func(l *svc.Link) { l.Kind, l.Email = svc.LinkInvite, "c@example.com" })
		other := add(func(l *svc.Link) { l.Kind, l.Email = svc.LinkInvite, "d@example.com" })
		must.Do(t, w.Links().Withdraw(t.Context(), svc.LinkReset, a.ID, ""))
		must.Do(t, w.Links().Withdraw(t.Context(), svc.LinkInvite, "", "c@example.com"))
		must.Do(t, w.Links().Withdraw(t.Context(), svc.LinkSetUp, "", ""))
		for _, l := range []svc.Link{ofA, invited, setUp} {
			fails(t, "withdrawn", svc.ErrNotFound)(w.Links().Get(t.Context(), l.Hash))
		}
		for _, l := range []svc.Link{ofB, other} {
			must.Get(w.Links().Get(t.Context(), l.Hash))(t)
		}
	})
}

func testGuessLog(t *testing.T, db Database) {
	db.run(t, "counts without losing any, and forgets", func(t *testing.T, w *world) {
		const hands = 8
		guess := func(change func(*svc.Guesses)) error {
			return w.Tx(t.Context(), func(r svc.Records) error {
				g, err := r.GuessLog().Lock(t.Context(), "net")
				if err != nil {
					return err
				}
				change(&g)
				return r.GuessLog().Save(t.Context(), g)
			})
		}
		errs := make([]error, hands)
		together(hands, func(i int) {
			errs[i] = guess(func(g *svc.Guesses) { g.Count, g.LastAt = g.Count+1, noon })
		})
		for _, err := range errs {
			must.Do(t, err)
		}
		must.Do(t, guess(func(g *svc.Guesses) {
			wantSame(t, "guesses", *g, svc.Guesses{Bucket: "net", Count: hands, LastAt: noon})
			g.Count = 0
		}))
		must.Do(t, guess(func(g *svc.Guesses) { wantSame(t, "forgotten", *g, svc.Guesses{Bucket: "net"}) }))
	})
}
