// Package wiretest serves the protocols of model providers to tests: Anthropic's
// Messages and OpenAI's chat completions, as their public documentation shows
// them, with every way in which they can fail.
//
// Its answers are given by the test. It refuses requests that the real providers
// would refuse: without a key, without a version, with unknown fields or with
// roles out of order.
package wiretest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
)

// The protocols.
const (
	Anthropic = "anthropic"
	OpenAI    = "openai"
)

// Key is the only key that is accepted.
const Key = "test-key-not-a-secret"

// Ask is a request, in the terms that both protocols share.
type Ask struct {
	Protocol    string
	Model       string
	System      string
	Turns       []Turn
	Structured  bool // a form of JSON was asked for
	MaxTokens   int64
	Temperature *float64
	// Cached are the blocks that are marked for the cache, in their order.
	Cached []string
}

// Turn is one message.
type Turn struct{ Role, Text string }

// Last is the text of the last turn.
func (a Ask) Last() string {
	if len(a.Turns) == 0 {
		return ""
	}
	return a.Turns[len(a.Turns)-1].Text
}

// Answer is what the server does.
type Answer struct {
	Text string
	// Thinking comes before the text and is no part of it.
	Thinking string
	Piece    int // bytes of a delta, never inside a character; 0: 24
	// Stop is "length" or "refusal"; empty: the end of the text.
	Stop string
	// The tokens that are told; zero: counted by length.
	Input, CacheRead, Output int64
	NoUsage                  bool // where a protocol may leave it out

	// Status other than 0 and 200 refuses the request with these.
	Status  int
	Header  map[string]string
	Type    string // of the error
	Message string

	// After so many deltas, one of these happens.
	After     int
	Cut       bool   // the connection is lost, in the middle of an event
	Stall     bool   // silence until the client goes away
	StreamErr string // an error event of this type
	Endless   bool   // the text again and again

	KeepAlives  bool // comments between events
	Torn        bool // the bytes come three at a time, also inside characters
	Raw         string
	ContentType string
}

// Handler is the server.
type Handler struct {
	answer func(Ask) Answer
	mu     sync.Mutex
	asks   []Ask
	served int
	left   chan Ask
}

// New makes a server that answers as told. answer may be called from several
// goroutines at once.
func New(answer func(Ask) Answer) *Handler {
	return &Handler{answer: answer, left: make(chan Ask, 1000)}
}

// Left gives, one by one, the requests whose client went away before it had the
// whole answer.
func (h *Handler) Left() <-chan Ask { return h.left }

// Asks are the requests so far, in the order in which they came.
func (h *Handler) Asks() []Ask {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]Ask(nil), h.asks...)
}

// ServeHTTP answers POST /v1/messages and POST /v1/chat/completions.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	var ask Ask
	protocol := protocolOf(r.URL.Path)
	switch protocol {
	case Anthropic:
		ask, err = readAnthropic(r, body)
	case OpenAI:
		ask, err = readOpenAI(r, body)
	default:
		http.NotFound(w, r)
		return
	}
	if err != nil {
		bad := Answer{Status: http.StatusBadRequest, Type: "invalid_request_error", Message: err.Error()}
		if errors.Is(err, errKey) {
			bad = Answer{Status: http.StatusUnauthorized, Type: "authentication_error", Message: "invalid x-api-key"}
		}
		refuse(w, protocol, bad)
		return
	}
	h.mu.Lock()
	h.asks = append(h.asks, ask)
	h.served++
	number := h.served
	h.mu.Unlock()
	answer := h.answer(ask)
	if answer.Status != 0 && answer.Status != http.StatusOK {
		refuse(w, protocol, answer)
		return
	}
	s := &stream{w: w, r: r, answer: answer, ask: ask, id: fmt.Sprintf("%06d", number)}
	if s.run(); !s.ended && r.Context().Err() != nil {
		h.left <- ask
	}
}

func protocolOf(path string) string {
	switch path {
	case "/v1/messages":
		return Anthropic
	case "/v1/chat/completions":
		return OpenAI
	}
	return ""
}

var errKey = errors.New("the key is wrong")

type anthropicText struct {
	Type         string `json:"type"`
	Text         string `json:"text"`
	CacheControl *struct {
		Type string `json:"type"`
	} `json:"cache_control"`
}

