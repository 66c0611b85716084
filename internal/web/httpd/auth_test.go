package httpd_test

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/accounts"
	"github.com/bundle-delivery/svc/internal/testkit/deliverytest"
	"github.com/bundle-delivery/svc/internal/testkit/must"
	"github.com/bundle-delivery/svc/internal/web/httpd"
)

// Promise: routes-need-key, auth-required
func TestEveryRouteButThePublicOnesNeedsAKey(t *testing.T) {
	s := newSite(t)
	_, b := s.Project(s.account, deliverytest.Files(demo))
	for _, route := range []struct{ method, path string }{
		{"GET", bundlePath(b)},
		{"GET", downloadPath(b)},
		{"POST", ackPath(b)},
		{"GET", attestationPath(b)},
		{"GET", "/bundles/latest"},
		{"GET", "/bundles"},
		{"GET", "/projects"},
		{"GET", "/projects/proj_x"},
		{"POST", repackagePath("proj_x")},
		{"GET", "/nowhere"},
		{"DELETE", bundlePath(b)},
		{"GET", "/bundles//latest"},
	} {
		t.Run(route.method+" "+route.path, func(t *testing.T) {
			s.t = t
			a := s.do(route.method, route.path, "Authorization", "-")
			e := a.failure(http.StatusUnauthorized, svc.CodeInvalidAPIKey)
			if e.Hint == "" || a.header.Get("WWW-Authenticate") != "Bearer" {
				t.Errorf("hint %q, WWW-Authenticate %q", e.Hint, a.header.Get("WWW-Authenticate"))
			}
		})
	}
}

// Promise: auth-scheme, key-form, auth-one-401
func TestOnlyABearerKeyInItsExactFormIsAccepted(t *testing.T) {
	s := newSite(t)
	k := s.key
	for name, headers := range map[string][]string{
		"lower-case scheme":        {"Authorization", "bearer " + k},
		"upper-case scheme":        {"Authorization", "BEARER " + k},
		"two spaces":               {"Authorization", "Bearer  " + k},
		"no space":                 {"Authorization", "Bearer" + k},
		"a tab":                    {"Authorization", "Bearer\t" + k},
		"no scheme":                {"Authorization", k},
		"other scheme":             {"Authorization", "Basic " + k},
		"empty value":              {"Authorization", ""},
		"two keys in one":          {"Authorization", "Bearer " + k + ", Bearer " + k},
		"truncated":                {"Authorization", "Bearer " + k[:len(k)-1]},
		"one character more":       {"Authorization", "Bearer " + k + "0"},
		"space inside":             {"Authorization", "Bearer " + k[:20] + " " + k[21:]},
		"wrong secret":             {"Authorization", "Bearer " + k[:len(k)-1] + flip(k[len(k)-1])},
		"unknown prefix":           {"Authorization", "Bearer svc_zzzzzzzz_" + k[len(k)-32:]},
		"X-API-Key malformed":      {"Authorization", "-", "X-API-Key", "x" + k},
		"X-API-Key twice":          {"Authorization", "-", "X-API-Key", k, "X-API-Key", k},
		"other scheme beside good": {"Authorization", "Basic " + k, "X-API-Key", k},
		"bad bearer beside good":   {"Authorization", "Bearer nonsense", "X-API-Key", k},
	} {
		t.Run(name, func(t *testing.T) {
			s.t = t
			s.do("GET", "/bundles", headers...).failure(http.StatusUnauthorized, svc.CodeInvalidAPIKey)
		})
	}
}

func flip(c byte) string {
	if c == '0' {
		return "1"
	}
	return "0"
}

// Promise: auth-scheme
func TestTwoAuthorizationHeadersAreRefused(t *testing.T) {
	s := newSite(t)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/bundles", nil)
	must.Do(t, err)
	request.Header["Authorization"] = []string{"Bearer " + s.key, "Bearer " + s.key}
	response, err := s.client.Do(request)
	must.Do(t, err)
	must.Do(t, response.Body.Close())
	if response.StatusCode != http.StatusUnauthorized {
		t.Errorf("got %d", response.StatusCode)
	}
}

// Promise: auth-deprecated-header, version-deprecation
func TestTheDeprecatedHeaderIsAcceptedAndAnsweredWithADeprecation(t *testing.T) {
	s := newSite(t)
	a := s.do("GET", "/bundles", "Authorization", "-", "X-API-Key", s.key).want(http.StatusOK)
	if got := a.header.Get("Deprecation"); !regexp.MustCompile(`^@\d+$`).MatchString(got) {
		t.Errorf("Deprecation %q", got)
	}
	if a := s.do("GET", "/bundles").want(http.StatusOK); a.header.Get("Deprecation") != "" {
		t.Error("a Bearer key is not deprecated")
	}
}

// Promise: auth-precedence
func TestBearerTakesPrecedenceOverTheDeprecatedHeader(t *testing.T) {
	s := newSite(t)
	_, b := s.Project(s.account, deliverytest.Files(demo))
	other := s.Key(s.Account("bob@example.com"))
	s.do("GET", bundlePath(b), "X-API-Key", other).want(http.StatusOK)
	s.do("GET", bundlePath(b), "Authorization", "Bearer "+other, "X-API-Key", s.key).failure(http.StatusNotFound, svc.CodeBundleNotFound)
}

