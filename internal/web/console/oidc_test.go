package console_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/accounts"
	"github.com/bundle-delivery/svc/internal/accounts/oidc"
	"github.com/bundle-delivery/svc/internal/testkit/oidctest"
	"github.com/bundle-delivery/svc/internal/web/console"
)

// office is a site whose people sign in by a provider.
type office struct {
	*site
	provider *oidctest.Provider
	rules    accounts.IdentityRules
	ways     []accounts.Way
}

var eve = oidctest.Person{Subject: "s-eve", Email: "eve@example.com", Verified: true}

func newOffice(t *testing.T, change ...func(*office)) *office {
	t.Helper()
	o := &office{site: newSite(t), provider: oidctest.New(t, false), ways: []accounts.Way{accounts.WayPassword, accounts.WayOIDC}}
	o.provider.Now, o.provider.Person = o.Clock.Now, eve
	o.rules = accounts.IdentityRules{Issuer: o.provider.Issuer, Domains: []string{"example.com"}, SignUp: true}
	for _, c := range change {
		c(o)
	}
	o.Accounts = accounts.New(o.Store, o.Clock.Now, accounts.WithWays(o.ways...), accounts.WithIdentities(o.rules))
	o.console = o.process()
	return o
}

// process is the console as one more process has it.
func (o *office) process() *console.Console {
	o.t.Helper()
	c, err := console.New(console.Config{
		Accounts: o.Accounts, Delivery: o.Delivery, BaseURL: "https://svc.example", Now: o.Clock.Now,
		Provider: oidc.New(oidc.Config{
			Issuer: o.provider.Issuer, ClientID: oidctest.ClientID, Secret: func() (string, error) { return oidctest.Secret, nil },
			Callback: "https://svc.example" + console.CallbackPath, Roots: o.provider.Roots, Now: o.Clock.Now,
		}),
		ProviderName: "the office",
	})
	if err != nil {
		o.t.Fatal(err)
	}
	return c
}

// desk is a browser with its cookies.
type desk struct {
	*office
	cookies map[string]string
}

func (o *office) desk() *desk { return &desk{office: o, cookies: map[string]string{}} }

func (b *desk) ask(path string, form url.Values) *httptest.ResponseRecorder {
	b.t.Helper()
	var all []string
	for name, value := range b.cookies {
		all = append(all, name+"="+value)
	}
	b.cookie = strings.Join(all, "; ")
	answer := b.office.ask(path, form)
	for _, c := range answer.Result().Cookies() {
		if !c.Secure || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Domain != "" {
			b.t.Errorf("%s sets %s", path, c.Raw)
		}
		if b.cookies[c.Name] = c.Value; c.MaxAge < 0 {
			delete(b.cookies, c.Name)
		}
	}
	return answer
}

func (b *desk) signedIn() bool {
	return b.ask("/console/settings", nil).Code == http.StatusOK
}

