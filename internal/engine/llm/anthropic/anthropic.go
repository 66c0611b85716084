// Package anthropic asks the models of Anthropic, through its Messages API.
//
// The official SDK makes the requests and knows the types; the stream is read
// by package wire, which is strict about how it ends. Structured answers are
// asked for by the output format, not by a forced tool: models that think do not
// accept the latter. Thinking is not part of the answer.
package anthropic

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"github.com/bundle-delivery/svc/internal/engine/llm"
	"github.com/bundle-delivery/svc/internal/engine/llm/wire"
)

// DefaultURL is where the API is.
const DefaultURL = "https://api.anthropic.com/"

// DefaultModel is asked when none is chosen.
const DefaultModel = sdk.ModelClaudeSonnet5_5

// Config says whom to ask. Everything but Client and URL is needed.
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
	if c.URL == "" {
		c.URL = DefaultURL
	}
	return &provider{key: c.Key, model: c.Model, stall: c.Stall, client: sdk.NewClient(
		option.WithoutEnvironmentDefaults(), option.WithBaseURL(c.URL), option.WithAPIKey(c.Key),
		option.WithHTTPClient(wire.Client(c.Client)), option.WithMaxRetries(0), option.WithoutOpenTelemetry(),
	)}
}

type provider struct {
	client sdk.Client
	key    string
	model  string
	stall  time.Duration
}

// Stream implements [llm.Provider].
func (p *provider) Stream(ctx context.Context, c llm.Call, text func(string) error) (llm.Reply, error) {
	a := &answer{text: text, reply: llm.Reply{Model: p.model}}
	params := p.params(c)
	err := wire.Follow(ctx, p.stall, func(ctx context.Context) (*http.Response, error) {
		var response *http.Response
		err := p.client.Post(ctx, "v1/messages", params, &response, option.WithJSONSet("stream", true))
		return response, failureOf(err)
	}, a.take)
	if err != nil && a.reply.Usage.Output == 0 {
		a.reply.Usage.Output = llm.EstimateTokens(a.length)
	}
	return a.reply, wire.Hide(err, p.key)
}

func (p *provider) params(c llm.Call) sdk.MessageNewParams {
	params := sdk.MessageNewParams{Model: p.model, MaxTokens: c.MaxTokens}
	if c.System != "" {
		params.System = []sdk.TextBlockParam{{Text: c.System, CacheControl: sdk.NewCacheControlEphemeralParam()}}
	}
	if c.Temperature != nil {
		params.Temperature = sdk.Float(*c.Temperature)
	}
	if c.Schema != nil {
		params.OutputConfig.Format = sdk.JSONOutputFormatParam{Schema: c.Schema.JSON}
	}
	for _, m := range c.Messages {
		var blocks []sdk.ContentBlockParamUnion
		for _, part := range m.Parts {
			block := sdk.NewTextBlock(part.Text)
			if part.Shared {
				block.OfText.CacheControl = sdk.NewCacheControlEphemeralParam()
			}
			blocks = append(blocks, block)
		}
		if m.FromModel {
			params.Messages = append(params.Messages, sdk.NewAssistantMessage(blocks...))
		} else {
			params.Messages = append(params.Messages, sdk.NewUserMessage(blocks...))
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
		if e.Type() == "overloaded_error" {
			f.Kind = llm.Overloaded
		}
		return f
	}
	return err
}

// answer collects what comes.
type answer struct {
	text   func(string) error
	reply  llm.Reply
	length int
}

func (a *answer) take(e wire.Event) (bool, error) {
	if e.Name == "error" {
		return false, streamFailure(e.Data)
	}
	var event sdk.MessageStreamEventUnion
	if err := json.Unmarshal(e.Data, &event); err != nil {
		return false, &llm.Failure{Kind: llm.Garbled, Err: fmt.Errorf("%s: %w", e.Name, err)}
	}
	switch event.Type {
	case "message_start":
		u := event.Message.Usage
		a.reply.Usage = llm.Usage{Input: u.InputTokens, CacheRead: u.CacheReadInputTokens, CacheWrite: u.CacheCreationInputTokens}
		if event.Message.Model != "" {
			a.reply.Model = event.Message.Model
		}
	case "content_block_delta":
		if event.Delta.Type != "text_delta" || event.Delta.Text == "" {
			return false, nil
		}
		a.length += len(event.Delta.Text)
		return false, a.text(event.Delta.Text)
	case "message_delta":
		a.reply.Usage.Output = event.Usage.OutputTokens
		switch event.Delta.StopReason {
		case sdk.StopReasonMaxTokens, sdk.StopReasonModelContextWindowExceeded:
			a.reply.Stop = llm.StopLength
		case sdk.StopReasonRefusal:
			return false, &llm.Failure{Kind: llm.Declined}
		}
	case "message_stop":
		return true, nil
	}
	return false, nil
}

// streamFailure explains an error that comes inside a stream.
func streamFailure(data []byte) error {
	var e struct {
		Error struct {
			Type    string `json:"type"`
			Message string `json:"message"`
		} `json:"error"`
	}
	if err := json.Unmarshal(data, &e); err != nil {
		return &llm.Failure{Kind: llm.Garbled, Err: err}
	}
	f := &llm.Failure{Kind: llm.Unreachable, Detail: e.Error.Type + ": " + e.Error.Message}
	switch e.Error.Type {
	case "overloaded_error":
		f.Kind = llm.Overloaded
	case "rate_limit_error":
		f.Kind = llm.RateLimited
	case "invalid_request_error":
		f.Kind = llm.Rejected
	}
	return f
}
