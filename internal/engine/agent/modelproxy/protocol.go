package modelproxy

import (
	"encoding/json"
	"net/http"

	"github.com/bundle-delivery/svc/internal/engine/llm"
)

// protocol is one way to ask a model.
type protocol struct {
	method, path string
	messages     bool // that of Anthropic, with a header of its own for the key
	free         bool // nothing is generated
	// fields are those of a request that are passed on; nil: it has no body.
	fields map[string]bool
	// limits are the fields that bound an answer, the usual one first.
	limits []string
}

var (
	messages        = &protocol{method: http.MethodPost, path: "/v1/messages", messages: true, fields: forMessages, limits: []string{"max_tokens"}}
	chatCompletions = &protocol{method: http.MethodPost, path: "/v1/chat/completions", fields: forChat, limits: []string{"max_completion_tokens", "max_tokens"}}
	responses       = &protocol{method: http.MethodPost, path: "/v1/responses", fields: forResponses, limits: []string{"max_output_tokens"}}
	countTokens     = &protocol{method: http.MethodPost, path: "/v1/messages/count_tokens", messages: true, free: true, fields: forCounting}
	listModels      = &protocol{method: http.MethodGet, path: "/v1/models", free: true}
)

// protocolOf finds the protocol of a request; nil: it is none that is known.
func protocolOf(method, path string) *protocol {
	for _, p := range []*protocol{messages, chatCompletions, responses, countTokens, listModels} {
		if p.method == method && p.path == path {
			return p
		}
	}
	return nil
}

// countStream asks for the tokens at the end of a stream, which servers leave out
// otherwise.
func (p *protocol) countStream(r *request) {
	if p == chatCompletions && string(r.raw("stream")) == "true" {
		r.set("stream_options", []byte(`{"include_usage":true}`))
	}
}

// estimate guesses the tokens of a request.
func (p *protocol) estimate(body []byte) int64 {
	if p.free {
		return 0
	}
	return llm.EstimateTokens(len(body))
}

// said is what one event, or the whole of an answer that is not streamed, says
// about itself, in any of the protocols.
type said struct {
	Type     string          `json:"type"`
	Usage    *counted        `json:"usage"`
	Delta    json.RawMessage `json:"delta"`
	Response struct {
		Usage *counted `json:"usage"`
	} `json:"response"`
	Message struct {
		Usage *counted `json:"usage"`
	} `json:"message"`
	Choices []struct {
		Delta struct {
			Content          string `json:"content"`
			ReasoningContent string `json:"reasoning_content"`
			Reasoning        string `json:"reasoning"`
			ToolCalls        []struct {
				Function struct {
					Name      string `json:"name"`
					Arguments string `json:"arguments"`
				} `json:"function"`
			} `json:"tool_calls"`
		} `json:"delta"`
		FinishReason string `json:"finish_reason"`
	} `json:"choices"`
}

// counted is how providers count.
type counted struct {
	InputTokens         int64   `json:"input_tokens"`
	OutputTokens        int64   `json:"output_tokens"`
	CacheRead           int64   `json:"cache_read_input_tokens"`
	CacheWrite          int64   `json:"cache_creation_input_tokens"`
	InputTokensDetails  details `json:"input_tokens_details"`
	PromptTokens        int64   `json:"prompt_tokens"`
	CompletionTokens    int64   `json:"completion_tokens"`
	PromptTokensDetails details `json:"prompt_tokens_details"`
}

type details struct {
	CachedTokens int64 `json:"cached_tokens"`
}

// usage are the tokens in our own terms.
func (c counted) usage(p *protocol) llm.Usage {
	input, output, cached := c.InputTokens, c.OutputTokens, c.InputTokensDetails.CachedTokens
	if p == chatCompletions {
		input, output, cached = c.PromptTokens, c.CompletionTokens, c.PromptTokensDetails.CachedTokens
	}
	if p.messages {
		return llm.Usage{Input: max(input, 0), Output: max(output, 0), CacheRead: max(c.CacheRead, 0), CacheWrite: max(c.CacheWrite, 0)}
	}
	cached = min(max(cached, 0), max(input, 0))
	return llm.Usage{Input: max(input, 0) - cached, CacheRead: cached, Output: max(output, 0)}
}

// text is how many bytes of an answer an event carries.
func (s said) text() int {
	n := 0
	for _, c := range s.Choices {
		n += len(c.Delta.Content) + max(len(c.Delta.ReasoningContent), len(c.Delta.Reasoning)) // some say it twice
		for _, call := range c.Delta.ToolCalls {
			n += len(call.Function.Name) + len(call.Function.Arguments)
		}
	}
	if len(s.Delta) == 0 {
		return n
	}
	var plain string
	if json.Unmarshal(s.Delta, &plain) == nil {
		return n + len(plain)
	}
	var block struct {
		Text        string `json:"text"`
		PartialJSON string `json:"partial_json"`
		Thinking    string `json:"thinking"`
	}
	if json.Unmarshal(s.Delta, &block) == nil {
		n += len(block.Text) + len(block.PartialJSON) + len(block.Thinking)
	}
	return n
}

// ends says that an answer is complete with this event.
func (s said) ends() bool {
	switch s.Type {
	case "message_stop", "response.completed", "response.incomplete", "response.failed":
		return true
	}
	for _, c := range s.Choices {
		if c.FinishReason != "" {
			return true
		}
	}
	return false
}

// merge takes what a later event has counted: some protocols tell input and
// output apart from each other.
func merge(before, now llm.Usage) llm.Usage {
	return llm.Usage{
		Input: max(before.Input, now.Input), Output: max(before.Output, now.Output),
		CacheRead: max(before.CacheRead, now.CacheRead), CacheWrite: max(before.CacheWrite, now.CacheWrite),
	}
}
