// Package openai asks models through the chat protocol of OpenAI, which many
// other servers speak as well.
//
// The official SDK makes the requests and knows the types; the stream is read
// by package wire, which does not mind comments. Servers differ in what they
// know of the protocol: those that are not OpenAI's own are sent the older name
// of the token limit, which all of them know, and a server that does not count
// tokens gets an estimate.
package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/shared"

	"github.com/bundle-delivery/svc/internal/engine/llm"
	"github.com/bundle-delivery/svc/internal/engine/llm/wire"
)

// DefaultURL is where OpenAI's own API is.
const DefaultURL = "https://api.openai.com/v1/"

// DefaultModel is asked when none is chosen.
const DefaultModel = shared.ChatModelGPT5_4Mini

// Config says whom to ask. Model and Stall are needed; servers of one's own may
// do without a key.
type Config struct {
	URL    string
	Key    string
	Model  string
	Client *http.Client
	// Stall is how long the provider may be silent.
	Stall time.Duration
}

// New makes the provider.
func New(c Config) llm.Provider {
	p := &provider{model: c.Model, stall: c.Stall, own: c.URL == ""}
	if c.URL == "" {
		c.URL = DefaultURL
	}
	p.key = c.Key
	if c.Key == "" {
		c.Key = "none" // the SDK wants one, and servers without keys ignore it
	}
	// The service alone, not the SDK's client: that one takes keys, organisations
	// and headers from the environment and sends them to whatever server is asked.
	p.chat = sdk.NewChatCompletionService(
		option.WithBaseURL(c.URL), option.WithAPIKey(c.Key), option.WithHTTPClient(wire.Client(c.Client)), option.WithMaxRetries(0),
	)
	return p
}

type provider struct {
	chat  sdk.ChatCompletionService
	key   string
	model string
	stall time.Duration
	own   bool // OpenAI itself
}

// Stream implements [llm.Provider].
func (p *provider) Stream(ctx context.Context, c llm.Call, text func(string) error) (llm.Reply, error) {
	a := &answer{text: text, reply: llm.Reply{Model: p.model}}
	params := p.params(c)
	err := wire.Follow(ctx, p.stall, func(ctx context.Context) (*http.Response, error) {
		var response *http.Response
		_, err := p.chat.New(ctx, params, option.WithJSONSet("stream", true), option.WithResponseBodyInto(&response))
		return response, failureOf(err)
	}, a.take)
	if errors.Is(err, io.EOF) && a.ended { // some servers leave out the last line
		err = a.close()
	}
	if !a.counted && a.started {
		a.reply.Usage = llm.Usage{Input: llm.EstimateInput(c), Output: llm.EstimateTokens(a.length)}
	}
	return a.reply, wire.Hide(err, p.key)
}

func (p *provider) params(c llm.Call) sdk.ChatCompletionNewParams {
	params := sdk.ChatCompletionNewParams{
		Model:         p.model,
		StreamOptions: sdk.ChatCompletionStreamOptionsParam{IncludeUsage: sdk.Bool(true)},
	}
	if p.own {
		params.MaxCompletionTokens = sdk.Int(c.MaxTokens)
	} else {
		params.MaxTokens = sdk.Int(c.MaxTokens)
	}
	if c.Temperature != nil {
		params.Temperature = sdk.Float(*c.Temperature)
	}
	if c.System != "" {
		params.Messages = append(params.Messages, sdk.SystemMessage(c.System))
	}
	for _, m := range c.Messages {
		var text bytes.Buffer
		for _, part := range m.Parts {
			text.WriteString(part.Text)
		}
		if m.FromModel {
			params.Messages = append(params.Messages, sdk.AssistantMessage(text.String()))
		} else {
			params.Messages = append(params.Messages, sdk.UserMessage(text.String()))
		}
	}
	if c.Schema != nil {
		params.ResponseFormat.OfJSONSchema = &shared.ResponseFormatJSONSchemaParam{
			JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{Name: c.Schema.Name, Schema: c.Schema.JSON, Strict: sdk.Bool(true)},
		}
	}
	return params
}

// failureOf explains an error of the SDK.
func failureOf(err error) error {
	if e, ok := errors.AsType[*sdk.Error](err); ok {
		var header http.Header
		if e.Response != nil {
			header = e.Response.Header
		}
		f := wire.StatusFailure(e.StatusCode, header, e.RawJSON())
		if e.Code == "insufficient_quota" {
			f.Kind = llm.Denied // waiting does not fill an account
		}
		return f
	}
	return err
}

// answer collects what comes.
type answer struct {
	text             func(string) error
	reply            llm.Reply
	length           int
	started, counted bool
	refused, ended   bool
}

func (a *answer) take(e wire.Event) (bool, error) {
	if string(bytes.TrimSpace(e.Data)) == "[DONE]" {
		return true, a.close()
	}
	var chunk sdk.ChatCompletionChunk
	if err := json.Unmarshal(e.Data, &chunk); err != nil {
		return false, &llm.Failure{Kind: llm.Garbled, Err: err}
	}
	if field, ok := chunk.JSON.ExtraFields["error"]; ok && field.Raw() != "null" {
		return false, streamFailure(field.Raw())
	}
	a.started = true
	if chunk.Model != "" {
		a.reply.Model = chunk.Model
	}
	if u := chunk.Usage; u.PromptTokens > 0 || u.CompletionTokens > 0 {
		cached := min(u.PromptTokensDetails.CachedTokens, u.PromptTokens)
		a.reply.Usage = llm.Usage{Input: u.PromptTokens - cached, CacheRead: cached, Output: u.CompletionTokens}
		a.counted = true
	}
	for _, choice := range chunk.Choices {
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
func streamFailure(raw string) error {
	var e struct {
		Type string `json:"type"`
		Code any    `json:"code"`
	}
	f := &llm.Failure{Kind: llm.Unreachable, Detail: raw}
	if err := json.Unmarshal([]byte(raw), &e); err != nil {
		return f // it may be a plain text
	}
	if status, ok := e.Code.(float64); ok && status >= 400 && status < 600 {
		return wire.StatusFailure(int(status), nil, raw)
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

func (a *answer) choice(choice sdk.ChatCompletionChunkChoice) error {
	if choice.Delta.Refusal != "" {
		a.refused = true
	}
	if choice.Delta.Content != "" {
		a.length += len(choice.Delta.Content)
		if err := a.text(choice.Delta.Content); err != nil {
			return err
		}
	}
	switch choice.FinishReason {
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

// close judges an answer that says it is complete.
func (a *answer) close() error {
	switch {
	case a.refused:
		return &llm.Failure{Kind: llm.Declined}
	case !a.ended:
		return &llm.Failure{Kind: llm.Broken, Detail: "the stream ended without a reason"}
	}
	return nil
}
