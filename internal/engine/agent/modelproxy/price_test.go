package modelproxy_test

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// fields returns the names of what the provider was asked.
func (d *desk) fields() []string {
	d.t.Helper()
	var sent map[string]json.RawMessage
	if err := json.Unmarshal([]byte(d.bodies[len(d.bodies)-1]), &sent); err != nil {
		d.t.Fatal(err)
	}
	return slices.Sorted(maps.Keys(sent))
}

// An agent cannot buy what the prices of the operator do not know: another model, a
// faster one, several answers, another place, or a machine beside the model.
// Promise: agent-price-fields
func TestFieldsThatChangeThePriceAreNotPassedOn(t *testing.T) {
	const stays = `"stream":false,"temperature":0`
	for path, changes := range map[string][]string{
		"/v1/messages": {
			`"service_tier":"auto"`, `"speed":"fast"`, `"inference_geo":"us"`, `"container":"c"`, `"fallbacks":"default"`,
			`"fallback_credit_token":"x"`, `"mcp_servers":[]`, `"context_management":{"edits":[{"type":"compact_20260112"}]}`,
			`"n":4`, `"betas":["fast-mode-2026-02-01"]`, `"models":["dear"]`, `"provider":{}`, `"Speed":"fast"`, `"sp\u0065ed":"fast"`,
		},
		"/v1/chat/completions": {
			`"service_tier":"priority"`, `"n":8`, `"best_of":8`, `"models":["dear"]`, `"route":"fallback"`, `"provider":{"order":["dear"]}`,
			`"transforms":["middle-out"]`, `"plugins":[{"id":"web"}]`, `"preset":"dear"`, `"modalities":["audio"]`, `"audio":{"voice":"a"}`,
			`"web_search_options":{}`, `"prediction":{"type":"content"}`, `"use_beam_search":true`, `"n_predict":100000`, `"N":8`,
			`"extra_body":{"n":8}`, `"fallbacks":["dear"]`, `"api_base":"http://evil.example"`,
		},
		"/v1/responses": {
			`"service_tier":"priority"`, `"background":true`, `"conversation":"conv_1"`, `"prompt":{"id":"p"}`, `"n":8`, `"models":["dear"]`,
			`"context_management":[{"type":"compaction","compact_threshold":1000}]`, `"prompt_cache_options":{"ttl":"24h"}`, `"moderation":{}`,
		},
		"/v1/messages/count_tokens": {`"mcp_servers":[{"type":"url","url":"https://evil.example"}]`, `"speed":"fast"`, `"container":"c"`},
	} {
		for _, change := range changes {
			t.Run(path+" "+change, func(t *testing.T) {
				d := open(t, says(whole, `{}`))
				if status, said := d.ask(path, token, `{"model":"dear",`+change+`,`+stays+`}`); status != 200 {
					t.Fatalf("%d %s", status, said)
				}
				want := []string{"model", "stream", "temperature"}
				if path == "/v1/messages/count_tokens" {
					want = []string{"model"}
				}
				if got := d.fields(); !slices.Equal(got, want) || !strings.Contains(d.bodies[0], `"model":"chosen"`) {
					t.Errorf("asked %s", d.bodies[0])
				}
			})
		}
	}
}

