package main

import (
	"bytes"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Promise: console-first-bundle
func TestFirstStartLeadsToAKey(t *testing.T) {
	t.Parallel()
	i := start(t)
	if got := i.visitor().want(http.StatusFound, "/", nil); got.header.Get("Location") != "/console/" {
		t.Errorf("/ leads to %q", got.header.Get("Location"))
	}
	v := i.setUp()
	link := i.setUpLink()
	for what, form := range map[string]url.Values{"page": nil, "form": credentials("eve@example.com", password)} {
		if got := i.visitor().do(link, form); got.status != http.StatusNotFound {
			t.Errorf("the %s of a used set-up link answers %d", what, got.status)
		}
	}
	made := v.want(http.StatusOK, "/console/settings/keys", url.Values{"name": {"laptop"}, "expiry": {"30"}})
	key := string(keyPattern.Find(made.body))
	if key == "" || !bytes.Contains(made.body, []byte("svc auth --api-key - --api-url "+i.base)) {
		t.Fatalf("no key and no line to paste:\n%s", made.body)
	}
	i.want(http.StatusOK, "", http.MethodGet, "/projects", key)
	list := v.want(http.StatusOK, "/console/settings/keys", nil)
	if keyPattern.Match(list.body) {
		t.Error("a key is shown a second time")
	}
	prefix := key[4:12]
	if !bytes.Contains(list.body, []byte("svc_"+prefix)) || !bytes.Contains(list.body, []byte("laptop")) {
		t.Error("the key is not listed")
	}
	v.want(http.StatusOK, "/console/settings/keys/"+prefix+"/revoke", nil)
	v.want(http.StatusSeeOther, "/console/settings/keys/"+prefix+"/revoke", url.Values{})
	i.want(http.StatusUnauthorized, "INVALID_API_KEY", http.MethodGet, "/projects", key)
	if list := v.want(http.StatusOK, "/console/settings/keys?show=ended", nil); !bytes.Contains(list.body, []byte("revoked")) {
		t.Error("a revoked key is not listed as such")
	}
	if got := v.want(http.StatusUnprocessableEntity, "/console/settings/keys", url.Values{"name": {" "}}); !bytes.Contains(got.body, []byte(`role="alert"`)) {
		t.Error("a key without a name is not told to the form")
	}
}

// Promise: setup-link
func TestASetUpLinkIsVoidOnceThereIsAnAccount(t *testing.T) {
	t.Parallel()
	i := start(t)
	link := i.setUpLink()
	i.account(email)
	i.visitor().want(http.StatusNotFound, link, nil)
	i.visitor().want(http.StatusNotFound, link, credentials("eve@example.com", password))
}

// Promise: console-attacks
func TestSessionsOfTheConsole(t *testing.T) {
	t.Parallel()
	i := start(t)
	first := i.setUp()

	t.Run("the cookie is for this host, HTTPS and no script", func(t *testing.T) {
		got := i.visitor().want(http.StatusSeeOther, "/console/sign-in", credentials(email, password))
		lines := got.header.Values("Set-Cookie")
		slices.Sort(lines) // two of them come in any order
		names := []string{"__Host-svc_browser", consoleCookie, "__Host-svc_known"}
		if len(lines) != len(names) {
			t.Fatalf("the cookies are %q", lines)
		}
		for n, line := range lines {
			if !strings.HasPrefix(line, names[n]+"=") {
				t.Errorf("%q is not %s", line, names[n])
			}
			for _, part := range []string{"; Path=/;", "; HttpOnly", "; Secure", "; SameSite=Lax"} {
				if !strings.Contains(line, part) {
					t.Errorf("%q lacks %q", line, part)
				}
			}
			if strings.Contains(line, "Domain") {
				t.Errorf("%q names a domain", line)
			}
		}
	})
	t.Run("a cookie never opens the interface", func(t *testing.T) {
		for _, path := range []string{"/projects", "/bundles", "/bundles/latest"} {
			first.want(http.StatusUnauthorized, path, nil)
		}
	})
	t.Run("a token that was planted does not survive the sign-in", func(t *testing.T) {
		v := i.visitor()
		planted := first.token() // as good as any that an attacker may know
		v.want(http.StatusSeeOther, "/console/sign-in", credentials(email, password), "Cookie: "+consoleCookie+"=chosen-by-somebody")
		if v.token() == "chosen-by-somebody" || v.token() == planted || v.token() == "" {
			t.Errorf("signed in with the token %q", v.token())
		}
		i.visitor().want(http.StatusSeeOther, "/console/settings", nil, "Cookie: "+consoleCookie+"=chosen-by-somebody")
		// Signing in again ends the session that the browser had.
		old := v.token()
		v.want(http.StatusSeeOther, "/console/sign-in", credentials(email, password))
		i.visitor().want(http.StatusSeeOther, "/console/settings", nil, "Cookie: "+consoleCookie+"="+old)
	})
	t.Run("signing out ends the session on the server", func(t *testing.T) {
		v := i.visitor()
		v.want(http.StatusSeeOther, "/console/sign-in", credentials(email, password))
		token := v.token()
		i.visitor().want(http.StatusOK, "/console/", nil, "Cookie: "+consoleCookie+"="+token)
		v.want(http.StatusSeeOther, "/console/sign-out", url.Values{})
		i.visitor().want(http.StatusSeeOther, "/console/", nil, "Cookie: "+consoleCookie+"="+token)
	})
	t.Run("a new password ends every other session", func(t *testing.T) {
		other := i.visitor()
		other.want(http.StatusSeeOther, "/console/sign-in", credentials(email, password))
		first.want(http.StatusUnprocessableEntity, "/console/settings/password", url.Values{"old": {"another one"}, "password": {"a quite new phrase"}})
		other.want(http.StatusOK, "/console/", nil)
		first.want(http.StatusSeeOther, "/console/settings/password", url.Values{"old": {password}, "password": {"a quite new phrase"}})
		first.want(http.StatusOK, "/console/settings", nil)
		other.want(http.StatusSeeOther, "/console/", nil)
		i.visitor().want(http.StatusUnauthorized, "/console/sign-in", credentials(email, password))
		link := strings.TrimSpace(i.operate("account", "reset-password", "--email", email))
		i.visitor().want(http.StatusSeeOther, link, credentials("", password))
		first.want(http.StatusSeeOther, "/console/settings", nil)
		i.visitor().want(http.StatusNotFound, link, credentials("", "and once more"))
	})
}

// Promise: console-attacks
func TestFormsOfOtherSitesAreRefused(t *testing.T) {
	t.Parallel()
	i := start(t)
	v := i.setUp()
	forms := map[string]url.Values{
		"/console/settings/keys":                                {"name": {"planted"}},
		"/console/settings/password":                            {"old": {password}, "password": {"chosen by somebody"}},
		"/console/settings/people":                              {"email": {"eve@example.com"}, "plan": {"developer"}},
		"/console/generations":                                  {"prompt": {"anything"}},
		"/console/sign-in":                                      credentials(email, password),
		"/console/sign-out":                                     {},
		"/console/sign-up":                                      credentials("eve@example.com", password),
		"/console/settings/sessions":                            {},
		i.setUpLink():                                           credentials("eve@example.com", password),
		"/console/settings/keys/abcdefgh/revoke":                {},
		"/console/settings/people/acct_x/reset":                 {},
		"/console/projects/proj_00000000000000000000/repackage": {},
		"/console/projects/proj_00000000000000000000/delete":    {},
		"/console/generations/gen_00000000000000000000/cancel":  {},
	}
	for path, form := range forms {
		for _, header := range []string{"Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: same-site", "Origin: https://evil.example", "Origin: null", "Origin: http" + strings.TrimPrefix(i.base, "https")} {
			v.want(http.StatusForbidden, path, form, header)
		}
	}
	if list := v.want(http.StatusOK, "/console/settings/keys", nil); bytes.Contains(list.body, []byte("planted")) {
		t.Error("another site made a key")
	}
	v.want(http.StatusOK, "/console/settings/keys", url.Values{"name": {"mine"}}, "Sec-Fetch-Site: same-origin")
	v.want(http.StatusOK, "/console/settings/keys", url.Values{"name": {"from an older browser"}}, "Origin: "+i.base)
}

// Tries are slowed down by the clock, so that this one is not beside others.
// Promise: sign-in-silent
func TestSigningInTellsNothingAboutAddresses(t *testing.T) {
	i := start(t)
	i.setUp()
	i.operate("account", "create", "--email", "keys-only@example.com", "--plan", "hobby")
	seen := map[string]string{}
	for _, address := range []string{email, "keys-only@example.com", "nobody@example.com"} {
		got := i.visitor().want(http.StatusUnauthorized, "/console/sign-in", credentials(address, "not the password"))
		seen[address] = strings.ReplaceAll(string(got.body), address, "ADDRESS")
		if got.header.Get("Set-Cookie") != "" {
			t.Errorf("%s: a cookie for a refusal", address)
		}
	}
	for address, page := range seen {
		if page != seen[email] {
			t.Errorf("the page for %s differs:\n%s", address, page)
		}
	}
	// After some more tries each waits, known or not.
	for _, address := range []string{email, "nobody@example.com"} {
		v, status := i.visitor(), 0
		for range 8 {
			status = v.do("/console/sign-in", credentials(address, "not the password")).status
		}
		if status != http.StatusTooManyRequests {
			t.Errorf("%s: the ninth try is answered with %d", address, status)
		}
	}
	i.visitor().want(http.StatusNotFound, "/console/sign-up", nil)
}

// All of them are behind one address here, as in an office.
// Promise: sign-in-silent
func TestGuessingKeepsNobodyOutOfTheirBrowser(t *testing.T) {
	i := start(t)
	owner, evil := i.setUp(), i.visitor()
	owner.want(http.StatusSeeOther, "/console/sign-out", url.Values{})
	for range 70 {
		evil.do("/console/sign-in", credentials(email, "not the password"))
	}
	evil.want(http.StatusTooManyRequests, "/console/sign-in", credentials(email, password))
	owner.want(http.StatusUnauthorized, "/console/sign-in", credentials(email, "mistyped"))
	owner.want(http.StatusSeeOther, "/console/sign-in", credentials(email, password))
	// What the browser keeps for this opens nothing.
	owner.want(http.StatusSeeOther, "/console/sign-out", url.Values{})
	owner.want(http.StatusSeeOther, "/console/settings", nil)
}

func TestSignUpIsOpenWhereItIsSaid(t *testing.T) {
	t.Parallel()
	i := start(t, "--sign-up", "open")
	v := i.visitor()
	v.want(http.StatusOK, "/console/sign-up", nil)
	v.want(http.StatusSeeOther, "/console/sign-up", credentials("new@example.com", password))
	v.want(http.StatusOK, "/console/", nil)
	v.want(http.StatusNotFound, "/console/settings/people", nil)
	i.visitor().want(http.StatusUnprocessableEntity, "/console/sign-up", credentials("new@example.com", password))
}

// Promise: console-attacks
func TestSigningInLeadsNowhereElse(t *testing.T) {
	t.Parallel()
	i := start(t)
	i.setUp()
	for next, want := range map[string]string{
		"/console/bundles?status=expired": "/console/bundles?status=expired",
		"":                                "/console/",
		"https://evil.example/":           "/console/",
		"//evil.example/console/":         "/console/",
		"/console//evil.example":          "/console/",
		"/console/../../evil":             "/console/",
		`/console/\evil.example`:          "/console/",
		"/\t/evil.example":                "/console/",
		"/bundles":                        "/console/",
		"javascript:alert(1)":             "/console/",
	} {
		form := credentials(email, password)
		form.Set("next", next)
		got := i.visitor().want(http.StatusSeeOther, "/console/sign-in", form)
		if got.header.Get("Location") != want {
			t.Errorf("next=%q leads to %q", next, got.header.Get("Location"))
		}
	}
	got := i.visitor().want(http.StatusSeeOther, "/console/projects?q=x", nil)
	if got.header.Get("Location") != "/console/sign-in?next=%2Fconsole%2Fprojects%3Fq%3Dx" {
		t.Errorf("a page leads to %q", got.header.Get("Location"))
	}
}

func TestTheConsoleStandsUnderAPath(t *testing.T) {
	t.Parallel()
	i := start(t, "--base-url", "https://127.0.0.1/tools/svc")
	i.base = "https://" + i.address
	link := strings.TrimPrefix(i.setUpLink(), "https://127.0.0.1")
	v := i.visitor()
	page := v.want(http.StatusOK, link, nil)
	if !bytes.Contains(page.body, []byte(`href="/tools/svc/console/static/`)) {
		t.Error("static files are not looked for under the path")
	}
	got := v.want(http.StatusSeeOther, link, credentials(email, password))
	if got.header.Get("Location") != "/tools/svc/console/" || !strings.Contains(got.header.Get("Set-Cookie"), "; Path=/;") {
		t.Errorf("set up leads to %q with the cookie %q", got.header.Get("Location"), got.header.Get("Set-Cookie"))
	}
	v.want(http.StatusOK, "/tools/svc/console/settings/keys", nil)
	form := credentials(email, password)
	form.Set("next", "/tools/svc/console/usage")
	if got := v.want(http.StatusSeeOther, "/tools/svc/console/sign-in", form); got.header.Get("Location") != "/tools/svc/console/usage" {
		t.Errorf("signing in leads to %q", got.header.Get("Location"))
	}
}

func TestLinksLeadToWhereClientsAreTold(t *testing.T) {
	t.Parallel()
	i := startOne(t, filepath.Join(t.TempDir(), "data")) // a cluster is told its address
	for flags, want := range map[[2]string]string{
		{}: i.base + "/",
		{"--base-url", "https://bundles.example.com/svc"}: "https://bundles.example.com/svc/",
		{"--acme-domain", "bundles.example.com"}:          "https://bundles.example.com/",
	} {
		args := []string{"account", "invite", "--email", email, "--plan", "hobby"}
		if flags[0] != "" {
			args = append(args, flags[:]...)
		}
		if link := i.operate(args...); !strings.HasPrefix(link, want) {
			t.Errorf("%v gives %s, want one below %s", flags, link, want)
		}
	}
}
