package modelproxy

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// Each protocol has a list of the fields that reach the provider. The relay removes
// every other field, because providers add fields that change the price
// (service_tier, speed, n, models, provider, fallbacks, inference_geo, container) or
// that reach other hosts (mcp_servers, plugins, web_search_options, prompt), and a
// list of forbidden fields would lag behind them.

// forAll are fields of both protocols of OpenAI, and of servers that resemble it.
var forAll = []string{
	"metadata", "model", "parallel_tool_calls", "prompt_cache_key", "prompt_cache_retention", "reasoning", "safety_identifier",
	"store", "stream", "stream_options", "temperature", "tool_choice", "tools", "top_logprobs", "top_p", "user",
}

// forChat are the fields of chat completions. The second part is known to servers
// that people run themselves, and to gateways.
var forChat = fieldSet(forAll, []string{
	"frequency_penalty", "function_call", "functions", "logit_bias", "logprobs", "max_completion_tokens", "max_tokens", "messages",
	"presence_penalty", "reasoning_effort", "response_format", "seed", "stop", "verbosity",
}, []string{
	"add_generation_prompt", "cache_control", "cache_prompt", "chat_template_kwargs", "continue_final_message", "enable_thinking",
	"grammar", "guided_choice", "guided_grammar", "guided_json", "guided_regex", "include_reasoning", "json_schema",
	"min_p", "reasoning_format", "reasoning_split", "repeat_penalty", "repetition_penalty",
	"skip_special_tokens", "stop_token_ids", "structured_outputs", "think", "thinking", "thinking_budget", "tool_stream", "top_a",
	"top_k", "typical_p", "usage",
})

var forResponses = fieldSet(forAll, []string{
	"client_metadata", "include", "input", "instructions", "max_output_tokens", "max_tool_calls", "previous_response_id", "text", "truncation",
})

var forCounting = fieldSet([]string{
	"cache_control", "context_management", "messages", "model", "output_config", "output_format", "system", "thinking", "tool_choice", "tools",
})

var forMessages = fieldSet([]string{
	"cache_control", "context_management", "diagnostics", "max_tokens", "messages", "metadata", "model", "output_config", "output_format",
	"stop_sequences", "stream", "system", "temperature", "thinking", "tool_choice", "tools", "top_k", "top_p",
})

func fieldSet(lists ...[]string) map[string]bool {
	set := make(map[string]bool)
	for _, name := range slices.Concat(lists...) {
		set[name] = true
	}
	return set
}

// betas are the features of a provider, without their dates, that an agent may switch
// on by a header. They are those that Claude Code and Codex send and that leave the
// price of a token as it is.
var betas = fieldSet([]string{
	"adaptive-thinking", "advanced-tool-use", "cache-diagnosis", "claude-code", "context-management", "effort", "fine-grained-tool-streaming",
	"interleaved-thinking", "mid-conversation-system", "output-128k", "prompt-caching", "prompt-caching-scope", "redact-thinking",
	"responses=experimental", "structured-outputs", "task-budgets", "thinking-token-count", "token-counting", "token-efficient-tools",
	"tool-examples", "tool-search-tool",
})

var betaDate = regexp.MustCompile(`-(\d{8}|\d{4}-\d{2}-\d{2})$`)

// knownBetas returns the features of a header that are on the list; empty: none is.
func knownBetas(values []string) string {
	var known []string
	for _, beta := range strings.Split(strings.Join(values, ","), ",") {
		if beta = strings.TrimSpace(beta); betas[betaDate.ReplaceAllString(beta, "")] {
			known = append(known, beta)
		}
	}
	return strings.Join(known, ",")
}

// copyRequestHeader copies what an agent says about itself and its protocol.
func copyRequestHeader(to, from http.Header) {
	for _, name := range []string{"Accept", "User-Agent", "Anthropic-Version"} {
		if value := from.Get(name); value != "" {
			to.Set(name, value)
		}
	}
	for _, name := range []string{"Anthropic-Beta", "Openai-Beta"} {
		if known := knownBetas(from.Values(name)); known != "" {
			to.Set(name, known)
		}
	}
}
