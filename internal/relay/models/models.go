// Package models lets the agent of a run talk to a model without knowing the key.
//
// The agent sends the token of its run, at the addresses that model providers
// have: /v1/messages, /v1/chat/completions and /v1/responses. The key takes the
// place of the token here, on the way to the one address that the operator named;
// calls, tokens and money are counted on the wire, streamed or not, and a run that
// has used its budget is ended by whoever counts, not by the agent. The model that
// answers is the operator's, whatever the agent asks for. Nothing that comes back
// contains the key, also where a server repeats it.
package models

import (
	"bytes"
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/engine/llm"
	"github.com/bundle-delivery/svc/internal/engine/llm/wire"
)

const (
	maxBody  = 64 << 20 // of a request, or of an answer that is not streamed
	maxError = 64 << 10
	maxEvent = 16 << 20
	// maxFailures is how many calls in a row may fail before the run is ended:
	// agents ask again, some of them without a pause.
	maxFailures = 20
)

// Config says which model is asked, and where.
type Config struct {
	// URL is where the API is. Where it ends in /v1, the addresses of the protocols
	// are taken to begin with that.
	URL   string
	Key   string // empty: the server wants none
	Model string
	// Stall is how long the provider may be silent.
	Stall  time.Duration
	Client *http.Client
}

// Provider passes calls on.
type Provider struct {
	base   string
	key    string
	model  string
	stall  time.Duration
	client http.Client
}

// New makes a provider. Redirects are not followed: the key is for one address.
func New(c Config) (*Provider, error) {
	u, err := url.Parse(c.URL)
	if err != nil || u.Host == "" {
		return nil, fmt.Errorf("%q is no address of a model", c.URL)
	}
	p := &Provider{
		base: strings.TrimSuffix(strings.TrimSuffix(c.URL, "/"), "/v1"),
		key:  c.Key, model: c.Model, stall: c.Stall,
	}
	if c.Client != nil {
		p.client = *c.Client
	}
	p.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return p, nil
}

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

	mu       sync.Mutex
	closed   bool
	calls    int
	failures int // in a row
	last     error
}

// For makes the handler of a run.
func (p *Provider) For(r Run) *Handler {
	h := &Handler{p: p, run: r}
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
	h.run.Alive()
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		refuse(w, http.StatusRequestEntityTooLarge, "the request is too large or broke off")
		return
	}
	if protocol.prepare != nil {
		if body, err = h.prepare(protocol, body); err != nil {
			refuse(w, http.StatusBadRequest, "the request is no JSON object")
			return
		}
	}
	if err := h.admit(r.Context()); err != nil {
		refuse(w, http.StatusForbidden, "the run has used its budget, or the model fails")
		h.run.Stop(err)
		return
	}
	h.pass(w, r, protocol, body)
}

func (h *Handler) knows(header http.Header) bool {
	for _, given := range []string{strings.TrimPrefix(header.Get("Authorization"), "Bearer "), header.Get("X-Api-Key")} {
		if subtle.ConstantTimeCompare([]byte(given), []byte(h.run.Token)) == 1 {
			return true
		}
	}
	return false
}

// prepare has the operator's model answer, and count.
func (h *Handler) prepare(p *protocol, body []byte) ([]byte, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(body, &fields); err != nil || fields == nil {
		return nil, errors.New("no object")
	}
	model, err := json.Marshal(h.p.model)
	if err != nil {
		return nil, err
	}
	fields["model"] = model
	p.prepare(fields)
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false) // source code has many of these characters
	err = encoder.Encode(fields)
	return text.Bytes(), err
}

