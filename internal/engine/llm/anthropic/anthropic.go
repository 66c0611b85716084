// Package anthropic asks the models of Anthropic, through its Messages API.
//
// Thinking is no part of the answer. It is counted while it comes, and where tools
// are called it goes back as it came, signed.
package anthropic

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/bundle-delivery/svc/internal/engine/llm"
	"github.com/bundle-delivery/svc/internal/engine/llm/wire"
	"github.com/bundle-delivery/svc/internal/text/sse"
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
func (p *provider) Stream(ctx context.Context, c llm.Call, hear func(llm.Piece) error) (llm.Reply, error) {
	a := &answer{hear: hear, reply: llm.Reply{Model: p.model}}
	err := p.client.Stream(ctx, p.request(c), a)
	u := &a.reply.Usage
	if u.Output == 0 {
		u.Output = llm.EstimateTokens(a.length)
	}
	if a.started && u.Input+u.CacheRead+u.CacheWrite == 0 {
		u.Input = llm.EstimateInput(c)
	}
	return a.reply, err
}

type request struct {
	Model       string    `json:"model"`
	MaxTokens   int64     `json:"max_tokens"`
	Temperature *float64  `json:"temperature,omitempty"`
	System      []block   `json:"system,omitempty"`
	Tools       []tool    `json:"tools,omitempty"`
	Messages    []message `json:"messages"`
	Stream      bool      `json:"stream"`
}

type message struct {
	Role    string  `json:"role"`
	Content []block `json:"content"`
}

// block is a piece of content, with the fields that its type has.
type block struct {
	Type         string          `json:"type"`
	Text         string          `json:"text,omitempty"`
	Thinking     string          `json:"thinking,omitempty"`
	Signature    string          `json:"signature,omitempty"`
	ID           string          `json:"id,omitempty"`
	Name         string          `json:"name,omitempty"`
	Input        json.RawMessage `json:"input,omitempty"`
	ToolUseID    string          `json:"tool_use_id,omitempty"`
	Content      string          `json:"content,omitempty"`
	CacheControl *cacheControl   `json:"cache_control,omitempty"`
}

type cacheControl struct {
	Type string `json:"type"`
}

type tool struct {
	Name        string         `json:"name"`
	Description string         `json:"description,omitempty"`
	InputSchema map[string]any `json:"input_schema"`
}

// cached ends a part that the provider caches where a block is shared.
func (b block) cached(shared bool) block {
	if shared {
		b.CacheControl = &cacheControl{Type: "ephemeral"}
	}
	return b
}

func (p *provider) request(c llm.Call) request {
	r := request{Model: p.model, MaxTokens: c.MaxTokens, Temperature: c.Temperature, Stream: true}
	if c.System != "" {
		r.System = []block{block{Type: "text", Text: c.System}.cached(true)}
	}
	for _, t := range c.Tools {
		r.Tools = append(r.Tools, tool{t.Name, t.Description, t.Input})
	}
	for _, m := range c.Messages {
		turn := message{Role: "user"}
		if m.FromModel {
			turn.Role = "assistant"
		}
		for _, t := range m.Thoughts {
			turn.Content = append(turn.Content, block{Type: "thinking", Thinking: t.Text, Signature: t.Signature})
		}
		for _, result := range m.Results {
			turn.Content = append(turn.Content, block{Type: "tool_result", ToolUseID: result.ID, Content: result.Text}.cached(result.Shared))
		}
		for _, part := range m.Parts {
			turn.Content = append(turn.Content, block{Type: "text", Text: part.Text}.cached(part.Shared))
		}
		for _, call := range m.Calls {
			turn.Content = append(turn.Content, block{Type: "tool_use", ID: call.ID, Name: call.Name, Input: json.RawMessage(call.Input)})
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
	ContentBlock struct {
		Type string `json:"type"`
		ID   string `json:"id"`
		Name string `json:"name"`
	} `json:"content_block"`
	Delta struct {
		Type        string `json:"type"`
		Text        string `json:"text"`
		Thinking    string `json:"thinking"`
		Signature   string `json:"signature"`
		PartialJSON string `json:"partial_json"`
		StopReason  string `json:"stop_reason"`
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
	hear    func(llm.Piece) error
	reply   llm.Reply
	started bool
	length  int          // of everything that came, in bytes
	thought *llm.Thought // the open block, if it is one
	call    *llm.ToolCall
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
		a.reply.Usage = llm.Usage{Input: max(0, u.InputTokens), CacheRead: max(0, u.CacheReadInputTokens), CacheWrite: max(0, u.CacheCreationInputTokens)}
		a.started = true
		if e.Message.Model != "" {
			a.reply.Model = e.Message.Model
		}
	case "content_block_start":
		switch e.ContentBlock.Type {
		case "thinking":
			a.thought = &llm.Thought{}
		case "tool_use":
			a.call = &llm.ToolCall{ID: e.ContentBlock.ID, Name: e.ContentBlock.Name}
			return false, a.take(llm.Piece{Unseen: len(a.call.ID) + len(a.call.Name)})
		}
	case "content_block_delta":
		return false, a.delta(e)
	case "content_block_stop":
		a.closeBlock()
	case "message_delta":
		a.reply.Usage.Output = max(0, e.Usage.OutputTokens)
		switch e.Delta.StopReason {
		case "max_tokens", "model_context_window_exceeded":
			a.reply.Stop = llm.StopLength
			a.reply.CutOff()
		case "refusal":
			return false, &llm.Failure{Kind: llm.Declined}
		}
	case "message_stop":
		return true, nil
	}
	return false, nil
}

// delta takes a piece of the open block.
func (a *answer) delta(e event) error {
	d := e.Delta
	piece := llm.Piece{Text: d.Text, Unseen: len(d.Thinking) + len(d.Signature) + len(d.PartialJSON)}
	if a.thought != nil {
		a.thought.Text += d.Thinking
		a.thought.Signature += d.Signature
	}
	if a.call != nil {
		a.call.Input += d.PartialJSON
	}
	if piece == (llm.Piece{}) {
		return nil
	}
	return a.take(piece)
}

// take counts a piece: nothing that is kept comes for nothing.
func (a *answer) take(piece llm.Piece) error {
	a.length += len(piece.Text) + piece.Unseen
	return a.hear(piece)
}

func (a *answer) closeBlock() {
	if a.thought != nil && a.thought.Signature != "" {
		a.reply.Thoughts = append(a.reply.Thoughts, *a.thought)
	}
	if a.call != nil {
		if a.call.Input == "" {
			a.call.Input = "{}"
		}
		a.reply.Calls = append(a.reply.Calls, *a.call)
	}
	a.thought, a.call = nil, nil
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
