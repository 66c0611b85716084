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
	"slices"
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
	Tools       []string // their names
	MaxTokens   int64
	Temperature *float64
	// Cached are the blocks that are marked for the cache, in their order.
	Cached []string
	// CacheRead and CacheWrite are what a provider's cache would make of the request:
	// tokens that it had read before, and tokens that it reads for later.
	CacheRead, CacheWrite int64
	// Size is that of the request, in bytes.
	Size int

	blocks []cacheBlock
}

// Turn is one message: its text with the results of calls before it, and the calls.
type Turn struct {
	Role, Text string
	Calls      []Call
	results    []string // ids
}

// Call is a call of a tool.
type Call struct {
	Name  string
	Input any // written as JSON, unless it is a text
	id    string
}

// Last is the text of the last turn.
func (a Ask) Last() string {
	if len(a.Turns) == 0 {
		return ""
	}
	return a.Turns[len(a.Turns)-1].Text
}

// Text is all that was said.
func (a Ask) Text() string {
	var s strings.Builder
	for _, t := range a.Turns {
		s.WriteString(t.Text + "\n")
	}
	return s.String()
}

// Answer is what the server does.
type Answer struct {
	Text string
	// Calls come after the text: of tools, or in words where the request has none.
	Calls []Call
	// CutCall is after how many bytes of its input the last call is cut off.
	CutCall int
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
	Endless   bool   // the text, or without one the thinking, again and again

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
	cache  cache
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
	ask.Size = len(body)
	h.mu.Lock()
	ask.CacheRead, ask.CacheWrite = h.cache.read(ask)
	h.asks = append(h.asks, ask)
	h.served++
	number := h.served
	h.mu.Unlock()
	answer := h.answer(ask)
	if len(ask.Tools) == 0 {
		answer = answer.inWords()
	}
	if answer.Status != 0 && answer.Status != http.StatusOK {
		refuse(w, protocol, answer)
		return
	}
	s := &stream{w: w, r: r, answer: answer, ask: ask, id: fmt.Sprintf("%06d", number)}
	h.mu.Lock()
	h.cache.add(ask) // what an answer begins with is known from then on
	h.mu.Unlock()
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

type anthropicBlock struct {
	Type         string          `json:"type"`
	Text         string          `json:"text"`
	Thinking     string          `json:"thinking"`
	Signature    string          `json:"signature"`
	ID           string          `json:"id"`
	Name         string          `json:"name"`
	Input        json.RawMessage `json:"input"`
	ToolUseID    string          `json:"tool_use_id"`
	Content      string          `json:"content"`
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
		Model       string           `json:"model"`
		MaxTokens   int64            `json:"max_tokens"`
		Stream      bool             `json:"stream"`
		System      []anthropicBlock `json:"system"`
		Temperature *float64         `json:"temperature"`
		Tools       []struct {
			Name        string         `json:"name"`
			Description string         `json:"description"`
			InputSchema map[string]any `json:"input_schema"`
		} `json:"tools"`
		Messages []struct {
			Role    string           `json:"role"`
			Content []anthropicBlock `json:"content"`
		} `json:"messages"`
	}
	if err := strict(body, &q); err != nil {
		return Ask{}, err
	}
	ask := Ask{Protocol: Anthropic, Model: q.Model, MaxTokens: q.MaxTokens, Temperature: q.Temperature, blocks: asSent(body)}
	for _, t := range q.Tools {
		if err := checkSchema(t.InputSchema); err != nil {
			return ask, fmt.Errorf("tools.%s: %w", t.Name, err)
		}
		ask.Tools = append(ask.Tools, t.Name)
	}
	take := func(blocks []anthropicBlock, to *Turn) error {
		for _, b := range blocks {
			switch b.Type {
			case "text":
				if strings.TrimSpace(b.Text) == "" {
					return errors.New("messages: text content blocks must contain non-whitespace text")
				}
				to.Text += b.Text
			case "tool_use":
				to.Calls = append(to.Calls, Call{b.Name, string(b.Input), b.ID})
			case "tool_result":
				to.Text += b.Content + "\n"
				to.results = append(to.results, b.ToolUseID)
			case "thinking":
				if b.Signature == "" {
					return errors.New("messages: thinking without its signature")
				}
			default:
				return fmt.Errorf("messages: no such block: %q", b.Type)
			}
			if b.CacheControl != nil {
				if b.CacheControl.Type != "ephemeral" {
					return errors.New("cache_control: ephemeral is the only type")
				}
				ask.Cached = append(ask.Cached, b.Text+b.Content)
			}
		}
		return nil
	}
	system := Turn{}
	if err := take(q.System, &system); err != nil {
		return ask, err
	}
	ask.System = system.Text
	for _, m := range q.Messages {
		turn := Turn{Role: m.Role}
		if err := take(m.Content, &turn); err != nil {
			return ask, err
		}
		ask.Turns = append(ask.Turns, turn)
	}
	if len(ask.Cached) > 4 {
		return ask, fmt.Errorf("a maximum of 4 blocks with cache_control may be provided")
	}
	return ask, check(ask, q.Stream)
}

