package llm_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bundle-delivery/svc/internal/engine/llm"
	"github.com/bundle-delivery/svc/internal/testkit/wiretest"
)

// The protocols as different servers write them, byte for byte: fields in their
// order, fields that are new, comments, line ends, and what each leaves out.
// Promise: llm-protocols
func TestFormsInWhichServersStream(t *testing.T) {
	t.Parallel()
	chunk := func(rest string) string {
		return `data: {"id":"chatcmpl-9","object":"chat.completion.chunk","created":1763222400,"model":"m-2026",` + rest + "}\n\n"
	}
	for name, tc := range map[string]struct {
		protocol string
		stream   string
		want     llm.Reply
	}{
		"Anthropic, with thinking and a kind of event that is new": {wiretest.Anthropic, `event: message_start
data: {"type":"message_start","message":{"id":"msg_01","type":"message","role":"assistant","model":"m-2026","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":25,"cache_creation_input_tokens":7,"cache_read_input_tokens":1800,"cache_creation":{"ephemeral_5m_input_tokens":7,"ephemeral_1h_input_tokens":0},"output_tokens":1,"service_tier":"standard"}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Short and kind."}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"RXhhbXBsZQ=="}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: weather_report
data: {"type":"weather_report","sky":"blue"}

event: content_block_start
data: {"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}

event: ping
data: {"type": "ping"}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"Grüße, "}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"\u4e16\u754c \ud83c\udf89"}}

event: content_block_stop
data: {"type":"content_block_stop","index":1}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"input_tokens":25,"cache_creation_input_tokens":7,"cache_read_input_tokens":1800,"output_tokens":12}}

event: message_stop
data: {"type":"message_stop"}

`, llm.Reply{
			Model: "m-2026", Usage: llm.Usage{Input: 25, CacheRead: 1800, CacheWrite: 7, Output: 12},
			Thoughts: []llm.Thought{{Text: "Short and kind.", Signature: "RXhhbXBsZQ=="}},
		}},
		"OpenAI, with usage that is null until the end": {
			wiretest.OpenAI,
			chunk(`"service_tier":"default","system_fingerprint":"fp_1","choices":[{"index":0,"delta":{"role":"assistant","content":"","refusal":null},"logprobs":null,"finish_reason":null}],"usage":null,"obfuscation":"x1"`) +
				chunk(`"service_tier":"default","system_fingerprint":"fp_1","choices":[{"index":0,"delta":{"content":"Grüße, "},"logprobs":null,"finish_reason":null}],"usage":null,"obfuscation":"k"`) +
				chunk(`"service_tier":"default","system_fingerprint":"fp_1","choices":[{"index":0,"delta":{"content":"\u4e16\u754c \ud83c\udf89"},"logprobs":null,"finish_reason":null}],"usage":null,"obfuscation":""`) +
				chunk(`"service_tier":"default","system_fingerprint":"fp_1","choices":[{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}],"usage":null`) +
				chunk(`"service_tier":"default","system_fingerprint":"fp_1","choices":[],"usage":{"prompt_tokens":1832,"completion_tokens":12,"total_tokens":1844,"prompt_tokens_details":{"cached_tokens":1800,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":4,"audio_tokens":0}}`) +
				"data: [DONE]\n\n",
			llm.Reply{Model: "m-2026", Usage: llm.Usage{Input: 32, CacheRead: 1800, Output: 12}},
		},
		"Ollama, with the role each time": {
			wiretest.OpenAI,
			chunk(`"system_fingerprint":"fp_ollama","choices":[{"index":0,"delta":{"role":"assistant","content":"Grüße, "},"finish_reason":null}]`) +
				chunk(`"system_fingerprint":"fp_ollama","choices":[{"index":0,"delta":{"role":"assistant","content":"世界 🎉"},"finish_reason":null}]`) +
				chunk(`"system_fingerprint":"fp_ollama","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":"stop"}]`) +
				chunk(`"system_fingerprint":"fp_ollama","choices":[],"usage":{"prompt_tokens":32,"completion_tokens":12,"total_tokens":44}`) +
				"data: [DONE]\n\n",
			llm.Reply{Model: "m-2026", Usage: llm.Usage{Input: 32, Output: 12}},
		},
		"vLLM, which reasons aloud and counts all along": {
			wiretest.OpenAI,
			chunk(`"choices":[{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}],"usage":{"prompt_tokens":32,"total_tokens":32,"completion_tokens":0}`) +
				chunk(`"choices":[{"index":0,"delta":{"reasoning_content":"Short and kind."},"logprobs":null,"finish_reason":null}],"usage":{"prompt_tokens":32,"total_tokens":36,"completion_tokens":4}`) +
				chunk(`"choices":[{"index":0,"delta":{"content":"Grüße, 世界 🎉"},"logprobs":null,"finish_reason":"stop","stop_reason":null}],"usage":{"prompt_tokens":32,"total_tokens":44,"completion_tokens":12}`) +
				"data: [DONE]\n\n",
			llm.Reply{Model: "m-2026", Usage: llm.Usage{Input: 32, Output: 12}},
		},
		"llama.cpp, with its timings, and cut off": {
			wiretest.OpenAI,
			chunk(`"choices":[{"finish_reason":null,"index":0,"delta":{"role":"assistant","content":null}}]`) +
				chunk(`"choices":[{"finish_reason":null,"index":0,"delta":{"content":"Grüße, 世界 🎉"}}]`) +
				chunk(`"choices":[{"finish_reason":"length","index":0,"delta":{}}],"usage":{"completion_tokens":12,"prompt_tokens":32,"total_tokens":44},"timings":{"prompt_n":32,"predicted_per_second":41.5}`) +
				"data: [DONE]\n\n",
			llm.Reply{Model: "m-2026", Stop: llm.StopLength, Usage: llm.Usage{Input: 32, Output: 12}},
		},
		"OpenRouter, which comments on itself": {
			wiretest.OpenAI,
			": OPENROUTER PROCESSING\n\n: OPENROUTER PROCESSING\n\n" +
				chunk(`"provider":"Somebody","choices":[{"index":0,"delta":{"role":"assistant","content":"Grüße, 世界 🎉"},"finish_reason":null,"native_finish_reason":null,"logprobs":null}]`) +
				chunk(`"provider":"Somebody","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":"stop","native_finish_reason":"stop","logprobs":null}]`) +
				": OPENROUTER PROCESSING\n\n" +
				chunk(`"provider":"Somebody","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}],"usage":{"prompt_tokens":32,"completion_tokens":12,"total_tokens":44,"cost":0.0001}`) +
				"data: [DONE]\n\n",
			llm.Reply{Model: "m-2026", Usage: llm.Usage{Input: 32, Output: 12}},
		},
		"a server that sends calls whole and does not count them": {
			wiretest.OpenAI,
			chunk(`"choices":[{"index":0,"delta":{"content":"Grüße, 世界 🎉"},"finish_reason":null}]`) +
				chunk(`"choices":[{"index":0,"delta":{"role":"assistant","content":"","tool_calls":[{"id":"call_a","index":0,"type":"function","function":{"name":"read","arguments":"{\"path\":\"a\"}"}}]},"finish_reason":null}]`) +
				chunk(`"choices":[{"index":0,"delta":{"tool_calls":[{"id":"call_b","type":"function","function":{"name":"done","arguments":""}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":32,"completion_tokens":12}`) +
				"data: [DONE]\n\n",
			llm.Reply{
				Model: "m-2026", Usage: llm.Usage{Input: 32, Output: 12},
				Calls: []llm.ToolCall{{ID: "call_a", Name: "read", Input: `{"path":"a"}`}, {ID: "call_b", Name: "done", Input: "{}"}},
			},
		},
		"a server with members of other types": {
			wiretest.OpenAI,
			chunk(`"choices":[{"index":0,"delta":{"content":"Grüße, 世界 🎉","refusal":["no"]},"finish_reason":null}],"usage":"soon"`) +
				chunk(`"choices":[{"index":0,"delta":"","finish_reason":"stop"}],"usage":{"prompt_tokens":32,"completion_tokens":12,"prompt_tokens_details":[]}`) +
				"data: [DONE]\n\n",
			llm.Reply{Model: "m-2026", Usage: llm.Usage{Input: 32, Output: 12}},
		},
		"a server with Windows's line ends, no space and no last line": {
			wiretest.OpenAI,
			strings.NewReplacer("data: ", "data:", "\n", "\r\n").Replace(
				chunk(`"choices":[{"index":0,"delta":{"content":"Grüße, 世界 🎉"},"finish_reason":null}]`) +
					chunk(`"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":32,"completion_tokens":12,"total_tokens":44}`)),
			llm.Reply{Model: "m-2026", Usage: llm.Usage{Input: 32, Output: 12}},
		},
	} {
		for _, torn := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				p, _ := providerOf(t, tc.protocol, patience, func(wiretest.Ask) wiretest.Answer { return wiretest.Answer{Raw: tc.stream, Torn: torn} })
				var got strings.Builder
				reply, err := p.Stream(t.Context(), hello(), func(p llm.Piece) error { got.WriteString(p.Text); return nil })
				if err != nil || got.String() != "Grüße, 世界 🎉" {
					t.Errorf("got %q, %v", got.String(), err)
				}
				if diff := cmp.Diff(tc.want, reply); diff != "" {
					t.Error(diff)
				}
			})
		}
	}
}

