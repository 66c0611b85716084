package accounts_test

import (
	"errors"
	"testing"
	"time"

	"github.com/bundle-delivery/svc/internal/accounts"
	"github.com/bundle-delivery/svc/internal/testkit/passkeytest"
)

// Promise: fresh-sign-in
func TestANewWayInNeedsAFreshSignIn(t *testing.T) {
	k := newKeyring(t)
	a, _ := k.signUp("ada@example.com")
	s := k.session(a)
	pass(k.clock, 15*time.Minute-time.Second)
	q := k.asked(k.AskToAdd(t.Context(), a, s))
	pass(k.clock, time.Second)
	if _, err := k.AskToAdd(t.Context(), a, s); !errors.Is(err, accounts.ErrNotFresh) {
		t.Errorf("a passkey after 15 minutes: %v", err)
	}
	if err := k.all.AddPassword(t.Context(), a, s, secret); !errors.Is(err, accounts.ErrNotFresh) {
		t.Errorf("a password after 15 minutes: %v", err)
	}
	// What was begun in time is ended.
	k.ok(k.Add(t.Context(), s, answer(q, (&passkeytest.Device{Origin: origin}).Create(t, q.Options)), "laptop"))
	k.ok(k.all.AddPassword(t.Context(), a, k.session(a), secret))
}

// Promise: fresh-sign-in
func TestASessionThatHasEndedAddsNoWayIn(t *testing.T) {
	k := newKeyring(t)
	a, _ := k.signUp("ada@example.com")
	s := k.session(a)
	q := k.asked(k.AskToAdd(t.Context(), a, s))
	k.ok(k.all.SignOutOthers(t.Context(), a.ID, [32]byte{}))
	err := k.Add(t.Context(), s, answer(q, (&passkeytest.Device{Origin: origin}).Create(t, q.Options)), "laptop")
	if !errors.Is(err, accounts.ErrNoSession) {
		t.Errorf("a passkey: %v", err)
	}
	if err := k.all.AddPassword(t.Context(), a, s, secret); !errors.Is(err, accounts.ErrNoSession) {
		t.Errorf("a password: %v", err)
	}
	if all, err := k.List(t.Context(), a.ID); err != nil || len(all) != 1 {
		t.Errorf("there are %d passkeys (%v)", len(all), err)
	}
}
