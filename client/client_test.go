package client

import (
	"context"
	"encoding/pem"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/bundle-delivery/svc"
)

const (
	testKey    = "svc_abcdefgh_0123456789abcdef0123456789abcdef"
	testBundle = "01890a5d-ac96-774b-bcce-b302099a8057"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// rig is a client, the server it talks to, and a clock that only moves when the
// client waits.
type rig struct {
	*Client
	waits []time.Duration
	clock time.Time
	step  time.Duration // how long every request takes
}

func newRig(t *testing.T, handler http.HandlerFunc) *rig {
	t.Helper()
	r := &rig{clock: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		r.clock = r.clock.Add(r.step)
		handler(w, req)
	}))
	t.Cleanup(server.Close)
	ca := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := New(Options{
		BaseURL: server.URL, APIKey: testKey, CAFile: ca, UserAgent: "test",
		Now:    func() time.Time { return r.clock },
		Jitter: func() float64 { return 0 },
		Wait: func(ctx context.Context, pause time.Duration, _ error) error {
			r.waits = append(r.waits, pause)
			r.clock = r.clock.Add(pause)
			return ctx.Err()
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.http.CloseIdleConnections)
	r.Client = c
	return r
}

// Promise: client-https
func TestBaseURL(t *testing.T) {
	tests := map[string]string{ // the one spelling, or "" for refused
		"https://svc.example.com":       "https://svc.example.com",
		"https://svc.example.com/":      "https://svc.example.com",
		"https://svc.example.com/a/b//": "https://svc.example.com/a/b",
		"http://localhost:8080":         "http://localhost:8080",
		"http://127.0.0.1:8080":         "http://127.0.0.1:8080",
		"http://127.9.9.9":              "http://127.9.9.9",
		"http://[::1]:8080":             "http://[::1]:8080",
		"http://svc.example.com":        "",
		"http://127.0.0.1.example.com":  "",
		"http://localhost.example.com":  "",
		"ftp://svc.example.com":         "",
		"svc.example.com":               "",
		"https://":                      "",
		"":                              "",
		"https://u:p@svc.example.com":   "",
		"https://svc.example.com?x=1":   "",
		"https://svc.example.com#x":     "",
	}
	for in, want := range tests {
		u, err := ParseBaseURL(in)
		got := ""
		if err == nil {
			got = u.String()
		}
		if got != want {
			t.Errorf("%q: %q, %v; want %q", in, got, err, want)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	for name, opts := range map[string]Options{
		"no key":        {BaseURL: "https://x"},
		"malformed key": {BaseURL: "https://x", APIKey: testKey + " "},
		"no address":    {APIKey: testKey},
		"no CA file":    {BaseURL: "https://x", APIKey: testKey, CAFile: "does-not-exist"},
		"empty CA file": {BaseURL: "https://x", APIKey: testKey, CAFile: "client_test.go"},
	} {
		if _, err := New(opts); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// Promise: client-redirects
func TestRequestsCarryTheKeyAndStayInPlace(t *testing.T) {
	var seen []string
	r := newRig(t, func(w http.ResponseWriter, req *http.Request) {
		seen = append(seen, req.URL.Path+" "+req.Header.Get("Authorization"))
		http.Redirect(w, req, "https://elsewhere.example.com/", http.StatusFound)
	})
	_, err := r.Bundle(t.Context(), testBundle)
	if _, ok := errors.AsType[*RedirectError](err); !ok {
		t.Errorf("error %v", err)
	}
	if want := []string{"/bundles/" + testBundle + " Bearer " + testKey}; !cmp.Equal(seen, want) {
		t.Errorf("requests %q", seen)
	}
}

func TestFailuresSayWhatTheServerSaid(t *testing.T) {
	tests := map[string]struct {
		status int
		header string
		body   string
		want   svc.Error
	}{
		"401": {401, "", `{"code":"INVALID_API_KEY","error":"no","hint":"make a key"}`, svc.Error{Code: svc.CodeInvalidAPIKey, Message: "no", Hint: "make a key"}},
		"410": {
			410, "", `{"code":"BUNDLE_DOWNLOADED","error":"gone","bundleId":"` + testBundle + `","projectId":"proj_p","status":"downloaded","fileCount":3,"createdAt":"2026-01-01T00:00:00.000Z"}`,
			svc.Error{Code: svc.CodeBundleDownloaded, Message: "gone", Bundle: &svc.Bundle{ID: testBundle, ProjectID: "proj_p", Status: svc.BundleDownloaded, FileCount: 3, CreatedAt: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}},
		},
		"413": {
			413, "", `{"code":"PROJECT_TOO_LARGE","error":"large","limit":{"files":500,"bytes":26214400},"actual":{"files":501,"bytes":1}}`,
			svc.Error{Code: svc.CodeProjectTooLarge, Message: "large", Limit: &svc.Extent{Files: 500, Bytes: 26214400}, Actual: &svc.Extent{Files: 501, Bytes: 1}},
		},
		"502 with a wait":   {502, "3", `{"code":"ASSEMBLY_UNAVAILABLE","error":"later"}`, svc.Error{Code: svc.CodeAssemblyUnavailable, Message: "later", RetryAfter: 3 * time.Second}},
		"404 of a stranger": {404, "", `<html>`, svc.Error{Code: svc.CodeNotFound, Message: "The server answered 404 Not Found.", Hint: "A web page answered, and not the service. Look at the address; or, " + signIn + "."}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, func(w http.ResponseWriter, _ *http.Request) {
				if test.header != "" {
					w.Header().Set("Retry-After", test.header)
				}
				w.WriteHeader(test.status)
				_, _ = w.Write([]byte(test.body))
			})
			_, err := r.Bundle(t.Context(), testBundle)
			answer, ok := errors.AsType[*StatusError](err)
			if !ok {
				t.Fatalf("error %v", err)
			}
			if diff := cmp.Diff(&test.want, answer.Err); diff != "" || answer.Status != test.status {
				t.Errorf("status %d (-want +got):\n%s", answer.Status, diff)
			}
		})
	}
}

// TestAnIDThatIsNoneIsRefused: whichever answer it stands in, it is not handed on.
// Promise: client-ids
func TestAnIDThatIsNoneIsRefused(t *testing.T) {
	const at = `"status":"downloaded","createdAt":"2026-01-01T00:00:00.000Z","downloadedAt":"2026-01-01T00:00:00.000Z"`
	var answer string
	status := http.StatusOK
	r := newRig(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(answer))
	})
	calls := map[string]func() error{
		"bundle":      func() error { _, err := r.Bundle(t.Context(), testBundle); return err },
		"latest":      func() error { _, err := r.Latest(t.Context(), ""); return err },
		"list":        func() error { _, err := r.List(t.Context(), ListQuery{}); return err },
		"acknowledge": func() error { _, err := r.Acknowledge(t.Context(), testBundle); return err },
		"repackage":   func() error { _, err := r.Repackage(t.Context(), "proj_p", ""); return err },
		"generate":    func() error { _, err := r.Generate(t.Context(), "", "p", nil, ""); return err },
		"generation":  func() error { _, err := r.Generation(t.Context(), "gen_g"); return err },
		"cancel":      func() error { _, err := r.Cancel(t.Context(), "gen_g"); return err },
	}
	for call, answers := range map[string][]string{ // the first is right
		"bundle":      {`{"bundleId":"B","projectId":"proj_p",` + at + `}`, `{"bundleId":"B;","projectId":"proj_p",` + at + `}`, `{"bundleId":"B","projectId":"proj_",` + at + `}`, `{` + at + `}`},
		"latest":      {`{"bundleId":"B","projectId":"proj_p",` + at + `}`, `{"bundleId":"b","projectId":"proj_p",` + at + `}`},
		"list":        {`{"bundles":[{"bundleId":"B","projectId":"proj_p",` + at + `}]}`, `{"bundles":[{"bundleId":"B","projectId":"proj_p",` + at + `},{"bundleId":"B","projectId":"proj_p\u001b",` + at + `}]}`},
		"acknowledge": {`{"bundleId":"B",` + at + `}`, `{"bundleId":"../B",` + at + `}`},
		"repackage":   {`{"bundleId":"B"}`, `{"bundleId":"B\nrm"}`, `{}`},
		"generate":    {`{"generationId":"gen_g","projectId":"proj_p",` + at + `}`, `{"generationId":"gen_g ","projectId":"proj_p",` + at + `}`, `{"generationId":"gen_g","projectId":"p",` + at + `}`},
		"generation":  {`{"generationId":"gen_g","projectId":"proj_p","bundleId":"B",` + at + `}`, `{"generationId":"gen_g","projectId":"proj_p","bundleId":"b",` + at + `}`, `{"generationId":"g","projectId":"proj_p",` + at + `}`},
		"cancel":      {`{"generationId":"gen_g","projectId":"proj_p",` + at + `}`, `{"generationId":"$(gen_g)","projectId":"proj_p",` + at + `}`},
	} {
		for i, text := range answers {
			answer = strings.ReplaceAll(text, `"B`, `"`+testBundle)
			err := calls[call]()
			if (err == nil) != (i == 0) || err != nil && (!errors.Is(err, errForeign) || temporary(err)) {
				t.Errorf("%s %s: %v", call, answer, err)
			}
		}
	}
	status, answer = http.StatusGone, `{"code":"BUNDLE_EXPIRED","error":"gone","bundleId":"`+testBundle+`","projectId":"proj_p; rm",`+at+`}`
	if err := calls["bundle"](); !errors.Is(err, errForeign) {
		t.Errorf("the record of a bundle that is gone: %v", err)
	}
	status, answer = http.StatusConflict, `{"code":"PROJECT_BUSY","error":"wait","generationId":"gen_g; rm"}`
	if err := calls["repackage"](); !errors.Is(err, errForeign) {
		t.Errorf("the run that a project is busy with: %v", err)
	}
}

// TestAnAnswerThatIsNotWhatIsPromisedIsRefused: a program that answers {} to everything
// is not the service.
// Promise: client-incomplete-answer
func TestAnAnswerThatIsNotWhatIsPromisedIsRefused(t *testing.T) {
	const id, day = `"bundleId":"` + testBundle + `","projectId":"proj_p"`, `"2026-01-01T00:00:00.000Z"`
	var answer string
	r := newRig(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(answer)) })
	for name, call := range map[string]func() error{
		"bundle":      func() error { _, err := r.Bundle(t.Context(), testBundle); return err },
		"latest":      func() error { _, err := r.Latest(t.Context(), ""); return err },
		"list":        func() error { _, err := r.List(t.Context(), ListQuery{}); return err },
		"projects":    func() error { _, err := r.Projects(t.Context(), 1, ""); return err },
		"acknowledge": func() error { _, err := r.Acknowledge(t.Context(), testBundle); return err },
		"repackage":   func() error { _, err := r.Repackage(t.Context(), "proj_p", ""); return err },
		"generate":    func() error { _, err := r.Generate(t.Context(), "", "p", nil, ""); return err },
		"generation":  func() error { _, err := r.Generation(t.Context(), "gen_g"); return err },
		"watch": func() error {
			for _, err := range r.Watch(t.Context(), "gen_g", 0) {
				return err
			}
			return nil
		},
		"push": func() error { _, err := r.Push(t.Context(), "proj_p", nil, "k"); return err },
	} {
		for _, answer = range []string{`{}`, `null`, `{"error":"no"}`, `[]`, ``} {
			if err := call(); !errors.Is(err, errForeign) || temporary(err) {
				t.Errorf("%s, answered %q: %v", name, answer, err)
			}
		}
	}
	for _, answer = range []string{`{` + id + `,"createdAt":` + day + `}`, `{` + id + `,"status":"pending_download"}`} {
		if b, err := r.Bundle(t.Context(), testBundle); !errors.Is(err, errForeign) || b != (Bundle{}) {
			t.Errorf("half a record, %s: %v, and %+v", answer, err, b)
		}
	}
	answer = `{"projects":[{"projectId":"proj_p","name":"n","fileCount":1,"totalSizeBytes":2,"createdAt":` + day + `,"updatedAt":` + day + `}],"nextCursor":"c"}`
	page, err := r.Projects(t.Context(), 1, "")
	if err != nil || len(page.Projects) != 1 || page.Projects[0].Name != "n" || page.Next != "c" {
		t.Errorf("%+v, %v", page, err)
	}
}

