package accounts_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/go-webauthn/webauthn/webauthn"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/accounts"
	"github.com/bundle-delivery/svc/internal/testkit/passkeytest"
)

func (k *keyring) refused(what string, err error, code svc.Code, words string) {
	k.t.Helper()
	if svc.CodeOf(err) != code || !strings.Contains(err.Error(), words) {
		k.t.Errorf("%s: %v (%s), want %s with %q", what, err, svc.CodeOf(err), code, words)
	}
}

func TestAPasskeyMakesAnAccountAndSignsIn(t *testing.T) {
	k := newKeyring(t)
	a, phone := k.signUp(" Ada@Example.com")
	if a.Email != "ada@example.com" || a.PasswordHash != "" || a.Plan != svc.PlanHobby || a.Admin {
		t.Errorf("the account is %+v", a)
	}
	pass(k.clock, time.Minute)
	who, err := k.signIn(phone)
	k.ok(err)
	if who.Account.ID != a.ID || who.Passkey.Name != "Firefox on Linux" {
		t.Errorf("%+v signed in", who)
	}
	_, got, err := k.all.Session(t.Context(), who.Token)
	if err != nil || got.ID != a.ID {
		t.Errorf("the session is of %+v (%v)", got, err)
	}
	laptop := k.add(a, "laptop ü")
	who, err = k.signIn(laptop)
	if err != nil || who.Passkey.Name != "laptop ü" {
		t.Errorf("the second device: %+v (%v)", who.Passkey, err)
	}
	all, err := k.List(t.Context(), a.ID)
	k.ok(err)
	if len(all) != 2 || !all[1].UsedAt.Equal(k.clock.Now()) || all[0].Host != "svc.example" || all[0].Elsewhere {
		t.Errorf("the passkeys are %+v", all)
	}
	// An address that is taken is told before anybody makes a passkey for it.
	_, err = k.AskToSignUp(t.Context(), "ada@example.com", home, cookie)
	k.refused("a taken address", err, svc.CodeInvalidRequest, "already")
}

// Promise: passkey-owner
func TestTheWholeCredentialIsKept(t *testing.T) {
	k := newKeyring(t)
	a, phone := k.signUp("ada@example.com")
	_, err := k.signIn(phone)
	k.ok(err)
	all, err := k.List(t.Context(), a.ID)
	k.ok(err)
	var c webauthn.Credential
	k.ok(json.Unmarshal([]byte(all[0].Record), &c))
	if c.Authenticator.SignCount != 2 || !c.Flags.UserVerified || !c.Flags.UserPresent || len(c.Transport) != 1 || c.Transport[0] != "usb" ||
		len(c.Authenticator.AAGUID) != 16 || c.AttestationFormat != "none" || len(c.PublicKey) == 0 ||
		len(c.Attestation.Object) == 0 || len(c.Attestation.ClientDataJSON) == 0 || string(c.ID) != string(phone.ID) {
		t.Errorf("the record is %s", all[0].Record)
	}
}

// Promise: passkey-copied
func TestACopiedPasskeyIsRefused(t *testing.T) {
	k := newKeyring(t)
	a, phone := k.signUp("ada@example.com")
	copied := phone.Copy()
	for range 3 {
		_, err := k.signIn(phone)
		k.ok(err)
	}
	who, err := k.signIn(copied)
	k.refused("the copy", err, svc.CodeNotFound, "copied")
	if who.Token != "" || who.Account.ID != a.ID || who.Passkey.Name == "" {
		t.Errorf("the copy gives %+v", who)
	}
	all, err := k.List(t.Context(), a.ID)
	k.ok(err)
	if !all[0].Copied {
		t.Error("the owner is not told")
	}
	// The device that counted on is let in, and the warning stays.
	_, err = k.signIn(phone)
	k.ok(err)
	if all, err = k.List(t.Context(), a.ID); err != nil || !all[0].Copied {
		t.Errorf("the warning is gone (%v)", err)
	}
}

// Passkeys that are kept in sync do not count.
// Promise: passkey-copied
func TestAPasskeyThatDoesNotCountIsNoCopy(t *testing.T) {
	k := newKeyring(t)
	a, _ := k.signUp("ada@example.com")
	laptop := k.add(a, "laptop")
	for range 2 {
		_, err := k.signIn(laptop)
		k.ok(err)
	}
}

