package accounts_test

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/accounts"
	"github.com/bundle-delivery/svc/internal/conformance"
	"github.com/bundle-delivery/svc/internal/sqlite"
)

// twoWays are two services on one database: the one before an operator changed the
// ways to sign in, and the one after.
func twoWays(t *testing.T, after ...accounts.Option) (s, changed *accounts.Service, clock *conformance.Clock) {
	t.Helper()
	clock = conformance.NewClock(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "svc.db"), sqlite.WithClock(clock.Now))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return accounts.New(store, clock.Now), accounts.New(store, clock.Now, after...), clock
}

func TestWherePasswordsAreOffNoneOpensAnything(t *testing.T) {
	s, off, _ := twoWays(t, accounts.WithWays(accounts.WayPasskey))
	a := create(t, s, "ada@example.com")
	if _, code := signIn(t.Context(), s, a.Email, secret, home); code != "" {
		t.Fatalf("the password is wrong: %s", code)
	}
	if _, code := signIn(t.Context(), off, a.Email, secret, home); code != svc.CodeInvalidRequest {
		t.Errorf("the right password is answered with %q", code)
	}
	if _, err := off.SignUp(t.Context(), accounts.SignIn{Email: "bob@example.com", Password: secret}); svc.CodeOf(err) != svc.CodeInvalidRequest {
		t.Errorf("an account is made by password: %v", err)
	}
	if err := off.ChangePassword(t.Context(), a, home, secret, "another horse battery"); svc.CodeOf(err) != svc.CodeInvalidRequest {
		t.Errorf("the password is changed: %v", err)
	}
	if _, code := signIn(t.Context(), s, a.Email, secret, home); code != "" {
		t.Errorf("switched on again, the password is gone: %s", code)
	}
}

// The one who runs the machine makes links, and they lead in whatever is switched off.
func TestALinkLeadsInWherePasswordsAreOff(t *testing.T) {
	s, off, _ := twoWays(t, accounts.WithWays(accounts.WayPasskey))
	token, err := off.SetUpLink(t.Context())
	check(t, err)
	first, err := off.FollowLink(t.Context(), token, "root@example.com", "")
	check(t, err)
	if !first.Admin || first.PasswordHash != "" {
		t.Errorf("the first account: %+v", first)
	}
	a := create(t, s, "ada@example.com")
	session, err := s.OpenSession(t.Context(), a.ID, accounts.SignIn{})
	check(t, err)
	token, err = off.ResetLink(t.Context(), a.ID)
	check(t, err)
	back, err := off.FollowLink(t.Context(), token, "", "ignored")
	check(t, err)
	if back.ID != a.ID || back.PasswordHash != a.PasswordHash {
		t.Errorf("the link leads to %+v, want %+v", back, a)
	}
	if _, _, err := s.Session(t.Context(), session); !errors.Is(err, accounts.ErrNoSession) {
		t.Errorf("a browser that was signed in before: %v", err)
	}
	if _, err := off.FollowLink(t.Context(), token, "", ""); svc.CodeOf(err) != svc.CodeNotFound {
		t.Errorf("a second time: %v", err)
	}
	token, err = off.Invite(t.Context(), "bob@example.com", svc.PlanDeveloper)
	check(t, err)
	invited, err := off.FollowLink(t.Context(), token, "", "")
	check(t, err)
	if invited.Email != "bob@example.com" || invited.Plan != svc.PlanDeveloper || invited.Admin {
		t.Errorf("the invited account: %+v", invited)
	}
}