func TestNetworkErrors(t *testing.T) {
	r := newRig(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>welcome</html>")) })
	_, err := r.Bundle(t.Context(), testBundle)
	if _, ok := errors.AsType[*NetworkError](err); !ok || !strings.Contains(err.Error(), "is the address right?") {
		t.Errorf("a page instead of an answer: %v", err)
	}
	other, err := New(Options{BaseURL: r.BaseURL(), APIKey: testKey})
	if err != nil {
		t.Fatal(err)
	}
	defer other.http.CloseIdleConnections()
	_, err = other.Bundle(t.Context(), testBundle)
	if _, ok := errors.AsType[*NetworkError](err); !ok || !strings.Contains(err.Error(), "--ca-file") {
		t.Errorf("an unknown authority: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Bundle(ctx, testBundle); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// Promise: client-429
func TestPatience(t *testing.T) {
	tests := map[string]struct {
		after   []string // Retry-After of each refusal; "-" is none
		jitter  float64
		waits   []time.Duration
		refused bool
		at      time.Duration
	}{
		"once":         {after: []string{"7"}, waits: []time.Duration{7 * time.Second}},
		"with jitter":  {after: []string{"10"}, jitter: 0.5, waits: []time.Duration{11500 * time.Millisecond}},
		"doubling":     {after: []string{"-", "-", "-", "-"}, waits: []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second}},
		"four retries": {after: []string{"1", "1", "1", "1", "9"}, waits: []time.Duration{time.Second, time.Second, time.Second, time.Second}, refused: true, at: 13 * time.Second},
		"two minutes":  {after: []string{"120"}, waits: []time.Duration{2 * time.Minute}},
		"more":         {after: []string{"121"}, refused: true, at: 121 * time.Second},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			requests := 0
			r := newRig(t, func(w http.ResponseWriter, _ *http.Request) {
				if requests++; requests > len(test.after) {
					_, _ = w.Write([]byte(`{"bundleId":"` + testBundle + `","projectId":"proj_p","status":"pending_download","createdAt":"2026-01-01T00:00:00.000Z"}`))
					return
				}
				if after := test.after[requests-1]; after != "-" {
					w.Header().Set("Retry-After", after)
				}
				w.WriteHeader(http.StatusTooManyRequests)
			})
			r.opts.Jitter = func() float64 { return test.jitter }
			start := r.clock
			_, err := r.Bundle(t.Context(), testBundle)
			limit, refused := errors.AsType[*LimitError](err)
			if refused != test.refused || !refused && err != nil {
				t.Fatalf("error %v", err)
			}
			if refused && limit.At.Sub(start) != test.at {
				t.Errorf("it will work after %s, want %s", limit.At.Sub(start), test.at)
			}
			if diff := cmp.Diff(test.waits, r.waits); diff != "" {
				t.Errorf("waits (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAcknowledgeMakesOneAttempt(t *testing.T) {
	requests := 0
	r := newRig(t, func(w http.ResponseWriter, _ *http.Request) {
		requests++
		w.WriteHeader(http.StatusTooManyRequests)
	})
	if _, err := r.Acknowledge(t.Context(), testBundle); err == nil || requests != 1 || r.waits != nil {
		t.Errorf("error %v after %d requests and waits %v", err, requests, r.waits)
	}
}
