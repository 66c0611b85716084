package console_test

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/accounts"
	"github.com/bundle-delivery/svc/internal/bundle/signing"
	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/generation"
	"github.com/bundle-delivery/svc/internal/testkit/deliverytest"
	"github.com/bundle-delivery/svc/internal/testkit/memlog"
	"github.com/bundle-delivery/svc/internal/web/console"
)

// site is the console of a small world, and somebody who is signed in to it.
type site struct {
	*deliverytest.World
	t       *testing.T
	console *console.Console
	account svc.Account
	cookie  string
}

func newSite(t *testing.T, change ...func(*console.Config)) *site {
	t.Helper()
	d := newEmptySite(t, change...)
	d.account = d.Account("ada@example.com")
	d.cookie = "__Host-svc_console=" + d.signIn("Firefox on Linux")
	return d
}

// newEmptySite is the console where nobody has an account.
func newEmptySite(t *testing.T, change ...func(*console.Config)) *site {
	t.Helper()
	w := deliverytest.New(t)
	config := console.Config{
		Accounts: w.Accounts, Delivery: w.Delivery, BaseURL: "https://svc.example", Now: w.Clock.Now,
		Generations: generation.New(generation.Config{
			Store: w.Store, Events: memlog.New(), Limits: generation.DefaultLimits(), Readers: map[string]engine.Reader{"template": noGames{}},
		}),
		PreviewKey: func(ctx context.Context) ([]byte, error) { return signing.Secret(ctx, w.Store, "preview") },
	}
	for _, c := range change {
		c(&config)
	}
	c, err := console.New(config)
	if err != nil {
		t.Fatal(err)
	}
	return &site{World: w, t: t, console: c}
}

func (d *site) signIn(browser string) string {
	d.t.Helper()
	token, err := d.Accounts.OpenSession(d.t.Context(), d.account.ID, accounts.SignIn{Browser: browser})
	if err != nil {
		d.t.Fatal(err)
	}
	return token
}

// ask sends a request; form makes it a POST, lines are headers.
func (d *site) ask(path string, form url.Values, lines ...string) *httptest.ResponseRecorder {
	d.t.Helper()
	answer := httptest.NewRecorder()
	d.console.ServeHTTP(answer, d.request(path, form, lines...))
	return answer
}

