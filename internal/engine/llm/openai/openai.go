// Package openai asks models through the chat protocol of OpenAI, which many
// other servers speak as well.
//
// Servers differ in what they know of the protocol: those that are not OpenAI's
// own are sent the older name of the token limit, which all of them know, and a
// server that does not count tokens gets an estimate.
package openai

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/llm"
	"github.com/bundle-delivery/svc/internal/engine/llm/wire"
	"github.com/bundle-delivery/svc/internal/text/sse"
)

// DefaultURL is where OpenAI's own API is.
const DefaultURL = "https://api.openai.com/v1/"

// DefaultModel is asked when none is chosen.
const DefaultModel = "gpt-5.4-mini"

// Config says whom to ask. Model and Stall are needed; servers of one's own may
// do without a key.
type Config = wire.Config

// New makes the provider.
func New(c Config) llm.Provider {
	p := &provider{model: c.Model, own: c.URL == ""}
	if p.own {
		c.URL = DefaultURL
	}
	bearer := c.Key
	if bearer == "" {
		bearer = "none" // clients of this protocol always send one, and servers without keys ignore it
	}
	p.client = wire.NewClient(c, "/chat/completions", http.Header{"Authorization": {"Bearer " + bearer}})
	return p
}

type provider struct {
	client *wire.Client
	model  string
	own    bool // OpenAI itself
}

// Stream implements [llm.Provider].
func (p *provider) Stream(ctx context.Context, c llm.Call, hear func(llm.Piece) error) (llm.Reply, error) {
	a := &answer{hear: hear, reply: llm.Reply{Model: p.model}}
	err := p.client.Stream(ctx, p.request(c), a)
	if errors.Is(err, io.EOF) && a.ended { // some servers leave out the last line
		err = a.close()
	}
	if !a.counted && a.started {
		a.reply.Usage = llm.Usage{Input: llm.EstimateInput(c), Output: llm.EstimateTokens(a.length)}
	}
	return a.reply, err
}

type request struct {
	Model               string        `json:"model"`
	Messages            []message     `json:"messages"`
	MaxTokens           int64         `json:"max_tokens,omitempty"`
	MaxCompletionTokens int64         `json:"max_completion_tokens,omitempty"`
	Temperature         *float64      `json:"temperature,omitempty"`
	Tools               []tool        `json:"tools,omitempty"`
	Stream              bool          `json:"stream"`
	StreamOptions       streamOptions `json:"stream_options"`
}

type message struct {
	Role       string     `json:"role"`
	Content    *string    `json:"content"` // none beside calls of tools alone
	ToolCalls  []toolCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
}

type tool struct {
	Type     string      `json:"type"`
	Function description `json:"function"`
}

type description struct {
	Name        string         `json:"name"`
	Description string         `json:"description,omitempty"`
	Parameters  map[string]any `json:"parameters"`
}

