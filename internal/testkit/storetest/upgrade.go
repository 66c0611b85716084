package storetest

import (
	"strings"
	"testing"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/testkit/must"
)

// Upgrade tests that programs of two versions work side by side while the
// schema only gains something, and that the older one stops, and says why, once
// something that it needs is gone.
func Upgrade(t *testing.T, v Versions) {
	clock := NewClock(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	open := func(t *testing.T, open OpenStore) svc.Store {
		t.Helper()
		s := must.Get(open(t, clock.Now))(t)
		t.Cleanup(func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
		return s
	}
	old := open(t, v.Own)
	both := func(t *testing.T, stores ...svc.Store) {
		t.Helper()
		for i, writer := range stores {
			must.Do(t, writer.Ping(t.Context()))
			account := svc.Account{ID: svc.NewAccountID(), Email: svc.NewAccountID() + "@example.com", Plan: svc.PlanHobby, CreatedAt: clock.Now()}
			must.Do(t, writer.Accounts().Insert(t.Context(), account))
			got, err := stores[len(stores)-1-i].Accounts().ByEmail(t.Context(), account.Email)
			if err != nil || got.ID != account.ID {
				t.Fatalf("the other program finds %+v (%v)", got, err)
			}
		}
	}
	both(t, old)
	newer := open(t, v.Expanded) // while the old one is at work
	both(t, old, newer)
	again := open(t, v.Own) // an old one that starts after the change
	both(t, again, newer)

	newest := open(t, v.Contracted)
	both(t, newer, newest)
	for name, refuse := range map[string]func() error{
		"the old program that runs": func() error { return old.Ping(t.Context()) },
		"the old program that starts": func() error {
			s, err := v.Own(t, clock.Now)
			if err == nil {
				_ = s.Close()
			}
			return err
		},
	} {
		err := refuse()
		if err == nil || !strings.Contains(err.Error(), "newer program") {
			t.Errorf("%s hears %v", name, err)
		}
	}
}
