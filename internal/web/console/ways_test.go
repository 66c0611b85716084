package console_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/accounts"
	"github.com/bundle-delivery/svc/internal/web/console"
)

// Promise: passwords-off
func TestWherePasswordsAreOffNoPageAsksForOne(t *testing.T) {
	d := newSite(t)
	d.Accounts = accounts.New(d.Store, d.Clock.Now, accounts.WithWays(accounts.WayPasskey))
	var err error
	d.console, err = console.New(console.Config{
		Accounts: d.Accounts, Delivery: d.Delivery, BaseURL: "https://svc.example", Now: d.Clock.Now, OpenSignUp: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	link, err := d.Accounts.ResetLink(t.Context(), d.account.ID)
	if err != nil {
		t.Fatal(err)
	}
	signedIn := d.cookie
	for _, path := range []string{"/console/settings", "/console/sign-in", "/console/link/" + link} {
		d.cookie = signedIn
		if path == "/console/sign-in" {
			d.cookie = ""
		}
		if page := d.want(http.StatusOK, path, nil); strings.Contains(page, `type="password"`) {
			t.Errorf("%s asks for a password:\n%s", path, page)
		}
	}
	d.want(http.StatusUnprocessableEntity, "/console/settings/password", url.Values{"old": {password}, "password": {"another horse battery"}}, "Cookie: "+signedIn)
	if page := d.want(http.StatusUnauthorized, "/console/sign-in", url.Values{"email": {d.account.Email}, "password": {password}}); !strings.Contains(page, "Passwords are switched off") {
		t.Errorf("a password is answered with\n%s", page)
	}
	answer := d.ask("/console/link/"+link, url.Values{"email": {d.account.Email}})
	if answer.Code != http.StatusSeeOther || answer.Header().Get("Location") != "/console/settings?done=let-in" || len(answer.Result().Cookies()) == 0 {
		t.Errorf("the link is answered with %d to %q", answer.Code, answer.Header().Get("Location"))
	}
}

// Promise: reset-link
func TestThePageOfAResetSaysWhatEndsAndHowManyKeysStay(t *testing.T) {
	d := newSite(t)
	bob := d.Account("bob@example.com")
	link, err := d.Accounts.ResetLink(t.Context(), bob.ID)
	if err != nil {
		t.Fatal(err)
	}
	page := "/console/link/" + link
	contains(t, d.want(http.StatusOK, page, nil), "its passkeys and its linked identities are removed", "It has no API keys.")
	for n, want := range []string{"Its API key keeps working", "Its 2 API keys keep working"} {
		if _, _, err := d.Accounts.CreateKey(t.Context(), accounts.NewKey{AccountID: bob.ID, Name: "ci"}); err != nil {
			t.Fatal(err)
		}
		// What is wrong with a form is said on the same page.
		form, status := url.Values(nil), http.StatusOK
		if n == 1 {
			form, status = url.Values{"password": {"short"}}, http.StatusUnprocessableEntity
		}
		contains(t, d.want(status, page, form), want, "Settings, API keys")
	}
}
