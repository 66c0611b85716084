package console_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/testkit/passkeytest"
	"github.com/bundle-delivery/svc/internal/web/console"
)

// passkeySite is a site with open sign-up whose log is kept.
func passkeySite(t *testing.T, base string) (*site, *bytes.Buffer) {
	t.Helper()
	d, log := newSite(t), &bytes.Buffer{}
	c, err := console.New(console.Config{
		Accounts: d.Accounts, Delivery: d.Delivery, BaseURL: base, Now: d.Clock.Now, OpenSignUp: true, Log: slog.New(slog.NewTextHandler(log, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	d.console = c
	return d, log
}

// script sends what the script of a page sends after a question.
func (d *site) script(path, body string, lines ...string) *httptest.ResponseRecorder {
	d.t.Helper()
	r := httptest.NewRequestWithContext(d.t.Context(), http.MethodPost, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Cookie", d.cookie)
	for _, line := range lines {
		name, text, _ := strings.Cut(line, ": ")
		r.Header.Set(name, text)
	}
	answer := httptest.NewRecorder()
	d.console.ServeHTTP(answer, r)
	return answer
}

// ceremony asks at an address and answers with what the device says, as a browser
// does that keeps cookies.
func (d *site) ceremony(path string, form url.Values, device func(options []byte) []byte, given map[string]any) *httptest.ResponseRecorder {
	d.t.Helper()
	asked := d.ask(path+"/ask", form)
	if asked.Code != http.StatusOK {
		return asked
	}
	var question struct {
		Options json.RawMessage
		Token   string
	}
	if err := json.Unmarshal(asked.Body.Bytes(), &question); err != nil {
		d.t.Fatal(err)
	}
	body := map[string]any{"token": question.Token, "credential": json.RawMessage(device(question.Options))}
	for name, value := range given {
		body[name] = value
	}
	text, err := json.Marshal(body)
	if err != nil {
		d.t.Fatal(err)
	}
	cookies := d.cookie
	for _, c := range asked.Result().Cookies() {
		if !c.Secure || !c.HttpOnly || c.Path != "/" || !strings.HasPrefix(c.Name, "__Host-") || c.MaxAge != 300 {
			d.t.Errorf("%s sets %s", path, c.Raw)
		}
		cookies += "; " + c.Name + "=" + c.Value
	}
	return d.script(path, string(text), "Cookie: "+cookies)
}

func (d *site) device(origin string) (*passkeytest.Device, func([]byte) []byte, func([]byte) []byte) {
	device := &passkeytest.Device{Origin: origin, Counter: 7}
	return device, func(options []byte) []byte { return device.Create(d.t, options) }, func(options []byte) []byte { return device.Get(d.t, options) }
}

// next is the page that an answer leads to, and the session that it gives.
func (d *site) next(answer *httptest.ResponseRecorder) (page, cookie string) {
	d.t.Helper()
	var said struct{ Next string }
	if answer.Code != http.StatusOK || json.Unmarshal(answer.Body.Bytes(), &said) != nil {
		d.t.Fatalf("the answer is %d %s", answer.Code, answer.Body)
	}
	for _, c := range answer.Result().Cookies() {
		if c.Name == "__Host-svc_console" {
			cookie = c.Name + "=" + c.Value
		}
	}
	return said.Next, cookie
}

// Promise: passkeys
func TestAPasskeySignsUpSignsInAndIsLookedAfter(t *testing.T) {
	const origin = "https://svc.example"
	d, log := passkeySite(t, origin)
	phone, create, get := d.device(origin)
	d.cookie = ""
	for _, page := range []string{"/console/sign-in", "/console/sign-up"} {
		if text := d.want(http.StatusOK, page, nil); !strings.Contains(text, "data-passkey=") || !strings.Contains(text, "passkeys.js") {
			t.Errorf("%s offers no passkeys:\n%s", page, text)
		}
	}
	page, cookie := d.next(d.ceremony("/console/sign-up/passkey", url.Values{"email": {"bob@example.com"}}, create, nil))
	if page != "/console/" || cookie == "" {
		t.Fatalf("signing up leads to %q with %q", page, cookie)
	}
	page, cookie = d.next(d.ceremony("/console/sign-in/passkey", url.Values{}, get, map[string]any{"next": "/console/settings/passkeys"}))
	if page != "/console/settings/passkeys" || cookie == "" {
		t.Fatalf("signing in leads to %q with %q", page, cookie)
	}
	if page, _ = d.next(d.ceremony("/console/sign-in/passkey", url.Values{}, get, map[string]any{"next": "//evil.example/"})); page != "/console/" {
		t.Errorf("signing in leads elsewhere: %q", page)
	}

	d.cookie = cookie
	_, createLaptop, getLaptop := d.device(origin)
	if answer := d.ceremony("/console/settings/passkeys", url.Values{}, createLaptop, map[string]any{"name": ""}); answer.Code != http.StatusUnprocessableEntity {
		t.Errorf("a passkey without a name: %d %s", answer.Code, answer.Body)
	}
	page, _ = d.next(d.ceremony("/console/settings/passkeys", url.Values{}, createLaptop, map[string]any{"name": "<b>laptop</b>"}))
	text := d.want(http.StatusOK, page, nil)
	if !strings.Contains(text, "&lt;b&gt;laptop&lt;/b&gt;") || !strings.Contains(text, "The passkey is added") || strings.Count(text, "/remove\"") != 2 {
		t.Errorf("the passkeys are\n%s", text)
	}
	id := phone64(phone)
	d.want(http.StatusSeeOther, "/console/settings/passkeys/"+id+"/name", url.Values{"name": {"phone"}})
	d.want(http.StatusNotFound, "/console/settings/passkeys/nothing/name", url.Values{"name": {"phone"}})
	d.want(http.StatusSeeOther, "/console/settings/passkeys/"+id+"/remove", url.Values{})
	_, d.cookie = d.next(d.ceremony("/console/sign-in/passkey", url.Values{}, getLaptop, nil))
	if answer := d.ceremony("/console/sign-in/passkey", url.Values{}, get, nil); answer.Code != http.StatusUnauthorized || !strings.Contains(answer.Body.String(), "not known") {
		t.Errorf("a removed passkey: %d %s", answer.Code, answer.Body)
	}
	// A password is set from a session, and removed again by one who knows it.
	d.cookie = sessionOf(d.ask("/console/settings/password", url.Values{"password": {password}}))
	d.want(http.StatusUnprocessableEntity, "/console/settings/passkeys/only", url.Values{"old": {"another one"}})
	d.cookie = sessionOf(d.ask("/console/settings/passkeys/only", url.Values{"old": {password}}))
	text = d.want(http.StatusOK, "/console/settings/passkeys", nil)
	other := text[strings.Index(text, "/settings/passkeys/")+len("/settings/passkeys/"):]
	other, _, _ = strings.Cut(other[strings.Index(other, "/settings/passkeys/")+len("/settings/passkeys/"):], "/")
	if text = d.want(http.StatusUnprocessableEntity, "/console/settings/passkeys/"+other+"/remove", url.Values{}); !strings.Contains(text, "last way to sign in") {
		t.Errorf("the last passkey:\n%s", text)
	}
	if log.Len() > 0 {
		t.Errorf("the log says\n%s", log)
	}
}

func phone64(d *passkeytest.Device) string { return base64.RawURLEncoding.EncodeToString(d.ID) }

func sessionOf(answer *httptest.ResponseRecorder) string {
	for _, c := range answer.Result().Cookies() {
		if c.Name == "__Host-svc_console" {
			return c.Name + "=" + c.Value
		}
	}
	return ""
}

// Promise: passkey-copied
func TestACopiedPasskeyIsToldAndLogged(t *testing.T) {
	const origin = "https://svc.example"
	d, log := passkeySite(t, origin)
	phone, create, get := d.device(origin)
	d.cookie = ""
	d.next(d.ceremony("/console/sign-up/passkey", url.Values{"email": {"bob@example.com"}}, create, nil))
	copied := phone.Copy()
	d.next(d.ceremony("/console/sign-in/passkey", url.Values{}, get, nil))
	answer := d.ceremony("/console/sign-in/passkey", url.Values{}, func(options []byte) []byte { return copied.Get(t, options) }, nil)
	if answer.Code != http.StatusUnauthorized || !strings.Contains(answer.Body.String(), "may have been copied") || sessionOf(answer) != "" {
		t.Errorf("a copy: %d %s", answer.Code, answer.Body)
	}
	if !strings.Contains(log.String(), "a passkey may have been copied") || !strings.Contains(log.String(), "account=acct_") {
		t.Errorf("the log says %q", log)
	}
	_, d.cookie = d.next(d.ceremony("/console/sign-in/passkey", url.Values{}, get, nil))
	if text := d.want(http.StatusOK, "/console/settings/passkeys", nil); !strings.Contains(text, "may be copied") {
		t.Errorf("the owner is not told:\n%s", text)
	}
}

// Promise: passkey-challenge
func TestScriptsAreRefusedWithWordsForPeople(t *testing.T) {
	const origin = "https://svc.example"
	d, _ := passkeySite(t, origin)
	_, create, _ := d.device(origin)
	signedIn := d.cookie
	// Another site sends nothing, and nobody answers in another's browser.
	if answer := d.ask("/console/sign-in/passkey/ask", url.Values{}, "Sec-Fetch-Site: cross-site"); answer.Code != http.StatusForbidden {
		t.Errorf("another site asks: %d", answer.Code)
	}
	if answer := d.script("/console/sign-in/passkey", `{}`, "Sec-Fetch-Site: cross-site"); answer.Code != http.StatusForbidden {
		t.Errorf("another site answers: %d", answer.Code)
	}
	for _, body := range []string{``, `{`, `[]`, `{"token":"x","credential":{}}`, `{"name":"a\u0000"}`} {
		answer := d.script("/console/settings/passkeys", body)
		if answer.Code != http.StatusUnprocessableEntity || !strings.Contains(answer.Body.String(), `"error":"`) {
			t.Errorf("%q: %d %s", body, answer.Code, answer.Body)
		}
	}
	if answer := d.ceremony("/console/sign-up/passkey", url.Values{"email": {d.account.Email}}, create, nil); answer.Code != http.StatusUnprocessableEntity || !strings.Contains(answer.Body.String(), "already") {
		t.Errorf("a taken address: %d %s", answer.Code, answer.Body)
	}
	if answer := d.ceremony("/console/link/nothing/passkey", url.Values{}, create, nil); answer.Code != http.StatusUnauthorized || !strings.Contains(answer.Body.String(), "any more") {
		t.Errorf("a link that is over: %d %s", answer.Code, answer.Body)
	}
	d.cookie = ""
	if answer := d.ask("/console/settings/passkeys/ask", url.Values{}); answer.Code != http.StatusSeeOther {
		t.Errorf("nobody asks: %d", answer.Code)
	}
	d.cookie = signedIn
	link, err := d.Accounts.ResetLink(t.Context(), d.account.ID)
	if err != nil {
		t.Fatal(err)
	}
	page, cookie := d.next(d.ceremony("/console/link/"+link+"/passkey", url.Values{}, create, nil))
	if page != "/console/" || cookie == "" {
		t.Errorf("the link leads to %q with %q", page, cookie)
	}
}

// Promise: passkey-hosts
func TestAnAddressHasNoPasskeysAndSaysSo(t *testing.T) {
	d, _ := passkeySite(t, "https://192.0.2.1:8443")
	text := d.want(http.StatusOK, "/console/settings/passkeys", nil)
	if !strings.Contains(text, "host names alone") || !strings.Contains(text, "192.0.2.1") || strings.Contains(text, "data-passkey=") {
		t.Errorf("the page says\n%s", text)
	}
	d.cookie = ""
	for _, page := range []string{"/console/sign-in", "/console/sign-up"} {
		if text := d.want(http.StatusOK, page, nil); strings.Contains(text, "passkey") {
			t.Errorf("%s speaks of passkeys:\n%s", page, text)
		}
	}
	if answer := d.ask("/console/sign-in/passkey/ask", url.Values{}); answer.Code != http.StatusUnauthorized || !strings.Contains(answer.Body.String(), "host name") {
		t.Errorf("a question is put: %d %s", answer.Code, answer.Body)
	}
}
