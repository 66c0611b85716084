package console_test

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/accounts"
	"github.com/bundle-delivery/svc/internal/web/console"
)

const password = "correct horse battery"

// entrances are the forms that give a browser a session.
func entrances(d *site) map[string]url.Values {
	d.t.Helper()
	if err := d.Accounts.SetPassword(d.t.Context(), d.account.ID, password); err != nil {
		d.t.Fatal(err)
	}
	link, err := d.Accounts.Invite(d.t.Context(), "bob@example.com", svc.PlanHobby)
	if err != nil {
		d.t.Fatal(err)
	}
	return map[string]url.Values{
		"/console/sign-in":      {"email": {"ada@example.com"}, "password": {password}},
		"/console/sign-up":      {"email": {"eve@example.com"}, "password": {password}},
		"/console/link/" + link: {"password": {password}},
	}
}

func newOpenSite(t *testing.T) *site {
	t.Helper()
	d := newSite(t)
	c, err := console.New(console.Config{
		Accounts: d.Accounts, Delivery: d.Delivery, BaseURL: "https://svc.example", Now: d.Clock.Now, OpenSignUp: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	d.console = c
	return d
}

// Promise: session-replaced
func TestEveryCookieIsForThisHostOverHTTPSAndNoScript(t *testing.T) {
	d := newOpenSite(t)
	forms := entrances(d)
	forms["/console/sign-out"] = url.Values{}
	for path, form := range forms {
		answer := d.ask(path, form)
		if answer.Code != http.StatusSeeOther {
			t.Fatalf("%s: %d\n%s", path, answer.Code, answer.Body)
		}
		cookies := answer.Result().Cookies()
		if len(cookies) == 0 {
			t.Errorf("%s sets no cookie", path)
		}
		for _, c := range cookies {
			if !c.Secure || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Path != "/" || c.Domain != "" || !strings.HasPrefix(c.Name, "__Host-") {
				t.Errorf("%s sets %s", path, c.Raw)
			}
		}
	}
}

// Promise: session-replaced
func TestWhoeverEntersLeavesTheSessionBefore(t *testing.T) {
	d := newOpenSite(t)
	for path, form := range entrances(d) {
		planted := d.signIn("a browser that somebody prepared")
		answer := d.ask(path, form, "Cookie: __Host-svc_console="+planted)
		if answer.Code != http.StatusSeeOther {
			t.Fatalf("%s: %d\n%s", path, answer.Code, answer.Body)
		}
		if _, _, err := d.Accounts.Session(t.Context(), planted); !errors.Is(err, accounts.ErrNoSession) {
			t.Errorf("%s leaves the session before open (%v)", path, err)
		}
		for _, c := range answer.Result().Cookies() {
			if c.Value == planted {
				t.Errorf("%s goes on with the token that was planted", path)
			}
		}
	}
}
