package httpd

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/web/api"
)

var (
	jsonType = []string{"application/json"}
	noStore  = []string{"private, no-store"}
)

// writeJSON answers with a value.
func writeJSON(w http.ResponseWriter, status int, v any) error {
	body, err := api.Encode(v)
	if err != nil {
		return err
	}
	writeBody(w, status, body)
	return nil
}

// writeBody answers with JSON that is already written.
func writeBody(w http.ResponseWriter, status int, body []byte) {
	h := w.Header()
	h["Content-Type"] = jsonType
	if h["Cache-Control"] == nil {
		h["Cache-Control"] = noStore
	}
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	w.WriteHeader(status)
	_, _ = w.Write(body) // whoever has left misses nothing
}

// writeError turns what a handler returned into the answer: the one place where
// failures meet the wire.
func (s *server) writeError(x *exchange, r *http.Request, err error) {
	e, known := errors.AsType[*svc.Error](err)
	if !known || e.Err != nil {
		x.failure = err // the log has the cause; the wire does not
	}
	if x.status != 0 {
		return // the answer has begun
	}
	if r.Context().Err() != nil && !known {
		// The client has left, or has closed its half and still reads: returning
		// would tell it 200.
		panic(http.ErrAbortHandler)
	}
	// A request whose time was over had waited for something, be it for a core.
	if !known && (errors.Is(err, svc.ErrUnavailable) || errors.Is(err, context.DeadlineExceeded)) {
		e, known = unavailable(), true
	}
	if !known || e.Code == svc.CodeInternal {
		e = &svc.Error{
			Code:    svc.CodeInternal,
			Message: "Something went wrong on the server.",
			Hint:    "Try again; if it persists, tell the operator the requestId.",
		}
	}
	status, body, err := encodeError(e, x.requestID)
	if err != nil {
		x.failure = errors.Join(x.failure, err)
		x.WriteHeader(http.StatusInternalServerError)
		return
	}
	errorHeaders(x.Header(), e, status)
	writeBody(x, status, body)
}

// unavailableRetryAfter is what a client is told while something cannot be reached
// that the request needs: nobody knows until when.
const unavailableRetryAfter = 2 * time.Second

// unavailable is the answer while records, bytes or events cannot be reached.
func unavailable() *svc.Error {
	return &svc.Error{
		Code:       svc.CodeUnavailable,
		Message:    "Something that the service needs for this cannot be reached at the moment.",
		Hint:       "Nothing is lost; wait as long as Retry-After says, then send the request again.",
		RetryAfter: unavailableRetryAfter,
	}
}

// encodeError gives the status and the body of a failure.
func encodeError(e *svc.Error, requestID string) (int, []byte, error) {
	body, err := api.Encode(api.NewError(e, requestID))
	return api.Status(e.Code), body, err
}

// errorHeaders sets what goes with a failure beside its body.
func errorHeaders(h http.Header, e *svc.Error, status int) {
	switch status {
	case http.StatusUnauthorized:
		h.Set("WWW-Authenticate", "Bearer")
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable:
		h.Set(api.HeaderRetryAfter, api.RetryAfter(e.RetryAfter))
	}
}