// Promise: key-revoked, auth-one-401
func TestARevokedKeyIsRefusedFromTheNextRequestOnInEveryProcess(t *testing.T) {
	s := newSite(t)
	second := newSiteOn(t, s)
	s.do("GET", "/bundles").want(http.StatusOK)
	second.do("GET", "/bundles").want(http.StatusOK)
	prefix, _ := svc.ParseKey(s.key)
	must.Do(t, s.Accounts.RevokeKey(t.Context(), prefix))
	revoked := s.do("GET", "/bundles")
	revoked.failure(http.StatusUnauthorized, svc.CodeInvalidAPIKey)
	second.do("GET", "/bundles").failure(http.StatusUnauthorized, svc.CodeInvalidAPIKey)

	unknown := s.do("GET", "/bundles", "Authorization", "Bearer svc_zzzzzzzz_"+strings.Repeat("0", 32))
	missing := s.do("GET", "/bundles", "Authorization", "-")
	if revoked.anonymous() != unknown.anonymous() || revoked.anonymous() != missing.anonymous() {
		t.Errorf("the answers tell keys apart:\n%s%s%s", revoked.body, unknown.body, missing.body)
	}
}

// newSiteOn is another process on the same records.
func newSiteOn(t *testing.T, s *site) *site {
	t.Helper()
	w := *s.World
	w.Delivery = w.Service()
	w.Accounts = accounts.New(w.Store, w.Clock.Now)
	other := newSiteFor(t, &w, "", nil)
	other.key, other.account = s.key, s.account
	return other
}

func TestAnExpiredKeyIsRefused(t *testing.T) {
	s := newSite(t)
	full, _, err := s.Accounts.CreateKey(t.Context(), accounts.NewKey{AccountID: s.account.ID, Name: "short", ExpiresAt: s.Clock.Now().Add(time.Minute)})
	must.Do(t, err)
	s.do("GET", "/bundles", "Authorization", "Bearer "+full).want(http.StatusOK)
	s.Clock.Advance(time.Minute)
	s.do("GET", "/bundles", "Authorization", "Bearer "+full).failure(http.StatusUnauthorized, svc.CodeInvalidAPIKey)
}

// brokenStore is a database that cannot be asked about keys.
type brokenStore struct{ svc.Store }

type brokenKeys struct{ svc.Keys }

func (b brokenStore) Keys() svc.Keys { return brokenKeys{b.Store.Keys()} }

var errBroken = errors.New("the database at db.internal is down")

func (brokenKeys) Credential(context.Context, string) (svc.Credential, error) {
	return svc.Credential{}, errBroken
}

// Promise: auth-without-database
func TestWhenTheDatabaseCannotBeAskedNobodyIsLetInAndNothingLeaks(t *testing.T) {
	w := deliverytest.New(t)
	s := newSiteWith(t, w, "", func(c *httpd.Config) { c.Accounts = accounts.New(brokenStore{w.Store}, w.Clock.Now) })
	for _, path := range []string{"/bundles", "/bundles/" + svc.NewBundleID(w.Clock.Now())} {
		a := s.do("GET", path)
		a.failure(http.StatusInternalServerError, svc.CodeInternal)
		if strings.Contains(string(a.body), "db.internal") {
			t.Errorf("the cause leaks: %s", a.body)
		}
	}
	if !strings.Contains(s.log.String(), "db.internal") {
		t.Error("the log does not have the cause")
	}
}

// Promise: key-hashed
func TestTheLogHasThePublicPrefixAndNeverASecret(t *testing.T) {
	s := newSite(t)
	s.do("GET", "/bundles").want(http.StatusOK)
	wrong := s.key[:len(s.key)-4] + "ffff"
	s.do("GET", "/bundles?key="+s.key, "Authorization", "Bearer "+wrong)
	s.do("GET", "/bundles", "Authorization", "-", "X-API-Key", s.key).want(http.StatusOK)
	prefix, _ := svc.ParseKey(s.key)
	secret := s.key[len(s.key)-32:]
	log := s.log.String()
	if !strings.Contains(log, `"key":"`+prefix+`"`) {
		t.Errorf("the log does not name the key:\n%s", log)
	}
	if strings.Contains(log, secret) || strings.Contains(log, wrong[len(wrong)-32:]) {
		t.Errorf("the log has a secret:\n%s", log)
	}
}

func TestTheLogNamesTheClientAndThePrefixOfARefusedKey(t *testing.T) {
	s := newSite(t)
	unknown, record := svc.NewKey()
	s.do("GET", "/bundles", "Authorization", "Bearer "+unknown).failure(http.StatusUnauthorized, svc.CodeInvalidAPIKey)
	log := s.log.String()
	for _, want := range []string{`"client":"127.0.0.1"`, `"refused_key":"` + record.Prefix + `"`} {
		if !strings.Contains(log, want) {
			t.Errorf("no %s in %s", want, log)
		}
	}
	if strings.Contains(log, unknown) {
		t.Error("the log has the whole key")
	}
	s.do("GET", "/bundles", "Authorization", "Bearer not a key").failure(http.StatusUnauthorized, svc.CodeInvalidAPIKey)
	if strings.Count(s.log.String(), "refused_key") != 1 {
		t.Error("what is no key has a prefix in the log")
	}
}
