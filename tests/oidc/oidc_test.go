// Package oidc signs people in to the console by a provider that others wrote: the
// oidc-provider of npm, with its own pages and keys.
package oidc

import (
	"context"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/bundle-delivery/svc/internal/testkit/harness"
	"github.com/bundle-delivery/svc/internal/testkit/needs"
	"github.com/bundle-delivery/svc/tests/npm"
)

// office is a service whose people sign in by a provider.
type office struct {
	t      *testing.T
	server *harness.Server
	issuer string
}

func newOffice(t *testing.T) *office {
	t.Helper()
	needs.Program(t, "npm", "install the Debian package npm")
	modules, err := npm.Install(t.Context(), "testdata")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := npm.Copy("testdata/provider.mjs", dir); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(modules, "node_modules"), filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	o := &office{t: t}
	address := filepath.Join(dir, "address")
	provider := &harness.Process{
		Name: "oidc-provider", LogFile: filepath.Join(dir, "provider.log"),
		Command: func() *exec.Cmd { return exec.Command("node", filepath.Join(dir, "provider.mjs"), address) },
		Ready: func(context.Context) error {
			found, err := os.ReadFile(address)
			o.issuer = string(found)
			return err
		},
	}
	provider.ForTest(t)

	secret := filepath.Join(dir, "secret")
	if err := os.WriteFile(secret, []byte("a secret of the client's\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	program, err := harness.Build(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	// The provider is down while the service starts.
	o.server, err = harness.Start(context.WithoutCancel(t.Context()), program, filepath.Join(dir, "data"),
		"--oidc-issuer", o.issuer, "--oidc-client-id", "svc", "--oidc-client-secret-file", secret, "--oidc-domains", "example.com",
		"--oidc-name", "the office", "--sign-up", "oidc")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := o.server.Stop(); err != nil {
			t.Error(err)
		}
	})
	// Until there is an account nobody comes by the provider.
	if _, err := o.server.Admin(t.Context(), "account", "create", "--email", "root@example.com", "--plan", "developer", "--admin"); err != nil {
		t.Fatal(err)
	}
	return o
}

// open lets the provider serve the service.
func (o *office) open() {
	o.t.Helper()
	request, err := http.NewRequestWithContext(o.t.Context(), http.MethodPost, o.issuer+"/configure", strings.NewReader(o.server.Base))
	if err != nil {
		o.t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil || response.StatusCode != http.StatusNoContent {
		o.t.Fatalf("the provider is not configured: %v, %v", response, err)
	}
	_ = response.Body.Close() // empty
}

// browser keeps cookies of the service and of the provider, and follows what pages
// lead to.
type browser struct {
	*office
	client *http.Client
	at     *url.URL
	status int
	page   string
	refuse string // an address that is not followed: it is where its beginning is this
}

func (o *office) browser() *browser {
	o.t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		o.t.Fatal(err)
	}
	b := &browser{office: o}
	b.client = &http.Client{Transport: o.server.Client.Transport, Jar: jar, CheckRedirect: func(r *http.Request, _ []*http.Request) error {
		if b.refuse != "" && strings.HasPrefix(r.URL.String(), b.refuse) {
			return http.ErrUseLastResponse
		}
		return nil
	}}
	return b
}

