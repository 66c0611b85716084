package api

import (
	"net/http"
	"strconv"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/text/timestamp"
)

// statuses is the one table of codes and statuses. The first code of a status
// is what a client takes an answer of that status for when its body names none.
var statuses = []struct {
	code   svc.Code
	status int
}{
	{svc.CodeInvalidRequest, http.StatusBadRequest},
	{svc.CodeInvalidAPIKey, http.StatusUnauthorized},
	{svc.CodeNotFound, http.StatusNotFound},
	{svc.CodeBundleNotFound, http.StatusNotFound},
	{svc.CodeProjectNotFound, http.StatusNotFound},
	{svc.CodeGenerationNotFound, http.StatusNotFound},
	{svc.CodeMethodNotAllowed, http.StatusMethodNotAllowed},
	{svc.CodeProjectEmpty, http.StatusConflict},
	{svc.CodeProjectMoved, http.StatusConflict},
	{svc.CodeProjectBusy, http.StatusConflict},
	{svc.CodeBundleDownloaded, http.StatusGone},
	{svc.CodeBundleExpired, http.StatusGone},
	{svc.CodeRequestTooLarge, http.StatusRequestEntityTooLarge},
	{svc.CodeProjectTooLarge, http.StatusRequestEntityTooLarge},
	{svc.CodeIdempotencyMismatch, http.StatusUnprocessableEntity},
	{svc.CodeUnresolvable, http.StatusUnprocessableEntity},
	{svc.CodeTooManyRequests, http.StatusTooManyRequests},
	{svc.CodeTooManyStreams, http.StatusTooManyRequests},
	{svc.CodeQueueFull, http.StatusTooManyRequests},
	{svc.CodePlanLimitReached, http.StatusTooManyRequests},
	{svc.CodeStorageLimitReached, http.StatusTooManyRequests},
	{svc.CodeInternal, http.StatusInternalServerError},
	{svc.CodeAssemblyUnavailable, http.StatusBadGateway},
	{svc.CodeUnavailable, http.StatusServiceUnavailable},
}

// Status gives the HTTP status of a code; one that is not in the table is 500.
func Status(code svc.Code) int {
	for _, row := range statuses {
		if row.code == code {
			return row.status
		}
	}
	return http.StatusInternalServerError
}

// CodeFor gives the code that a status stands for where the body does not say:
// an answer by something in between. Other failures are CodeInternal.
func CodeFor(status int) svc.Code {
	for _, row := range statuses {
		if row.status == status {
			return row.code
		}
	}
	return svc.CodeInternal
}

// Error is the body of every failure.
type Error struct {
	Code      svc.Code `json:"code"`
	Error     string   `json:"error"`
	Hint      string   `json:"hint,omitempty"`
	Field     string   `json:"field,omitempty"`
	RequestID string   `json:"requestId"`
	Limit     *Extent  `json:"limit,omitempty"`
	Actual    *Extent  `json:"actual,omitempty"`
	// What a project has by now, and which run is at work on it.
	State        string `json:"state,omitempty"`
	GenerationID string `json:"generationId,omitempty"`
	// A bundle that holds the state, or that of the record.
	BundleID string `json:"bundleId,omitempty"`
	// What the engine could read of a request.
	Suggestion *svc.Suggestion `json:"suggestion,omitempty"`
	// The record of a bundle that is gone.
	*Bundle
	DownloadedAt *Time `json:"downloadedAt,omitempty"`
	ExpiredAt    *Time `json:"expiredAt,omitempty"`
}

// Extent is how large a project is: files, and bytes of their content.
type Extent struct {
	Files int   `json:"files"`
	Bytes int64 `json:"bytes"`
}

func newExtent(e *svc.Extent) *Extent {
	if e == nil {
		return nil
	}
	return &Extent{Files: e.Files, Bytes: e.Bytes}
}

// What a failure says of a text at fault, in characters: enough to find it by.
const (
	maxField   = 100
	maxMessage = 1000
)

func cut(text string, most int) string {
	n := 0
	for i := range text {
		if n++; n > most {
			return text[:i] + "…"
		}
	}
	return text
}

// NewError writes a failure down. Causes are not part of it.
func NewError(e *svc.Error, requestID string) Error {
	body := Error{
		Code: e.Code, Error: cut(e.Message, maxMessage), Hint: e.Hint, Field: cut(e.Field, maxField), RequestID: requestID,
		Limit: newExtent(e.Limit), Actual: newExtent(e.Actual),
		State: e.State, GenerationID: e.GenerationID, BundleID: e.BundleID, Suggestion: e.Suggestion,
	}
	if e.Bundle != nil {
		b := NewBundle(*e.Bundle)
		body.Bundle, body.BundleID = &b, b.BundleID
		body.DownloadedAt, body.ExpiredAt = timestamp.Optional(e.Bundle.DownloadedAt), timestamp.Optional(e.Bundle.ExpiredAt)
	}
	return body
}

// Failure is what a client makes of an error body: the inverse of NewError, as
// far as the wire carries it.
func (e Error) Failure(status int, header http.Header) *svc.Error {
	f := &svc.Error{
		Code: e.Code, Message: e.Error, Hint: e.Hint, Field: e.Field,
		State: e.State, BundleID: e.BundleID, GenerationID: e.GenerationID, Suggestion: e.Suggestion,
	}
	if f.Code == "" {
		f.Code = CodeFor(status)
	}
	if f.Message == "" {
		f.Message = "The server answered " + strconv.Itoa(status) + " " + http.StatusText(status) + "."
	}
	if seconds, err := strconv.Atoi(header.Get(HeaderRetryAfter)); err == nil && seconds >= 0 {
		f.RetryAfter = time.Duration(seconds) * time.Second
	}
	if e.Limit != nil {
		f.Limit = &svc.Extent{Files: e.Limit.Files, Bytes: e.Limit.Bytes}
	}
	if e.Actual != nil {
		f.Actual = &svc.Extent{Files: e.Actual.Files, Bytes: e.Actual.Bytes}
	}
	if e.Bundle != nil {
		f.BundleID = "" // it is that of the record
		f.Bundle = &svc.Bundle{
			ID: e.BundleID, ProjectID: e.ProjectID, Status: e.Status, FileCount: e.FileCount, CreatedAt: time.Time(e.CreatedAt),
			DownloadedAt: e.DownloadedAt.Given(), ExpiredAt: e.ExpiredAt.Given(),
		}
	}
	return f
}

// RetryAfter writes a wait as the header has it: whole seconds, at least one.
func RetryAfter(wait time.Duration) string {
	seconds := int64((wait + time.Second - 1) / time.Second)
	return strconv.FormatInt(max(seconds, 1), 10)
}
