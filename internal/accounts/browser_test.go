package accounts_test

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/accounts"
)

// Promise: sign-in-silent
func TestABrowserThatWasSignedInIsNotKeptOutByItsNetwork(t *testing.T) {
	s, clock := people(t)
	ada, eve := create(t, s, "ada@example.com"), create(t, s, "eve@example.com")
	proof := func(a svc.Account) string {
		t.Helper()
		p, err := s.BrowserProof(t.Context(), a.ID)
		if err != nil || p == "" {
			t.Fatalf("%q, %v", p, err)
		}
		return p
	}
	try := func(email, password, proof string) svc.Code {
		_, _, err := s.SignIn(t.Context(), accounts.SignIn{Email: email, Password: password, Network: evil, Proof: proof})
		return svc.CodeOf(err)
	}
	useUp := func() {
		t.Helper()
		for n := 0; try("ada@example.com", "wrong password", "") != svc.CodeTooManyRequests; n++ {
			if n > 10 {
				t.Fatal("guessing has no end")
			}
		}
	}
	adas, eves := proof(ada), proof(eve)

	// Somebody on the same network takes every try that there is.
	useUp()
	for name, other := range map[string]string{
		"none": "", "another account's": eves, "made up": strings.Repeat("x", len(adas)), "cut": adas[:40], "no code at all": "?",
	} {
		if code := try("ada@example.com", secret, other); code != svc.CodeTooManyRequests {
			t.Errorf("with %s proof: %s", name, code)
		}
	}
	if code := try("nobody@example.com", secret, adas); code != svc.CodeNotFound {
		t.Errorf("a proof for an address that nobody has: %s", code)
	}
	if code := try("Ada@example.com", secret, adas); code != "" {
		t.Errorf("the owner's browser is kept out: %s", code)
	}

	// A proof is no way to guess without an end.
	for n := range 5 {
		if code := try("ada@example.com", "wrong password", adas); code != svc.CodeNotFound {
			t.Fatalf("try %d: %s", n, code)
		}
	}
	if code := try("ada@example.com", secret, adas); code != svc.CodeTooManyRequests {
		t.Errorf("the sixth try with a proof: %s", code)
	}
	pass(clock, time.Minute)
	if code := try("ada@example.com", secret, adas); code != "" {
		t.Errorf("a minute later: %s", code)
	}

	// A new password voids what the old one gave.
	if err := s.SetPassword(t.Context(), ada.ID, "another password"); err != nil {
		t.Fatal(err)
	}
	useUp()
	if code := try("ada@example.com", "another password", adas); code != svc.CodeTooManyRequests {
		t.Errorf("a proof outlives the password: %s", code)
	}
}

func TestAnAccountWithoutAPasswordGivesNoProof(t *testing.T) {
	s, _ := people(t)
	a, err := s.Create(t.Context(), accounts.NewAccount{Email: "keys@example.com", Plan: svc.PlanHobby})
	if err != nil {
		t.Fatal(err)
	}
	if proof, err := s.BrowserProof(t.Context(), a.ID); err != nil || proof != "" {
		t.Errorf("%q, %v", proof, err)
	}
	if _, err := s.BrowserProof(t.Context(), "acct_nobody"); svc.CodeOf(err) != svc.CodeNotFound {
		t.Errorf("no account: %v", err)
	}
}

// knowing is a service that knows browsers, with an account of somebody who signs in
// without a password.
func knowing(t *testing.T) (*keyring, svc.Account) {
	t.Helper()
	k := newKeyring(t)
	k.all = accounts.New(k.store, k.clock.Now, accounts.WithWays(accounts.WayPasskey, accounts.WayOIDC),
		accounts.WithBrowserKey(func(context.Context) ([]byte, error) { return []byte("a secret of all processes"), nil }))
	k.Passkeys = k.at(origin)
	a, _ := k.signUp("ada@example.com")
	return k, a
}

// Promise: sign-in-known-browser
func TestAKnownBrowserIsNotKeptFromPasskeysAndProvidersByItsNetwork(t *testing.T) {
	k, ada := knowing(t)
	known, err := k.all.KnownBrowser(t.Context(), ada.ID)
	k.ok(err)
	passkey := func(known string) error {
		_, err := k.AskToSignIn(t.Context(), accounts.SignIn{Network: evil, Known: known}, cookie, "")
		return err
	}
	attempts := 0
	provider := func(known string) error {
		attempts++
		return k.all.Identities.BeginSignIn(t.Context(), "secret", strconv.Itoa(attempts), "", accounts.SignIn{Network: evil, Known: known})
	}
	session := k.session(ada)
	for name, test := range map[string]struct {
		free  int
		begin func(known string) error
	}{"passkeys": {300, passkey}, "a provider": {60, provider}} {
		// Somebody on the same network takes every try that there is.
		for n := range test.free {
			if err := test.begin(""); err != nil {
				t.Fatalf("%s, %d: %v", name, n, err)
			}
		}
		for what, other := range map[string]string{"none": "", "made up": strings.Repeat("x", len(known)), "cut": known[:40], "no code": "?"} {
			k.refused(name+" with a name that is "+what, test.begin(other), svc.CodeTooManyRequests, "Too many")
		}
		// The owner's browser has its own, and an end as well.
		for n := range test.free {
			if err := test.begin(known); err != nil {
				t.Fatalf("%s in a known browser, %d: %v", name, n, err)
			}
		}
		k.refused(name+" in a known browser, without an end", test.begin(known), svc.CodeTooManyRequests, "Too many")
	}
	// Who is signed in is known by that.
	k.asked(k.AskToAdd(t.Context(), ada, session))
	k.ok(k.all.Identities.BeginLink(t.Context(), "secret", "of a link", session))
}

// Promise: sign-in-known-browser
func TestAPageThatStaysOpenIsNotCountedUp(t *testing.T) {
	k, _ := knowing(t)
	from := accounts.SignIn{Network: home}
	q := k.asked(k.AskToSignIn(t.Context(), from, cookie, ""))
	first := q
	for range 400 { // more than a network has free
		pass(k.clock, 4*time.Minute)
		q = k.asked(k.AskToSignIn(t.Context(), from, cookie, q.Token))
	}
	_, err := k.SignIn(t.Context(), answer(first, []byte(`{}`)), from)
	k.refused("a question that another took the place of", err, svc.CodeInvalidRequest, "too long")
	// Whoever asks faster than a page does, or in the place of another's question, is counted.
	pass(k.clock, time.Hour)
	for range 1 + 300 { // the first is in its time
		q = k.asked(k.AskToSignIn(t.Context(), from, cookie, q.Token))
	}
	_, err = k.AskToSignIn(t.Context(), from, cookie, q.Token)
	k.refused("faster", err, svc.CodeTooManyRequests, "Too many")
	others := k.asked(k.AskToSignIn(t.Context(), accounts.SignIn{Network: evil}, "another cookie", ""))
	pass(k.clock, 4*time.Minute)
	k.asked(k.AskToSignIn(t.Context(), from, cookie, others.Token)) // the wait of a minute is over
	_, err = k.AskToSignIn(t.Context(), from, cookie, others.Token)
	k.refused("in the place of another's", err, svc.CodeTooManyRequests, "Too many")
}
