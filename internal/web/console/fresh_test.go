package console_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/bundle-delivery/svc/internal/accounts"
	"github.com/bundle-delivery/svc/internal/bundle/signing"
)

// Promise: fresh-sign-in
func TestWhoAddsAWayInSignsInAgainAndComesBack(t *testing.T) {
	o := newOffice(t, func(o *office) { o.ways = []accounts.Way{accounts.WayPassword, accounts.WayPasskey, accounts.WayOIDC} })
	b := o.desk()
	b.signInThere()             // an account without a password
	forms := map[string]string{ // and the page that they are on
		"/console/settings/passkeys/ask": "/console/settings/passkeys", "/console/settings/identities": "/console/settings", "/console/settings/password": "/console/settings",
	}
	hints := func(page string) int { return strings.Count(b.ask(page, nil).Body.String(), "Sign in again") }
	for _, page := range forms {
		if hints(page) != 0 {
			t.Errorf("%s asks for a sign-in at once", page)
		}
	}
	o.Clock.Advance(15 * time.Minute)
	for form, page := range forms {
		again := "/console/sign-in?again=yes&next=" + url.QueryEscape(page)
		answer := b.ask(form, url.Values{"password": {password}})
		if answer.Code != http.StatusSeeOther || answer.Header().Get("Location") != again {
			t.Errorf("%s: %d to %q", form, answer.Code, answer.Header().Get("Location"))
		}
		text := b.ask(page, nil).Body.String()
		if !strings.Contains(text, `href="`+strings.ReplaceAll(again, "&", "&amp;")+`"`) || strings.Contains(text, `action="`+form+`"`) || strings.Contains(text, "data-passkey=") {
			t.Errorf("%s does not lead there:\n%s", page, text)
		}
		contains(t, b.ask(again, nil).Body.String(), "<h1>Sign in again</h1>", `href="`+page+`"`, eve.Email)
	}
	// Who is led there signs in by any way, and is back with a new session.
	before := b.cookies["__Host-svc_console"]
	answer := b.ask(b.away("/console/sign-in/oidc", url.Values{"next": {"/console/settings"}}), nil)
	if answer.Header().Get("Location") != "/console/settings" || b.cookies["__Host-svc_console"] == before {
		t.Errorf("%d to %q", answer.Code, answer.Header().Get("Location"))
	}
	for _, page := range forms {
		if hints(page) != 0 {
			t.Errorf("%s asks for one more sign-in", page)
		}
	}
	if answer := b.ask("/console/settings/password", url.Values{"password": {password}}); answer.Header().Get("Location") != "/console/settings?done=password-set" {
		t.Errorf("%d to %q", answer.Code, answer.Header().Get("Location"))
	}
	// A link of somebody else's leads nowhere but into the console.
	contains(t, b.ask("/console/sign-in?again=yes&next=//evil.example/", nil).Body.String(), `<a href="/console/">go back</a>`)
}

// Promise: sign-in-known-browser
func TestABrowserIsKnownOnceSomebodyHasSignedInThere(t *testing.T) {
	o := newOffice(t)
	o.Accounts = accounts.New(o.Store, o.Clock.Now, accounts.WithWays(o.ways...), accounts.WithIdentities(o.rules),
		accounts.WithBrowserKey(func(ctx context.Context) ([]byte, error) { return signing.Secret(ctx, o.Store, "browser") }))
	o.console = o.process()
	b, neighbour := o.desk(), o.desk()
	b.signInThere()
	b.ask("/console/sign-out", url.Values{})
	for n := 0; neighbour.ask("/console/sign-in/oidc", url.Values{}).Code == http.StatusOK; n++ {
		if n > 100 {
			t.Fatal("there is no end to sign-ins that are never ended")
		}
	}
	if answer := o.desk().ask("/console/sign-in/oidc", url.Values{}); answer.Code != http.StatusTooManyRequests {
		t.Errorf("somebody new on the same network: %d", answer.Code)
	}
	if b.signInThere(); !b.signedIn() {
		t.Error("a neighbour keeps a known browser out")
	}
}
