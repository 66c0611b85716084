package modelproxy

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

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
	room    room

	mu       sync.Mutex
	closed   bool
	calls    int
	failures int // in a row
	last     error
	largest  int64 // tokens of a call, with its answer
}

// For makes the handler of a run.
func (p *Provider) For(r Run) *Handler {
	h := &Handler{p: p, run: r, places: make(chan struct{}, maxAtOnce), room: room{p.held, semaphore.NewWeighted(maxHeldByRun)}}
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
	ctx, cancel := context.WithCancelCause(r.Context())
	defer cancel(nil)
	defer context.AfterFunc(h.ctx, func() { cancel(h.ctx.Err()) })()
	// An agent that does not read keeps nobody waiting when its run is over.
	defer interruptible(h.ctx, http.NewResponseController(w).SetWriteDeadline)()
	select {
	case h.places <- struct{}{}:
		defer func() { <-h.places }()
	case <-ctx.Done():
		return
	}
	h.run.Alive()
	call := &call{h: h, protocol: protocol}
	sent, ok := h.accept(ctx, w, r, call)
	if !ok {
		return
	}
	defer call.settle()
	call.pass(ctx, w, r, sent)
}

// accept reads a request, charges it and prepares what is sent to the provider. When it
// returns false it has refused the request.
func (h *Handler) accept(ctx context.Context, w http.ResponseWriter, r *http.Request, c *call) (*source, bool) {
	body, held, asked, err := h.read(ctx, w, r, c.protocol)
	if err != nil {
		refuseRequest(w, err, "the request broke off or took too long")
		return nil, false
	}
	c.input = c.protocol.estimate(body)
	if asked != nil && asked.refers {
		c.input += h.storedTokens()
	}
	if c.open, err = h.admit(ctx, c.input); err != nil {
		held.shrink(0)
		refuse(w, http.StatusForbidden, "the run has used its budget, or the model fails")
		h.run.Stop(err)
		return nil, false
	}
	if asked == nil {
		return newSource(nil, held), true
	}
	if err = h.prepare(c.protocol, asked); err != nil {
		held.shrink(0)
		c.open.Settle(llm.Usage{})
		refuseRequest(w, err, "the request cannot be passed on")
		return nil, false
	}
	return newSource(asked.parts(), held), true
}

// refuseRequest refuses a request for what is wrong with it, or for another reason.
func refuseRequest(w http.ResponseWriter, err error, why string) {
	status := http.StatusBadRequest
	if bad, ok := errors.AsType[badRequest](err); ok {
		why = string(bad)
	} else if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		status, why = http.StatusRequestEntityTooLarge, fmt.Sprintf("the request is larger than %d bytes", maxBody)
	}
	refuse(w, status, why)
}

// read reads a request into memory and looks through it. A protocol without a body
// has none.
func (h *Handler) read(ctx context.Context, w http.ResponseWriter, r *http.Request, p *protocol) (body []byte, held *lease, asked *request, err error) {
	if p.fields == nil {
		return nil, nil, nil, nil
	}
	if body, held, err = h.receive(ctx, w, r); err != nil {
		return nil, nil, nil, err
	}
	if asked, err = readRequest(ctx, p, body); err != nil {
		held.shrink(0)
		return nil, nil, nil, err
	}
	return body, held, asked, nil
}

// noteStored records how long a conversation of the run is that the provider may
// store, and storedTokens returns it: what a request refers to is not in the request.
func (h *Handler) noteStored(u llm.Usage) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.largest = max(h.largest, u.Total())
}

func (h *Handler) storedTokens() int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.largest
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
func (h *Handler) prepare(p *protocol, r *request) error {
	model, err := json.Marshal(h.p.model)
	if err != nil {
		return err
	}
	r.set("model", model)
	p.countStream(r)
	return p.bound(r, h.run.Meter.OutputLeft)
}

// interruptible ends what a connection waits for when ctx ends, by its deadline, until
// the function that it returns is called.
func interruptible(ctx context.Context, deadline func(time.Time) error) func() {
	passed := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(passed)
		_ = deadline(time.Unix(1, 0)) // without deadlines the connection ends it
	})
	return func() {
		if !stop() {
			<-passed
		}
	}
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