// Promise: passkey-challenge
func TestAQuestionIsAnsweredOnceInTimeByWhomItWasPutTo(t *testing.T) {
	k := newKeyring(t)
	a, phone := k.signUp("ada@example.com")
	late := "too long"
	q := k.asked(k.AskToSignIn(t.Context(), accounts.SignIn{Network: home}, cookie, ""))
	said := answer(q, phone.Get(t, q.Options))
	_, err := k.SignIn(t.Context(), said, accounts.SignIn{Network: home})
	k.ok(err)
	_, err = k.SignIn(t.Context(), said, accounts.SignIn{Network: home})
	k.refused("the second time", err, svc.CodeInvalidRequest, late)

	q = k.asked(k.AskToSignIn(t.Context(), accounts.SignIn{Network: home}, cookie, ""))
	said = answer(q, phone.Get(t, q.Options))
	said.Cookie = "of another browser"
	_, err = k.SignIn(t.Context(), said, accounts.SignIn{Network: home})
	k.refused("another browser", err, svc.CodeInvalidRequest, late)

	q = k.asked(k.AskToSignIn(t.Context(), accounts.SignIn{Network: home}, cookie, ""))
	pass(k.clock, accounts.ChallengeLife)
	_, err = k.SignIn(t.Context(), answer(q, phone.Get(t, q.Options)), accounts.SignIn{Network: home})
	k.refused("after five minutes", err, svc.CodeInvalidRequest, late)

	// What one was asked for is no answer to anything else.
	s := k.session(a)
	q = k.asked(k.AskToAdd(t.Context(), a, s))
	fresh := &passkeytest.Device{Origin: origin}
	made := answer(q, fresh.Create(t, q.Options))
	_, _, err = k.SignUp(t.Context(), made, accounts.SignIn{})
	k.refused("for another purpose", err, svc.CodeInvalidRequest, late)
	q = k.asked(k.AskToAdd(t.Context(), a, s))
	k.refused("another session", k.Add(t.Context(), k.session(a), answer(q, fresh.Create(t, q.Options)), "x"), svc.CodeInvalidRequest, late)

	// An answer to another question.
	one, two := k.asked(k.AskToSignIn(t.Context(), accounts.SignIn{Network: home}, cookie, "")), k.asked(k.AskToSignIn(t.Context(), accounts.SignIn{Network: home}, cookie, ""))
	_, err = k.SignIn(t.Context(), answer(one, phone.Get(t, two.Options)), accounts.SignIn{Network: home})
	k.refused("another question", err, svc.CodeInvalidRequest, "not accepted")
}

// Promise: passkey-owner
func TestOnlyTheDeviceOfItsOwnerAtThisAddressSignsIn(t *testing.T) {
	k := newKeyring(t)
	a, phone := k.signUp("ada@example.com")
	bob, other := k.signUp("bob@example.com")
	for what, change := range map[string]func(d *passkeytest.Device){
		"a device that does not ask who is there": func(d *passkeytest.Device) { d.Careless = true },
		"another site":         func(d *passkeytest.Device) { d.Origin = "https://svc.example.evil" },
		"a foreign account":    func(d *passkeytest.Device) { d.Handle = []byte(bob.ID) },
		"the key of another":   func(d *passkeytest.Device) { d.ID = other.ID },
		"nothing that is JSON": nil,
	} {
		device := phone.Copy()
		q := k.asked(k.AskToSignIn(t.Context(), accounts.SignIn{Network: home}, cookie, ""))
		credential := []byte("{")
		if change != nil {
			change(device)
			credential = device.Get(t, q.Options)
		}
		_, err := k.SignIn(t.Context(), answer(q, credential), accounts.SignIn{Network: home})
		k.refused(what, err, svc.CodeInvalidRequest, "not accepted")
	}
	// Nor is one made by such a device, or twice.
	s := k.session(a)
	q := k.asked(k.AskToAdd(t.Context(), a, s))
	careless := &passkeytest.Device{Origin: origin, Careless: true}
	k.refused("a careless device", k.Add(t.Context(), s, answer(q, careless.Create(t, q.Options)), "x"), svc.CodeInvalidRequest, "not accepted")
	if !strings.Contains(string(k.asked(k.AskToAdd(t.Context(), a, s)).Options), `"excludeCredentials":[{"type":"public-key"`) {
		t.Error("a device that has a passkey is asked for another")
	}
	stranger := &passkeytest.Device{Origin: origin}
	q = k.asked(k.AskToSignUp(t.Context(), "eve@example.com", home, cookie))
	stranger.Create(t, q.Options)
	_, err := k.signIn(stranger)
	k.refused("a passkey that nobody keeps", err, svc.CodeNotFound, "not known")
}