type toolCall struct {
	Index    int    `json:"index,omitempty"` // in answers
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

func (p *provider) request(c llm.Call) request {
	r := request{Model: p.model, Temperature: c.Temperature, Stream: true, StreamOptions: streamOptions{IncludeUsage: true}}
	if p.own {
		r.MaxCompletionTokens = c.MaxTokens
	} else {
		r.MaxTokens = c.MaxTokens
	}
	if c.System != "" {
		r.Messages = append(r.Messages, message{Role: "system", Content: &c.System})
	}
	for _, t := range c.Tools {
		r.Tools = append(r.Tools, tool{"function", description{t.Name, t.Description, t.Input}})
	}
	for _, m := range c.Messages {
		r.Messages = append(r.Messages, turns(m)...)
	}
	return r
}

// turns writes one message as the protocol has it, where each result of a tool is a
// message of its own.
func turns(m llm.Message) []message {
	var out []message
	for _, result := range m.Results {
		out = append(out, message{Role: "tool", ToolCallID: result.ID, Content: &result.Text})
	}
	turn := message{Role: "user"}
	if m.FromModel {
		turn.Role = "assistant"
	}
	var text strings.Builder
	for _, part := range m.Parts {
		text.WriteString(part.Text)
	}
	if said := text.String(); said != "" {
		turn.Content = &said
	}
	for _, call := range m.Calls {
		sent := toolCall{ID: call.ID, Type: "function"}
		sent.Function.Name, sent.Function.Arguments = call.Name, call.Input
		turn.ToolCalls = append(turn.ToolCalls, sent)
	}
	if turn.Content != nil || turn.ToolCalls != nil {
		out = append(out, turn)
	}
	return out
}

// chunk is one event of the stream.
type chunk struct {
	Model   string   `json:"model"`
	Choices []choice `json:"choices"`
	Usage   struct {
		PromptTokens        int64 `json:"prompt_tokens"`
		CompletionTokens    int64 `json:"completion_tokens"`
		PromptTokensDetails struct {
			CachedTokens int64 `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
	} `json:"usage"`
	Error json.RawMessage `json:"error"`
}

type choice struct {
	Index int64 `json:"index"`
	Delta struct {
		Content string `json:"content"`
		Refusal string `json:"refusal"`
		// Thinking, by the names that different servers give it.
		ReasoningContent string     `json:"reasoning_content"`
		Reasoning        string     `json:"reasoning"`
		ToolCalls        []toolCall `json:"tool_calls"`
	} `json:"delta"`
	FinishReason string `json:"finish_reason"`
}

// answer collects what comes.
type answer struct {
	hear             func(llm.Piece) error
	reply            llm.Reply
	length           int   // of everything that came, in bytes
	indexes          []int // of the calls
	started, counted bool
	refused, ended   bool
}

// Refused implements [wire.Answer].
func (a *answer) Refused(f *llm.Failure) {
	var e struct {
		Error struct {
			Code any `json:"code"`
		} `json:"error"`
	}
	if err := json.Unmarshal([]byte(f.Detail), &e); err == nil && e.Error.Code == "insufficient_quota" {
		f.Kind = llm.Denied // waiting does not fill an account
	}
}

// Event implements [wire.Answer].
func (a *answer) Event(raw sse.Event) (bool, error) {
	if string(bytes.TrimSpace(raw.Data)) == "[DONE]" {
		return true, a.close()
	}
	var c chunk
	if err := wire.Decode(raw, &c); err != nil {
		return false, err
	}
	if len(c.Error) > 0 && string(c.Error) != "null" {
		return false, streamFailure(c.Error)
	}
	a.started = true
	if c.Model != "" {
		a.reply.Model = c.Model
	}
	if u := c.Usage; u.PromptTokens > 0 || u.CompletionTokens > 0 {
		cached := min(u.PromptTokensDetails.CachedTokens, u.PromptTokens)
		a.reply.Usage = llm.Usage{Input: u.PromptTokens - cached, CacheRead: cached, Output: u.CompletionTokens}
		a.counted = true
	}
	for _, choice := range c.Choices {
		if choice.Index != 0 {
			continue
		}
		if err := a.choice(choice); err != nil {
			return false, err
		}
	}
	return false, nil
}

// streamFailure explains an error that comes inside a stream. Servers agree on
// its place and on little else: the code is a word or a number.
func streamFailure(raw []byte) error {
	var e struct {
		Type string `json:"type"`
		Code any    `json:"code"`
	}
	f := &llm.Failure{Kind: llm.Unreachable, Detail: string(raw)}
	if err := json.Unmarshal(raw, &e); err != nil {
		return f // it may be a plain text
	}
	if status, ok := e.Code.(float64); ok && status >= 400 && status < 600 {
		return wire.StatusFailure(int(status), nil, f.Detail)
	}
	switch {
	case e.Code == "insufficient_quota":
		f.Kind = llm.Denied // waiting does not fill an account
	case e.Code == "rate_limit_exceeded", e.Type == "rate_limit_error":
		f.Kind = llm.RateLimited
	case e.Code == "context_length_exceeded", e.Type == "invalid_request_error":
		f.Kind = llm.Rejected
	case e.Type == "overloaded_error":
		f.Kind = llm.Overloaded
	}
	return f
}

func (a *answer) choice(c choice) error {
	if c.Delta.Refusal != "" {
		a.refused = true
	}
	piece := llm.Piece{Text: c.Delta.Content, Unseen: max(len(c.Delta.ReasoningContent), len(c.Delta.Reasoning))}
	for _, call := range c.Delta.ToolCalls {
		a.call(call)
		piece.Unseen += len(call.ID) + len(call.Function.Name) + len(call.Function.Arguments)
	}
	if piece != (llm.Piece{}) {
		a.length += len(piece.Text) + piece.Unseen
		if err := a.hear(piece); err != nil {
			return err
		}
	}
	switch c.FinishReason {
	case "":
	case "length":
		a.reply.Stop, a.ended = llm.StopLength, true
	case "content_filter":
		a.refused, a.ended = true, true
	default:
		a.ended = true
	}
	return nil
}

// call takes a piece of a call. One with another id is another call, also where a
// server does not count them.
func (a *answer) call(piece toolCall) {
	at := slices.Index(a.indexes, piece.Index)
	if n := len(a.reply.Calls) - 1; at >= 0 && piece.ID != "" && a.reply.Calls[at].ID != piece.ID {
		at = -1
		if n >= 0 && a.reply.Calls[n].ID == piece.ID {
			at = n
		}
	}
	if at < 0 {
		a.indexes = append(a.indexes, piece.Index)
		at = len(a.reply.Calls)
		a.reply.Calls = append(a.reply.Calls, llm.ToolCall{ID: cmp.Or(piece.ID, fmt.Sprintf("call_%d", at))})
	}
	if a.reply.Calls[at].Name == "" { // some servers repeat it
		a.reply.Calls[at].Name = piece.Function.Name
	}
	a.reply.Calls[at].Input += piece.Function.Arguments
}

// close judges an answer that says it is complete.
func (a *answer) close() error {
	for i := range a.reply.Calls {
		if a.reply.Calls[i].Input == "" {
			a.reply.Calls[i].Input = "{}"
		}
	}
	if a.reply.Stop == llm.StopLength {
		a.reply.CutOff()
	}
	switch {
	case a.refused:
		return &llm.Failure{Kind: llm.Declined}
	case !a.ended:
		return &llm.Failure{Kind: llm.Broken, Detail: "the stream ended without a reason"}
	}
	return nil
}