func readAnthropic(r *http.Request, body []byte) (Ask, error) {
	if r.Header.Get("X-Api-Key") != Key {
		return Ask{}, errKey
	}
	if r.Header.Get("Anthropic-Version") == "" {
		return Ask{}, fmt.Errorf("anthropic-version: header is required")
	}
	var q struct {
		Model        string          `json:"model"`
		MaxTokens    int64           `json:"max_tokens"`
		Stream       bool            `json:"stream"`
		System       []anthropicText `json:"system"`
		Temperature  *float64        `json:"temperature"`
		OutputConfig *struct {
			Format struct {
				Type   string         `json:"type"`
				Schema map[string]any `json:"schema"`
			} `json:"format"`
		} `json:"output_config"`
		Messages []struct {
			Role    string          `json:"role"`
			Content []anthropicText `json:"content"`
		} `json:"messages"`
	}
	if err := strict(body, &q); err != nil {
		return Ask{}, err
	}
	ask := Ask{Protocol: Anthropic, Model: q.Model, MaxTokens: q.MaxTokens, Temperature: q.Temperature, Structured: q.OutputConfig != nil}
	if q.OutputConfig != nil {
		if q.OutputConfig.Format.Type != "json_schema" {
			return ask, errors.New("output_config.format.type: json_schema is the only one")
		}
		if err := checkSchema(q.OutputConfig.Format.Schema); err != nil {
			return ask, fmt.Errorf("output_config.format: %w", err)
		}
	}
	unknown := false
	join := func(blocks []anthropicText) string {
		var s strings.Builder
		for _, b := range blocks {
			s.WriteString(b.Text)
			if b.CacheControl != nil {
				ask.Cached = append(ask.Cached, b.Text)
				unknown = unknown || b.CacheControl.Type != "ephemeral"
			}
		}
		return s.String()
	}
	ask.System = join(q.System)
	for _, m := range q.Messages {
		ask.Turns = append(ask.Turns, Turn{m.Role, join(m.Content)})
	}
	if len(ask.Cached) > 4 || unknown {
		return ask, fmt.Errorf("a maximum of 4 blocks with cache_control may be provided, of the type ephemeral")
	}
	return ask, check(ask, q.Stream)
}

func readOpenAI(r *http.Request, body []byte) (Ask, error) {
	if r.Header.Get("Authorization") != "Bearer "+Key {
		return Ask{}, errKey
	}
	var q struct {
		Model               string   `json:"model"`
		MaxTokens           int64    `json:"max_tokens"`
		MaxCompletionTokens int64    `json:"max_completion_tokens"`
		Stream              bool     `json:"stream"`
		Temperature         *float64 `json:"temperature"`
		StreamOptions       struct {
			IncludeUsage bool `json:"include_usage"`
		} `json:"stream_options"`
		ResponseFormat *struct {
			Type       string `json:"type"`
			JSONSchema struct {
				Name   string         `json:"name"`
				Strict bool           `json:"strict"`
				Schema map[string]any `json:"schema"`
			} `json:"json_schema"`
		} `json:"response_format"`
		Messages []struct {
			Role    string `json:"role"`
			Content string `json:"content"`
		} `json:"messages"`
	}
	if err := strict(body, &q); err != nil {
		return Ask{}, err
	}
	ask := Ask{Protocol: OpenAI, Model: q.Model, MaxTokens: q.MaxTokens + q.MaxCompletionTokens, Temperature: q.Temperature, Structured: q.ResponseFormat != nil}
	if q.ResponseFormat != nil {
		if q.ResponseFormat.Type != "json_schema" || q.ResponseFormat.JSONSchema.Name == "" {
			return ask, errors.New("response_format: only a named json_schema is known")
		}
		if err := checkSchema(q.ResponseFormat.JSONSchema.Schema); err != nil {
			return ask, fmt.Errorf("response_format: %w", err)
		}
	}
	for _, m := range q.Messages {
		if m.Role == "system" {
			ask.System += m.Content
			continue
		}
		ask.Turns = append(ask.Turns, Turn{m.Role, m.Content})
	}
	return ask, check(ask, q.Stream)
}

// strict refuses fields that the protocol does not have.
func strict(body []byte, to any) error {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.DisallowUnknownFields()
	return decoder.Decode(to)
}

func check(a Ask, streamed bool) error {
	switch {
	case a.Model == "":
		return fmt.Errorf("model: Field required")
	case a.MaxTokens < 1:
		return fmt.Errorf("max_tokens: Field required")
	case !streamed:
		return fmt.Errorf("this server only streams")
	case len(a.Turns) == 0 || a.Turns[0].Role != "user" || a.Turns[len(a.Turns)-1].Role != "user":
		return fmt.Errorf("messages: the conversation has to begin and end with the user")
	}
	for i, t := range a.Turns {
		if t.Text == "" || i > 0 && t.Role == a.Turns[i-1].Role {
			return fmt.Errorf("messages.%d: empty, or the same role twice", i)
		}
	}
	return nil
}

// checkSchema holds a schema to what strict structured output understands.
func checkSchema(s map[string]any) error {
	if s["type"] == "array" {
		items, _ := s["items"].(map[string]any)
		return checkSchema(items)
	}
	if s["type"] != "object" {
		if s["type"] == nil {
			return fmt.Errorf("a schema without a type")
		}
		return nil
	}
	properties, _ := s["properties"].(map[string]any)
	required, _ := s["required"].([]any)
	if s["additionalProperties"] != false || len(required) != len(properties) {
		return fmt.Errorf("every object needs additionalProperties false and all properties required")
	}
	for _, p := range properties {
		inner, _ := p.(map[string]any)
		if err := checkSchema(inner); err != nil {
			return err
		}
	}
	return nil
}