// A longer cache costs more; what else an agent says of its cache stays.
// Promise: agent-price-fields
func TestACacheLivesAsLongAsUsual(t *testing.T) {
	for _, tc := range []struct{ path, body, want string }{
		{
			"/v1/messages",
			`{"system":[{"type":"text","cache_control":{"type":"ephemeral","ttl":"1h"}}],"messages":[{"content":[{"text":"ttl","cache_control":{"ttl":"1h", "type":"ephemeral","scope":"global"}},{"type":"tool_use","input":{"cache_control":{"ttl":"1h"}}}]}],"tools":[{"name":"a","cache_control":{"TTL":"1h"},"input_schema":{"cache_control":{"ttl":1}}}]}`,
			`{"messages":[{"content":[{"text":"ttl","cache_control":{"type":"ephemeral","scope":"global"}},{"type":"tool_use","input":{"cache_control":{"ttl":"1h"}}}]}],"model":"chosen","system":[{"type":"text","cache_control":{"type":"ephemeral"}}],"tools":[{"name":"a","cache_control":{},"input_schema":{"cache_control":{"ttl":1}}}]}`,
		},
		{
			"/v1/messages", `{"cache_control":{"type":"ephemeral","ttl":"1h","ttl":"1h"},"tools":[{"type":"web_search_1","cache_control":{"ttl":"1h"}},{"name":"a","cache_control":{"ttl":"1h","type":"ephemeral"}},{"type":"mcp_toolset"},{"name":"b"}]}`,
			`{"cache_control":{"type":"ephemeral"},"model":"chosen","tools":[{"name":"a","cache_control":{"type":"ephemeral"}},{"name":"b"}]}`,
		},
		{"/v1/chat/completions", `{"messages":[{"content":[{"cache_control":{"type":"ephemeral","ttl":"1h"}}]}]}`, `{"messages":[{"content":[{"cache_control":{"type":"ephemeral"}}]}],"model":"chosen"}`},
	} {
		d := open(t, says(whole, `{}`))
		if status, said := d.ask(tc.path, token, tc.body); status != 200 {
			t.Fatalf("%d %s", status, said)
		}
		if d.bodies[0] != tc.want {
			t.Errorf("asked %s\nwant  %s", d.bodies[0], tc.want)
		}
	}
}

// Features that are not known stay behind, and so does the address of the agent.
// Promise: agent-price-fields
func TestFeaturesAndAddressesOfAnAgentAreNotPassedOn(t *testing.T) {
	for name, tc := range map[string]struct{ path, header, want string }{
		"fast mode":     {"/v1/messages?beta=true", "Anthropic-Beta: claude-code-20250219,fast-mode-2026-02-01, interleaved-thinking-2025-05-14", "claude-code-20250219,interleaved-thinking-2025-05-14"},
		"none known":    {"/v1/messages", "Anthropic-Beta: context-1m-2025-08-07,server-side-fallback-2026-06-01,mcp-client-2025-11-20", ""},
		"a long cache":  {"/v1/messages", "Anthropic-Beta: extended-cache-ttl-2025-04-11", ""},
		"a longer name": {"/v1/messages", "Anthropic-Beta: effort-2025-11-24-fast,xeffort-2025-11-24", ""},
		"of OpenAI":     {"/v1/responses?service_tier=priority", "Openai-Beta: responses=experimental,assistants=v2", "responses=experimental"},
		"of Claude Code": {
			"/v1/messages?beta=true&speed=fast",
			"Anthropic-Beta: claude-code-20250219,interleaved-thinking-2025-05-14,thinking-token-count-2026-05-13,context-management-2025-06-27,prompt-caching-scope-2026-01-05,mid-conversation-system-2026-04-07,effort-2025-11-24,advisor-tool-2026-03-01",
			"claude-code-20250219,interleaved-thinking-2025-05-14,thinking-token-count-2026-05-13,context-management-2025-06-27,prompt-caching-scope-2026-01-05,mid-conversation-system-2026-04-07,effort-2025-11-24",
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := open(t, says(whole, `{}`))
			if status, said := d.ask(tc.path, token, `{}`, tc.header, "Content-Type: text/x"); status != 200 {
				t.Fatalf("%d %s", status, said)
			}
			r := d.seen[0]
			header, _, _ := strings.Cut(tc.header, ":")
			if got := strings.Join(r.Header.Values(header), ","); got != tc.want {
				t.Errorf("%s: %q, want %q", header, got, tc.want)
			}
			if r.URL.RawQuery != "" || r.Header.Get("Content-Type") != whole {
				t.Errorf("asked at %s as %s", r.URL, r.Header.Get("Content-Type"))
			}
		})
	}
}

