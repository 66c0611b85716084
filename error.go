package svc

import (
	"errors"
	"fmt"
	"time"
)

// Code names a failure for programs. The wire shows it as it is; which HTTP
// status it has is decided in internal/web/api.
type Code string

// The codes that the service answers with.
const (
	CodeInvalidRequest      Code = "INVALID_REQUEST"
	CodeInvalidAPIKey       Code = "INVALID_API_KEY"
	CodeNotFound            Code = "NOT_FOUND"
	CodeBundleNotFound      Code = "BUNDLE_NOT_FOUND"
	CodeProjectNotFound     Code = "PROJECT_NOT_FOUND"
	CodeGenerationNotFound  Code = "GENERATION_NOT_FOUND"
	CodeMethodNotAllowed    Code = "METHOD_NOT_ALLOWED"
	CodeProjectEmpty        Code = "PROJECT_EMPTY"
	CodeProjectMoved        Code = "PROJECT_MOVED"
	CodeProjectBusy         Code = "PROJECT_BUSY"
	CodeBundleDownloaded    Code = "BUNDLE_DOWNLOADED"
	CodeBundleExpired       Code = "BUNDLE_EXPIRED"
	CodeProjectTooLarge     Code = "PROJECT_TOO_LARGE"
	CodeRequestTooLarge     Code = "REQUEST_TOO_LARGE"
	CodeIdempotencyMismatch Code = "IDEMPOTENCY_KEY_REUSED"
	CodeUnresolvable        Code = "CONSTRAINT_UNRESOLVABLE"
	CodeTooManyRequests     Code = "TOO_MANY_REQUESTS"
	CodeTooManyStreams      Code = "TOO_MANY_STREAMS"
	CodeQueueFull           Code = "QUEUE_FULL"
	CodePlanLimitReached    Code = "PLAN_LIMIT_REACHED"
	CodeStorageLimitReached Code = "STORAGE_LIMIT_REACHED"
	CodeInternal            Code = "INTERNAL"
	CodeUnavailable         Code = "UNAVAILABLE"
	CodeAssemblyUnavailable Code = "ASSEMBLY_UNAVAILABLE"
)

// ErrNotFound is what a step of a [Store] returns when the record it names does
// not exist, and what [Blobs] return for a key that holds nothing. Use cases
// turn it into the code that fits.
var ErrNotFound = errors.New("not found")

// ErrConflict is what a step returns when the record is no longer what the
// caller took it to be: a fence has moved on, a name is taken, an intent is
// gone. The caller's work is void.
var ErrConflict = errors.New("conflict")

// ErrUnavailable is what a [Store], [Blobs] and an [EventLog] return while what is
// behind them cannot be reached or takes nothing: a network is cut, a disk is
// full, a cluster has no leader. What was asked for may have been done or not; it
// may be asked again.
var ErrUnavailable = errors.New("unavailable")

// Error is a failure that people see. Message says what happened, Hint what to
// do next. Err is the cause, for the log alone.
type Error struct {
	Code    Code
	Message string
	Hint    string
	// Field is the request field at fault, for CodeInvalidRequest.
	Field string
	// RetryAfter is the wait before the same request may succeed, where one is known.
	RetryAfter time.Duration
	// Bundle is the whole record, for CodeBundleDownloaded and CodeBundleExpired.
	Bundle *Bundle
	// Limit and Actual are sizes, for CodeProjectTooLarge.
	Limit, Actual *Extent
	// State is what a project has by now, for CodeProjectMoved, and BundleID the
	// bundle that holds it, if one waits. GenerationID is the run that is at work on
	// a project, for CodeProjectBusy.
	State, BundleID, GenerationID string
	// Suggestion is what the engine could read of the request, for CodeUnresolvable.
	Suggestion *Suggestion
	Err        error
}

// Errorf makes an Error with a message for people.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Invalid makes an Error with CodeInvalidRequest about a field.
func Invalid(field, format string, args ...any) *Error {
	e := Errorf(CodeInvalidRequest, format, args...)
	e.Field = field
	return e
}

// Error gives the code, the message and the cause: it is for logs, the wire
// shows the fields.
func (e *Error) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("%s: %s: %v", e.Code, e.Message, e.Err)
	}
	return fmt.Sprintf("%s: %s", e.Code, e.Message)
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// CodeOf tells the code of an error; what is no Error is CodeInternal, and nil
// has none.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return CodeInternal
}

// Extent is how large a tree of files is.
type Extent struct {
	Files int
	Bytes int64
}
