package svc

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// EventName is the kind of an event. There are seven and no more.
type EventName string

// The names of events.
const (
	EventToken        EventName = "token"
	EventStateUpdate  EventName = "state_update"
	EventMemoryUpdate EventName = "memory_update"
	EventToolStatus   EventName = "tool_status"
	EventCostSummary  EventName = "cost_summary"
	EventBundleReady  EventName = "bundle_ready"
	EventError        EventName = "error"
)

// Terminal says whether an event of this name is the last of its run.
func (n EventName) Terminal() bool { return n == EventBundleReady || n == EventError }

// Event is one thing that a run told. Seq counts from 1 without gaps over all
// attempts of the run. Data is one JSON object without line breaks, which
// nobody may change once the event was handed on.
type Event struct {
	Seq  int64
	Name EventName
	Data []byte
}

// EventVersion is the value of v in every payload.
const EventVersion = 1

// Payload is the data of an event.
type Payload interface{ EventName() EventName }

// TokenEvent is the next piece of a file. A file is rebuilt by putting together
// the deltas of its latest attempt; Offset is where Delta begins, in bytes.
type TokenEvent struct {
	File    string `json:"file"`
	Attempt int    `json:"attempt"`
	Offset  int64  `json:"offset"`
	Delta   string `json:"delta"`
}

// StateUpdateEvent tells a decision that is locked.
type StateUpdateEvent struct {
	Key    string `json:"key"`
	Value  string `json:"value"`
	Reason string `json:"reason"`
}

// MemoryUpdateEvent tells the project's memory document as it is now.
type MemoryUpdateEvent struct {
	Revision int    `json:"revision"`
	Content  string `json:"content"`
}

// ToolStatusEvent tells that an action began, with more about it in Detail.
// RunAttempt stands with the action "plan" alone: above 1 it voids every event
// before this one. With the action "validate" alone stand Check, what is tried,
// with how long it took, the version of the tool and what came of it: its status is
// then also one of passed, failed, failed_before and skipped. A "validate" without a
// check that does not begin tells what all checks came to: passed, failed,
// failed_before or unchecked.
type ToolStatusEvent struct {
	Action     string  `json:"action"`
	Status     string  `json:"status"`
	File       string  `json:"file,omitempty"`
	RunAttempt int64   `json:"run_attempt,omitempty"`
	Check      string  `json:"check,omitempty"`
	Seconds    float64 `json:"seconds,omitempty"`
	Detail     string  `json:"detail,omitempty"`
	Version    string  `json:"version,omitempty"`
}

// ToolStarted is the status of an action that begins.
const ToolStarted = "started"

// CostSummaryEvent tells what a run used, directly before its bundle.
type CostSummaryEvent struct {
	Model            string  `json:"model"`
	InputTokens      int64   `json:"input_tokens"`
	OutputTokens     int64   `json:"output_tokens"`
	EstimatedCostUSD float64 `json:"estimated_cost_usd"`
}

// BundleReadyEvent ends a run that made a bundle.
type BundleReadyEvent struct {
	BundleID       string `json:"bundle_id"`
	ProjectID      string `json:"project_id"`
	FileCount      int    `json:"file_count"`
	TotalSizeBytes int64  `json:"total_size_bytes"`
	SHA256         string `json:"sha256"`
	ExpiresAt      string `json:"expires_at"`
}

// ErrorEvent ends a run that made none.
type ErrorEvent struct {
	Code      string `json:"code"`
	Message   string `json:"message"`
	Retryable bool   `json:"retryable"`
	// Suggestion goes with CONSTRAINT_UNRESOLVABLE, where the engine has one.
	Suggestion *Suggestion `json:"suggestion,omitempty"`
}

// EventName is the name under which the payload travels.
func (TokenEvent) EventName() EventName { return EventToken }

// EventName is the name under which the payload travels.
func (StateUpdateEvent) EventName() EventName { return EventStateUpdate }

// EventName is the name under which the payload travels.
func (MemoryUpdateEvent) EventName() EventName { return EventMemoryUpdate }

// EventName is the name under which the payload travels.
func (ToolStatusEvent) EventName() EventName { return EventToolStatus }

// EventName is the name under which the payload travels.
func (CostSummaryEvent) EventName() EventName { return EventCostSummary }

// EventName is the name under which the payload travels.
func (BundleReadyEvent) EventName() EventName { return EventBundleReady }

// EventName is the name under which the payload travels.
func (ErrorEvent) EventName() EventName { return EventError }

// NewEvent encodes a payload, with its version first, as an event that has no
// number yet. The payloads of this package cannot fail to encode, but for a
// cost that is not a number.
func NewEvent(p Payload) (Event, error) {
	var text bytes.Buffer
	text.WriteString(`{"v":1,`)
	opened := text.Len()
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(p); err != nil {
		return Event{}, fmt.Errorf("encode %s event: %w", p.EventName(), err)
	}
	// Encode wrote {…} and a line break, behind what opens the object already.
	data := text.Bytes()
	data = append(data[:opened], data[opened+1:len(data)-1]...)
	return Event{Name: p.EventName(), Data: data}, nil
}

// FormatTime writes a time as the wire shows it: UTC, three decimals and Z.
func FormatTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// EventLog stores the events of runs, long enough for a bundle of the run to
// expire, and forgets them by itself. It is not the truth: outcomes live in the
// records, and a log that was lost costs viewers the events, not the ending.
type EventLog interface {
	// Writer begins to write as the worker that took the run under this epoch.
	// ErrConflict when a worker with a higher epoch has written.
	Writer(ctx context.Context, c RunClaim) (EventWriter, error)
	// Read returns stored events after the given number, in order; empty when
	// there are none. It may return fewer than there are, never none of them.
	Read(ctx context.Context, runID string, after int64) ([]Event, error)
	// Follow begins to read events after the given number, those stored and
	// then those to come.
	Follow(ctx context.Context, runID string, after int64) (EventFeed, error)
	// Last returns the last stored event, with the number 0 when there is none.
	Last(ctx context.Context, runID string) (Event, error)
}

// EventWriter appends to one run. It is used by one goroutine at a time.
type EventWriter interface {
	// Last returns the number of the last event that is stored.
	Last() int64
	// Append numbers events from Last()+1 on, setting their Seq, and stores
	// them, all or none; it returns when they are stored. Only before its first
	// append may a writer find that Last has moved, while the worker before it
	// stopped. The log may keep the slice: it is not the caller's any more. While
	// the log cannot be reached it waits, for as long as ctx lasts.
	//
	// ErrConflict when another writer has been there: what was to be appended is
	// void, and no viewer sees it. After any other error, the end of ctx among
	// them, it may be stored or not: who has to know asks a new writer for its
	// Last. An error ends the writer, which returns it from then on.
	Append(ctx context.Context, events []Event) error
}

// EventFeed reads one run. It hands out what the log has stored and nothing
// else, in order, without a gap and nothing twice. It is used by one goroutine.
type EventFeed interface {
	// Next waits for at least one event and returns those that are there. When
	// ctx ends first it returns ctx's error, and the feed can be used on.
	Next(ctx context.Context) ([]Event, error)
	// Verify compares what the feed handed out with the end of the log. If news
	// of an event was lost, the following Next finds it.
	Verify(ctx context.Context) error
	// Close ends the feed.
	Close()
}
