package api

import (
	"errors"
	"math"
	"strconv"
	"strings"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/text/timestamp"
)

// The routes of runs.
const (
	RouteGenerations       = "/generations"
	RouteProjectGeneration = "/projects/{projectId}/generations"
	RouteGeneration        = "/generations/{id}"
	RouteStream            = "/generations/{id}/stream"
	RouteCancel            = "/generations/{id}/cancel"
)

// The wire of streams.
const (
	EventStream       = "text/event-stream"
	HeaderLastEventID = "Last-Event-Id"
	QueryLastEventID  = "lastEventId"
)

// GenerationRequest asks for a run.
type GenerationRequest struct {
	Prompt      string            `json:"prompt"`
	Constraints map[string]string `json:"constraints,omitempty"`
}

// Queued is the answer to a GenerationRequest.
type Queued struct {
	GenerationID  string        `json:"generationId"`
	ProjectID     string        `json:"projectId"`
	Status        svc.RunStatus `json:"status"`
	QueuePosition int           `json:"queuePosition"`
	StreamURL     string        `json:"streamUrl"`
	CreatedAt     Time          `json:"createdAt"`
	// Notice is what whoever asked should know, such as that a secret was struck out.
	Notice string `json:"notice,omitempty"`
}

// NewQueued writes a run down that was just queued.
func NewQueued(r svc.Run, position int, streamURL, notice string) Queued {
	return Queued{
		GenerationID: r.ID, ProjectID: r.ProjectID, Status: r.Status,
		QueuePosition: position, StreamURL: streamURL, CreatedAt: Time(r.CreatedAt), Notice: notice,
	}
}

// Generation is the record of a run.
type Generation struct {
	GenerationID string           `json:"generationId"`
	ProjectID    string           `json:"projectId"`
	Status       svc.RunStatus    `json:"status"`
	BundleID     string           `json:"bundleId,omitempty"`
	Error        *GenerationError `json:"error,omitempty"`
	Cost         *GenerationCost  `json:"cost,omitempty"`
	Validation   *svc.Validation  `json:"validation,omitempty"`
	CreatedAt    Time             `json:"createdAt"`
	StartedAt    *Time            `json:"startedAt,omitempty"`
	FinishedAt   *Time            `json:"finishedAt,omitempty"`
}

// GenerationError is why a run made no bundle.
type GenerationError struct {
	Code       string          `json:"code"`
	Message    string          `json:"message"`
	Retryable  bool            `json:"retryable"`
	Suggestion *svc.Suggestion `json:"suggestion,omitempty"`
}

// GenerationCost is what a run used.
type GenerationCost struct {
	Model            string  `json:"model"`
	InputTokens      int64   `json:"inputTokens"`
	OutputTokens     int64   `json:"outputTokens"`
	EstimatedCostUSD float64 `json:"estimatedCostUsd"`
}

// NewGeneration writes the record of a run down.
func NewGeneration(r svc.Run) Generation {
	g := Generation{
		GenerationID: r.ID, ProjectID: r.ProjectID, Status: r.Status, BundleID: r.BundleID, Validation: r.Validation,
		CreatedAt: Time(r.CreatedAt), StartedAt: timestamp.Optional(r.StartedAt), FinishedAt: timestamp.Optional(r.FinishedAt),
	}
	if r.Error != nil {
		g.Error = &GenerationError{Code: r.Error.Code, Message: r.Error.Message, Retryable: r.Error.Retryable, Suggestion: r.Error.Suggestion}
	}
	if r.Cost != nil {
		g.Cost = &GenerationCost{
			Model: r.Cost.Model, InputTokens: r.Cost.InputTokens, OutputTokens: r.Cost.OutputTokens,
			EstimatedCostUSD: svc.RoundUSD(r.Cost.EstimatedUSD),
		}
	}
	return g
}

// GenerationPath is the address of a run's record, relative to the base address.
func GenerationPath(id string) string { return RouteGenerations + "/" + id }

// StreamPath is the address of a run's stream, relative to the base address.
func StreamPath(id string) string { return GenerationPath(id) + "/stream" }

// StreamOpening is what a stream begins with: how long a client waits before it
// comes back, in milliseconds.
const StreamOpening = "retry: 1000\n\n"

// StreamComment says that a stream is alive.
const StreamComment = ":\n\n"

// AppendEvent writes an event in the format of Server-Sent Events.
func AppendEvent(to []byte, e svc.Event) []byte {
	to = append(to, "id: "...)
	to = strconv.AppendInt(to, e.Seq, 10)
	to = append(to, "\nevent: "...)
	to = append(to, e.Name...)
	to = append(to, "\ndata: "...)
	to = append(to, e.Data...)
	return append(to, "\n\n"...)
}

// LastEventID reads the number of the last event that a client has seen: that of
// the header where it has one, else that of the query. What is no number is none.
func LastEventID(header []string, query string) int64 {
	text := query
	if len(header) > 0 {
		text = header[0]
	}
	text = strings.TrimSpace(text)
	if strings.Trim(text, "0123456789") != "" {
		return 0
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if errors.Is(err, strconv.ErrRange) {
		return math.MaxInt64 // past every event, as it says
	}
	if err != nil {
		return 0
	}
	return n
}
