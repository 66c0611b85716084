package httpd_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
	"github.com/bundle-delivery/svc/internal/testkit/deliverytest"
	"github.com/bundle-delivery/svc/internal/testkit/must"
	"github.com/bundle-delivery/svc/internal/web/api"
	"github.com/bundle-delivery/svc/internal/web/httpd"
)

// Promise: routes-need-key, version-routes
func TestPublicRoutesNeedNoKey(t *testing.T) {
	s := newSite(t)
	for path, kind := range map[string]string{
		"/healthz":                  "application/json",
		"/readyz":                   "application/json",
		"/openapi.json":             "application/json",
		"/schemas/manifest.v1.json": "application/schema+json",
		api.RouteSigningKeys:        "application/json",
	} {
		a := s.do("GET", path, "Authorization", "-").want(http.StatusOK)
		if got := a.header.Get("Content-Type"); got != kind {
			t.Errorf("%s: Content-Type %q", path, got)
		}
		s.do("HEAD", path, "Authorization", "-").want(http.StatusOK)
	}
	s.do("GET", "/schemas/other.json", "Authorization", "-").failure(http.StatusNotFound, svc.CodeNotFound)
}

// Promise: version-manifest
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
	must.Do(t, err)
	return h
}

// TestReadinessIsThisProcesssOwn: what all processes share is shown, and turns none of
// them away.
// Promise: readiness-own
func TestReadinessIsThisProcesssOwn(t *testing.T) {
	var shared, own, draining atomic.Bool
	fails := func(when *atomic.Bool) func(context.Context) error {
		return func(context.Context) error {
			if when.Load() {
				return errors.New("nats at 10.0.0.7 is away")
			}
			return nil
		}
	}
	s := newSiteWith(t, deliverytest.New(t), "", func(c *httpd.Config) {
		c.Ready = append(c.Ready, httpd.Check{Name: "events", Ask: fails(&shared)}, httpd.Check{Name: "schema", Own: true, Ask: fails(&own)})
		c.Draining = draining.Load
	})
	for _, test := range []struct {
		shared, own, draining bool
		status                int
		word, events, schema  string
	}{
		{false, false, false, http.StatusOK, "ok", "ok", "ok"},
		{true, false, false, http.StatusOK, "degraded", "unavailable", "ok"},
		{true, true, false, http.StatusServiceUnavailable, "unavailable", "unavailable", "unavailable"},
		{false, true, false, http.StatusServiceUnavailable, "unavailable", "ok", "unavailable"},
		{false, false, true, http.StatusServiceUnavailable, "draining", "ok", "ok"},
	} {
		shared.Store(test.shared)
		own.Store(test.own)
		draining.Store(test.draining)
		a := s.do("GET", "/readyz").want(test.status)
		got := decode[api.Health](a)
		if got.Status != test.word || got.Checks["events"] != test.events || got.Checks["schema"] != test.schema || got.Checks["database"] != "ok" {
			t.Errorf("%+v: %+v", test, got)
		}
		if strings.Contains(string(a.body), "10.0.0.7") {
			t.Errorf("the cause leaks: %s", a.body)
		}
	}
	s.do("GET", "/healthz").want(http.StatusOK)
}

// TestWhatCannotBeReachedIs503: a request that needs what is missing, or waited for it
// until its time was over, is told so, and when to come again; the others are served.
// Promise: unavailable-503
func TestWhatCannotBeReachedIs503(t *testing.T) {
	w := deliverytest.New(t)
	var cause error
	s := newSiteWith(t, w, "", func(c *httpd.Config) {
		c.Routes = append(c.Routes, httpd.Route{Method: http.MethodGet, Pattern: api.RouteGeneration, Handle: func(http.ResponseWriter, *http.Request, *httpd.Call) error {
			return fmt.Errorf("read it from 10.0.0.7: %w", cause)
		}})
	})
	for _, cause = range []error{svc.ErrUnavailable, context.DeadlineExceeded} {
		a := s.do("GET", "/generations/"+svc.NewGenerationID())
		a.failure(http.StatusServiceUnavailable, svc.CodeUnavailable)
		if got := a.header.Get("Retry-After"); got == "" || got == "0" {
			t.Errorf("Retry-After is %q", got)
		}
		if strings.Contains(string(a.body), "10.0.0.7") {
			t.Errorf("the cause leaks: %s", a.body)
		}
	}
	s.do("GET", "/bundles").want(http.StatusOK)
}