func readOpenAI(r *http.Request, body []byte) (Ask, error) {
	if r.Header.Get("Authorization") != "Bearer "+Key {
		return Ask{}, errKey
	}
	type function struct {
		Name        string         `json:"name"`
		Description string         `json:"description"`
		Parameters  map[string]any `json:"parameters"`
		Arguments   string         `json:"arguments"`
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
		Tools []struct {
			Type     string   `json:"type"`
			Function function `json:"function"`
		} `json:"tools"`
		Messages []struct {
			Role      string  `json:"role"`
			Content   *string `json:"content"`
			ToolCalls []struct {
				ID       string   `json:"id"`
				Type     string   `json:"type"`
				Function function `json:"function"`
			} `json:"tool_calls"`
			ToolCallID string `json:"tool_call_id"`
		} `json:"messages"`
	}
	if err := strict(body, &q); err != nil {
		return Ask{}, err
	}
	ask := Ask{Protocol: OpenAI, Model: q.Model, MaxTokens: q.MaxTokens + q.MaxCompletionTokens, Temperature: q.Temperature, blocks: asSent(body)}
	for _, t := range q.Tools {
		if err := checkSchema(t.Function.Parameters); t.Type != "function" || err != nil {
			return ask, fmt.Errorf("tools.%s: %w", t.Function.Name, err)
		}
		ask.Tools = append(ask.Tools, t.Function.Name)
	}
	for _, m := range q.Messages {
		text := ""
		if m.Content != nil {
			text = *m.Content
		}
		if m.Role == "system" {
			ask.System += text
			continue
		}
		turn := Turn{Role: m.Role, Text: text}
		for _, c := range m.ToolCalls {
			turn.Calls = append(turn.Calls, Call{c.Function.Name, c.Function.Arguments, c.ID})
		}
		if m.Role == "tool" {
			turn = Turn{Role: "user", Text: text + "\n", results: []string{m.ToolCallID}}
		}
		if n := len(ask.Turns); n > 0 && len(ask.Turns[n-1].results) > 0 && turn.Role == "user" {
			last := &ask.Turns[n-1]
			last.Text += turn.Text
			last.results = append(last.results, turn.results...)
			continue
		}
		ask.Turns = append(ask.Turns, turn)
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
		if t.Text == "" && len(t.Calls)+len(t.results) == 0 || i > 0 && t.Role == a.Turns[i-1].Role {
			return fmt.Errorf("messages.%d: empty, or the same role twice", i)
		}
		var called []string
		if i > 0 {
			for _, c := range a.Turns[i-1].Calls {
				called = append(called, c.id)
			}
		}
		if !slices.Equal(called, t.results) {
			return fmt.Errorf("messages.%d: every call needs its result in the next turn: %v, %v", i, called, t.results)
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
