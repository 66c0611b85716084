package console

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/bundle-delivery/svc/internal/testkit/oidctest"
)

// byProvider are the flags of a service whose people sign in by a provider.
func byProvider(t *testing.T, p *oidctest.Provider, more ...string) []string {
	t.Helper()
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte(oidctest.Secret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return append([]string{
		"--oidc-issuer", p.Issuer, "--oidc-client-id", oidctest.ClientID, "--oidc-client-secret-file", secret,
		"--oidc-domains", "example.com", "--oidc-name", "the office",
	}, more...)
}

// The policy of the pages lets a browser go to the provider and come back.
// Promise: oidc-sign-in
func TestABrowserSignsInByAProvider(t *testing.T) {
	t.Parallel()
	provider := oidctest.New(t, true)
	provider.Person = oidctest.Person{Subject: "s-1", Email: "eve@example.com", Verified: true}
	i := start(t, byProvider(t, provider, "--sign-in", "oidc", "--sign-up", "oidc")...)
	i.operate("account", "create", "--email", email, "--plan", "developer", "--admin") // else it is not set up
	b := i.browse()
	b.open("/console/settings")
	b.follow("Sign in with the office", "Account")
	b.look("settings-identity")
	b.follow("Link an identity of the office", "Account")
	b.see("[role=status]")
	b.follow("Sign out", "Sign in")
	b.see("[role=status]")
	b.forgive(provider.Issuer)
	v := i.visitor()
	v.want(http.StatusUnauthorized, "/console/sign-in", credentials("eve@example.com", password))
}

// openOnward shows the page that leads to a provider, which then never answers.
func (b *browser) openOnward(provider *oidctest.Provider) {
	b.t.Helper()
	provider.Set(func(p *oidctest.Provider) { p.Silent = true })
	b.open("/console/sign-in")
	b.tabTo("Sign in with the office")
	b.press(kb.Enter)
	b.titled("To the office")
	b.look("onward")
	b.forgive(provider.Issuer)
}
