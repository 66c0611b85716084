package console_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/web/console"
)

// Browsers without Sec-Fetch-Site are judged by the whole origin: the scheme counts
// too, whatever the request itself shows of it behind a proxy.
// Promise: console-attacks
func TestOlderBrowsersAreJudgedByTheWholeOrigin(t *testing.T) {
	for _, c := range []struct {
		base, host, origin string
		want               int
	}{
		{"https://svc.example", "svc.example", "https://svc.example", http.StatusOK},
		{"https://svc.example", "svc.example", "http://svc.example", http.StatusForbidden},
		{"https://svc.example", "svc.example", "null", http.StatusForbidden},
		{"https://svc.example", "svc.example", "https://svc.example.evil.example", http.StatusForbidden},
		{"https://svc.example", "svc.example", "https://svc.example:8443", http.StatusForbidden},
		{"https://svc.example", "svc.example", "svc.example", http.StatusForbidden},
		{"https://svc.example", "svc.example", "//svc.example", http.StatusForbidden},
		{"https://svc.example", "svc.example", "", http.StatusOK}, // no browser
		// a path is no part of an origin
		{"https://svc.example/bundles", "svc.example", "https://svc.example", http.StatusOK},
		{"https://svc.example/bundles", "svc.example", "http://svc.example", http.StatusForbidden},
		{"https://svc.example/bundles", "svc.example", "https://svc.example/bundles", http.StatusForbidden},
		// ports: browsers leave out the scheme's own
		{"https://svc.example:8443", "svc.example:8443", "https://svc.example:8443", http.StatusOK},
		{"https://svc.example:8443", "svc.example:8443", "http://svc.example:8443", http.StatusForbidden},
		{"https://svc.example:8443", "svc.example:8443", "https://svc.example", http.StatusForbidden},
		{"https://svc.example:443", "10.0.0.7:8080", "https://svc.example", http.StatusOK},
		{"https://SVC.example", "10.0.0.7:8080", "https://svc.example", http.StatusOK},
		// a proxy that names itself to the service, and one that names the port
		{"https://svc.example", "10.0.0.7:8080", "https://svc.example", http.StatusOK},
		{"https://svc.example", "10.0.0.7:8080", "http://svc.example", http.StatusForbidden},
		{"https://svc.example", "svc.example:443", "https://svc.example", http.StatusOK},
		// another name of the service
		{"https://svc.example", "localhost:8443", "https://localhost:8443", http.StatusOK},
		{"https://svc.example", "localhost:8443", "http://localhost:8443", http.StatusForbidden},
		{"https://svc.example", "[::1]:8443", "https://[::1]:8443", http.StatusOK},
	} {
		d := newSite(t, func(config *console.Config) { config.BaseURL = c.base })
		r := d.request("/console/settings/keys", url.Values{"name": {"planted"}}, "Origin: "+c.origin)
		r.Host = c.host
		answer := httptest.NewRecorder()
		d.console.ServeHTTP(answer, r)
		if answer.Code != c.want {
			t.Errorf("%s asked as %s from %q: got %d, want %d", c.base, c.host, c.origin, answer.Code, c.want)
		}
		if made := strings.Contains(d.want(http.StatusOK, "/console/settings/keys", nil), "planted"); made != (c.want == http.StatusOK) {
			t.Errorf("%s asked as %s from %q: a key was made: %v", c.base, c.host, c.origin, made)
		}
	}
}
