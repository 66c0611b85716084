package accounts_test

import (
	"strings"
	"testing"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/accounts"
)

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
