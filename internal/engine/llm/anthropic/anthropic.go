// Package anthropic asks the models of Anthropic, through its Messages API.
//
// Structured answers are asked for by the output format, not by a forced tool:
// models that think do not accept the latter. Thinking is not part of the answer.
package anthropic

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/bundle-delivery/svc/internal/engine/llm"
	"github.com/bundle-delivery/svc/internal/engine/llm/wire"
	"github.com/bundle-delivery/svc/internal/sse"
)

// DefaultURL is where the API is.
const DefaultURL = "https://api.anthropic.com/"

// DefaultModel is asked when none is chosen.
const DefaultModel = "claude-sonnet-5-5"

// Config says whom to ask. Everything but Client and URL is needed.
type Config = wire.Config

// New makes the provider.
func New(c Config) llm.Provider {
	if c.URL == "" {
		c.URL = DefaultURL
	}
	header := http.Header{"Anthropic-Version": {"2023-06-01"}, "X-Api-Key": {c.Key}}
	return &provider{client: wire.NewClient(c, "/v1/messages", header), model: c.Model}
}

type provider struct {
	client *wire.Client
	model  string
}

// Stream implements [llm.Provider].
func (p *provider) Stream(ctx context.Context, c llm.Call, text func(string) error) (llm.Reply, error) {
	a := &answer{text: text, reply: llm.Reply{Model: p.model}}
	err := p.client.Stream(ctx, p.request(c), a)
	if err != nil && a.reply.Usage.Output == 0 {
		a.reply.Usage.Output = llm.EstimateTokens(a.length)
	}
	return a.reply, err
}

type request struct {
	Model        string        `json:"model"`
	MaxTokens    int64         `json:"max_tokens"`
	Temperature  *float64      `json:"temperature,omitempty"`
	System       []block       `json:"system,omitempty"`
	Messages     []message     `json:"messages"`
	OutputConfig *outputConfig `json:"output_config,omitempty"`
	Stream       bool          `json:"stream"`
}

type message struct {
	Role    string  `json:"role"`
	Content []block `json:"content"`
}

type block struct {
	Type         string        `json:"type"`
	Text         string        `json:"text"`
	CacheControl *cacheControl `json:"cache_control,omitempty"`
}

type cacheControl struct {
	Type string `json:"type"`
}

type outputConfig struct {
	Format format `json:"format"`
}

type format struct {
	Type   string         `json:"type"`
	Schema map[string]any `json:"schema"`
}

// textBlock is a text; what is shared ends a part that the provider caches.
func textBlock(text string, shared bool) block {
	b := block{Type: "text", Text: text}
	if shared {
		b.CacheControl = &cacheControl{Type: "ephemeral"}
	}
	return b
}

func (p *provider) request(c llm.Call) request {
	r := request{Model: p.model, MaxTokens: c.MaxTokens, Temperature: c.Temperature, Stream: true}
	if c.System != "" {
		r.System = []block{textBlock(c.System, true)}
	}
	if c.Schema != nil {
		r.OutputConfig = &outputConfig{format{Type: "json_schema", Schema: c.Schema.JSON}}
	}
	for _, m := range c.Messages {
		turn := message{Role: "user"}
		if m.FromModel {
			turn.Role = "assistant"
		}
		for _, part := range m.Parts {
			turn.Content = append(turn.Content, textBlock(part.Text, part.Shared))
		}
		r.Messages = append(r.Messages, turn)
	}
	return r
}

// event is one event of the stream, of whatever type.
type event struct {
	Type    string `json:"type"`
	Message struct {
		Model string `json:"model"`
		Usage usage  `json:"usage"`
	} `json:"message"`
	Delta struct {
		Type       string `json:"type"`
		Text       string `json:"text"`
		StopReason string `json:"stop_reason"`
	} `json:"delta"`
	Usage usage `json:"usage"`
	Error struct {
		Type string `json:"type"`
	} `json:"error"`
}

type usage struct {
	InputTokens              int64 `json:"input_tokens"`
	CacheReadInputTokens     int64 `json:"cache_read_input_tokens"`
	CacheCreationInputTokens int64 `json:"cache_creation_input_tokens"`
	OutputTokens             int64 `json:"output_tokens"`
}

// answer collects what comes.
type answer struct {
	text   func(string) error
	reply  llm.Reply
	length int
}

// Refused implements [wire.Answer].
func (a *answer) Refused(f *llm.Failure) {
	var e event
	if err := json.Unmarshal([]byte(f.Detail), &e); err == nil && e.Error.Type == "overloaded_error" {
		f.Kind = llm.Overloaded
	}
}

// Event implements [wire.Answer].
func (a *answer) Event(raw sse.Event) (bool, error) {
	var e event
	if err := wire.Decode(raw, &e); err != nil {
		return false, err
	}
	if raw.Name == "error" {
		return false, streamFailure(e.Error.Type, string(raw.Data))
	}
	switch e.Type {
	case "message_start":
		u := e.Message.Usage
		a.reply.Usage = llm.Usage{Input: u.InputTokens, CacheRead: u.CacheReadInputTokens, CacheWrite: u.CacheCreationInputTokens}
		if e.Message.Model != "" {
			a.reply.Model = e.Message.Model
		}
	case "content_block_delta":
		if e.Delta.Type != "text_delta" || e.Delta.Text == "" {
			return false, nil
		}
		a.length += len(e.Delta.Text)
		return false, a.text(e.Delta.Text)
	case "message_delta":
		a.reply.Usage.Output = e.Usage.OutputTokens
		switch e.Delta.StopReason {
		case "max_tokens", "model_context_window_exceeded":
			a.reply.Stop = llm.StopLength
		case "refusal":
			return false, &llm.Failure{Kind: llm.Declined}
		}
	case "message_stop":
		return true, nil
	}
	return false, nil
}

// streamFailure explains an error that comes inside a stream.
func streamFailure(kind, detail string) error {
	f := &llm.Failure{Kind: llm.Unreachable, Detail: detail}
	switch kind {
	case "overloaded_error":
		f.Kind = llm.Overloaded
	case "rate_limit_error":
		f.Kind = llm.RateLimited
	case "invalid_request_error":
		f.Kind = llm.Rejected
	}
	return f
}