// Promise: last-way-in
func TestTheLastWayToSignInStays(t *testing.T) {
	k := newKeyring(t)
	a, phone := k.signUp("ada@example.com")
	here, there := k.session(a), k.session(a)
	id := func(n int) string {
		all, err := k.List(t.Context(), a.ID)
		k.ok(err)
		return all[n].ID
	}
	k.refused("the last passkey", k.Remove(t.Context(), a.ID, id(0), here.Hash), svc.CodeInvalidRequest, "last way")
	_, err := k.signIn(phone)
	k.ok(err)

	laptop := k.add(a, "laptop")
	k.refused("another's", k.Remove(t.Context(), "acct_other", id(0), here.Hash), svc.CodeNotFound, "no such passkey")
	k.ok(k.Remove(t.Context(), a.ID, id(0), here.Hash))
	_, err = k.signIn(phone)
	k.refused("a removed passkey", err, svc.CodeNotFound, "not known")
	if all, err := k.all.Sessions(t.Context(), a.ID); err != nil || len(all) != 1 || all[0].Hash != here.Hash {
		t.Errorf("%d sessions are left, %x among them is to be ended (%v)", len(all), there.Hash[:4], err)
	}

	// With a password the last passkey may go, and without a passkey the password stays.
	k.ok(k.all.AddPassword(t.Context(), a, k.session(a), secret))
	k.refused("a second password", k.all.AddPassword(t.Context(), a, k.session(a), secret), svc.CodeInvalidRequest, "by now")
	k.refused("a wrong password", k.RemovePassword(t.Context(), a, home, "another one"), svc.CodeInvalidRequest, "present password")
	k.ok(k.RemovePassword(t.Context(), a, home, secret))
	if _, code := signIn(t.Context(), k.all, a.Email, secret, home); code != svc.CodeNotFound {
		t.Errorf("a removed password: %s", code)
	}
	_, err = k.signIn(laptop)
	k.ok(err)
	k.ok(k.all.AddPassword(t.Context(), a, k.session(a), secret))
	k.ok(k.Remove(t.Context(), a.ID, id(0), here.Hash))
	k.refused("the last password", k.RemovePassword(t.Context(), a, home, secret), svc.CodeInvalidRequest, "last way")
	if _, code := signIn(t.Context(), k.all, a.Email, secret, home); code != "" {
		t.Errorf("the password: %s", code)
	}
}

// Promise: last-way-in
func TestPasskeysAreForOneHostName(t *testing.T) {
	k := newKeyring(t)
	for base, want := range map[string]string{
		"https://svc.example": "svc.example", "https://SVC.example:443/path": "svc.example", "https://bücher.example": "xn--bcher-kva.example",
		"https://localhost:8443": "localhost", "https://127.0.0.1:8443": "", "https://[::1]:8443": "", "https://10.0.0.1": "",
	} {
		p := k.at(base)
		if p.Offered() != (want != "") || want != "" && p.Host() != want {
			t.Errorf("%s: offered %t for %s", base, p.Offered(), p.Host())
		}
	}
	a, _ := k.signUp("ada@example.com")
	k.ok(k.all.AddPassword(t.Context(), a, k.session(a), secret))
	k.all = accounts.New(k.store, k.clock.Now)
	moved := k.at("https://other.example")
	all, err := moved.List(t.Context(), a.ID)
	if err != nil || !all[0].Elsewhere {
		t.Errorf("a passkey of another host is %+v (%v)", all, err)
	}
	k.refused("a passkey of another host as the only way", moved.RemovePassword(t.Context(), a, home, secret), svc.CodeInvalidRequest, "last way")
	address := k.at("https://127.0.0.1:8443")
	_, err = address.AskToSignIn(t.Context(), accounts.SignIn{Network: home}, cookie, "")
	k.refused("an address", err, svc.CodeNotFound, "host name")
	_, err = address.SignIn(t.Context(), accounts.Answer{}, accounts.SignIn{})
	k.refused("an address", err, svc.CodeNotFound, "host name")
}

