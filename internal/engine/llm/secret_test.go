package llm_test

import (
	"bytes"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/engine/llm"
	"github.com/bundle-delivery/svc/internal/engine/llm/anthropic"
	"github.com/bundle-delivery/svc/internal/engine/llm/openai"
	"github.com/bundle-delivery/svc/internal/testkit/wiretest"
)

// A provider that repeats the key, wherever it can, teaches it to nobody.
// Promise: llm-key-secret
func TestAKeyThatIsRepeatedIsStruckOut(t *testing.T) {
	t.Parallel()
	said := "do not use " + wiretest.Key + " here"
	for name, answer := range map[string]wiretest.Answer{
		"refusal":          {Status: 401, Type: "authentication_error", Message: said},
		"bad request":      {Status: 400, Type: "invalid_request_error", Message: said},
		"outage":           {Status: 500, Type: "api_error", Message: said},
		"in the stream":    {Text: "x", StreamErr: "api_error", Message: said},
		"limit in stream":  {Text: "x", StreamErr: "rate_limit_error", Message: said},
		"as a page":        {Raw: "<html>" + said, ContentType: "text/html"},
		"at the cut":       {Raw: strings.Repeat("x", 385) + wiretest.Key, ContentType: "text/html"},
		"at another":       {Raw: strings.Repeat("x", 290) + wiretest.Key, ContentType: "text/html"},
		"as no JSON":       {Raw: "data: {" + said + "\n\n"},
		"as a name":        {Raw: "event: " + said + "\ndata: [\n\n"},
		"in a long answer": {Status: 503, Type: "x", Message: strings.Repeat("y", 350) + wiretest.Key},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, protocol string) {
				var log bytes.Buffer
				e, _ := engineOf(t, protocol, llm.Config{
					Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
				}, func(wiretest.Ask) wiretest.Answer { return answer })
				r := newRecord(t)
				err := e.Generate(t.Context(), request("x"), r.emit)
				failure, ok := errors.AsType[*engine.Error](err)
				if !ok {
					t.Fatalf("got %v", err)
				}
				for what, text := range map[string]string{"the error": err.Error(), "the message": failure.Message, "the log": log.String()} {
					for n := len(wiretest.Key); n > 8; n-- {
						if strings.Contains(text, wiretest.Key[:n]) {
							t.Fatalf("%s has %d letters of the key: %s", what, n, text)
						}
					}
				}
			})
		})
	}
}

// A key goes to the provider's address and nowhere else.
// Promise: llm-key-secret
func TestARedirectIsNotFollowed(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, protocol string) {
		elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			t.Error("the redirect was followed")
		}))
		defer elsewhere.Close()
		server := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect))
		defer server.Close()
		p := openai.New(openai.Config{URL: server.URL, Key: wiretest.Key, Model: "m", Stall: patience})
		if protocol == wiretest.Anthropic {
			p = anthropic.New(anthropic.Config{URL: server.URL, Key: wiretest.Key, Model: "m", Stall: patience})
		}
		_, err := p.Stream(t.Context(), hello(), ignore)
		if f, ok := errors.AsType[*llm.Failure](err); !ok || f.Kind != llm.Rejected || f.Status != 307 || !strings.Contains(f.Detail, elsewhere.URL) {
			t.Errorf("got %v", err)
		}
	})
}

// Vendors' clients take keys and headers from the environment and send them to
// whatever server is configured; these take what they are given.
// Promise: llm-key-secret
func TestNothingOfTheEnvironmentIsSent(t *testing.T) {
	for name, value := range map[string]string{
		"OPENAI_API_KEY": "secret-a", "OPENAI_ADMIN_KEY": "secret-b", "OPENAI_ORG_ID": "secret-c", "OPENAI_PROJECT_ID": "secret-d",
		"OPENAI_CUSTOM_HEADERS": "X-Custom: secret-e", "OPENAI_BASE_URL": "http://127.0.0.1:1/secret-f",
		"ANTHROPIC_API_KEY": "secret-g", "ANTHROPIC_AUTH_TOKEN": "secret-h", "ANTHROPIC_BASE_URL": "http://127.0.0.1:1/secret-i",
		"ANTHROPIC_CUSTOM_HEADERS": "X-Custom: secret-j",
	} {
		t.Setenv(name, value)
	}
	for _, protocol := range protocols {
		t.Run(protocol, func(t *testing.T) {
			var sent bytes.Buffer
			handler := wiretest.New(func(wiretest.Ask) wiretest.Answer { return wiretest.Answer{Text: "hello"} })
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_ = r.Header.Write(&sent) // into memory
				handler.ServeHTTP(w, r)
			}))
			defer server.Close()
			p := openai.New(openai.Config{URL: server.URL + "/v1/", Key: wiretest.Key, Model: "m", Stall: time.Minute})
			if protocol == wiretest.Anthropic {
				p = anthropic.New(anthropic.Config{URL: server.URL, Key: wiretest.Key, Model: "m", Stall: time.Minute})
			}
			if _, err := p.Stream(t.Context(), hello(), ignore); err != nil {
				t.Fatal(err)
			}
			if strings.Contains(sent.String(), "secret-") || !strings.Contains(sent.String(), wiretest.Key) {
				t.Errorf("sent:\n%s", &sent)
			}
		})
	}
}