// go sends a form, follows to the provider and gives the address that this sends
// the browser back to.
func (b *desk) away(path string, form url.Values) (back string) {
	b.t.Helper()
	answer := b.ask(path, form)
	target, found := strings.CutPrefix(answer.Header().Get("Refresh"), "0;url=")
	if !found || answer.Code != http.StatusOK {
		b.t.Fatalf("%s leads to no provider: %d\n%s", path, answer.Code, answer.Body)
	}
	request, err := http.NewRequestWithContext(b.t.Context(), http.MethodGet, target, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	response, err := b.provider.Client().Do(request)
	if err != nil {
		b.t.Fatal(err)
	}
	defer response.Body.Close()
	back, found = strings.CutPrefix(response.Header.Get("Location"), "https://svc.example")
	if !found {
		b.t.Fatalf("the provider answers %s: %d to %q", target, response.StatusCode, response.Header.Get("Location"))
	}
	return back
}

// signInThere signs in by the provider.
func (b *desk) signInThere() *httptest.ResponseRecorder {
	b.t.Helper()
	return b.ask(b.away("/console/sign-in/oidc", url.Values{"next": {"/console/bundles"}}), nil)
}

func (b *desk) refused(answer *httptest.ResponseRecorder, words string) {
	b.t.Helper()
	if answer.Code != http.StatusForbidden || !strings.Contains(answer.Body.String(), words) {
		b.t.Errorf("got %d, want a refusal that says %q:\n%s", answer.Code, words, answer.Body)
	}
	if b.cookies["__Host-svc_console"] != "" && !b.signedIn() {
		b.t.Error("the browser has a session that is none")
	}
}

func (o *office) identityOf(email string) (svc.Account, []svc.Identity) {
	o.t.Helper()
	a, err := o.Accounts.ByEmail(o.t.Context(), email)
	if err != nil {
		o.t.Fatal(err)
	}
	all, err := o.Accounts.Identities.List(o.t.Context(), a.ID)
	if err != nil {
		o.t.Fatal(err)
	}
	return a, all
}

// audited says whether the log has one line of an account with an action.
func (o *office) audited(a svc.Account, action svc.AuditAction, subject, detail string) {
	o.t.Helper()
	lines, err := o.Accounts.Audit.List(o.t.Context(), svc.AuditQuery{AccountID: a.ID, Action: action, Limit: 10})
	// Those of one moment have no order.
	wanted := func(e svc.AuditEntry) bool { return e.Subject == subject && e.Detail == detail }
	if err != nil || !slices.ContainsFunc(lines, wanted) {
		o.t.Errorf("the audit log has %+v (%v), want %s of %q: %q", lines, err, action, subject, detail)
	}
}

// Promise: oidc-sign-in
func TestSignInByAProvider(t *testing.T) {
	o := newOffice(t)
	b := o.desk()
	if page := b.ask("/console/sign-in", nil).Body.String(); !strings.Contains(page, "Sign in with the office") {
		t.Errorf("the page does not offer it:\n%s", page)
	}
	answer := b.signInThere()
	if answer.Code != http.StatusSeeOther || answer.Header().Get("Location") != "/console/bundles" || !b.signedIn() {
		t.Fatalf("%d to %q\n%s", answer.Code, answer.Header().Get("Location"), answer.Body)
	}
	asked := o.provider.Asked[0].Query()
	if asked.Get("code_challenge_method") != "S256" || len(asked.Get("code_challenge")) != 43 || len(asked.Get("nonce")) != 43 || len(asked.Get("state")) != 43 {
		t.Errorf("the provider was asked %v", asked)
	}
	made, linked := o.identityOf(eve.Email)
	if made.Admin || made.Plan != svc.PlanHobby || made.PasswordHash != "" || len(linked) != 1 || linked[0].Subject != eve.Subject {
		t.Errorf("the new account is %+v with %+v", made, linked)
	}
	// It is issuer and subject that count: with another address it is the same account.
	o.provider.Person = oidctest.Person{Subject: eve.Subject, Email: "eve.adams@example.com", Verified: "true"}
	if answer := o.desk().signInThere(); answer.Code != http.StatusSeeOther {
		t.Errorf("%d\n%s", answer.Code, answer.Body)
	}
	if _, linked = o.identityOf(eve.Email); len(linked) != 1 || linked[0].Email != "eve.adams@example.com" {
		t.Errorf("after another sign-in: %+v", linked)
	}
	// Another subject with the address of the first is somebody else.
	o.provider.Person = oidctest.Person{Subject: "s-other", Email: eve.Email, Verified: true}
	other := o.desk()
	other.refused(other.signInThere(), "not linked to it")
}

// Promise: oidc-sign-in
func TestAProviderThatKeepsTheAddressToItselfIsAsked(t *testing.T) {
	o := newOffice(t)
	o.provider.Reticent = true
	if b := o.desk(); b.signInThere().Code != http.StatusSeeOther || !b.signedIn() {
		t.Error("nobody is signed in")
	}
}

// Promise: oidc-refused
func TestForgedSignInsAreRefused(t *testing.T) {
	forged := func(name string, value any) func(*oidctest.Provider) {
		return func(p *oidctest.Provider) { p.Forge = func(claims map[string]any) { claims[name] = value } }
	}
	person := func(email string, verified any) func(*oidctest.Provider) {
		return func(p *oidctest.Provider) {
			p.Person = oidctest.Person{Subject: "s-x", Email: email, Verified: verified}
		}
	}
	o := newOffice(t)
	honest := func() { o.provider.Person, o.provider.Forge, o.provider.Stranger = eve, nil, false }
	const unverified = "could not be verified"
	for name, test := range map[string]struct {
		change func(*oidctest.Provider)
		words  string
	}{
		"another nonce":       {forged("nonce", "another"), unverified},
		"no nonce":            {forged("nonce", ""), unverified},
		"another audience":    {forged("aud", "another"), unverified},
		"made for another":    {forged("azp", "another"), unverified},
		"several audiences":   {forged("aud", []string{oidctest.ClientID, "another"}), unverified},
		"another issuer":      {forged("iss", "https://login.example"), unverified},
		"expired":             {forged("exp", int64(1_600_000_000)), unverified},
		"a key of nobody":     {func(p *oidctest.Provider) { p.Stranger = true }, unverified},
		"nobody":              {forged("sub", ""), unverified},
		"unverified address":  {person("eve@example.com", false), "has not verified your address"},
		"silent on verifying": {person("eve@example.com", nil), "has not verified your address"},
		"another domain":      {person("eve@example.org", true), "Addresses at example.org have no access"},
		"a domain below":      {person("eve@mail.example.com", true), "have no access"},
		"a domain as a name":  {person("example.com@example.org", true), "have no access"},
		"no address":          {person("", true), "tells no e-mail address"},
		"two addresses":       {person("eve@example.com@example.com", true), "tells no e-mail address"},
	} {
		t.Run(name, func(t *testing.T) {
			honest()
			test.change(o.provider)
			b := o.desk()
			b.refused(b.signInThere(), test.words)
			if n, err := o.Accounts.Count(t.Context()); n != 1 || err != nil || b.signedIn() {
				t.Errorf("there are %d accounts (%v), signed in: %t", n, err, b.signedIn())
			}
		})
	}
	honest()
	if o.desk().signInThere().Code != http.StatusSeeOther {
		t.Error("the truth is refused as well")
	}
}

// Promise: oidc-code
func TestAStolenOrRepeatedCodeOpensNothing(t *testing.T) {
	o := newOffice(t)
	owner, thief := o.desk(), o.desk()
	back := owner.away("/console/sign-in/oidc", url.Values{})
	thief.refused(thief.ask(back, nil), "not begun in this browser")
	thief.away("/console/sign-in/oidc", url.Values{}) // has a cookie of its own now
	thief.refused(thief.ask(back, nil), "not begun in this browser")
	owner.refused(owner.ask(strings.Replace(back, "state=", "state=x", 1), nil), "not begun in this browser")
	if answer := owner.ask(back, nil); answer.Code != http.StatusSeeOther || !owner.signedIn() {
		t.Fatalf("the owner is kept out: %d\n%s", answer.Code, answer.Body)
	}
	delete(owner.cookies, "__Host-svc_console")
	owner.refused(owner.ask(back, nil), "is over")
}

// Promise: oidc-code
func TestASignInAtAProviderTakesTenMinutesAtMost(t *testing.T) {
	o := newOffice(t)
	b := o.desk()
	back := b.away("/console/sign-in/oidc", url.Values{})
	o.Clock.Advance(10 * time.Minute)
	b.refused(b.ask(back, nil), "took longer than ten minutes")
	back = b.away("/console/sign-in/oidc", url.Values{})
	o.Clock.Advance(10*time.Minute - time.Second)
	if b.ask(back, nil); !b.signedIn() {
		t.Error("within ten minutes nobody is let in")
	}
}

// Promise: oidc-code
func TestASignInBegunAtOneProcessEndsAtAnother(t *testing.T) {
	o := newOffice(t)
	b := o.desk()
	back := b.away("/console/sign-in/oidc", url.Values{})
	o.console = o.process()
	if b.ask(back, nil); !b.signedIn() {
		t.Error("nobody is signed in")
	}
}

// Promise: oidc-linking
func TestWhereAccountsAreByInvitationAProviderNeedsOneToo(t *testing.T) {
	o := newOffice(t, func(o *office) { o.rules.SignUp = false; o.ways = []accounts.Way{accounts.WayOIDC} })
	b := o.desk()
	b.refused(b.signInThere(), "accounts are made by invitation")
	link, err := o.Accounts.Invite(t.Context(), eve.Email, svc.PlanDeveloper)
	if err != nil {
		t.Fatal(err)
	}
	page := b.ask("/console/link/"+link, nil).Body.String()
	if !strings.Contains(page, "Sign in with the office") || strings.Contains(page, "Create account") {
		t.Errorf("the invitation is\n%s", page)
	}
	if answer := b.ask("/console/link/"+link, url.Values{"email": {eve.Email}}); answer.Code != http.StatusUnprocessableEntity || b.signedIn() {
		t.Errorf("the link alone makes an account: %d", answer.Code)
	}
	if b.signInThere(); !b.signedIn() {
		t.Fatal("the invitation is not taken up")
	}
	if a, _ := o.identityOf(eve.Email); a.Plan != svc.PlanDeveloper || a.Admin {
		t.Errorf("the account is %+v", a)
	}
	if answer := b.ask("/console/link/"+link, nil); answer.Code != http.StatusNotFound {
		t.Errorf("the invitation is there still: %d", answer.Code)
	}
}

// Promise: oidc-down
func TestAProviderThatIsGoneKeepsNobodyElseOut(t *testing.T) {
	o := newOffice(t)
	o.provider.Down = true
	if err := o.Accounts.SetPassword(t.Context(), o.account.ID, password); err != nil {
		t.Fatal(err)
	}
	b := o.desk()
	answer := b.ask("/console/sign-in/oidc", url.Values{})
	if answer.Code != http.StatusServiceUnavailable || answer.Header().Get("Retry-After") != "5" || !strings.Contains(answer.Body.String(), "does not answer") {
		t.Errorf("%d, after %s\n%s", answer.Code, answer.Header().Get("Retry-After"), answer.Body)
	}
	if answer := b.ask("/console/sign-in", url.Values{"email": {o.account.Email}, "password": {password}}); answer.Code != http.StatusSeeOther {
		t.Errorf("with a password: %d", answer.Code)
	}
	if answer := b.ask("/console/sign-out", url.Values{}); answer.Code != http.StatusSeeOther {
		t.Errorf("signing out: %d", answer.Code)
	}
	o.provider.Set(func(p *oidctest.Provider) { p.Down = false })
	if answer := b.ask("/console/sign-in/oidc", url.Values{}); answer.Code != http.StatusServiceUnavailable {
		t.Errorf("it is asked again at once: %d", answer.Code)
	}
	o.Clock.Advance(5 * time.Second)
	if b.signInThere(); !b.signedIn() {
		t.Error("it is back, and nobody is let in")
	}
	// What it said of itself is believed while it is gone, for as long as it is.
	o.Clock.Advance(2 * time.Hour)
	o.provider.Set(func(p *oidctest.Provider) { p.Down = true })
	if answer := b.ask("/console/sign-in/oidc", url.Values{}); answer.Code != http.StatusOK {
		t.Errorf("later: %d", answer.Code)
	}
}

// Promise: oidc-down
func TestSigningOutIsSigningOutAtTheProviderToo(t *testing.T) {
	o := newOffice(t)
	b := o.desk()
	b.signInThere()
	// The provider's token lies there no longer than a session lasts.
	for _, c := range b.signInThere().Result().Cookies() {
		if c.Name == "__Secure-svc_provider" && c.Value != "" && c.MaxAge != int(accounts.SessionLife.Seconds()) {
			t.Errorf("the token of the provider is kept for %d seconds", c.MaxAge)
		}
	}
	back := b.away("/console/sign-out", url.Values{})
	if back != "/console/sign-in?state=signed-out" || b.signedIn() {
		t.Errorf("back at %q, signed in: %t", back, b.signedIn())
	}
	asked := o.provider.Asked[len(o.provider.Asked)-1].Query()
	if asked.Get("client_id") != oidctest.ClientID || strings.Count(asked.Get("id_token_hint"), ".") != 2 {
		t.Errorf("the provider was asked %v", asked)
	}
	if page := b.ask(back, nil).Body.String(); !strings.Contains(page, "You are signed out.") {
		t.Errorf("the page does not say so:\n%s", page)
	}
	// Who came another way leaves another way, in the same browser too.
	b.signInThere()
	if err := o.Accounts.SetPassword(t.Context(), o.account.ID, password); err != nil {
		t.Fatal(err)
	}
	b.ask("/console/sign-in", url.Values{"email": {o.account.Email}, "password": {password}})
	if answer := b.ask("/console/sign-out", url.Values{}); answer.Code != http.StatusSeeOther {
		t.Errorf("with a password: %d", answer.Code)
	}
	// A provider without that is left alone.
	o.provider.NoEnd = true
	o.console = o.process()
	b.signInThere()
	if answer := b.ask("/console/sign-out", url.Values{}); answer.Code != http.StatusSeeOther || b.signedIn() {
		t.Errorf("where the provider offers none: %d", answer.Code)
	}
}

// Promise: oidc-down
func TestAProviderThatRefusesIsTold(t *testing.T) {
	o := newOffice(t)
	b := o.desk()
	back := b.away("/console/sign-in/oidc", url.Values{})
	at, err := url.Parse(back)
	if err != nil {
		t.Fatal(err)
	}
	query := at.Query()
	query.Set("iss", "https://login.example")
	b.refused(b.ask(at.Path+"?"+query.Encode(), nil), "did not sign you in")
	back = b.away("/console/sign-in/oidc", url.Values{})
	at, _ = url.Parse(back)
	b.refused(b.ask(at.Path+"?"+url.Values{"error": {"access_denied"}, "state": at.Query()["state"]}.Encode(), nil), "did not sign you in")
}

// Promise: oidc-code
func TestSignInsThatAreNeverEndedAreSlowedDown(t *testing.T) {
	o := newOffice(t)
	b := o.desk()
	for n := range 60 {
		if answer := b.ask("/console/sign-in/oidc", url.Values{}); answer.Code != http.StatusOK {
			t.Fatalf("sign-in %d: %d", n, answer.Code)
		}
	}
	if answer := b.ask("/console/sign-in/oidc", url.Values{}); answer.Code != http.StatusTooManyRequests || answer.Header().Get("Retry-After") == "" {
		t.Errorf("one too many: %d", answer.Code)
	}
}

// Waiting for a provider that does not answer is counted as well, and signing out does
// not wait for it.
// Promise: oidc-silent
func TestSignInsAtAProviderThatDoesNotAnswerAreSlowedDown(t *testing.T) {
	o := newOffice(t)
	b := o.desk()
	b.signInThere()
	o.provider.Set(func(p *oidctest.Provider) { p.Down = true })
	o.console = o.process() // which has heard nothing of the provider
	if answer := b.ask("/console/sign-out", url.Values{}); answer.Code != http.StatusSeeOther || b.signedIn() {
		t.Errorf("signing out: %d", answer.Code)
	}
	for n := range 61 {
		want := http.StatusServiceUnavailable
		if n == 60 {
			want = http.StatusTooManyRequests
		}
		if answer := b.ask("/console/sign-in/oidc", url.Values{}); answer.Code != want {
			t.Fatalf("sign-in %d: %d, want %d", n, answer.Code, want)
		}
	}
}

// Promise: oidc-down
func TestWithoutAProviderThereIsNothingOfIt(t *testing.T) {
	d := newSite(t)
	if page := d.want(http.StatusOK, "/console/settings", nil); strings.Contains(page, "Identities") {
		t.Errorf("the settings speak of identities:\n%s", page)
	}
	d.want(http.StatusNotFound, "/console/sign-in/oidc", url.Values{})
	d.want(http.StatusNotFound, "/console/sign-in/oidc?state=x&code=y", nil)
	d.want(http.StatusNotFound, "/console/settings/identities", url.Values{})
	said := svc.Assertion{Issuer: "", Subject: "s", Email: "eve@example.com", EmailVerified: true}
	if _, _, err := d.Accounts.Identities.SignIn(context.WithoutCancel(t.Context()), said, accounts.SignIn{}); svc.CodeOf(err) != svc.CodeInvalidRequest {
		t.Errorf("an identity of nobody: %v", err)
	}
}