// Promise: error-shape
func TestAnUnknownAddressIsA404InTheShapeOfAllFailures(t *testing.T) {
	s := newSite(t)
	for _, path := range []string{"/nowhere", "/bundles/a/b/c", "/bundles//latest", "/projects/", "/bundles/../healthz"} {
		s.do("GET", path).failure(http.StatusNotFound, svc.CodeNotFound)
	}
}

// Promise: error-405-and-body
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

// Promise: error-405-and-body
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
	if strings.Contains(lines[0], `"error"`) {
		t.Errorf("a failure of the client is told as one of the server: %s", lines[0])
	}
}

// What a browser asks for by itself is told to those alone who want to know everything.
// Promise: log-background
func TestTheLogIsNotFloodedByPagesThatAreOpen(t *testing.T) {
	var log logBuffer
	w := deliverytest.New(t)
	console := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Has("gone") {
			w.WriteHeader(http.StatusNotFound)
		}
	})
	h, err := httpd.New(httpd.Config{
		Delivery: w.Delivery, Accounts: w.Accounts, BaseURL: "https://svc.example/x", Console: console,
		Logger: slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	must.Do(t, err)
	for _, tt := range []struct{ level, method, path, htmx string }{
		{"DEBUG", "GET", "static/console.css?v=1", ""},
		{"DEBUG", "GET", "steps?done=1", "true"},
		{"DEBUG", "GET", "", "true"},
		{"DEBUG", "GET", "generations/gen_1/bundle", "true"},
		{"INFO", "GET", "generations/gen_1/bundle?gone", "true"},
		{"INFO", "POST", "steps", ""},
		{"INFO", "GET", "", ""},
		{"INFO", "GET", "projects", "true"},
		{"INFO", "GET", "projects/static/bundle", "true"},
	} {
		before := len(log.String())
		r := httptest.NewRequest(tt.method, "/x/console/"+tt.path, nil)
		r.Header.Set("Hx-Request", tt.htmx)
		h.ServeHTTP(httptest.NewRecorder(), r)
		if line := log.String()[before:]; !strings.Contains(line, `"level":"`+tt.level+`"`) || strings.Count(line, "\n") != 1 {
			t.Errorf("%s %s is told by %s", tt.method, tt.path, line)
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
	must.Do(t, err)
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

// TestTheLineOfARequestNamesWhatItWasAbout: who asks for help names a bundle or a run.
// Promise: log-line-ids
func TestTheLineOfARequestNamesWhatItWasAbout(t *testing.T) {
	s := newSite(t)
	project, bundle := s.Project(s.account, deliverytest.Files(demo))
	s.do("GET", "/bundles/"+bundle.ID).want(http.StatusOK)
	made := decode[api.Repackaged](s.do("POST", "/projects/"+project.ID+"/bundles/repackage").want(http.StatusOK))
	s.do("GET", "/bundles/what-is-no-id").want(http.StatusNotFound)
	s.wantLines(
		map[string]any{"account": s.account.ID, "bundle": bundle.ID, "project": nil},
		map[string]any{"account": s.account.ID, "bundle": made.BundleID, "project": project.ID},
		map[string]any{"account": s.account.ID, "bundle": nil},
	)
}

// Promise: log-line-ids
func TestTheLineOfARequestNamesItsRun(t *testing.T) {
	w := newWorks(t, nil)
	queued := decode[api.Queued](w.send(http.MethodPost, "/generations", strings.NewReader(`{"prompt":"x"}`)).want(http.StatusAccepted))
	w.do("GET", "/generations/"+queued.GenerationID).want(http.StatusOK)
	w.do("POST", "/generations/"+queued.GenerationID+"/cancel").want(http.StatusOK)
	w.do("GET", "/generations/what-is-no-id").want(http.StatusNotFound)
	w.wantLines(
		map[string]any{"account": w.account.ID, "run": queued.GenerationID},
		map[string]any{"account": w.account.ID, "run": queued.GenerationID},
		map[string]any{"account": w.account.ID, "run": queued.GenerationID},
		map[string]any{"account": w.account.ID, "run": nil},
	)
}

// wantLines holds the first lines of the log to what they are to have.
func (s *site) wantLines(all ...map[string]any) {
	s.t.Helper()
	lines := strings.Split(strings.TrimSpace(s.log.String()), "\n")
	if len(lines) < len(all) {
		s.t.Fatalf("%d lines, want %d: %s", len(lines), len(all), lines)
	}
	for i, want := range all {
		var line map[string]any
		must.Do(s.t, json.Unmarshal([]byte(lines[i]), &line))
		for name, value := range want {
			if line[name] != value {
				s.t.Errorf("line %d has %s %v, want %v: %s", i, name, line[name], value, lines[i])
			}
		}
	}
}
