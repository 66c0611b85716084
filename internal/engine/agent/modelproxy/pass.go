package modelproxy

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/bundle-delivery/svc/internal/engine/llm"
	"github.com/bundle-delivery/svc/internal/engine/llm/wire"
)

// request makes the request to the provider. Neither the address nor a header of the
// agent goes along but those that say what it speaks and who asks.
func (h *Handler) request(ctx context.Context, r *http.Request, p *protocol, sent *source) (*http.Request, error) {
	out, err := http.NewRequestWithContext(ctx, p.method, h.p.base+p.path, http.NoBody)
	if err != nil {
		return nil, err
	}
	if p.fields != nil {
		out.ContentLength = sent.size
		out.GetBody = func() (io.ReadCloser, error) {
			if body, ok := sent.reader(); ok {
				return body, nil
			}
			return nil, errors.New("the request is not held any more")
		}
		if out.Body, err = out.GetBody(); err != nil {
			return nil, err
		}
		out.Header.Set("Content-Type", string(wholeJSON))
	}
	copyRequestHeader(out.Header, r.Header)
	// The key is looked for in what comes back: it must not come compressed.
	out.Header.Set("Accept-Encoding", "identity")
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
func (c *call) pass(ctx context.Context, w http.ResponseWriter, r *http.Request, sent *source) {
	h := c.h
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watchdog := time.AfterFunc(h.p.stall, func() { cancel(errSilent) })
	defer watchdog.Stop()
	c.alive = func() {
		watchdog.Reset(h.p.stall)
		h.run.Alive()
	}
	out, err := h.request(ctx, r, c.protocol, sent)
	if err != nil {
		sent.release()
		refuse(w, http.StatusBadGateway, "the model cannot be asked")
		return
	}
	answer, err := h.p.client.Do(out)
	sent.release()
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
	if err := readable(answer); err != nil {
		h.ended(&llm.Failure{Kind: llm.Broken, Err: err})
		refuse(w, http.StatusBadGateway, err.Error())
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

// passRefusal forwards a response that is no answer to the agent.
func (h *Handler) passRefusal(w http.ResponseWriter, answer *http.Response) {
	var said []byte
	unreadable := readable(answer)
	if unreadable == nil {
		said, _ = io.ReadAll(io.LimitReader(answer.Body, maxError)) // whatever can be had of it
		said = h.p.secret.strike(said, len(said) == maxError)
	}
	h.ended(wire.StatusFailure(answer.StatusCode, answer.Header, string(said[:min(len(said), 400)])))
	switch {
	case unreadable != nil:
		refuse(w, http.StatusBadGateway, unreadable.Error())
		return
	case answer.StatusCode < 400:
		refuse(w, http.StatusBadGateway, "the model's address leads elsewhere")
		return
	}
	copyHeader(w, answer)
	w.WriteHeader(answer.StatusCode)
	_, _ = w.Write(said) // the agent may have gone
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
