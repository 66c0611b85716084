package llm_test

import (
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bundle-delivery/svc/internal/engine/llm"
	"github.com/bundle-delivery/svc/internal/engine/llm/anthropic"
	"github.com/bundle-delivery/svc/internal/engine/llm/openai"
	"github.com/bundle-delivery/svc/internal/testkit/wiretest"
)

// transport answers requests in the place of a network.
type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// The requests as the vendors' own Go clients sent them: the same addresses,
// the same JSON, and the headers that matter.
// Promise: llm-protocols
func TestRequestsAreThoseOfTheVendorsClients(t *testing.T) {
	t.Parallel()
	temperature := 0.5
	full := llm.Call{
		System: "be <brief> & 世界\u2028", MaxTokens: 100, Temperature: &temperature,
		Messages: []llm.Message{
			{Parts: []llm.Part{{Text: "the project", Shared: true}, {Text: "hello"}}},
			{FromModel: true, Thoughts: []llm.Thought{{Text: "hm", Signature: "s"}}, Parts: []llm.Part{{Text: "half a"}}, Calls: []llm.ToolCall{{ID: "c1", Name: "letters", Input: `{"a":"b"}`}, {ID: "c2", Name: "letters", Input: `{}`}}},
			{Results: []llm.ToolResult{{ID: "c1", Text: "one"}, {ID: "c2", Text: "two", Shared: true}}, Parts: []llm.Part{{Text: "go on"}}},
			{FromModel: true, Calls: []llm.ToolCall{{ID: "c3", Name: "letters", Input: `{}`}}},
			{Results: []llm.ToolResult{{ID: "c3", Text: "three"}}},
		},
		Tools: []llm.Tool{{Name: "letters", Description: "reads letters", Input: map[string]any{
			"type": "object", "properties": map[string]any{"a": map[string]any{"type": "string"}}, "required": []string{"a"}, "additionalProperties": false,
		}}},
	}
	zero := 0.0
	bare := llm.Call{MaxTokens: 7, Temperature: &zero, Messages: []llm.Message{{Parts: []llm.Part{{Text: "hi"}}}}}
	unset := llm.Call{MaxTokens: 7, Messages: bare.Messages}
	const (
		schema        = `{"additionalProperties":false,"properties":{"a":{"type":"string"}},"required":["a"],"type":"object"}`
		fullAnthropic = `{"max_tokens":100,"messages":[{"content":[{"text":"the project","cache_control":{"type":"ephemeral"},"type":"text"},{"text":"hello","type":"text"}],"role":"user"},` +
			`{"content":[{"thinking":"hm","signature":"s","type":"thinking"},{"text":"half a","type":"text"},{"id":"c1","name":"letters","input":{"a":"b"},"type":"tool_use"},{"id":"c2","name":"letters","input":{},"type":"tool_use"}],"role":"assistant"},` +
			`{"content":[{"tool_use_id":"c1","content":"one","type":"tool_result"},{"tool_use_id":"c2","content":"two","cache_control":{"type":"ephemeral"},"type":"tool_result"},{"text":"go on","type":"text"}],"role":"user"},` +
			`{"content":[{"id":"c3","name":"letters","input":{},"type":"tool_use"}],"role":"assistant"},{"content":[{"tool_use_id":"c3","content":"three","type":"tool_result"}],"role":"user"}],` +
			`"model":"m","temperature":0.5,"tools":[{"name":"letters","description":"reads letters","input_schema":` + schema + `}],"system":[{"text":"be \u003cbrief\u003e \u0026 世界\u2028","cache_control":{"type":"ephemeral"},"type":"text"}],"stream":true}`
		fullOpenAI = `{"messages":[{"content":"be <brief> & 世界\u2028","role":"system"},{"content":"the projecthello","role":"user"},` +
			`{"content":"half a","role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"letters","arguments":"{\"a\":\"b\"}"}},{"id":"c2","type":"function","function":{"name":"letters","arguments":"{}"}}]},` +
			`{"content":"one","role":"tool","tool_call_id":"c1"},{"content":"two","role":"tool","tool_call_id":"c2"},{"content":"go on","role":"user"},` +
			`{"content":null,"role":"assistant","tool_calls":[{"id":"c3","type":"function","function":{"name":"letters","arguments":"{}"}}]},{"content":"three","role":"tool","tool_call_id":"c3"}],` +
			`"model":"m","LIMIT":100,"temperature":0.5,"stream_options":{"include_usage":true},"tools":[{"type":"function","function":{"name":"letters","description":"reads letters","parameters":` + schema + `}}],"stream":true}`
	)
	limited := func(body, name string) string { return strings.ReplaceAll(body, "LIMIT", name) }
	for name, tc := range map[string]struct {
		make            func(openai.Config) llm.Provider // both have the same settings
		url, key        string
		call            llm.Call
		address, header string
		body            string
	}{
		"anthropic":              {anthropic.New, "", "k", full, "https://api.anthropic.com/v1/messages", "Anthropic-Version: 2023-06-01, X-Api-Key: k", fullAnthropic},
		"anthropic, elsewhere":   {anthropic.New, "http://h.example/proxy", "k", bare, "http://h.example/proxy/v1/messages", "Anthropic-Version: 2023-06-01, X-Api-Key: k", `{"max_tokens":7,"messages":[{"content":[{"text":"hi","type":"text"}],"role":"user"}],"model":"m","temperature":0,"stream":true}`},
		"anthropic, of the user": {anthropic.New, "http://h.example/", "k", unset, "http://h.example/v1/messages", "Anthropic-Version: 2023-06-01, X-Api-Key: k", `{"max_tokens":7,"messages":[{"content":[{"text":"hi","type":"text"}],"role":"user"}],"model":"m","stream":true}`},
		"openai":                 {openai.New, "", "k", full, "https://api.openai.com/v1/chat/completions", "Authorization: Bearer k", limited(fullOpenAI, "max_completion_tokens")},
		"openai, elsewhere":      {openai.New, "http://h.example/v1", "k", full, "http://h.example/v1/chat/completions", "Authorization: Bearer k", limited(fullOpenAI, "max_tokens")},
		"openai, without a key":  {openai.New, "http://h.example/v1/", "", bare, "http://h.example/v1/chat/completions", "Authorization: Bearer none", `{"messages":[{"content":"hi","role":"user"}],"model":"m","max_tokens":7,"temperature":0,"stream_options":{"include_usage":true},"stream":true}`},
		"openai, of the user":    {openai.New, "http://h.example", "k", unset, "http://h.example/chat/completions", "Authorization: Bearer k", `{"messages":[{"content":"hi","role":"user"}],"model":"m","max_tokens":7,"stream_options":{"include_usage":true},"stream":true}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sent := 0
			client := &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
				sent++
				body, err := io.ReadAll(r.Body)
				if err != nil || r.ContentLength != int64(len(body)) {
					t.Errorf("%d bytes of %d: %v", len(body), r.ContentLength, err)
				}
				if r.Method != http.MethodPost || r.URL.String() != tc.address {
					t.Errorf("%s %s, want %s", r.Method, r.URL, tc.address)
				}
				want := map[string]string{"Accept": "application/json", "Content-Type": "application/json", "User-Agent": "svcd"}
				for field := range strings.SplitSeq(tc.header, ", ") {
					key, value, _ := strings.Cut(field, ": ")
					want[key] = value
				}
				got := map[string]string{}
				for _, key := range slices.Collect(maps.Keys(r.Header)) {
					got[key] = strings.Join(r.Header.Values(key), ", ")
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("headers (-want +got):\n%s", diff)
				}
				if diff := cmp.Diff(jsonOf(t, tc.body), jsonOf(t, string(body))); diff != "" {
					t.Errorf("body (-want +got):\n%s", diff)
				}
				return &http.Response{StatusCode: http.StatusBadRequest, Header: http.Header{}, Body: http.NoBody}, nil
			})}
			p := tc.make(openai.Config{URL: tc.url, Key: tc.key, Model: "m", Client: client, Stall: patience})
			_, err := p.Stream(t.Context(), tc.call, ignore)
			if err == nil || sent != 1 {
				t.Errorf("%d requests, error %v", sent, err)
			}
		})
	}
}

func jsonOf(t *testing.T, text string) (v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return v
}

// What providers, and whatever stands before them, answer besides a stream.
// Promise: llm-failures-named
func TestErrorBodiesOfAllForms(t *testing.T) {
	t.Parallel()
	type kinds struct{ anthropic, openai llm.Kind }
	both := func(k llm.Kind) kinds { return kinds{k, k} }
	for name, tc := range map[string]struct {
		status int
		body   string
		want   kinds
	}{
		"nothing":          {429, "", both(llm.RateLimited)},
		"a page":           {502, "<html>bad gateway", both(llm.Unreachable)},
		"a page, denied":   {403, "<html>forbidden", both(llm.Denied)},
		"a text":           {401, `{"error":"invalid key"}`, both(llm.Denied)},
		"another form":     {429, `{"message":"slow down"}`, both(llm.RateLimited)},
		"a list":           {400, `[1]`, both(llm.Rejected)},
		"code is a number": {429, `{"error":{"code":429}}`, both(llm.RateLimited)},
		"no money":         {429, `{"error":{"code":"insufficient_quota"}}`, kinds{llm.RateLimited, llm.Denied}},
		"overloaded":       {500, `{"error":{"type":"overloaded_error"}}`, kinds{llm.Overloaded, llm.Unreachable}},
		"much":             {400, strings.Repeat("x", 1<<20), both(llm.Rejected)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client := &http.Client{Transport: transport(func(*http.Request) (*http.Response, error) {
				return &http.Response{
					StatusCode: tc.status, Header: http.Header{"Retry-After": {"3"}}, Body: io.NopCloser(strings.NewReader(tc.body)),
				}, nil
			})}
			config := openai.Config{Key: wiretest.Key, Model: "m", Client: client, Stall: patience}
			for p, kind := range map[llm.Provider]llm.Kind{anthropic.New(config): tc.want.anthropic, openai.New(config): tc.want.openai} {
				_, err := p.Stream(t.Context(), hello(), ignore)
				f, ok := errors.AsType[*llm.Failure](err)
				if !ok || f.Kind != kind || f.Status != tc.status || f.Wait.Seconds() != 3 || !strings.HasPrefix(tc.body, strings.TrimSuffix(f.Detail, "…")) || len(f.Detail) > 500 {
					t.Errorf("%T: got %v", p, err)
				}
			}
		})
	}
}
