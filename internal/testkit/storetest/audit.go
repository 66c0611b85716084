package storetest

import (
	"slices"
	"testing"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/testkit/must"
)

// entry adds a line to the audit log.
func (w *world) entry(t *testing.T, at time.Time, e svc.AuditEntry) svc.AuditEntry {
	t.Helper()
	e.ID, e.At = svc.NewAuditID(at), at
	if e.Action == "" {
		e.Action = svc.AuditSignedIn
	}
	must.Do(t, w.Audit().Append(t.Context(), e))
	return e
}

func testAudit(t *testing.T, db Database) {
	db.run(t, "keeps every field, and the address that the account had", func(t *testing.T, w *world) {
		a := w.account(t)
		want := w.entry(t, noon, svc.AuditEntry{
			Action: svc.AuditKeyReported, AccountID: a.ID, Subject: "abcd1234", Detail: "https://paste.example/ä\"<b>",
			Actor: svc.Actor{Kind: svc.ActorVisitor, Name: "ñ", Address: "2001:db8::7"},
		})
		want.Email = a.Email
		nobodys := w.entry(t, noon.Add(time.Second), svc.AuditEntry{Actor: svc.Actor{Kind: svc.ActorSystem}})
		must.Do(t, w.Accounts().Delete(t.Context(), a.ID, noon))
		gives(t, "entries", []svc.AuditEntry{nobodys, want})(w.another(t).Audit().List(t.Context(), svc.AuditQuery{Limit: 10}))
	})

	db.run(t, "adds a line with what it tells, or neither", func(t *testing.T, w *world) {
		a := w.account(t)
		add := func(r svc.Records) error {
			return r.Audit().Append(t.Context(), svc.AuditEntry{ID: svc.NewAuditID(noon), At: noon, Action: svc.AuditPlanChanged, AccountID: a.ID})
		}
		wantErr(t, "a change that fails", w.Tx(t.Context(), func(r svc.Records) error {
			if err := add(r); err != nil {
				return err
			}
			return r.Accounts().SetPlan(t.Context(), "acct_none", svc.PlanHobby)
		}), svc.ErrNotFound)
		wantSame(t, "lines", len(must.Get(w.Audit().List(t.Context(), svc.AuditQuery{Limit: 10}))(t)), 0)
		must.Do(t, w.TxLocked(t.Context(), add))
		wantSame(t, "lines", len(must.Get(w.Audit().List(t.Context(), svc.AuditQuery{Limit: 10}))(t)), 1)
	})

	db.run(t, "finds entries by account, action, words and time, page by page in both orders", func(t *testing.T, w *world) {
		ada, bob := w.account(t), w.account(t)
		var all []svc.AuditEntry
		for i, e := range []svc.AuditEntry{
			{AccountID: ada.ID, Email: ada.Email, Action: svc.AuditSignedIn, Actor: svc.Actor{Kind: svc.ActorPerson, Name: "x", Address: "192.0.2.1"}},
			{AccountID: bob.ID, Email: bob.Email, Action: svc.AuditSignedIn, Actor: svc.Actor{Kind: svc.ActorPerson, Name: "y", Address: "192.0.2.2"}},
			{AccountID: ada.ID, Email: ada.Email, Action: svc.AuditKeyCreated, Subject: "192.0.2.2", Actor: svc.Actor{Kind: svc.ActorOperator, Name: "root"}},
			{AccountID: ada.ID, Email: ada.Email, Action: svc.AuditKeyRevoked, Subject: "abcd1234", Actor: svc.Actor{Kind: svc.ActorOperator, Name: "root"}},
			{Action: svc.AuditDataExported, Actor: svc.Actor{Kind: svc.ActorOperator, Name: "root"}},
		} {
			// Two have the same time: then the id decides.
			all = append(all, w.entry(t, noon.Add(time.Duration(max(i, 1))*time.Minute), e))
		}
		slices.SortFunc(all[:2], func(x, y svc.AuditEntry) int {
			return map[bool]int{true: -1, false: 1}[x.ID < y.ID]
		})
		only := func(keep func(e svc.AuditEntry) bool) (some []svc.AuditEntry) {
			for _, e := range all {
				if keep(e) {
					some = append(some, e)
				}
			}
			return some
		}
		for name, test := range map[string]struct {
			q    svc.AuditQuery
			want []svc.AuditEntry
		}{
			"everything":  {svc.AuditQuery{}, all},
			"an account":  {svc.AuditQuery{AccountID: bob.ID}, only(func(e svc.AuditEntry) bool { return e.AccountID == bob.ID })},
			"an address":  {svc.AuditQuery{Email: ada.Email}, only(func(e svc.AuditEntry) bool { return e.AccountID == ada.ID })},
			"an action":   {svc.AuditQuery{Action: svc.AuditSignedIn}, all[:2]},
			"both":        {svc.AuditQuery{AccountID: ada.ID, Action: svc.AuditKeyRevoked}, all[3:4]},
			"a word":      {svc.AuditQuery{About: "192.0.2.2"}, only(func(e svc.AuditEntry) bool { return e.Actor.Address == "192.0.2.2" || e.Subject == "192.0.2.2" })},
			"an actor":    {svc.AuditQuery{About: "root"}, all[2:]},
			"half a word": {svc.AuditQuery{About: "roo"}, nil},
			"since":       {svc.AuditQuery{Since: noon.Add(3 * time.Minute)}, all[3:]},
			"until":       {svc.AuditQuery{Until: noon.Add(3 * time.Minute)}, all[:3]},
			"between":     {svc.AuditQuery{Since: noon.Add(2 * time.Minute), Until: noon.Add(3 * time.Minute)}, all[2:3]},
		} {
			newest := slices.Clone(test.want)
			slices.Reverse(newest)
			wantSame(t, name, auditPages(t, w, test.q), newest)
			test.q.OldestFirst = true
			wantSame(t, name+", the oldest first", auditPages(t, w, test.q), test.want)
		}
	})

	db.run(t, "removes the oldest whose time is over, and tells until when", func(t *testing.T, w *world) {
		gives(t, "horizon", time.Time{})(w.Audit().Horizon(t.Context()))
		var all []svc.AuditEntry
		for i := range 4 {
			all = append(all, w.entry(t, noon.Add(time.Duration(i)*time.Hour), svc.AuditEntry{}))
		}
		wantSame(t, "pruned", must.Get(w.Audit().Prune(t.Context(), noon.Add(2*time.Hour), 2))(t), 2)
		gives(t, "horizon", noon.Add(2*time.Hour))(w.Audit().Horizon(t.Context()))
		gives(t, "left", []svc.AuditEntry{all[3], all[2]})(w.Audit().List(t.Context(), svc.AuditQuery{Limit: 10}))
		wantSame(t, "pruned", must.Get(w.Audit().Prune(t.Context(), noon.Add(2*time.Hour), 2))(t), 1)
		wantSame(t, "pruned", must.Get(w.Audit().Prune(t.Context(), noon, 2))(t), 0)
		gives(t, "horizon", noon.Add(2*time.Hour))(w.another(t).Audit().Horizon(t.Context()))
		gives(t, "left", []svc.AuditEntry{all[3]})(w.Audit().List(t.Context(), svc.AuditQuery{Limit: 10}))
	})

	db.run(t, "knows the networks of a key, as long as there is the key", func(t *testing.T, w *world) {
		a := w.account(t)
		k := w.key(t, a.ID)
		networks := func(prefix, network string) int {
			return must.Get(w.another(t).Audit().NoteNetwork(t.Context(), prefix, network, noon))(t)
		}
		wantSame(t, "a network", networks(k.Prefix, "192.0.2.0/24"), 1)
		wantSame(t, "the same", networks(k.Prefix, "192.0.2.0/24"), 0)
		wantSame(t, "another", networks(k.Prefix, "2001:db8::/48"), 2)
		wantSame(t, "another key", networks(w.key(t, a.ID).Prefix, "192.0.2.0/24"), 1)
		wantSame(t, "no key", networks("nobody00", "192.0.2.0/24"), 0)
		must.Do(t, w.Accounts().Delete(t.Context(), a.ID, noon))
		wantSame(t, "a key that is gone", networks(k.Prefix, "198.51.100.0/24"), 0)
	})

	db.run(t, "tells one of many that a network is new", func(t *testing.T, w *world) {
		k := w.key(t, w.account(t).ID)
		found := make([]int, 8)
		together(len(found), func(i int) {
			if err := w.Tx(t.Context(), func(r svc.Records) (err error) {
				found[i], err = r.Audit().NoteNetwork(t.Context(), k.Prefix, "192.0.2.0/24", noon)
				return err
			}); err != nil {
				t.Error(err)
			}
		})
		wantSame(t, "who was first", len(slices.DeleteFunc(found, func(networks int) bool { return networks == 0 })), 1)
	})
}

// auditPages reads the audit log two entries at a time.
func auditPages(t *testing.T, w *world, q svc.AuditQuery) (all []svc.AuditEntry) {
	t.Helper()
	q.Limit = 2
	for {
		page := must.Get(w.Audit().List(t.Context(), q))(t)
		all = append(all, page...)
		if len(page) < q.Limit {
			return all
		}
		last := page[len(page)-1]
		q.After = &svc.Cursor{CreatedAt: last.At, ID: last.ID}
	}
}