// Promise: reset-link, passkeys
func TestALinkIsFollowedWithAPasskey(t *testing.T) {
	k := newKeyring(t)
	follow := func(link, email string) (svc.Account, *passkeytest.Device) {
		t.Helper()
		device := &passkeytest.Device{Origin: origin}
		q := k.asked(k.AskToFollow(t.Context(), link, email, home, cookie))
		a, err := k.FollowLink(t.Context(), link, answer(q, device.Create(t, q.Options)), accounts.SignIn{})
		k.ok(err)
		return a, device
	}
	setUp, err := k.all.SetUpLink(t.Context())
	k.ok(err)
	admin, _ := follow(setUp, "ada@example.com")
	if !admin.Admin || admin.Plan != svc.PlanArchitectPro || admin.PasswordHash != "" {
		t.Errorf("the first account is %+v", admin)
	}
	_, err = k.AskToFollow(t.Context(), setUp, "eve@example.com", home, cookie)
	k.refused("a used link", err, svc.CodeNotFound, "any more")

	invited, err := k.all.Invite(t.Context(), "bob@example.com", svc.PlanDeveloper)
	k.ok(err)
	bob, phone := follow(invited, "eve@example.com")
	if bob.Email != "bob@example.com" || bob.Plan != svc.PlanDeveloper || bob.Admin {
		t.Errorf("the invited account is %+v", bob)
	}
	// A reset gives an account another passkey, and takes its password and the one before.
	k.ok(k.all.AddPassword(t.Context(), bob, k.session(bob), secret))
	reset, err := k.all.ResetLink(t.Context(), bob.ID)
	k.ok(err)
	k.session(bob)
	again, laptop := follow(reset, "")
	if sessions, err := k.all.Sessions(t.Context(), bob.ID); again.ID != bob.ID || err != nil || len(sessions) != 0 {
		t.Errorf("%s is reset with %d sessions left (%v)", again.ID, len(sessions), err)
	}
	if _, code := signIn(t.Context(), k.all, bob.Email, secret, home); code != svc.CodeNotFound {
		t.Errorf("the password before the reset: %s", code)
	}
	_, err = k.signIn(phone)
	k.refused("the passkey before the reset", err, svc.CodeNotFound, "not known")
	if who, err := k.signIn(laptop); err != nil || who.Account.ID != bob.ID {
		t.Errorf("%v signs in (%v)", who.Account, err)
	}
	// An answer for one link opens no other.
	one, err := k.all.Invite(t.Context(), "one@example.com", svc.PlanHobby)
	k.ok(err)
	two, err := k.all.Invite(t.Context(), "two@example.com", svc.PlanHobby)
	k.ok(err)
	q := k.asked(k.AskToFollow(t.Context(), one, "", home, cookie))
	_, err = k.FollowLink(t.Context(), two, answer(q, (&passkeytest.Device{Origin: origin}).Create(t, q.Options)), accounts.SignIn{})
	k.refused("another link", err, svc.CodeInvalidRequest, "too long")
}

// Promise: passkey-hosts
func TestPasskeysAreNamedAndCounted(t *testing.T) {
	k := newKeyring(t)
	a, _ := k.signUp("ada@example.com")
	for _, bad := range []string{"", " ", "a\nb", strings.Repeat("x", 101)} {
		k.refused("the name "+bad, k.Rename(t.Context(), a.ID, "x", bad), svc.CodeInvalidRequest, "name")
	}
	all, err := k.List(t.Context(), a.ID)
	k.ok(err)
	k.refused("another's", k.Rename(t.Context(), "acct_other", all[0].ID, "mine"), svc.CodeNotFound, "no such passkey")
	k.ok(k.Rename(t.Context(), a.ID, all[0].ID, "  desk "))
	for range 19 {
		k.add(a, "more")
	}
	s := k.session(a)
	q := k.asked(k.AskToAdd(t.Context(), a, s))
	k.refused("one too many", k.Add(t.Context(), s, answer(q, (&passkeytest.Device{Origin: origin}).Create(t, q.Options)), "x"), svc.CodeInvalidRequest, "20 passkeys")
	if all, err = k.List(t.Context(), a.ID); err != nil || len(all) != 20 || all[0].Name != "desk" {
		t.Errorf("%d passkeys (%v)", len(all), err)
	}
}

