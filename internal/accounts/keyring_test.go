package accounts_test

import (
	"encoding/base64"
	"net/url"
	"path/filepath"
	"testing"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/accounts"
	"github.com/bundle-delivery/svc/internal/store/sqlite"
	"github.com/bundle-delivery/svc/internal/testkit/passkeytest"
	"github.com/bundle-delivery/svc/internal/testkit/storetest"
)

const (
	origin = "https://svc.example"
	cookie = "the cookie of a browser"
)

// keyring is the passkeys of a service on a real database.
type keyring struct {
	*accounts.Passkeys
	t     *testing.T
	store svc.Store
	all   *accounts.Service
	clock *storetest.Clock
}

func newKeyring(t *testing.T) *keyring {
	t.Helper()
	clock := storetest.NewClock(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "svc.db"), sqlite.WithClock(clock.Now))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	k := &keyring{t: t, store: store, all: accounts.New(store, clock.Now), clock: clock}
	k.Passkeys = k.at(origin)
	return k
}

func (k *keyring) at(base string) *accounts.Passkeys {
	k.t.Helper()
	address, err := url.Parse(base)
	if err != nil {
		k.t.Fatal(err)
	}
	p, err := k.all.PasskeysAt(address)
	if err != nil {
		k.t.Fatal(err)
	}
	return p
}

// asked is a question that was put.
func (k *keyring) asked(q accounts.Question, err error) accounts.Question {
	k.t.Helper()
	if err != nil {
		k.t.Fatal(err)
	}
	return q
}

func (k *keyring) ok(err error) {
	k.t.Helper()
	if err != nil {
		k.t.Fatal(err)
	}
}

func answer(q accounts.Question, credential []byte) accounts.Answer {
	return accounts.Answer{Token: q.Token, Credential: credential, Cookie: cookie}
}

// signUp makes an account with a passkey on a new device.
func (k *keyring) signUp(email string) (svc.Account, *passkeytest.Device) {
	k.t.Helper()
	device := &passkeytest.Device{Origin: origin, Counter: 1}
	q := k.asked(k.AskToSignUp(k.t.Context(), email, home, cookie))
	_, a, err := k.SignUp(k.t.Context(), answer(q, device.Create(k.t, q.Options)), accounts.SignIn{Network: home, Browser: "Firefox on Linux"})
	k.ok(err)
	return a, device
}

// signIn uses a device.
func (k *keyring) signIn(device *passkeytest.Device) (accounts.SignedIn, error) {
	k.t.Helper()
	q := k.asked(k.AskToSignIn(k.t.Context(), accounts.SignIn{Network: home}, cookie, ""))
	return k.SignIn(k.t.Context(), answer(q, device.Get(k.t, q.Options)), accounts.SignIn{Network: home})
}

// session opens one.
func (k *keyring) session(a svc.Account) svc.Session {
	k.t.Helper()
	token, err := k.all.OpenSession(k.t.Context(), a.ID, accounts.SignIn{})
	k.ok(err)
	s, _, err := k.all.Session(k.t.Context(), token)
	k.ok(err)
	return s
}

// add gives an account another device.
func (k *keyring) add(a svc.Account, name string) *passkeytest.Device {
	k.t.Helper()
	pass(k.clock, time.Second)
	device, s := &passkeytest.Device{Origin: origin}, k.session(a)
	q := k.asked(k.AskToAdd(k.t.Context(), a, s))
	k.ok(k.Add(k.t.Context(), s, answer(q, device.Create(k.t, q.Options)), name))
	return device
}

// short is how the audit log names a passkey.
func short(d *passkeytest.Device) string {
	id := base64.RawURLEncoding.EncodeToString(d.ID)
	return id[len(id)-8:]
}
