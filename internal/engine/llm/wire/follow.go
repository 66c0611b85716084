package wire

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"strconv"
	"strings"
	"time"

	"github.com/bundle-delivery/svc/internal/engine/llm"
)

var errSilent = errors.New("nothing came for too long")

// Follow sends a request and hands its events to take until that says that the
// answer is complete. open sends the request with the context it is given and
// returns the answer, whatever its content, or an error. A silence longer than
// stall ends it all.
func Follow(ctx context.Context, stall time.Duration, open func(context.Context) (*http.Response, error), take func(Event) (done bool, err error)) error {
	watched, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	watch := time.AfterFunc(stall, func() { stop(errSilent) })
	defer watch.Stop()
	alive := func() { watch.Reset(stall) }
	// A connection that was only just made is a sign of life as well.
	watched = httptrace.WithClientTrace(watched, &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) { alive() }})

	response, err := open(watched)
	if err != nil {
		return failureOf(ctx, watched, err, llm.Unreachable)
	}
	defer func() { _ = response.Body.Close() }() // only read
	if response.StatusCode != http.StatusOK {
		return StatusFailure(response.StatusCode, response.Header, "not the answer to a question; Location: "+response.Header.Get("Location"))
	}
	if kind := response.Header.Get("Content-Type"); !strings.HasPrefix(kind, "text/event-stream") {
		start, _ := io.ReadAll(io.LimitReader(response.Body, 4<<10)) // whatever can be had of it
		return &llm.Failure{Kind: llm.Garbled, Status: response.StatusCode, Detail: "no event stream but " + kind + ": " + string(start)}
	}
	stream := &events{lines: bufio.NewReader(response.Body), alive: alive}
	for {
		event, err := stream.next()
		if err != nil {
			if errors.Is(err, errTooLong) {
				return &llm.Failure{Kind: llm.Garbled, Err: err}
			}
			return failureOf(ctx, watched, err, llm.Broken)
		}
		done, err := take(event)
		if err != nil || done {
			return err
		}
	}
}

// failureOf explains an error of the transport: we were stopped, the provider
// was silent, or it is of the kind given.
func failureOf(ctx, watched context.Context, err error, kind llm.Kind) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if cause := context.Cause(watched); cause != nil {
		return &llm.Failure{Kind: llm.Stalled, Err: cause}
	}
	if failure, ok := errors.AsType[*llm.Failure](err); ok {
		return failure
	}
	return &llm.Failure{Kind: kind, Err: err}
}

// StatusFailure explains an answer that is not 200. The detail is what the
// provider says about it.
func StatusFailure(status int, header http.Header, detail string) *llm.Failure {
	f := &llm.Failure{Status: status, Detail: detail, Wait: waitOf(header, time.Now())}
	switch {
	case status == http.StatusTooManyRequests:
		f.Kind = llm.RateLimited
	case status == http.StatusUnauthorized, status == http.StatusForbidden, status == http.StatusPaymentRequired:
		f.Kind = llm.Denied
	case status == 529, status == http.StatusServiceUnavailable:
		f.Kind = llm.Overloaded
	case status == http.StatusRequestTimeout, status == http.StatusConflict, status >= 500:
		f.Kind = llm.Unreachable
	default:
		f.Kind = llm.Rejected
	}
	return f
}

// waitOf reads how long we are asked to wait: in milliseconds, in seconds, or
// until a date.
func waitOf(header http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(header.Get("Retry-After-Ms"), 64); err == nil && ms >= 0 && ms < 1e10 {
		return time.Duration(ms * float64(time.Millisecond))
	}
	text := header.Get("Retry-After")
	if s, err := strconv.ParseFloat(text, 64); err == nil && s >= 0 && s < 1e7 {
		return time.Duration(s * float64(time.Second))
	}
	if at, err := http.ParseTime(text); err == nil && at.After(now) {
		return at.Sub(now)
	}
	return 0
}