// admit counts a call, or gives the error of the budget that is used up.
func (h *Handler) admit(ctx context.Context) error {
	if h.run.Ask != nil {
		_ = h.run.Ask(ctx) // what was known before counts then
	}
	if err := h.run.Meter.Exceeded(); err != nil {
		return err
	}
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

// request makes the request to the provider. Of the agent's headers only those
// go along that say what the body is and who asks.
func (h *Handler) request(ctx context.Context, r *http.Request, p *protocol, body []byte) (*http.Request, error) {
	out, err := http.NewRequestWithContext(ctx, p.method, h.p.base+p.path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"Content-Type", "Accept", "User-Agent", "Anthropic-Version", "Anthropic-Beta", "Openai-Beta"} {
		if values := r.Header.Values(name); len(values) > 0 {
			out.Header[name] = values
		}
	}
	if p.messages {
		out.Header.Set("X-Api-Key", h.p.key)
		if out.Header.Get("Anthropic-Version") == "" {
			out.Header.Set("Anthropic-Version", "2023-06-01")
		}
	} else if h.p.key != "" {
		out.Header.Set("Authorization", "Bearer "+h.p.key)
	}
	return out, nil
}

var errSilent = errors.New("the provider said nothing for too long")

// pass makes the call and gives the agent what comes back.
func (h *Handler) pass(w http.ResponseWriter, r *http.Request, p *protocol, body []byte) {
	ctx, cancel := context.WithCancelCause(r.Context())
	defer cancel(nil)
	defer context.AfterFunc(h.ctx, func() { cancel(h.ctx.Err()) })()
	watchdog := time.AfterFunc(h.p.stall, func() { cancel(errSilent) })
	defer watchdog.Stop()
	call := &call{h: h, protocol: p, open: h.run.Meter.Begin(p.estimate(body)), input: p.estimate(body), alive: func() {
		watchdog.Reset(h.p.stall)
		h.run.Alive()
	}}
	defer call.settle()
	out, err := h.request(ctx, r, p, body)
	if err != nil {
		refuse(w, http.StatusBadGateway, "the model cannot be asked")
		return
	}
	answer, err := h.p.client.Do(out)
	if err != nil {
		if !gone(r, h) {
			h.ended(&llm.Failure{Kind: llm.Unreachable, Err: h.p.withoutKey(err)})
		}
		refuse(w, http.StatusBadGateway, "the model cannot be reached")
		return
	}
	defer func() { _ = answer.Body.Close() }() // it was only read
	call.alive()
	if answer.StatusCode != http.StatusOK {
		h.passRefusal(w, answer)
		return
	}
	call.begun = true
	copyHeader(w, answer)
	err = call.copy(w, answer)
	switch {
	case errors.Is(err, errStopped):
		panic(http.ErrAbortHandler) // the agent sees that it is cut off
	case err != nil && !gone(r, h):
		h.ended(&llm.Failure{Kind: llm.Broken, Err: h.p.withoutKey(err)})
		panic(http.ErrAbortHandler)
	case err == nil:
		h.ended(nil)
	}
}

// gone says that nobody waits for the answer any more.
func gone(r *http.Request, h *Handler) bool { return r.Context().Err() != nil || h.ctx.Err() != nil }

// passRefusal gives the agent an answer that is none.
func (h *Handler) passRefusal(w http.ResponseWriter, answer *http.Response) {
	said, _ := io.ReadAll(io.LimitReader(answer.Body, maxError)) // whatever can be had of it
	said = bytes.ReplaceAll(said, []byte(orNone(h.p.key)), []byte(struck))
	f := wire.StatusFailure(answer.StatusCode, answer.Header, string(said[:min(len(said), 400)]))
	h.ended(f)
	if answer.StatusCode < 400 {
		refuse(w, http.StatusBadGateway, "the model's address leads elsewhere")
		return
	}
	copyHeader(w, answer)
	w.WriteHeader(answer.StatusCode)
	_, _ = w.Write(said) // the agent may have gone
}

// copyHeader passes on what an agent may want to know, and no more.
func copyHeader(w http.ResponseWriter, answer *http.Response) {
	for _, name := range []string{"Content-Type", "Retry-After", "Retry-After-Ms"} {
		if value := answer.Header.Get(name); value != "" {
			w.Header().Set(name, value)
		}
	}
}

// refuse answers in the words that all protocols share.
func refuse(w http.ResponseWriter, status int, why string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	text, err := json.Marshal(map[string]any{"type": "error", "error": map[string]any{"type": "relay_error", "message": why}})
	if err == nil {
		_, _ = w.Write(text) // the agent may have gone
	}
}
