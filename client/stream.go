package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/text/sse"
	"github.com/bundle-delivery/svc/internal/web/api"
)

// How a broken stream is taken up again.
const (
	firstReconnect = time.Second
	maxReconnect   = 30 * time.Second
	// maxOutage is how long a stream may stay away without one event.
	maxOutage = 10 * time.Minute
	// streamSilence is how long nothing may come: the server sends a comment
	// every 15 seconds.
	streamSilence = 50 * time.Second
	// maxEvent is the size of the largest event that is read.
	maxEvent = 32 << 20
)

// ErrStreamOver says that a run had ended and its last event was seen before.
var ErrStreamOver = errors.New("the run has ended, and there is nothing more to tell")

// Watch gives the events of a run after the one with the number after, each
// once and in order, over as many connections as it takes. The last one is
// terminal, or the error is not nil.
func (c *Client) Watch(ctx context.Context, id string, after int64) iter.Seq2[svc.Event, error] {
	return func(yield func(svc.Event, error) bool) {
		w := &watch{client: c, path: api.StreamPath(url.PathEscape(id)), last: after, first: firstReconnect}
		w.run(ctx, yield)
	}
}

type watch struct {
	client *Client
	path   string
	last   int64         // number of the last event handed on
	first  time.Duration // wait before the first reconnection
	fails  int           // connections in a row that brought nothing
	since  time.Time     // of the first of them
}

func (w *watch) run(ctx context.Context, yield func(svc.Event, error) bool) {
	for {
		var more bool
		err := w.client.retryWhenLimited(ctx, func() (err error) {
			more, err = w.connect(ctx, yield)
			return err
		})
		switch {
		case !more && err == nil:
			return
		case ctx.Err() != nil:
			yield(svc.Event{}, ctx.Err())
			return
		case err == nil:
			err = &NetworkError{Host: w.client.base.Host, Err: io.ErrUnexpectedEOF}
		case !temporary(err):
			yield(svc.Event{}, err)
			return
		}
		if err := w.pause(ctx, err); err != nil {
			yield(svc.Event{}, err)
			return
		}
	}
}

// pause waits before the next connection, twice as long each time.
func (w *watch) pause(ctx context.Context, reason error) error {
	now := w.client.opts.Now()
	if w.fails == 0 {
		w.since = now
	}
	if now.Sub(w.since) > maxOutage {
		return reason
	}
	wait := min(w.first<<min(w.fails, 10), maxReconnect)
	w.fails++
	return w.client.opts.Wait(ctx, wait, reason)
}

// connect reads one connection. More is false when the consumer has had enough
// or the stream is over.
func (w *watch) connect(ctx context.Context, yield func(svc.Event, error) bool) (more bool, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watchdog := time.AfterFunc(headerTimeout+streamSilence, func() { cancel(errSilent) })
	defer watchdog.Stop()
	req, err := w.client.request(ctx, http.MethodGet, w.path, nil, nil)
	if err != nil {
		return false, err
	}
	req.Header.Set("Accept", api.EventStream)
	if w.last > 0 {
		req.Header.Set(api.HeaderLastEventID, strconv.FormatInt(w.last, 10))
	}
	resp, err := w.client.send(req)
	if err != nil {
		return true, err
	}
	defer resp.Body.Close() //nolint:errcheck // only read
	if resp.StatusCode == http.StatusNoContent {
		yield(svc.Event{}, ErrStreamOver)
		return false, nil
	}
	if kind, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type")); err != nil || kind != api.EventStream {
		return true, foreign(req, resp.Header, errors.New("it is no stream of events"))
	}
	events := sse.NewReader(&activityReader{from: resp.Body, alive: func() { watchdog.Reset(streamSilence) }}, maxEvent)
	for {
		m, err := events.Next()
		if wait := events.Retry(); wait > 0 {
			w.first = min(wait, maxReconnect)
		}
		if err != nil {
			if errors.Is(err, sse.ErrTooLarge) {
				return true, err
			}
			return true, networkError(req, err)
		}
		seq, err := strconv.ParseInt(m.ID, 10, 64)
		if err != nil {
			return true, fmt.Errorf("the stream has an event without a number (%q)", m.ID)
		}
		if seq <= w.last {
			continue
		}
		w.last, w.fails = seq, 0
		e := svc.Event{Seq: seq, Name: svc.EventName(m.Name), Data: m.Data}
		if !yield(e, nil) {
			return false, nil
		}
		if e.Name.Terminal() {
			return false, nil
		}
	}
}
