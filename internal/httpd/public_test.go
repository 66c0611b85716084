package httpd_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/api"
	"github.com/bundle-delivery/svc/internal/bundlezip"
	"github.com/bundle-delivery/svc/internal/delivery/deliverytest"
	"github.com/bundle-delivery/svc/internal/httpd"
)

func TestPublicRoutesNeedNoKey(t *testing.T) {
	s := newSite(t)
	for path, kind := range map[string]string{
		"/healthz":                  "application/json",
		"/readyz":                   "application/json",
		"/openapi.json":             "application/json",
		"/schemas/manifest.v1.json": "application/schema+json",
	} {
		a := s.do("GET", path, "Authorization", "-").want(http.StatusOK)
		if got := a.header.Get("Content-Type"); got != kind {
			t.Errorf("%s: Content-Type %q", path, got)
		}
		s.do("HEAD", path, "Authorization", "-").want(http.StatusOK)
	}
	s.do("GET", "/schemas/other.json", "Authorization", "-").failure(http.StatusNotFound, svc.CodeNotFound)
}

func TestTheManifestSchemaIsPublishedAsItIs(t *testing.T) {
	s := newSite(t)
	a := s.do("GET", "/schemas/manifest.v1.json", "Authorization", "-").want(http.StatusOK)
	if !bytes.Equal(a.body, bundlezip.Schema()) {
		t.Error("the schema differs from the one that archives are checked against")
	}
	s.do("GET", "/schemas/manifest.v1.json", "If-None-Match", a.header.Get("ETag")).want(http.StatusNotModified)
}

func TestTheDocumentNamesTheServersAddress(t *testing.T) {
	s := newSiteWith(t, deliverytest.New(t), "/svc/v", nil)
	got := decode[struct {
		OpenAPI string `json:"openapi"`
		Servers []struct {
			URL string `json:"url"`
		} `json:"servers"`
	}](s.do("GET", "/openapi.json", "Authorization", "-").want(http.StatusOK))
	if !strings.HasPrefix(got.OpenAPI, "3.1.") || len(got.Servers) != 1 || got.Servers[0].URL != s.url {
		t.Errorf("%+v, want %s", got, s.url)
	}
}

func TestTheRootLeadsToTheConsole(t *testing.T) {
	s := newSite(t)
	a := s.do("GET", "/", "Authorization", "-").want(http.StatusFound)
	if a.header.Get("Location") != "/console/" {
		t.Errorf("Location %q", a.header.Get("Location"))
	}
}

func TestRoutesStandUnderThePathOfTheBaseURL(t *testing.T) {
	w := deliverytest.New(t)
	s := newSiteWith(t, w, "/deliver", nil)
	_, b := s.Project(s.account, deliverytest.Files(demo))
	s.do("GET", bundlePath(b)).want(http.StatusOK)
	s.do("GET", "/healthz", "Authorization", "-").want(http.StatusOK)
	a := s.do("GET", "/", "Authorization", "-").want(http.StatusFound)
	if a.header.Get("Location") != "/deliver/console/" {
		t.Errorf("Location %q", a.header.Get("Location"))
	}
	outside := httptest.NewRecorder()
	handlerOf(t, w, s.url, nil).ServeHTTP(outside, httptest.NewRequest(http.MethodGet, "/bundles", nil))
	if outside.Code != http.StatusUnauthorized {
		t.Errorf("outside the path: %d", outside.Code)
	}
}

func TestTheConsoleSeesItsPathWithoutThatOfTheBaseURL(t *testing.T) {
	w := deliverytest.New(t)
	console := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Seen", r.URL.Path)
	})
	for name, tt := range map[string]struct {
		console http.Handler
		status  int
		seen    string
	}{
		"with a console":    {console, http.StatusOK, "/console/keys"},
		"without a console": {nil, http.StatusNotFound, ""},
	} {
		t.Run(name, func(t *testing.T) {
			answer := httptest.NewRecorder()
			handlerOf(t, w, "https://svc.example/deliver/", tt.console).ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/deliver/console/keys", nil))
			if answer.Code != tt.status || answer.Header().Get("X-Seen") != tt.seen {
				t.Errorf("got %d, seen %q", answer.Code, answer.Header().Get("X-Seen"))
			}
		})
	}
}