func (d *site) request(path string, form url.Values, lines ...string) *http.Request {
	d.t.Helper()
	r := httptest.NewRequestWithContext(d.t.Context(), http.MethodGet, path, nil)
	if form != nil {
		r = httptest.NewRequestWithContext(d.t.Context(), http.MethodPost, path, strings.NewReader(form.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	r.Header.Set("Cookie", d.cookie)
	for _, line := range lines {
		name, text, _ := strings.Cut(line, ": ")
		r.Header.Set(name, text)
	}
	return r
}

func (d *site) want(status int, path string, form url.Values, lines ...string) string {
	d.t.Helper()
	answer := d.ask(path, form, lines...)
	if answer.Code != status {
		d.t.Fatalf("%s: got %d, want %d:\n%s", path, answer.Code, status, answer.Body)
	}
	return answer.Body.String()
}

// patient notes how long an answer may take.
type patient struct {
	*httptest.ResponseRecorder
	until time.Time
}

func (p *patient) SetWriteDeadline(t time.Time) error {
	p.until = t
	return nil
}

func TestDownloadsMayTakeAsLongAsTheyAreLarge(t *testing.T) {
	d := newSite(t)
	noise := make([]byte, 1<<20)
	_, _ = rand.Read(noise)
	_, bundle := d.Project(d.account, deliverytest.Files(map[string]string{"noise.txt": hex.EncodeToString(noise)}))
	w := &patient{ResponseRecorder: httptest.NewRecorder()}
	begun := time.Now()
	d.console.ServeHTTP(w, d.request("/console/bundles/"+bundle.ID+"/download", nil))
	if w.Code != http.StatusOK || int64(w.Body.Len()) != bundle.Size {
		t.Fatalf("%d with %d of %d bytes", w.Code, w.Body.Len(), bundle.Size)
	}
	// The usual minute is not enough for a megabyte at the slowest rate.
	if least := begun.Add(time.Minute + time.Duration(bundle.Size>>14)*time.Second); w.until.Before(least) {
		t.Errorf("the answer is cut off %s after it began", w.until.Sub(begun))
	}
	if w.Header().Get("ETag") != `"`+hex.EncodeToString(bundle.SHA256[:])+`"` {
		t.Errorf("ETag %q: a browser cannot take a broken download up", w.Header().Get("ETag"))
	}
}

func TestAnotherSiteCannotUseUpDownloads(t *testing.T) {
	d := newSite(t)
	_, bundle := d.Project(d.account, deliverytest.Files(map[string]string{"a": "b"}))
	for range d.Limits.Downloads + 1 {
		answer := d.ask("/console/bundles/"+bundle.ID+"/download", nil, "Sec-Fetch-Site: cross-site")
		if answer.Code != http.StatusSeeOther || answer.Header().Get("Location") != "/console/bundles/"+bundle.ID {
			t.Fatalf("%d to %q", answer.Code, answer.Header().Get("Location"))
		}
	}
	for range d.Limits.Downloads {
		d.want(http.StatusOK, "/console/bundles/"+bundle.ID+"/download", nil, "Sec-Fetch-Site: same-origin")
	}
	answer := d.ask("/console/bundles/"+bundle.ID+"/download", nil)
	if answer.Code != http.StatusTooManyRequests || answer.Header().Get("Retry-After") == "" || !strings.Contains(answer.Body.String(), "Try again in ") {
		t.Errorf("one too many: %d %v\n%s", answer.Code, answer.Header(), answer.Body)
	}
}

func TestErrorsTellPeopleWhatToDoInTheConsole(t *testing.T) {
	d := newSite(t)
	_, bundle := d.Project(d.account, deliverytest.Files(map[string]string{"a": "b"}))
	d.Clock.Advance(25 * time.Hour)
	d.ExpireNow()
	pages := map[string]string{
		"/console/projects/proj_00000000000000000000":                 d.want(http.StatusNotFound, "/console/projects/proj_00000000000000000000", nil),
		"/console/bundles/00000000-0000-7000-8000-000000000000":       d.want(http.StatusNotFound, "/console/bundles/00000000-0000-7000-8000-000000000000", nil),
		"/console/bundles/" + bundle.ID + "/download of what expired": d.want(http.StatusGone, "/console/bundles/"+bundle.ID+"/download", nil),
	}
	for path, page := range pages {
		if program := regexp.MustCompile(`(GET|POST) /`).FindString(page); program != "" {
			t.Errorf("%s speaks to programs:\n%s", path, page)
		}
	}
}

func TestAFormThatIsTooLargeIsToldSo(t *testing.T) {
	d := newSite(t)
	page := d.want(http.StatusRequestEntityTooLarge, "/console/settings/keys", url.Values{"name": {"laptop"}, "rest": {strings.Repeat("x", 600<<10)}})
	if !strings.Contains(page, "512.0 KiB") {
		t.Errorf("the page does not tell the limit:\n%s", page)
	}
	broken := d.request("/console/settings/keys", url.Values{})
	broken.Body = http.NoBody
	broken.URL.RawQuery = "name=%zz"
	answer := httptest.NewRecorder()
	d.console.ServeHTTP(answer, broken)
	if answer.Code != http.StatusBadRequest {
		t.Errorf("a form that cannot be read: %d", answer.Code)
	}
	if keys, err := d.Accounts.ListKeys(t.Context(), d.account.ID); err != nil || len(keys) != 0 {
		t.Errorf("%d keys were made (%v)", len(keys), err)
	}
}

func TestAKeyNeverOutlivesWhatItsFormSaid(t *testing.T) {
	d := newSite(t)
	for _, expiry := range []string{"soon", "-1", "0", "3651", "8", "7.0"} {
		page := d.want(http.StatusUnprocessableEntity, "/console/settings/keys", url.Values{"name": {"ci"}, "expiry": {expiry}})
		if !strings.Contains(page, `role="alert"`) {
			t.Errorf("expiry %q is not told to the form", expiry)
		}
	}
	for _, expiry := range []string{"", "7", "365"} {
		d.want(http.StatusOK, "/console/settings/keys", url.Values{"name": {"ci"}, "expiry": {expiry}})
	}
	keys, err := d.Accounts.ListKeys(t.Context(), d.account.ID)
	if err != nil || len(keys) != 3 {
		t.Fatalf("%d keys, %v", len(keys), err)
	}
	lives := map[time.Duration]bool{}
	for _, k := range keys {
		if k.ExpiresAt.IsZero() {
			lives[0] = true
			continue
		}
		lives[k.ExpiresAt.Sub(k.CreatedAt)] = true
	}
	if !lives[0] || !lives[7*24*time.Hour] || !lives[365*24*time.Hour] {
		t.Errorf("the keys live %v", lives)
	}
}

// Promise: console-lists
func TestSignedInBrowsersPageAndFilter(t *testing.T) {
	d := newSite(t)
	for n := range 24 {
		d.signIn(fmt.Sprintf("Chrome %d", n))
	}
	rows := func(path string) int { return strings.Count(d.want(http.StatusOK, path, nil), "<strong>") }
	for path, want := range map[string]int{
		"/console/settings": 10, "/console/settings?page=3": 5, "/console/settings?page=99": 5, "/console/settings?page=-1": 10,
		"/console/settings?q=firefox": 1, "/console/settings?q=opera": 0,
	} {
		if got := rows(path); got != want {
			t.Errorf("%s lists %d browsers, want %d", path, got, want)
		}
	}
}

var olderPage = regexp.MustCompile(`href="(\?q=[^"]*cursor=[^"]*)">Older`)

// Promise: console-lists
func TestASearchLooksAtABoundedNumberOfProjects(t *testing.T) {
	d := newSite(t)
	const many = 4100
	other := d.Account("eve@example.com")
	err := d.Store.Tx(t.Context(), func(r svc.Records) error {
		for n := range many {
			at := d.Clock.Now().Add(-time.Duration(n) * time.Minute)
			p := svc.Project{ID: svc.NewProjectID(), AccountID: d.account.ID, Name: fmt.Sprintf("hay %d", n), CreatedAt: at, UpdatedAt: at}
			if n == many-1 {
				p.Name = "The needle"
			}
			if err := r.Projects().Insert(t.Context(), p); err != nil {
				return err
			}
		}
		at := d.Clock.Now()
		return r.Projects().Insert(t.Context(), svc.Project{ID: svc.NewProjectID(), AccountID: other.ID, Name: "needle of another", CreatedAt: at, UpdatedAt: at})
	})
	if err != nil {
		t.Fatal(err)
	}
	first := d.want(http.StatusOK, "/console/projects?q=NEEDLE", nil)
	next := olderPage.FindStringSubmatch(first)
	if strings.Contains(first, "<td") || next == nil || !strings.Contains(first, "goes on looking") {
		t.Fatalf("the first page of a long search:\n%s", first)
	}
	second := d.want(http.StatusOK, "/console/projects"+strings.ReplaceAll(next[1], "&amp;", "&"), nil)
	if !strings.Contains(second, "The needle") || strings.Contains(second, "another") || olderPage.MatchString(second) {
		t.Errorf("the second page of a long search:\n%s", second)
	}
}

func TestAStreamTellsWhoeverIsSignedOut(t *testing.T) {
	d := newSite(t)
	d.cookie = "__Host-svc_console=over"
	answer := d.ask("/console/generations/gen_00000000000000000000/stream", nil)
	if answer.Code != http.StatusOK || answer.Header().Get("Content-Type") != "text/event-stream" || answer.Body.String() != "event: signed_out\ndata: {}\n\n" {
		t.Errorf("%d %v %q", answer.Code, answer.Header(), answer.Body)
	}
}

func TestADatabaseThatRefusesLetsNobodyInAndTellsNothing(t *testing.T) {
	d := newSite(t)
	if err := d.Store.Close(); err != nil {
		t.Fatal(err)
	}
	for path, form := range map[string]url.Values{
		"/console/settings/keys": nil, "/console/": nil, "/console/sign-out": {},
		"/console/sign-in":                        {"email": {"ada@example.com"}, "password": {"correct horse battery"}},
		"/console/link/abc":                       nil,
		"/console/generations/gen_x/stream":       nil,
		"/console/projects/proj_x/file?path=a.go": nil,
	} {
		answer := d.ask(path, form)
		page := answer.Body.String()
		if answer.Code != http.StatusInternalServerError || !strings.Contains(page, "Something went wrong on the server.") {
			t.Errorf("%s: %d\n%s", path, answer.Code, page)
		}
		if strings.Contains(strings.ToLower(page), "sql") || strings.Contains(page, "database") || strings.Contains(page, "ada@example.com") {
			t.Errorf("%s tells too much:\n%s", path, page)
		}
		if answer.Header().Get("Set-Cookie") != "" {
			t.Errorf("%s sets a cookie", path)
		}
	}
}

// The templates are embedded beside the static files, and are nobody's business.
// Promise: console-static-files
func TestNothingButStaticFilesIsServedAsOne(t *testing.T) {
	d := newSite(t)
	d.cookie = "none"
	if css := d.want(http.StatusOK, "/console/static/console.css", nil); !strings.Contains(css, "{") {
		t.Errorf("the style sheet is %q", css)
	}
	for _, path := range []string{
		"/console/static/%2e%2e/templates/layout.html", "/console/static/%2e%2e%2ftemplates%2flayout.html",
		"/console/static/vendor/%2e%2e/%2e%2e/templates/pages/keys.html", "/console/static/..%2ftemplates/layout.html",
		"/console/static/", "/console/static/vendor", "/console/static/vendor/", "/console/static/%00", "/console/static/none.css",
	} {
		if answer := d.ask(path, nil); answer.Code != http.StatusNotFound || strings.Contains(answer.Body.String(), "{{") {
			t.Errorf("%s: %d\n%.200s", path, answer.Code, answer.Body)
		}
	}
}

// Everything answers alike on both databases.
// Promise: malformed-id
func TestEverythingOnPostgreSQL(t *testing.T) { deliverytest.AgainOnPostgres(t) }

// Promise: malformed-id
func TestHostileTextsReachNoStore(t *testing.T) {
	d := newSite(t)
	for _, bad := range []string{"%00", "%ff", "a%00b", "%c3%28"} {
		for _, path := range []string{
			"/console/projects/" + bad, "/console/projects/" + bad + "/delete", "/console/bundles/" + bad, "/console/settings/keys/" + bad + "/revoke", "/console/link/" + bad,
		} {
			d.want(http.StatusNotFound, path, nil)
		}
		for _, path := range []string{"/console/projects?q=" + bad, "/console/bundles?project=" + bad, "/console/settings?q=" + bad} {
			d.want(http.StatusBadRequest, path, nil)
		}
		text, err := url.PathUnescape(bad)
		if err != nil {
			t.Fatal(err)
		}
		for path, form := range map[string]url.Values{
			"/console/settings/keys": {"name": {text}, "expiry": {"30"}},
			"/console/sign-in":       {"email": {text}, "password": {text}},
			"/console/projects/proj_00000000000000000000/" + "repackage": {text: {"x"}},
		} {
			d.want(http.StatusBadRequest, path, form)
		}
	}
}