// What Claude Code, Codex and opencode send arrives as they send it.
// Promise: agent-price-fields
func TestWhatAgentsSendIsPassedOn(t *testing.T) {
	for name, tc := range map[string]struct{ path, body string }{
		"claude":   {"/v1/messages", `{"context_management":{"edits":[{"type":"clear_thinking_20251015","keep":"all"}]},"max_tokens":32000,"messages":[{"role":"user","content":[{"type":"text","text":"<system-reminder> \u003c","cache_control":{"type":"ephemeral"}}]},{"role":"system","content":"x"}],"metadata":{"user_id":"u"},"model":"chosen","output_config":{"effort":"high"},"stream":true,"system":[{"type":"text","text":"You are","cache_control":{"type":"ephemeral","scope":"global"}}],"temperature":1,"thinking":{"type":"adaptive"},"tool_choice":{"type":"auto"},"tools":[{"name":"Bash","description":"d","input_schema":{"type":"object","properties":{"tools":{"type":"array"},"type":{"type":"string"}}}}]}`},
		"codex":    {"/v1/responses", `{"client_metadata":{"x":"y"},"include":["reasoning.encrypted_content"],"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]},{"type":"function_call","name":"shell","arguments":"{\"command\":[]}","call_id":"c"}],"instructions":"You are","model":"chosen","parallel_tool_calls":false,"prompt_cache_key":"k","reasoning":{"effort":"medium","summary":"auto"},"store":false,"stream":true,"text":{"verbosity":"low"},"tool_choice":"auto","tools":[{"type":"function","name":"shell","strict":false,"parameters":{"type":"object"}},{"type":"custom","name":"apply_patch","format":{"type":"grammar"}},{"type":"local_shell"}]}`},
		"opencode": {"/v1/chat/completions", `{"max_tokens":8000,"messages":[{"role":"system","content":"You are"},{"role":"assistant","content":"","tool_calls":[{"id":"c","type":"function","function":{"name":"bash","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c","content":"\ud83d"}],"model":"chosen","reasoning_effort":"low","stream":true,"stream_options":{"include_usage":true},"temperature":0.55,"tool_choice":"auto","tools":[{"type":"function","function":{"name":"bash","description":"d","parameters":{"type":"object","properties":{}}}}],"top_p":1}`},
	} {
		t.Run(name, func(t *testing.T) {
			d := open(t, says(whole, `{}`))
			if status, said := d.ask(tc.path, token, tc.body); status != 200 || d.bodies[0] != tc.body {
				t.Errorf("%d %s: asked %s\nwant %s", status, said, d.bodies, tc.body)
			}
		})
	}
}

// The list of models is asked for without what the agent sends.
// Promise: agent-price-fields
func TestAListIsAskedForWithoutABody(t *testing.T) {
	d := open(t, says(whole, `{}`))
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, d.url+"/v1/models?limit=1", strings.NewReader(`{"secret":1}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Api-Key", token)
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, answer.Body)
	_ = answer.Body.Close()
	if answer.StatusCode != 200 || d.bodies[0] != "" || d.seen[0].URL.RawQuery != "" {
		t.Errorf("%d, asked %s with %q", answer.StatusCode, d.seen[0].URL, d.bodies[0])
	}
}

// A request that stands for what the provider stores is charged with that, also when
// the answer breaks off before the provider has counted it.
// Promise: agent-price-fields
func TestWhatAProviderStoresIsCounted(t *testing.T) {
	for name, second := range map[string]string{
		"the answer before": `{"previous_response_id":"resp_1","input":"go on"}`,
		"an item":           `{"input":[{"type":"item_reference","id":"msg_1"}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			calls := 0
			d := open(t, func(w http.ResponseWriter, r *http.Request) {
				if calls++; calls == 1 {
					says(whole, `{"usage":{"input_tokens":90000,"output_tokens":1000}}`)(w, r)
					return
				}
				says(stream, "data: {\"type\":\"response.created\",\"response\":{}}\n\n")(w, r)
			})
			d.ask("/v1/responses", token, `{"store":true,"input":"a long text"}`)
			if _, said := d.ask("/v1/responses", token, second); !strings.HasSuffix(said, "CUT") {
				t.Errorf("%q", said)
			}
			d.handler.Close()
			if d.used.InputTokens < 2*90000 {
				t.Errorf("used %+v", d.used)
			}
		})
	}
}
