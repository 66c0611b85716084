// Package wire asks model providers over HTTP: it posts a request, reads the
// answer as a stream of server-sent events, and names what goes wrong.
//
// It is what the protocols of all providers have in common. A silence longer
// than allowed is a failure, and so is an end before the protocol says that it
// is the end; comments and events of no interest count as signs of life. The key
// goes to the provider's own address and into no error.
package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
	"time"

	"github.com/bundle-delivery/svc/internal/engine/llm"
	"github.com/bundle-delivery/svc/internal/text/sse"
)

// maxEvent bounds an event: a provider sends words, not documents.
const maxEvent = 4 << 20

// maxErrorBody is how much of an answer other than a stream is read.
const maxErrorBody = 64 << 10

var errSilent = errors.New("nothing came for too long")

// Config says which model of which provider is asked.
type Config struct {
	// URL is where the API is; the provider's own when it is empty.
	URL    string
	Key    string
	Model  string
	Client *http.Client
	// Stall is how long the provider may be silent.
	Stall time.Duration
}

// Client posts requests to one address of a provider.
type Client struct {
	http   http.Client
	url    string
	header http.Header
	key    string
	stall  time.Duration
}

// NewClient makes a client for the path below the configured URL. It sends the
// header with each request and follows no redirect: the key is for the
// provider's own address, and HTTP clients take most headers along wherever they
// are sent.
func NewClient(c Config, path string, header http.Header) *Client {
	w := &Client{url: strings.TrimSuffix(c.URL, "/") + path, header: header, key: c.Key, stall: c.Stall}
	if c.Client != nil {
		w.http = *c.Client
	}
	w.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	header.Set("Accept", "application/json")
	header.Set("Content-Type", "application/json")
	header.Set("User-Agent", "svcd")
	return w
}

// Answer takes what a provider answers to one request, in its protocol.
type Answer interface {
	// Event takes an event of the stream and says whether the answer is complete.
	Event(e sse.Event) (done bool, err error)
	// Refused may correct the kind of a failure, whose detail is the body of the
	// answer.
	Refused(f *llm.Failure)
}

// Stream posts the request as JSON and hands the events that come back to the
// answer until that is complete. A silence longer than allowed ends it all.
func (c *Client) Stream(ctx context.Context, request any, answer Answer) error {
	return c.hideKey(c.stream(ctx, request, answer))
}

func (c *Client) stream(ctx context.Context, request any, answer Answer) error {
	watched, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	watchdog := time.AfterFunc(c.stall, func() { stop(errSilent) })
	defer watchdog.Stop()
	alive := func() { watchdog.Reset(c.stall) }
	// A connection that was only just made is a sign of life as well.
	traced := httptrace.WithClientTrace(watched, &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) { alive() }})

	response, err := c.post(traced, request)
	if err != nil {
		return transportFailure(ctx, watched, err, llm.Unreachable)
	}
	defer func() { _ = response.Body.Close() }() // only read
	body := &Noticed{From: response.Body, Alive: alive}
	if response.StatusCode != http.StatusOK {
		start, err := io.ReadAll(io.LimitReader(body, maxErrorBody))
		if err != nil {
			return transportFailure(ctx, watched, err, llm.Unreachable)
		}
		f := StatusFailure(response.StatusCode, response.Header, string(start))
		if answer.Refused(f); response.Header.Get("Location") != "" {
			f.Detail = "a redirect to " + response.Header.Get("Location")
		}
		return f
	}
	if kind := response.Header.Get("Content-Type"); !strings.HasPrefix(kind, "text/event-stream") {
		start, _ := io.ReadAll(io.LimitReader(body, maxErrorBody)) // whatever can be had of it
		return &llm.Failure{Kind: llm.Garbled, Status: response.StatusCode, Detail: "no event stream but " + kind + ": " + string(start)}
	}
	events := sse.NewReader(body, maxEvent)
	for {
		event, err := events.Next()
		if errors.Is(err, sse.ErrTooLarge) {
			return &llm.Failure{Kind: llm.Garbled, Err: err}
		}
		if err != nil {
			return transportFailure(ctx, watched, err, llm.Broken)
		}
		done, err := answer.Event(event)
		if err != nil || done {
			return err
		}
	}
}

func (c *Client) post(ctx context.Context, request any) (*http.Response, error) {
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false) // source code has many of these characters
	if err := encoder.Encode(request); err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, &body)
	if err != nil {
		return nil, err
	}
	r.Header = c.header.Clone()
	return c.http.Do(r)
}

// Decode reads the JSON of an event. A member of another type than expected is
// left out, as one that is not known: servers differ in more than they say.
func Decode(e sse.Event, to any) error {
	err := json.Unmarshal(e.Data, to)
	if mismatch, ok := errors.AsType[*json.UnmarshalTypeError](err); err == nil || ok && mismatch.Field != "" {
		return nil
	}
	return &llm.Failure{Kind: llm.Garbled, Err: fmt.Errorf("event %q: %w", e.Name, err)}
}

// Noticed calls Alive whenever something was read.
type Noticed struct {
	From  io.Reader
	Alive func()
}

// Read implements [io.Reader].
func (r *Noticed) Read(p []byte) (int, error) {
	n, err := r.From.Read(p)
	if n > 0 {
		r.Alive()
	}
	return n, err
}