// Promise: llm-failures-named
func TestErrorsInsideAStreamAreNamed(t *testing.T) {
	t.Parallel()
	begun := `data: {"id":"1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"half"},"finish_reason":null}]}` + "\n\n"
	for name, tc := range map[string]struct {
		protocol, stream string
		want             llm.Kind
	}{
		"overloaded":        {wiretest.Anthropic, "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n", llm.Overloaded},
		"limited":           {wiretest.Anthropic, "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"rate_limit_error\",\"message\":\"x\"}}\n\n", llm.RateLimited},
		"fails inside":      {wiretest.Anthropic, "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"api_error\",\"message\":\"x\"}}\n\n", llm.Unreachable},
		"a number":          {wiretest.OpenAI, begun + `data: {"error":{"code":429,"message":"slow down"},"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]}` + "\n\n", llm.RateLimited},
		"a word":            {wiretest.OpenAI, begun + `data: {"error":{"message":"x","type":"server_error","code":"rate_limit_exceeded"}}` + "\n\n", llm.RateLimited},
		"no money":          {wiretest.OpenAI, begun + `data: {"error":{"message":"x","type":"insufficient_quota","code":"insufficient_quota"}}` + "\n\n", llm.Denied},
		"too long":          {wiretest.OpenAI, begun + `data: {"error":{"message":"x","type":"invalid_request_error","code":"context_length_exceeded"}}` + "\n\n", llm.Rejected},
		"no object":         {wiretest.OpenAI, begun + "data: []\n\n", llm.Garbled},
		"a text, Anthropic": {wiretest.Anthropic, "event: error\ndata: {\"error\":\"something\"}\n\n", llm.Unreachable},
		"a text":            {wiretest.OpenAI, begun + `data: {"error":"something"}` + "\n\n", llm.Unreachable},
		"no end":            {wiretest.OpenAI, begun, llm.Broken},
		"an end, no reason": {wiretest.OpenAI, begun + "data: [DONE]\n\n", llm.Broken},
		"refused":           {wiretest.OpenAI, `data: {"id":"1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"refusal":"no"},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n", llm.Declined},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, _ := providerOf(t, tc.protocol, patience, func(wiretest.Ask) wiretest.Answer { return wiretest.Answer{Raw: tc.stream} })
			_, err := p.Stream(t.Context(), hello(), ignore)
			if f, ok := errors.AsType[*llm.Failure](err); !ok || f.Kind != tc.want {
				t.Errorf("got %v, want %v", err, tc.want)
			}
		})
	}
}