// Promise: passkey-hosts
func TestWhoAsksForTooManyQuestionsWaits(t *testing.T) {
	k := newKeyring(t)
	_, phone := k.signUp("ada@example.com")
	for range 299 {
		k.asked(k.AskToSignIn(t.Context(), accounts.SignIn{Network: evil}, cookie, ""))
	}
	q := k.asked(k.AskToSignIn(t.Context(), accounts.SignIn{Network: evil}, cookie, ""))
	_, err := k.AskToSignIn(t.Context(), accounts.SignIn{Network: evil}, cookie, "")
	k.refused("the 301st", err, svc.CodeTooManyRequests, "Too many")
	k.asked(k.AskToSignIn(t.Context(), accounts.SignIn{Network: home}, cookie, ""))
	_, err = k.SignIn(t.Context(), answer(q, phone.Get(t, q.Options)), accounts.SignIn{Network: evil})
	k.ok(err)
	k.asked(k.AskToSignIn(t.Context(), accounts.SignIn{Network: evil}, cookie, ""))
}

// Promise: last-way-in
func TestWhereAWayIsOffItDoesNotCount(t *testing.T) {
	k := newKeyring(t)
	a, phone := k.signUp("ada@example.com")
	k.ok(k.all.AddPassword(t.Context(), a, k.session(a), secret))
	s := k.session(a)
	key, err := k.List(t.Context(), a.ID)
	k.ok(err)

	k.all = accounts.New(k.store, k.clock.Now, accounts.WithWays(accounts.WayPasskey))
	k.Passkeys = k.at(origin)
	k.refused("the last passkey beside a password that opens nothing", k.Remove(t.Context(), a.ID, key[0].ID, s.Hash), svc.CodeInvalidRequest, "last way")
	k.refused("a password", k.all.AddPassword(t.Context(), a, k.session(a), secret), svc.CodeInvalidRequest, "switched off")
	q := k.asked(k.AskToSignIn(t.Context(), accounts.SignIn{Network: home}, cookie, ""))

	k.all = accounts.New(k.store, k.clock.Now, accounts.WithWays(accounts.WayPassword))
	k.Passkeys = k.at(origin)
	_, err = k.SignIn(t.Context(), answer(q, phone.Get(t, q.Options)), accounts.SignIn{Network: home})
	k.refused("a passkey where passkeys are off", err, svc.CodeNotFound, "not used here")
	_, err = k.AskToSignUp(t.Context(), "bob@example.com", home, cookie)
	k.refused("a new one", err, svc.CodeNotFound, "not used here")
	k.refused("the last password", k.RemovePassword(t.Context(), a, home, secret), svc.CodeInvalidRequest, "last way")
	k.ok(k.Remove(t.Context(), a.ID, key[0].ID, s.Hash))
}

// Promise: audit-filter, passkey-copied
func TestWhatIsDoneWithPasskeysHasItsLine(t *testing.T) {
	k := newKeyring(t)
	a, phone := k.signUp("ada@example.com")
	copied := phone.Copy()
	_, err := k.signIn(phone)
	k.ok(err)
	_, err = k.signIn(copied)
	k.refused("the copy", err, svc.CodeNotFound, "copied")
	laptop := k.add(a, "laptop")
	all, err := k.List(t.Context(), a.ID)
	k.ok(err)
	// What it is called by then does not hide which one it was.
	k.ok(k.Rename(t.Context(), a.ID, all[0].ID, "phone"))
	k.ok(k.Remove(t.Context(), a.ID, all[0].ID, [32]byte{}))
	k.ok(k.all.AddPassword(t.Context(), a, k.session(a), secret))
	k.ok(k.RemovePassword(t.Context(), a, home, secret))
	k.ok(k.all.Audit.WriteNotices(t.Context()))
	found, err := k.all.Audit.List(t.Context(), svc.AuditQuery{AccountID: a.ID, Limit: accounts.AuditPage})
	k.ok(err)
	lines := map[string]int{}
	for _, e := range found {
		lines[string(e.Action)+" "+e.Subject+" "+e.Detail]++
	}
	for _, want := range []string{
		"account_created ada@example.com hobby", "passkey_added Firefox on Linux …" + short(phone), "signed_in Firefox on Linux sign-up", "signed_in  passkey",
		"sign_in_failed  passkey that may have been copied", "passkey_added laptop …" + short(laptop), "passkey_removed phone …" + short(phone),
		"password_changed  set anew", "password_changed  removed",
	} {
		if lines[want] != 1 {
			t.Errorf("%d lines %q in %v", lines[want], want, lines)
		}
	}
}
