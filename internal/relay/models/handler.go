package models

import (
	"bytes"
	"context"
	"crypto/subtle"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/engine/llm"
)

// Run is the run whose agent is served. Its functions are called from any number
// of goroutines.
type Run struct {
	Token string
	Meter *llm.Meter
	// Calls is how many calls it may make; 0: as many as it likes.
	Calls int
	// Ask brings what the account has left up to date; nil: nobody limits it.
	Ask func(ctx context.Context) error
	// Used is told what a call has used, Alive that something came or went.
	Used  func(engine.Usage)
	Alive func()
	// Stop ends the run.
	Stop func(error)
}

// Handler serves the agent of one run.
type Handler struct {
	p   *Provider
	run Run

	ctx     context.Context //nolint:containedctx // that of all its calls
	cancel  context.CancelFunc
	serving sync.WaitGroup
	places  chan struct{}

	mu       sync.Mutex
	closed   bool
	calls    int
	failures int // in a row
	last     error
}

// For makes the handler of a run.
func (p *Provider) For(r Run) *Handler {
	h := &Handler{p: p, run: r, places: make(chan struct{}, maxAtOnce)}
	h.ctx, h.cancel = context.WithCancel(context.Background())
	return h
}

// Close ends every call that is under way, and returns when what they used has
// been told. Nothing is answered from then on.
func (h *Handler) Close() {
	h.mu.Lock()
	h.closed = true
	h.mu.Unlock()
	h.cancel()
	h.serving.Wait()
}

// enter begins a call, unless the handler is closed.
func (h *Handler) enter() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.closed {
		h.serving.Add(1)
	}
	return !h.closed
}

// Calls is how many calls the agent has made.
func (h *Handler) Calls() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.calls
}

// Failure is why the last call failed; nil: it did not.
func (h *Handler) Failure() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.last
}

// ServeHTTP answers one call of the agent.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !h.enter() {
		refuse(w, http.StatusForbidden, "the run is over")
		return
	}
	defer h.serving.Done()
	if !h.knows(r.Header) {
		refuse(w, http.StatusUnauthorized, "this is not the token of the run")
		return
	}
	protocol := protocolOf(r.Method, r.URL.Path)
	if protocol == nil {
		refuse(w, http.StatusNotFound, "the model is asked at /v1/messages, /v1/chat/completions or /v1/responses")
		return
	}
	select {
	case h.places <- struct{}{}:
		defer func() { <-h.places }()
	case <-r.Context().Done():
		return
	case <-h.ctx.Done():
		return
	}
	h.run.Alive()
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		refuse(w, http.StatusRequestEntityTooLarge, "the request is too large or broke off")
		return
	}
	var fields map[string]json.RawMessage
	if protocol.prepare != nil {
		if err := json.Unmarshal(body, &fields); err != nil || fields == nil {
			refuse(w, http.StatusBadRequest, "the request is no JSON object")
			return
		}
	}
	open, err := h.admit(r.Context(), protocol.estimate(body))
	if err != nil {
		refuse(w, http.StatusForbidden, "the run has used its budget, or the model fails")
		h.run.Stop(err)
		return
	}
	call := &call{h: h, protocol: protocol, open: open, input: protocol.estimate(body)}
	defer call.settle()
	if fields != nil {
		if body, err = h.prepare(protocol, fields); err != nil {
			refuse(w, http.StatusBadRequest, "the request cannot be passed on")
			return
		}
	}
	call.pass(w, r, body)
}

func (h *Handler) knows(header http.Header) bool {
	for _, given := range []string{strings.TrimPrefix(header.Get("Authorization"), "Bearer "), header.Get("X-Api-Key")} {
		if subtle.ConstantTimeCompare([]byte(given), []byte(h.run.Token)) == 1 {
			return true
		}
	}
	return false
}

// prepare has the operator's model answer, count, and say no more than is left.
func (h *Handler) prepare(p *protocol, fields map[string]json.RawMessage) ([]byte, error) {
	model, err := json.Marshal(h.p.model)
	if err != nil {
		return nil, err
	}
	fields["model"] = model
	p.prepare(fields)
	ownTools(fields)
	p.bound(fields, h.run.Meter.OutputLeft)
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false) // source code has many of these characters
	err = encoder.Encode(fields)
	return text.Bytes(), err
}

// admit counts a call and charges its input, or gives the error of the budget that
// is used up, also by calls that come at the same time.
func (h *Handler) admit(ctx context.Context, input int64) (*llm.OpenCall, error) {
	if h.run.Ask != nil {
		_ = h.run.Ask(ctx) // what was known before counts then
	}
	open := h.run.Meter.Begin(input)
	err := h.run.Meter.Exceeded()
	if err == nil {
		err = h.count()
	}
	if err != nil {
		open.Settle(llm.Usage{})
		return nil, err
	}
	return open, nil
}

// count counts a call, or says why there may be no more.
func (h *Handler) count() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.failures >= maxFailures {
		return h.last
	}
	if h.calls++; h.run.Calls > 0 && h.calls > h.run.Calls {
		return llm.RunReached("calls", fmt.Sprint(h.run.Calls))
	}
	return nil
}

// ended notes how a call ended.
func (h *Handler) ended(err error) {
	h.mu.Lock()
	h.last = err
	if err == nil {
		h.failures = 0
	} else {
		h.failures++
	}
	stop := h.failures >= maxFailures
	h.mu.Unlock()
	if stop {
		h.run.Stop(err)
	}
}
