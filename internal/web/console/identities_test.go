package console_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/accounts"
	"github.com/bundle-delivery/svc/internal/testkit/oidctest"
)

// Promise: oidc-linking
func TestAnAddressOfAnotherAccountIsLinkedOnlyByItsOwner(t *testing.T) {
	o := newOffice(t)
	o.provider.Person = oidctest.Person{Subject: "s-ada", Email: o.account.Email, Verified: true}
	stranger := o.desk()
	stranger.refused(stranger.signInThere(), "Sign in to it as usual, then link your identity under Settings")

	owner := o.desk()
	owner.cookies["__Host-svc_console"] = o.signIn("Firefox on Linux")
	back := owner.away("/console/settings/identities", url.Values{})
	// Whoever is signed in to another account, or to none, links nothing.
	session := owner.cookies["__Host-svc_console"]
	delete(owner.cookies, "__Host-svc_console")
	owner.refused(owner.ask(back, nil), "no longer signed in")
	if _, linked := o.identityOf(o.account.Email); len(linked) != 0 {
		t.Fatalf("linked without a session: %+v", linked)
	}
	owner.cookies["__Host-svc_console"] = session
	answer := owner.ask(owner.away("/console/settings/identities", url.Values{}), nil)
	if answer.Code != http.StatusSeeOther || answer.Header().Get("Location") != "/console/settings?done=linked" {
		t.Fatalf("%d to %q\n%s", answer.Code, answer.Header().Get("Location"), answer.Body)
	}
	if page := owner.ask("/console/settings", nil).Body.String(); !strings.Contains(page, o.provider.Issuer) {
		t.Errorf("the settings do not show it:\n%s", page)
	}
	if b := o.desk(); b.signInThere().Code != http.StatusSeeOther || !b.signedIn() {
		t.Error("the identity opens nothing")
	}
	o.audited(o.account, svc.AuditIdentityLinked, o.provider.Issuer, o.account.Email)
	o.audited(o.account, svc.AuditSignedIn, "A browser", "identity")
	// It opens one account.
	o.Account("bob@example.com")
	bob := o.desk()
	bob.cookies["__Host-svc_console"] = o.sessionOf("bob@example.com")
	bob.refused(bob.ask(bob.away("/console/settings/identities", url.Values{}), nil), "opens another account")
}

func (o *office) sessionOf(email string) string {
	o.t.Helper()
	a, err := o.Accounts.ByEmail(o.t.Context(), email)
	if err != nil {
		o.t.Fatal(err)
	}
	token, err := o.Accounts.OpenSession(o.t.Context(), a.ID, accounts.SignIn{})
	if err != nil {
		o.t.Fatal(err)
	}
	return token
}

// Promise: oidc-linking
func TestASessionThatEndsWhileTheProviderIsAskedLinksNothing(t *testing.T) {
	o := newOffice(t)
	b := o.desk()
	b.cookies["__Host-svc_console"] = o.signIn("Firefox on Linux")
	back := b.away("/console/settings/identities", url.Values{})
	o.provider.Set(func(p *oidctest.Provider) {
		p.Forge = func(map[string]any) { // the provider is about to answer
			if err := o.Accounts.SignOutOthers(context.WithoutCancel(t.Context()), o.account.ID, [32]byte{}); err != nil {
				t.Error(err)
			}
		}
	})
	answer := b.ask(back, nil)
	if page := answer.Body.String(); answer.Code != http.StatusForbidden || !strings.Contains(page, "no longer signed in") || !strings.Contains(page, "<h1>Sign in</h1>") {
		t.Errorf("%d\n%s", answer.Code, page)
	}
	if _, linked := o.identityOf(o.account.Email); len(linked) != 0 {
		t.Errorf("linked by a session that is over: %+v", linked)
	}
}

// Promise: oidc-linking
func TestRefusedSignInsByAProviderHaveTheirLine(t *testing.T) {
	o := newOffice(t)
	failed := func(a svc.Account) int {
		t.Helper()
		if err := o.Accounts.Audit.WriteNotices(t.Context()); err != nil {
			t.Fatal(err)
		}
		lines, err := o.Accounts.Audit.List(t.Context(), svc.AuditQuery{AccountID: a.ID, Action: svc.AuditSignInFailed, Limit: 10})
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range lines {
			if line.Detail != "identity" || line.Subject != "A browser" || line.Actor.Kind != svc.ActorVisitor || line.Actor.Address == "" {
				t.Errorf("the line is %+v", line)
			}
		}
		return len(lines)
	}
	try := func(p oidctest.Person, words string) {
		t.Helper()
		o.provider.Set(func(provider *oidctest.Provider) { provider.Person = p })
		b := o.desk()
		b.refused(b.signInThere(), words)
	}
	o.desk().signInThere()
	linked, _ := o.identityOf(eve.Email)
	try(oidctest.Person{Subject: eve.Subject, Email: "eve@example.org", Verified: true}, "have no access")
	try(oidctest.Person{Subject: eve.Subject, Email: eve.Email, Verified: false}, "has not verified")
	if n := failed(linked); n != 2 {
		t.Errorf("the account that the identity opens has %d lines", n)
	}
	try(oidctest.Person{Subject: "s-other", Email: o.account.Email, Verified: true}, "not linked to it")
	if n := failed(o.account); n != 1 {
		t.Errorf("the account with the address has %d lines", n)
	}
	// Who names no account leaves no line.
	try(oidctest.Person{Subject: "s-nobody", Email: "x@example.org", Verified: true}, "have no access")
	if n := failed(svc.Account{}); n != 3 {
		t.Errorf("there are %d lines", n)
	}
}

// Promise: audit-filter, oidc-linking
func TestTheLastWayInIsNotUnlinked(t *testing.T) {
	o := newOffice(t)
	b := o.desk()
	b.signInThere()
	form := url.Values{"issuer": {o.provider.Issuer}, "subject": {eve.Subject}}
	b.refused(b.ask("/console/settings/identities/unlink", form), "the last way to sign in")
	a, linked := o.identityOf(eve.Email)
	if len(linked) != 1 {
		t.Fatalf("it is unlinked: %+v", linked)
	}
	if err := o.Accounts.SetPassword(t.Context(), a.ID, password); err != nil {
		t.Fatal(err)
	}
	b.cookies["__Host-svc_console"] = o.sessionOf(eve.Email)
	thief := o.desk()
	if thief.signInThere(); !thief.signedIn() {
		t.Fatal("the identity opens nothing while it is linked")
	}
	if answer := b.ask("/console/settings/identities/unlink", form); answer.Code != http.StatusSeeOther {
		t.Errorf("beside a password: %d\n%s", answer.Code, answer.Body)
	}
	if thief.signedIn() || !b.signedIn() {
		t.Errorf("after unlinking, another browser is signed in: %t, this one: %t", thief.signedIn(), b.signedIn())
	}
	if _, linked = o.identityOf(eve.Email); len(linked) != 0 {
		t.Errorf("it is still linked: %+v", linked)
	}
	o.audited(a, svc.AuditAccountCreated, eve.Email, string(svc.PlanHobby))
	o.audited(a, svc.AuditIdentityUnlinked, o.provider.Issuer, eve.Email)
	if answer := b.ask("/console/settings/identities/unlink", form); answer.Code != http.StatusNotFound {
		t.Errorf("again: %d", answer.Code)
	}
}
