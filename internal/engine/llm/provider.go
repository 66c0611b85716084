package llm

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// Provider streams one answer of a model.
//
// Stream calls hear with every piece as it comes, in order and from one
// goroutine, and stops at once with hear's error when it returns one, and with
// the cause of ctx when that ends. Errors of the provider are a [Failure].
// The reply says what was used, as far as it is known, also beside an error.
type Provider interface {
	Stream(ctx context.Context, c Call, hear func(Piece) error) (Reply, error)
}

// Piece is what comes of an answer next.
type Piece struct {
	Text string
	// Unseen counts the bytes that are no text and have to be paid for all the same:
	// thinking, and what is given to tools.
	Unseen int
}

// Call is what a model is asked.
type Call struct {
	System   string
	Tools    []Tool
	Messages []Message
	// MaxTokens is where the answer is cut off.
	MaxTokens int64
	// Temperature is left to the provider when it is nil.
	Temperature *float64
}

// Tool is something that a model may call instead of saying it in words.
type Tool struct {
	Name, Description string
	// Input is a JSON Schema.
	Input map[string]any
}

// Message is one turn of the conversation: of the model, text and calls of tools; of
// the user, the results of all calls of the turn before, then text.
type Message struct {
	FromModel bool
	Thoughts  []Thought
	Calls     []ToolCall
	Results   []ToolResult
	Parts     []Part // joined, they are the text
}

// Thought is what a model thought before it called tools. Providers that sign
// thoughts want them back.
type Thought struct{ Text, Signature string }

// ToolCall is a call of a tool. Its input is JSON.
type ToolCall struct{ ID, Name, Input string }

// ToolResult is what came of a call.
type ToolResult struct {
	ID, Text string
	Shared   bool // as of a Part
}

// Part is a piece of a message. Shared parts end what is the same in many calls of a
// run, so that a provider with a cache need not read everything up to there anew.
type Part struct {
	Text   string
	Shared bool
}

// Stop is why a model ended its answer.
type Stop int

// The reasons to stop.
const (
	StopDone   Stop = iota // it had said everything
	StopLength             // it reached the token limit
)

// Reply is what is known after an answer.
type Reply struct {
	Model    string
	Stop     Stop
	Usage    Usage
	Thoughts []Thought
	Calls    []ToolCall // the complete ones
	// Unfinished is the call that the token limit cut off.
	Unfinished *ToolCall
}

// CutOff takes the last call back if its input ended with the tokens.
func (r *Reply) CutOff() {
	if n := len(r.Calls); n > 0 && !json.Valid([]byte(r.Calls[n-1].Input)) {
		r.Unfinished, r.Calls = &r.Calls[n-1], r.Calls[:n-1]
	}
}

// Usage are the tokens of one call or of several. Input does not contain what
// was read from or written to a cache.
type Usage struct {
	Input, CacheRead, CacheWrite, Output int64
}

// Total counts every token once.
func (u Usage) Total() int64 { return u.Input + u.CacheRead + u.CacheWrite + u.Output }

func (u Usage) plus(v Usage) Usage {
	return Usage{u.Input + v.Input, u.CacheRead + v.CacheRead, u.CacheWrite + v.CacheWrite, u.Output + v.Output}
}

// Kind is what went wrong at a provider.
type Kind int

// The kinds of failure.
const (
	Unreachable Kind = iota // it cannot be reached, or fails inside
	Overloaded              // it has too much to do
	RateLimited             // we ask too often or too much
	Stalled                 // it was silent for too long
	Broken                  // the answer ended in the middle
	Garbled                 // what it says is not its protocol
	Denied                  // it does not accept the key
	Rejected                // it does not accept the request
	Declined                // the model will not answer this
)

var kindNames = [...]string{
	"unreachable", "overloaded", "rate limited", "stalled", "broken off", "garbled", "key denied", "request rejected", "declined",
}

// String names the kind, for logs.
func (k Kind) String() string { return kindNames[k] }

// Failure is an error of a provider.
type Failure struct {
	Kind   Kind
	Status int // of HTTP; 0 without an answer
	// Wait is how long the provider asks us to wait; 0 when it says nothing.
	Wait   time.Duration
	Detail string // in the provider's words, for the log
	Err    error
}

// Error describes the failure, for logs.
func (f *Failure) Error() string {
	text := "the provider's answer: " + f.Kind.String()
	if f.Status != 0 {
		text += fmt.Sprintf(" (HTTP %d)", f.Status)
	}
	if f.Detail != "" {
		text += ": " + f.Detail
	}
	if f.Err != nil {
		text += fmt.Sprintf(": %v", f.Err)
	}
	return text
}

// Unwrap gives the cause.
func (f *Failure) Unwrap() error { return f.Err }

// Temporary reports whether the same call may succeed a little later.
func (f *Failure) Temporary() bool {
	switch f.Kind {
	case Unreachable, Overloaded, RateLimited, Stalled, Broken, Garbled:
		return true
	case Denied, Rejected, Declined:
	}
	return false
}
