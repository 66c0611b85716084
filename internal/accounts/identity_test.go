package accounts_test

import (
	"context"
	"fmt"
	"testing"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/accounts"
)

var rules = accounts.IdentityRules{Issuer: "https://login.example", Domains: []string{"example.com"}, SignUp: true}

func vouched(name string) svc.Assertion {
	return svc.Assertion{Issuer: rules.Issuer, Subject: "s-" + name, Email: name + "@example.com", EmailVerified: true}
}

// withProvider is a service whose people come by a provider.
func withProvider(t *testing.T, change ...func(svc.Store) svc.Store) *keyring {
	t.Helper()
	k := newKeyring(t)
	store := k.store
	for _, c := range change {
		store = c(store)
	}
	k.all = accounts.New(store, k.clock.Now, accounts.WithWays(accounts.WayPassword, accounts.WayOIDC), accounts.WithIdentities(rules))
	return k
}

// Promise: oidc-limits
func TestWhoComesFirstByAProviderDoesNotVoidTheSetUpLink(t *testing.T) {
	k := withProvider(t)
	link, err := k.all.SetUpLink(t.Context())
	k.ok(err)
	_, _, err = k.all.Identities.SignIn(t.Context(), vouched("eve"), accounts.SignIn{})
	k.refused("the first one", err, svc.CodeInvalidRequest, "not set up yet")
	first, err := k.all.FollowLink(t.Context(), link, "root@example.com", secret)
	k.ok(err)
	if !first.Admin {
		t.Errorf("the first account is %+v", first)
	}
	_, a, err := k.all.Identities.SignIn(t.Context(), vouched("eve"), accounts.SignIn{})
	k.ok(err)
	if a.Admin {
		t.Errorf("the provider's account is %+v", a)
	}
}

// Promise: oidc-limits
func TestAnAccountHasTwentyIdentitiesAtMost(t *testing.T) {
	k := withProvider(t)
	a := create(t, k.all, "ada@example.com")
	s := k.session(a)
	for n := range 20 {
		k.ok(k.all.Identities.Link(t.Context(), s, vouched(fmt.Sprint(n))))
	}
	k.refused("one more", k.all.Identities.Link(t.Context(), s, vouched("more")), svc.CodeInvalidRequest, "20 identities")
	k.ok(k.all.Identities.Link(t.Context(), s, vouched("7"))) // it is linked already
}

// tooLate are records where somebody else is always faster to link an identity.
type (
	tooLate        struct{ svc.Store }
	tooLateRecords struct{ svc.Records }
	taken          struct{ svc.Identities }
)

func (s tooLate) Tx(ctx context.Context, fn func(svc.Records) error) error {
	return s.Store.Tx(ctx, func(r svc.Records) error { return fn(tooLateRecords{r}) })
}

func (r tooLateRecords) Identities() svc.Identities { return taken{r.Records.Identities()} }

func (taken) Insert(context.Context, svc.Identity) error { return svc.ErrConflict }

// Promise: oidc-limits
func TestTwoWhoLinkAnIdentityAtOnceAreToldSo(t *testing.T) {
	k := withProvider(t, func(s svc.Store) svc.Store { return tooLate{s} })
	a := create(t, k.all, "ada@example.com")
	k.refused("to an account", k.all.Identities.Link(t.Context(), k.session(a), vouched("ada")), svc.CodeInvalidRequest, "opens another account")
	_, _, err := k.all.Identities.SignIn(t.Context(), vouched("eve"), accounts.SignIn{})
	k.refused("to a new one", err, svc.CodeInvalidRequest, "at the same moment")
	if _, err := k.all.ByEmail(t.Context(), "eve@example.com"); svc.CodeOf(err) != svc.CodeNotFound {
		t.Errorf("half an account is left: %v", err)
	}
}