// send asks for an address, or posts a form to it, and goes on to where the page
// sends the browser.
func (b *browser) send(address string, form url.Values) {
	b.t.Helper()
	method, body := http.MethodGet, io.Reader(nil)
	if form != nil {
		method, body = http.MethodPost, strings.NewReader(form.Encode())
	}
	request, err := http.NewRequestWithContext(b.t.Context(), method, address, body)
	if err != nil {
		b.t.Fatal(err)
	}
	if form != nil {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		request.Header.Set("Origin", request.URL.Scheme+"://"+request.URL.Host)
	}
	response, err := b.client.Do(request)
	if err != nil {
		b.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }() // it was read
	text, err := io.ReadAll(response.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	b.at, b.status, b.page = response.Request.URL, response.StatusCode, string(text)
	if location, err := response.Location(); err == nil {
		b.at = location
		return
	}
	if next, found := strings.CutPrefix(response.Header.Get("Refresh"), "0;url="); found {
		b.send(next, nil)
	}
}

var (
	formPattern  = regexp.MustCompile(`(?s)<form[^>]*action="([^"]*)"[^>]*>(.*?)</form>`)
	inputPattern = regexp.MustCompile(`<input[^>]*type="hidden"[^>]*name="([^"]*)"[^>]*value="([^"]*)"`)
)

// submit sends the form of the page, with what is filled in.
func (b *browser) submit(filled ...string) {
	b.t.Helper()
	found := formPattern.FindStringSubmatch(b.page)
	if found == nil {
		b.t.Fatalf("%s has no form:\n%s", b.at, b.page)
	}
	target, err := b.at.Parse(html.UnescapeString(found[1]))
	if err != nil {
		b.t.Fatal(err)
	}
	form := url.Values{}
	for _, input := range inputPattern.FindAllStringSubmatch(found[2], -1) {
		form.Set(input[1], html.UnescapeString(input[2]))
	}
	for n := 0; n+1 < len(filled); n += 2 {
		form.Set(filled[n], filled[n+1])
	}
	b.send(target.String(), form)
}

// signIn begins at the console, signs in at the provider as a person and says yes to
// what it asks.
func (b *browser) signIn(person string) {
	b.t.Helper()
	b.send(b.server.Base+"/console/sign-in/oidc", url.Values{"next": {"/console/bundles"}})
	b.identify(person)
}

func (b *browser) identify(person string) {
	b.t.Helper()
	for range 3 {
		switch {
		case !strings.HasPrefix(b.at.String(), b.issuer):
			return
		case strings.Contains(b.page, `name="login"`):
			b.submit("login", person, "password", "anything")
		default:
			b.submit() // consent
		}
	}
}

func (b *browser) refused(status int, words string) {
	b.t.Helper()
	if b.status != status || !strings.Contains(b.page, words) || b.signedIn() {
		b.t.Errorf("%s: got %d, want %d and %q:\n%s", b.at, b.status, status, words, b.page)
	}
}

func (b *browser) signedIn() bool {
	b.t.Helper()
	at, status, page := b.at, b.status, b.page
	b.send(b.server.Base+"/console/settings", nil)
	in := b.at.Path == "/console/settings" && b.status == http.StatusOK
	b.at, b.status, b.page = at, status, page
	return in
}

// Promise: oidc-sign-in, oidc-refused, oidc-code, oidc-linking, oidc-down
func TestSignInByOIDCProvider(t *testing.T) {
	needs.Long(t, "sign-ins by the oidc-provider of npm: good, forged, stolen, repeated; and out again")
	o := newOffice(t)
	const forged, stolen = "could not be verified", "was not begun in this browser"

	early := o.browser()
	early.send(o.server.Base+"/console/sign-in/oidc", url.Values{})
	early.refused(http.StatusServiceUnavailable, "does not answer")
	o.open()

	t.Run("success and sign-out", func(t *testing.T) {
		b := o.browser()
		for range 100 { // the provider is asked again a few seconds after it was down
			b.send(o.server.Base+"/console/sign-in/oidc", url.Values{"next": {"/console/bundles"}})
			if b.status != http.StatusServiceUnavailable {
				break
			}
			wait(t)
		}
		b.identify("ada")
		if b.at.Path != "/console/bundles" || !b.signedIn() {
			t.Fatalf("%s: %d\n%s", b.at, b.status, b.page)
		}
		b.send(o.server.Base+"/console/sign-out", url.Values{})
		if !strings.HasPrefix(b.at.String(), o.issuer) {
			t.Fatalf("signing out leads to %s", b.at)
		}
		b.submit("logout", "yes")
		if b.at.Path != "/console/sign-in" || !strings.Contains(b.page, "You are signed out.") || b.signedIn() {
			t.Errorf("signed out at %s:\n%s", b.at, b.page)
		}
		b.send(o.server.Base+"/console/sign-in/oidc", url.Values{})
		if !strings.Contains(b.page, `name="login"`) {
			t.Errorf("the provider does not ask who it is after that:\n%s", b.page)
		}
		b.identify("ada")
		if !b.signedIn() {
			t.Error("the same person does not get in again")
		}
	})

	for person, want := range map[string]struct{ words, log string }{
		"unverified": {words: "has not verified your address"},
		"stranger":   {words: "Addresses at example.org have no access"},
		"expired":    {forged, "token is expired"},
		"elsewhere":  {forged, "expected audience"},
	} {
		t.Run(person, func(t *testing.T) {
			b := o.browser()
			b.signIn(person)
			b.refused(http.StatusForbidden, want.words)
			if log, err := os.ReadFile(o.server.LogFile); err != nil || !strings.Contains(string(log), want.log) {
				t.Errorf("the log does not say %q (%v):\n%s", want.log, err, log)
			}
		})
	}

	t.Run("another nonce", func(t *testing.T) {
		b := o.browser()
		b.refuse = o.issuer
		b.send(o.server.Base+"/console/sign-in", nil)
		asked := o.authURL(b)
		query := asked.Query()
		query.Set("nonce", "another")
		asked.RawQuery = query.Encode()
		b.refuse = ""
		b.send(asked.String(), nil)
		b.identify("ada")
		b.refused(http.StatusForbidden, forged)
	})

	t.Run("stolen and repeated", func(t *testing.T) {
		owner, thief := o.browser(), o.browser()
		owner.refuse = o.server.Base + "/console/sign-in/oidc?"
		owner.signIn("ada")
		back := owner.at.String()
		owner.refuse = ""
		if !strings.Contains(back, "code=") {
			t.Fatalf("the provider sends the browser to %s", back)
		}
		thief.send(back, nil)
		thief.refused(http.StatusForbidden, stolen)
		owner.send(back, nil)
		if !owner.signedIn() {
			t.Fatalf("the owner is kept out:\n%s", owner.page)
		}
		again := o.browser()
		again.client.Jar = withoutSession(owner.client.Jar, o.server.Base)
		again.send(back, nil)
		again.refused(http.StatusForbidden, "is over")
	})

	t.Run("the address of another account", func(t *testing.T) {
		if _, err := o.server.Admin(t.Context(), "account", "create", "--email", "bob@example.com", "--plan", "developer"); err != nil {
			t.Fatal(err)
		}
		b := o.browser()
		b.signIn("bob")
		b.refused(http.StatusForbidden, "Sign in to it as usual, then link your identity")
		link, err := o.server.Admin(t.Context(), "account", "reset-password", "--email", "bob@example.com")
		if err != nil {
			t.Fatal(err)
		}
		b.send(link, url.Values{"password": {"correct horse battery"}})
		b.send(o.server.Base+"/console/settings/identities", url.Values{})
		b.identify("bob")
		if b.at.Path != "/console/settings" || !strings.Contains(b.page, "The identity is linked.") {
			t.Fatalf("%s: %d\n%s", b.at, b.status, b.page)
		}
		other := o.browser()
		other.signIn("bob")
		if !other.signedIn() {
			t.Errorf("the identity that was linked opens nothing:\n%s", other.page)
		}
	})
}

// authURL begins a sign-in without following it.
func (o *office) authURL(b *browser) *url.URL {
	o.t.Helper()
	request, err := http.NewRequestWithContext(o.t.Context(), http.MethodPost, o.server.Base+"/console/sign-in/oidc", nil)
	if err != nil {
		o.t.Fatal(err)
	}
	request.Header.Set("Origin", o.server.Base)
	response, err := b.client.Do(request)
	if err != nil {
		o.t.Fatal(err)
	}
	_ = response.Body.Close() // only its header is looked at
	target, err := url.Parse(strings.TrimPrefix(response.Header.Get("Refresh"), "0;url="))
	if err != nil {
		o.t.Fatal(err)
	}
	return target
}

// withoutSession is a jar with what another has of the service, but for its session.
func withoutSession(from http.CookieJar, base string) http.CookieJar {
	jar, err := cookiejar.New(nil)
	at, parseErr := url.Parse(base)
	if err != nil || parseErr != nil {
		panic(fmt.Sprint(err, parseErr)) // neither depends on anything outside
	}
	var kept []*http.Cookie
	for _, c := range from.Cookies(at) {
		if c.Name != "__Host-svc_console" {
			c.Secure, c.Path = true, "/"
			kept = append(kept, c)
		}
	}
	jar.SetCookies(at, kept)
	return jar
}

// wait lets a little time pass until the next try.
func wait(t *testing.T) {
	t.Helper()
	select {
	case <-t.Context().Done():
		t.Fatal("the provider is not asked again")
	case <-time.After(200 * time.Millisecond):
	}
}
