package wire

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/bundle-delivery/svc/internal/engine/llm"
)

// maxDetail is how much of a provider's words goes to the log.
const maxDetail = 400

// transportFailure explains an error of the transport: the caller ended the
// call, the provider was silent, or it is of the kind given.
func transportFailure(ctx, watched context.Context, err error, kind llm.Kind) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if cause := context.Cause(watched); cause != nil {
		return &llm.Failure{Kind: llm.Stalled, Err: cause}
	}
	return &llm.Failure{Kind: kind, Err: err}
}

// StatusFailure explains an answer that is not 200. The detail is what the
// provider says about it.
func StatusFailure(status int, header http.Header, detail string) *llm.Failure {
	f := &llm.Failure{Status: status, Detail: detail, Wait: retryAfter(header, time.Now())}
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

// retryAfter reads how long the provider asks to wait: in milliseconds, in
// seconds, or until a date.
func retryAfter(header http.Header, now time.Time) time.Duration {
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

// hideKey removes the key from what went wrong: some servers repeat the key that
// they do not like, wherever they put their complaint. What is left is shortened,
// after that and not before: half a key is no longer recognised.
func (c *Client) hideKey(err error) error {
	f, ok := errors.AsType[*llm.Failure](err)
	if !ok {
		return err
	}
	hidden := *f
	hidden.Detail = shorten(c.withoutKey(f.Detail))
	if f.Err != nil {
		if text := f.Err.Error(); c.withoutKey(text) != text {
			hidden.Err = errors.New(shorten(c.withoutKey(text)))
		}
	}
	return &hidden
}

func (c *Client) withoutKey(text string) string {
	if c.key == "" {
		return text
	}
	return strings.ReplaceAll(text, c.key, "***")
}

func shorten(detail string) string {
	if len(detail) > maxDetail {
		return strings.ToValidUTF8(detail[:maxDetail], "") + "…"
	}
	return detail
}