func handlerOf(t *testing.T, w *deliverytest.World, base string, console http.Handler) http.Handler {
	t.Helper()
	h, err := httpd.New(httpd.Config{Delivery: w.Delivery, Accounts: w.Accounts, BaseURL: base, Console: console})
	check(t, err)
	return h
}

func TestReadinessNamesWhatFailsWithoutItsCause(t *testing.T) {
	failing := false
	s := newSiteWith(t, deliverytest.New(t), "", func(c *httpd.Config) {
		c.Ready = append(c.Ready, httpd.Check{Name: "events", Ask: func(context.Context) error {
			if failing {
				return errors.New("nats at 10.0.0.7 is away")
			}
			return nil
		}})
	})
	s.do("GET", "/readyz").want(http.StatusOK)
	failing = true
	a := s.do("GET", "/readyz").want(http.StatusServiceUnavailable)
	got := decode[api.Health](a)
	if got.Status != "unavailable" || got.Checks["events"] != "unavailable" || got.Checks["database"] != "ok" || got.Checks["blobs"] != "ok" {
		t.Errorf("%+v", got)
	}
	if strings.Contains(string(a.body), "10.0.0.7") {
		t.Errorf("the cause leaks: %s", a.body)
	}
	s.do("GET", "/healthz").want(http.StatusOK)
}

func TestAnUnknownAddressIsA404InTheShapeOfAllFailures(t *testing.T) {
	s := newSite(t)
	for _, path := range []string{"/nowhere", "/bundles/a/b/c", "/bundles//latest", "/projects/", "/bundles/../healthz"} {
		s.do("GET", path).failure(http.StatusNotFound, svc.CodeNotFound)
	}
}

func TestAnotherMethodIsA405WithAllow(t *testing.T) {
	s := newSite(t)
	_, b := s.Project(s.account, deliverytest.Files(demo))
	for path, allow := range map[string]string{
		bundlePath(b):           "GET, HEAD",
		ackPath(b):              "POST",
		repackagePath("proj_x"): "POST",
		"/bundles/latest":       "GET, HEAD",
	} {
		a := s.do("DELETE", path)
		a.failure(http.StatusMethodNotAllowed, svc.CodeMethodNotAllowed)
		if got := a.header.Get("Allow"); got != allow {
			t.Errorf("%s: Allow %q, want %q", path, got, allow)
		}
	}
	s.do("POST", "/healthz", "Authorization", "-").failure(http.StatusMethodNotAllowed, svc.CodeMethodNotAllowed)
}

func TestEveryAnswerHasARequestIdOfItsOwnAndHSTS(t *testing.T) {
	s := newSite(t)
	form := regexp.MustCompile(`^req_[a-z0-9]{20}$`)
	seen := map[string]bool{}
	for _, a := range []answer{
		s.do("GET", "/bundles", "X-Request-Id", "mine"),
		s.do("GET", "/bundles", "Authorization", "-"),
		s.do("GET", "/nowhere"),
		s.do("PUT", "/bundles"),
		s.do("GET", "/healthz"),
		s.do("GET", "/"),
	} {
		id := a.header.Get("X-Request-Id")
		if !form.MatchString(id) || seen[id] {
			t.Errorf("request id %q", id)
		}
		seen[id] = true
		if !strings.HasPrefix(a.header.Get("Strict-Transport-Security"), "max-age=") {
			t.Errorf("HSTS %q", a.header.Get("Strict-Transport-Security"))
		}
	}
}

func TestABodyOverOneMebibyteIs413(t *testing.T) {
	s := newSite(t)
	_, b := s.Project(s.account, deliverytest.Files(demo))
	s.send("POST", ackPath(b), bytes.NewReader(make([]byte, 1<<20+1))).failure(http.StatusRequestEntityTooLarge, svc.CodeRequestTooLarge)
	s.do("GET", bundlePath(b)).want(http.StatusOK) // nothing was acknowledged
	s.send("POST", ackPath(b), bytes.NewReader(make([]byte, 1<<20))).want(http.StatusOK)
}

