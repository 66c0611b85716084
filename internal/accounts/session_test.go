package accounts_test

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"testing"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/accounts"
	"github.com/bundle-delivery/svc/internal/store/sqlite"
	"github.com/bundle-delivery/svc/internal/testkit/storetest"
)

const secret = "correct horse battery"

// people is a service on a real database, with a clock that is set.
func people(t *testing.T) (*accounts.Service, *storetest.Clock) {
	t.Helper()
	clock := storetest.NewClock(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "svc.db"), sqlite.WithClock(clock.Now))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return accounts.New(store, clock.Now), clock
}

func pass(clock *storetest.Clock, d time.Duration) { clock.Set(clock.Now().Add(d)) }

func create(t *testing.T, s *accounts.Service, email string) svc.Account {
	t.Helper()
	a, err := s.Create(t.Context(), accounts.NewAccount{Email: email, Plan: svc.PlanHobby, Password: secret})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func signIn(ctx context.Context, s *accounts.Service, email, password, network string) (string, svc.Code) {
	token, _, err := s.SignIn(ctx, accounts.SignIn{Email: email, Password: password, Network: network})
	return token, svc.CodeOf(err)
}

const (
	home   = "192.0.2.10:4711"
	evil   = "198.51.100.7:99"
	evil6  = "[2001:db8:1:2::1]:99"
	evil6b = "[2001:db8:1:2:ffff::2]:99" // the same network
)

func TestGuessingSlowsDownWhoGuessesAndNobodyElse(t *testing.T) {
	s, clock := people(t)
	create(t, s, "ada@example.com")
	for _, network := range []string{evil, evil6} {
		for n := range 5 {
			if _, code := signIn(t.Context(), s, "ada@example.com", "wrong password", network); code != svc.CodeNotFound {
				t.Fatalf("try %d from %s: %s", n, network, code)
			}
		}
		if _, code := signIn(t.Context(), s, "ada@example.com", "wrong password", network); code != svc.CodeTooManyRequests {
			t.Errorf("the sixth try from %s: %s", network, code)
		}
	}
	if _, code := signIn(t.Context(), s, "Ada@Example.com ", secret, evil6b); code != svc.CodeTooManyRequests {
		t.Errorf("a neighbour in the same /64, with another spelling: %s", code)
	}
	if token, code := signIn(t.Context(), s, "ada@example.com", secret, home); code != "" || token == "" {
		t.Errorf("the owner at home is kept out: %s", code)
	}
	pass(clock, time.Second)
	if _, code := signIn(t.Context(), s, "ada@example.com", "wrong password", evil); code != svc.CodeNotFound {
		t.Errorf("after the wait: %s", code)
	}
	if _, code := signIn(t.Context(), s, "ada@example.com", "wrong password", evil); code != svc.CodeTooManyRequests {
		t.Errorf("at once again: %s", code)
	}
	// Nobody waits longer than a minute, however often somebody failed.
	for range 12 {
		pass(clock, time.Minute)
		if _, code := signIn(t.Context(), s, "ada@example.com", "wrong password", evil); code != svc.CodeNotFound {
			t.Fatalf("a minute later: %s", code)
		}
	}
	pass(clock, time.Minute)
	if _, code := signIn(t.Context(), s, "ada@example.com", secret, evil); code != "" {
		t.Errorf("the right password after a minute: %s", code)
	}
	if _, code := signIn(t.Context(), s, "ada@example.com", "wrong password", evil); code != svc.CodeNotFound {
		t.Errorf("success does not forgive: %s", code)
	}
}

func TestGuessesAtTheSameTimeAreAllCounted(t *testing.T) {
	s, _ := people(t)
	create(t, s, "ada@example.com")
	codes := make([]svc.Code, 12)
	var wg sync.WaitGroup
	for i := range codes {
		wg.Go(func() { _, codes[i] = signIn(t.Context(), s, "ada@example.com", "wrong password", evil) })
	}
	wg.Wait()
	judged := 0
	for _, code := range codes {
		if code == svc.CodeNotFound {
			judged++
		}
	}
	if judged != 5 {
		t.Errorf("%d tries were judged, want 5", judged)
	}
}

func TestManyAddressesFromOneNetworkAreSlowedDown(t *testing.T) {
	s, clock := people(t)
	last := svc.Code("")
	for i := range 61 {
		_, last = signIn(t.Context(), s, string(rune('a'+i%26))+string(rune('a'+i/26))+"@example.com", "x", evil)
	}
	if last != svc.CodeTooManyRequests {
		t.Errorf("the 61st address: %s", last)
	}
	pass(clock, time.Hour)
	if _, code := signIn(t.Context(), s, "z@example.com", "x", evil); code != svc.CodeNotFound {
		t.Errorf("an hour later: %s", code)
	}
}

func TestSessionsEnd(t *testing.T) {
	s, clock := people(t)
	a := create(t, s, "ada@example.com")
	open := func() string {
		token, err := s.OpenSession(t.Context(), a.ID, accounts.SignIn{Browser: "Firefox on Linux"})
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
	holds := func(token string) bool {
		_, found, err := s.Session(t.Context(), token)
		if err != nil && !errors.Is(err, accounts.ErrNoSession) {
			t.Fatal(err)
		}
		return err == nil && found.ID == a.ID
	}
	idle, used := open(), open()
	for range 6 {
		pass(clock, 24*time.Hour)
		if !holds(used) {
			t.Fatal("a session that is used ended")
		}
	}
	pass(clock, 24*time.Hour)
	if holds(idle) {
		t.Error("a session that nobody used for a week goes on")
	}
	for range 22 {
		pass(clock, 24*time.Hour)
		holds(used)
	}
	if !holds(used) {
		t.Error("a session ended before its 30 days")
	}
	pass(clock, 24*time.Hour)
	if holds(used) {
		t.Error("a session outlives its 30 days")
	}
	if holds("") || holds("unknown") {
		t.Error("any token opens a session")
	}
	fresh := open()
	if err := s.SetPassword(t.Context(), a.ID, "a quite new phrase"); err != nil {
		t.Fatal(err)
	}
	if holds(fresh) {
		t.Error("a session outlives its password")
	}
}

// Promise: setup-link
func TestLinksEnd(t *testing.T) {
	s, clock := people(t)
	works := func(token string) bool {
		_, err := s.Link(t.Context(), token)
		if err != nil && svc.CodeOf(err) != svc.CodeNotFound {
			t.Fatal(err)
		}
		return err == nil
	}
	first, err := s.SetUpLink(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	second, err := s.SetUpLink(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if works(first) || !works(second) {
		t.Error("a new set-up link does not replace the old one")
	}
	pass(clock, time.Hour-time.Millisecond)
	if !works(second) {
		t.Error("a set-up link ended before its hour")
	}
	pass(clock, time.Millisecond)
	if _, err := s.FollowLink(t.Context(), second, "eve@example.com", secret); svc.CodeOf(err) != svc.CodeNotFound {
		t.Errorf("a set-up link works after its hour: %v", err)
	}
	third, err := s.SetUpLink(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	errs := make([]error, 4)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() {
			_, errs[i] = s.FollowLink(t.Context(), third, string(rune('a'+i))+"@example.com", secret)
		})
	}
	wg.Wait()
	won := 0
	for _, err := range errs {
		if err == nil {
			won++
		}
	}
	if n, err := s.Count(t.Context()); won != 1 || n != 1 || err != nil {
		t.Errorf("four at one set-up link: %d succeeded, %d accounts (%v)", won, n, err)
	}
	if token, err := s.SetUpLink(t.Context()); token != "" || err != nil {
		t.Errorf("there is a set-up link beside an account: %q, %v", token, err)
	}
	people, err := s.List(t.Context(), "")
	if err != nil || len(people) != 1 || !people[0].Admin {
		t.Fatalf("the first account is no administrator: %+v, %v", people, err)
	}
	reset, err := s.ResetLink(t.Context(), people[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	pass(clock, accounts.ResetLife)
	if works(reset) {
		t.Error("a reset link works after a day")
	}
}

// A browser that signs in leaves the session it came with: a token that somebody
// planted in it, or that another person left behind, opens nothing any more.
// Promise: session-replaced
func TestSigningInEndsTheSessionBefore(t *testing.T) {
	s, _ := people(t)
	ada := create(t, s, "ada@example.com")
	bob := create(t, s, "bob@example.com")
	holds := func(token string) bool {
		_, _, err := s.Session(t.Context(), token)
		if err != nil && !errors.Is(err, accounts.ErrNoSession) {
			t.Fatal(err)
		}
		return err == nil
	}
	for name, enter := range map[string]func(before string) (string, error){
		"signing in": func(before string) (string, error) {
			token, _, err := s.SignIn(t.Context(), accounts.SignIn{Email: "ada@example.com", Password: secret, Network: home, Replaces: before})
			return token, err
		},
		"signing up": func(before string) (string, error) {
			return s.SignUp(t.Context(), accounts.SignIn{Email: "eve@example.com", Password: secret, Network: home, Replaces: before})
		},
		"a link": func(before string) (string, error) {
			return s.OpenSession(t.Context(), ada.ID, accounts.SignIn{Browser: "Firefox on Linux", Replaces: before})
		},
	} {
		planted, err := s.OpenSession(t.Context(), bob.ID, accounts.SignIn{Browser: "Firefox on Linux"})
		if err != nil {
			t.Fatal(err)
		}
		elsewhere, err := s.OpenSession(t.Context(), bob.ID, accounts.SignIn{Browser: "Chrome on Linux"})
		if err != nil {
			t.Fatal(err)
		}
		fresh, err := enter(planted)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if holds(planted) {
			t.Errorf("%s leaves the session before open", name)
		}
		if !holds(fresh) || !holds(elsewhere) {
			t.Errorf("%s ends other sessions than the one before", name)
		}
	}
}
