package httpd_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/delivery"
	"github.com/bundle-delivery/svc/internal/testkit/deliverytest"
	"github.com/bundle-delivery/svc/internal/testkit/must"
	"github.com/bundle-delivery/svc/internal/testkit/openapitest"
	"github.com/bundle-delivery/svc/internal/web/api"
	"github.com/bundle-delivery/svc/internal/web/api/openapi"
	"github.com/bundle-delivery/svc/internal/web/httpd"
)

var demo = map[string]string{"README.md": "# demo\n", "src/main.go": "package main\n"}

// site is a server over TLS on a world of its own, with one account and key.
// Every answer is held against the OpenAPI document.
type site struct {
	*deliverytest.World
	t       *testing.T
	url     string
	client  *http.Client
	account svc.Account
	key     string
	log     *logBuffer
}

// logBuffer is what the server wrote into its log.
type logBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func newSite(t *testing.T, change ...func(*delivery.Limits)) *site {
	t.Helper()
	return newSiteWith(t, deliverytest.New(t, change...), "", nil)
}

// newSiteWith makes a site on a given world, under a path, with a changed configuration.
func newSiteWith(t *testing.T, w *deliverytest.World, path string, change func(*httpd.Config)) *site {
	t.Helper()
	t.Parallel() // most of the time goes to waiting for the disk
	s := newSiteFor(t, w, path, change)
	s.account = w.Account("ada@example.com")
	s.key = w.Key(s.account)
	return s
}

// newSiteFor makes a site without an account.
func newSiteFor(t *testing.T, w *deliverytest.World, path string, change func(*httpd.Config)) *site {
	t.Helper()
	s := &site{World: w, t: t, log: &logBuffer{}}
	server := httptest.NewUnstartedServer(nil)
	server.StartTLS()
	t.Cleanup(server.Close)
	s.url = server.URL + path
	config := httpd.Config{
		Delivery: w.Delivery, Accounts: w.Accounts, BaseURL: s.url,
		Logger: slog.New(slog.NewJSONHandler(s.log, nil)), SigningKeys: w.Signer.Published,
		Ready: []httpd.Check{{Name: "database", Ask: w.Store.Ping}, {Name: "blobs", Ask: w.Blobs.Ping}},
	}
	if change != nil {
		change(&config)
	}
	handler, err := httpd.New(config)
	must.Do(t, err)
	server.Config.Handler = handler
	document, err := openapi.Document("https://address" + path) // the same for all, and so read once
	must.Do(t, err)
	validator, err := openapitest.New(document)
	must.Do(t, err)
	s.client = server.Client()
	s.client.Transport = &openapitest.Transport{TB: t, Base: s.client.Transport, Validator: validator}
	s.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return s
}

// answer is a response, read.
type answer struct {
	t      *testing.T
	status int
	header http.Header
	body   []byte
}

// do sends a request with the site's key, unless a header says otherwise.
// Headers are name, value, name, value; the value "-" takes a header out.
func (s *site) do(method, path string, headers ...string) answer {
	s.t.Helper()
	return s.send(method, path, nil, headers...)
}

func (s *site) send(method, path string, body io.Reader, headers ...string) answer {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, body)
	must.Do(s.t, err)
	request.Header.Set("Authorization", "Bearer "+s.key)
	for i := 0; i < len(headers); i += 2 {
		if headers[i+1] == "-" {
			request.Header.Del(headers[i])
			continue
		}
		request.Header.Add(headers[i], headers[i+1])
		if headers[i] == "Authorization" && len(request.Header.Values("Authorization")) == 2 && request.Header.Values("Authorization")[0] == "Bearer "+s.key {
			request.Header["Authorization"] = headers[i+1 : i+2]
		}
	}
	response, err := s.client.Do(request)
	must.Do(s.t, err)
	text, err := io.ReadAll(response.Body)
	must.Do(s.t, errors.Join(err, response.Body.Close()))
	return answer{s.t, response.StatusCode, response.Header, text}
}

// want checks the status and gives the answer on.
func (a answer) want(status int) answer {
	a.t.Helper()
	if a.status != status {
		a.t.Fatalf("got %d, want %d: %s", a.status, status, a.body)
	}
	return a
}

// failure checks status and code, and gives the error body.
func (a answer) failure(status int, code svc.Code) api.Error {
	a.t.Helper()
	a.want(status)
	e := decode[api.Error](a)
	if e.Code != code || e.Error == "" || e.RequestID != a.header.Get("X-Request-Id") {
		a.t.Fatalf("got %s, want code %s and request id %s", a.body, code, a.header.Get("X-Request-Id"))
	}
	if got := a.header.Get("Content-Type"); got != "application/json" {
		a.t.Fatalf("Content-Type %q", got)
	}
	return e
}

// anonymous is the body with its request id taken out.
func (a answer) anonymous() string {
	a.t.Helper()
	return strings.ReplaceAll(string(a.body), a.header.Get("X-Request-Id"), "")
}

func (a answer) fields() map[string]any { return decode[map[string]any](a) }

func decode[T any](a answer) T {
	a.t.Helper()
	var v T
	if err := json.Unmarshal(a.body, &v); err != nil {
		a.t.Fatalf("%v: %s", err, a.body)
	}
	return v
}

func bundlePath(b svc.Bundle) string      { return "/bundles/" + b.ID }
func downloadPath(b svc.Bundle) string    { return "/bundles/" + b.ID + "/download" }
func ackPath(b svc.Bundle) string         { return "/bundles/" + b.ID + "/ack" }
func attestationPath(b svc.Bundle) string { return "/bundles/" + b.ID + "/attestation" }
func repackagePath(id string) string      { return "/projects/" + id + "/bundles/repackage" }
