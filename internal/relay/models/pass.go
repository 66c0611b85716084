package models

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/bundle-delivery/svc/internal/engine/llm"
	"github.com/bundle-delivery/svc/internal/engine/llm/wire"
)

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
func (c *call) pass(w http.ResponseWriter, r *http.Request, body []byte) {
	h := c.h
	ctx, cancel := context.WithCancelCause(r.Context())
	defer cancel(nil)
	defer context.AfterFunc(h.ctx, func() { cancel(h.ctx.Err()) })()
	watchdog := time.AfterFunc(h.p.stall, func() { cancel(errSilent) })
	defer watchdog.Stop()
	c.alive = func() {
		watchdog.Reset(h.p.stall)
		h.run.Alive()
	}
	out, err := h.request(ctx, r, c.protocol, body)
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
	c.alive()
	if answer.StatusCode != http.StatusOK {
		h.passRefusal(w, answer)
		return
	}
	c.begun = true
	copyHeader(w, answer)
	err = c.copy(w, answer)
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
