package accounts_test

import (
	"errors"
	"net/url"
	"path/filepath"
	"testing"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/accounts"
	"github.com/bundle-delivery/svc/internal/store/sqlite"
	"github.com/bundle-delivery/svc/internal/testkit/must"
	"github.com/bundle-delivery/svc/internal/testkit/passkeytest"
	"github.com/bundle-delivery/svc/internal/testkit/storetest"
)

// twoWays are two services on one database: the one before an operator changed the
// ways to sign in, and the one after.
func twoWays(t *testing.T, after ...accounts.Option) (s, changed *accounts.Service, clock *storetest.Clock) {
	t.Helper()
	clock = storetest.NewClock(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "svc.db"), sqlite.WithClock(clock.Now))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return accounts.New(store, clock.Now), accounts.New(store, clock.Now, after...), clock
}

// Promise: passwords-off
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
// Promise: passwords-off
func TestALinkLeadsInWherePasswordsAreOff(t *testing.T) {
	s, off, _ := twoWays(t, accounts.WithWays(accounts.WayPasskey))
	token, err := off.SetUpLink(t.Context())
	must.Do(t, err)
	first, err := off.FollowLink(t.Context(), token, "root@example.com", "")
	must.Do(t, err)
	if !first.Admin || first.PasswordHash != "" {
		t.Errorf("the first account: %+v", first)
	}
	a := create(t, s, "ada@example.com")
	session, err := s.OpenSession(t.Context(), a.ID, accounts.SignIn{})
	must.Do(t, err)
	token, err = off.ResetLink(t.Context(), a.ID)
	must.Do(t, err)
	back, err := off.FollowLink(t.Context(), token, "", "ignored")
	must.Do(t, err)
	if back.ID != a.ID || back.PasswordHash != "" {
		t.Errorf("the link leads to %+v, want %s without its password", back, a.ID)
	}
	if _, _, err := s.Session(t.Context(), session); !errors.Is(err, accounts.ErrNoSession) {
		t.Errorf("a browser that was signed in before: %v", err)
	}
	if _, err := off.FollowLink(t.Context(), token, "", ""); svc.CodeOf(err) != svc.CodeNotFound {
		t.Errorf("a second time: %v", err)
	}
	token, err = off.Invite(t.Context(), "bob@example.com", svc.PlanDeveloper)
	must.Do(t, err)
	// Who has no way to come back would have an account that nobody opens.
	_, err = off.FollowLink(t.Context(), token, "", "")
	wantCode(t, err, svc.CodeInvalidRequest, "email")
	_, err = off.PasskeysAt(&url.URL{Scheme: "https", Host: "svc.example"})
	must.Do(t, err)
	invited, err := off.FollowLink(t.Context(), token, "", "")
	must.Do(t, err)
	if invited.Email != "bob@example.com" || invited.Plan != svc.PlanDeveloper || invited.Admin {
		t.Errorf("the invited account: %+v", invited)
	}
}

// Whoever had an account before its owner came back by a link has it no longer, however
// the link is followed.
// Promise: audit-filter, reset-link
func TestAResetLinkEndsEveryOtherWayIn(t *testing.T) {
	rules := accounts.IdentityRules{Issuer: "https://login.example", Domains: []string{"example.com"}}
	said := svc.Assertion{Issuer: rules.Issuer, Subject: "s-eve", Email: "eve@example.com", EmailVerified: true}
	withPasskey := func(k *keyring, link string) error {
		q := k.asked(k.AskToFollow(t.Context(), link, "", home, cookie))
		_, err := k.FollowLink(t.Context(), link, answer(q, (&passkeytest.Device{Origin: origin}).Create(t, q.Options)), accounts.SignIn{})
		return err
	}
	byForm := func(k *keyring, link string) error {
		_, err := k.all.FollowLink(t.Context(), link, "", "another horse battery")
		return err
	}
	for name, test := range map[string]struct {
		ways   []accounts.Way
		follow func(k *keyring, link string) error
	}{
		"with a password":  {[]accounts.Way{accounts.WayPassword, accounts.WayPasskey, accounts.WayOIDC}, byForm},
		"with a passkey":   {[]accounts.Way{accounts.WayPassword, accounts.WayPasskey, accounts.WayOIDC}, withPasskey},
		"without password": {[]accounts.Way{accounts.WayPasskey, accounts.WayOIDC}, byForm},
	} {
		t.Run(name, func(t *testing.T) {
			k := newKeyring(t)
			everything := k.all
			k.all = accounts.New(k.store, k.clock.Now, accounts.WithWays(test.ways...), accounts.WithIdentities(rules))
			k.Passkeys = k.at(origin)
			a, phone := k.signUp("ada@example.com")
			k.ok(everything.AddPassword(t.Context(), a, k.session(a), secret))
			k.ok(k.all.Identities.Link(t.Context(), k.session(a), said))
			_, key, err := k.all.CreateKey(t.Context(), accounts.NewKey{AccountID: a.ID, Name: "ci"})
			k.ok(err)
			link, err := k.all.ResetLink(t.Context(), a.ID)
			k.ok(err)
			k.ok(test.follow(k, link))

			_, err = k.signIn(phone)
			k.refused("the passkey", err, svc.CodeNotFound, "not known")
			_, _, err = k.all.Identities.SignIn(t.Context(), said, accounts.SignIn{})
			k.refused("the identity", err, svc.CodeInvalidRequest, "no account for")
			if _, code := signIn(t.Context(), everything, a.Email, secret, home); code != svc.CodeNotFound {
				t.Errorf("the password: %s", code)
			}
			if keys, err := k.all.ListKeys(t.Context(), a.ID); err != nil || len(keys) != 1 || keys[0].Prefix != key.Prefix || !keys[0].Usable(k.clock.Now()) {
				t.Errorf("the keys are %+v (%v)", keys, err)
			}
			for action, subject := range map[svc.AuditAction]string{
				svc.AuditPasskeyRemoved: "Firefox on Linux", svc.AuditIdentityUnlinked: rules.Issuer,
			} {
				which := "…" + short(phone)
				if action == svc.AuditIdentityUnlinked {
					which = said.Email
				}
				lines, err := k.all.Audit.List(t.Context(), svc.AuditQuery{AccountID: a.ID, Action: action, Limit: 10})
				if err != nil || len(lines) != 1 || lines[0].Subject != subject || lines[0].Detail != which+", by a link" {
					t.Errorf("the log has %+v (%v), want %s of %s", lines, err, action, subject)
				}
			}
		})
	}
}
