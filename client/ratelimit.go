package client

import (
	"context"
	"errors"
	"net/http"
	"time"
)

// How long a refusal with 429 is waited out.
const (
	maxLimitRetries = 4
	maxLimitWait    = 2 * time.Minute
	maxJitter       = 0.3
)

// LimitError is a refusal with 429 that was not waited out.
type LimitError struct {
	// At is when the request will be accepted, as far as the server knows.
	At  time.Time
	Err error
}

// Error gives the server's words.
func (e *LimitError) Error() string { return e.Err.Error() }

// Unwrap gives the *StatusError.
func (e *LimitError) Unwrap() error { return e.Err }

// retryWhenLimited repeats what is refused with 429, after the wait that the server
// asks for.
func (c *Client) retryWhenLimited(ctx context.Context, do func() error) error {
	for attempt := 0; ; attempt++ {
		err := do()
		if StatusOf(err) != http.StatusTooManyRequests {
			return err
		}
		wait := c.retryAfter(err, attempt)
		if attempt == maxLimitRetries || wait > maxLimitWait {
			return &LimitError{At: c.opts.Now().Add(wait), Err: err}
		}
		if err := c.opts.Wait(ctx, c.jittered(wait), err); err != nil {
			return err
		}
	}
}

// retryAfter is the wait that the server asks for, or 2^attempt seconds.
func (c *Client) retryAfter(err error, attempt int) time.Duration {
	if e, ok := errors.AsType[*StatusError](err); ok && e.Err.RetryAfter > 0 {
		return e.Err.RetryAfter
	}
	return time.Second << attempt
}

func (c *Client) jittered(wait time.Duration) time.Duration {
	return wait + time.Duration(float64(wait)*maxJitter*c.opts.Jitter())
}