func TestAPanicIsAnInternalErrorAndTheServerGoesOn(t *testing.T) {
	s := newSiteWith(t, deliverytest.New(t), "", func(c *httpd.Config) {
		c.Routes = []httpd.Route{{Method: http.MethodGet, Pattern: "/projects", Handle: func(http.ResponseWriter, *http.Request, *httpd.Call) error {
			panic("secret plans")
		}}}
	})
	a := s.do("GET", "/projects")
	a.failure(http.StatusInternalServerError, svc.CodeInternal)
	if strings.Contains(string(a.body), "secret plans") || !strings.Contains(s.log.String(), "secret plans") {
		t.Errorf("body %s", a.body)
	}
	s.do("GET", "/bundles").want(http.StatusOK)
}

func TestTheLogHasOneLineForEachRequest(t *testing.T) {
	s := newSite(t)
	a := s.do("GET", "/bundles/"+svc.NewBundleID(s.Clock.Now()))
	lines := strings.Split(strings.TrimSpace(s.log.String()), "\n")
	if len(lines) != 1 {
		t.Fatalf("%d lines", len(lines))
	}
	for _, want := range []string{`"request_id":"` + a.header.Get("X-Request-Id") + `"`, `"route":"/bundles/{id}"`, `"status":404`, `"method":"GET"`, `"took_ms":`, `"bytes":`} {
		if !strings.Contains(lines[0], want) {
			t.Errorf("%s is not in %s", want, lines[0])
		}
	}
}

type watcher struct{ routes []string }

func (w *watcher) Request(route, method string, status int, _ time.Duration, _ int64) {
	w.routes = append(w.routes, fmt.Sprint(method, " ", route, " ", status))
}

func TestTheObserverSeesPatternsAndNotPaths(t *testing.T) {
	seen := &watcher{}
	w := deliverytest.New(t)
	h, err := httpd.New(httpd.Config{Delivery: w.Delivery, Accounts: w.Accounts, BaseURL: "https://svc.example/x", Observer: seen})
	check(t, err)
	for _, path := range []string{"/x/bundles/abc", "/x/unknown", "/x/healthz"} {
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, path, nil))
	}
	want := "GET /bundles/{id} 401,GET  401,GET /healthz 200"
	if got := strings.Join(seen.routes, ","); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestTheMuxRedirectsNobody(t *testing.T) {
	w := deliverytest.New(t)
	console := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	for name, tt := range map[string]struct {
		path, location string
		console        http.Handler
		status         int
	}{
		"the schemas":         {"/deliver/schemas", "", console, http.StatusNotFound},
		"the console":         {"/deliver/console", "/deliver/console/", console, http.StatusFound},
		"no console":          {"/deliver/console", "", nil, http.StatusNotFound},
		"the base path":       {"/deliver", "/deliver/console/", console, http.StatusFound},
		"a bundle with slash": {"/deliver/bundles/", "", console, http.StatusUnauthorized},
		"all of the server":   {"*", "", console, http.StatusUnauthorized},
	} {
		t.Run(name, func(t *testing.T) {
			answer := httptest.NewRecorder()
			r := httptest.NewRequest(http.MethodGet, "/", nil)
			r.RequestURI, r.URL = tt.path, &url.URL{Path: tt.path}
			handlerOf(t, w, "https://svc.example/deliver", tt.console).ServeHTTP(answer, r)
			if answer.Code != tt.status || answer.Header().Get("Location") != tt.location {
				t.Errorf("got %d, Location %q", answer.Code, answer.Header().Get("Location"))
			}
			if answer.Header().Get("X-Request-Id") == "" {
				t.Error("no request id")
			}
		})
	}
}

func TestDocumentsAreGivenWhole(t *testing.T) {
	s := newSite(t)
	whole := s.do("GET", "/openapi.json").want(http.StatusOK)
	for _, headers := range [][]string{{"Range", "bytes=0-9"}, {"If-Match", `"another"`}, {"If-None-Match", `"another", W/"third"`}} {
		if a := s.do("GET", "/openapi.json", headers...).want(http.StatusOK); !bytes.Equal(a.body, whole.body) {
			t.Errorf("%v: %d bytes", headers, len(a.body))
		}
	}
	for _, tags := range []string{"*", `"another", W/` + whole.header.Get("ETag")} {
		s.do("GET", "/openapi.json", "If-None-Match", tags).want(http.StatusNotModified)
	}
}
