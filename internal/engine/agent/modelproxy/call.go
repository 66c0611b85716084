package modelproxy

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"

	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/engine/llm"
	"github.com/bundle-delivery/svc/internal/engine/llm/wire"
	"github.com/bundle-delivery/svc/internal/text/sse"
)

// call is one call under way.
type call struct {
	h        *Handler
	protocol *protocol
	open     *llm.OpenCall
	input    int64 // as it was guessed
	alive    func()
	begun    bool // an answer has come
	counted  bool // the provider has said how much it was
	final    bool // and how much the answer was, not only its beginning
	usage    llm.Usage
	text     int // bytes of the answer
}

var errStopped = errors.New("the run has used its budget")

// copy gives the agent the answer, and reads along.
func (c *call) copy(w http.ResponseWriter, answer *http.Response) error {
	out := newStriker(flusher{w}, c.h.p.secret)
	body := io.TeeReader(&wire.Noticed{From: answer.Body, Alive: c.alive}, out)
	var err error
	if kindOf(answer) == eventStream {
		err = c.stream(body)
	} else {
		err = c.whole(body)
	}
	if err == nil {
		err = out.end()
	}
	return err
}

// stream reads the events of an answer.
func (c *call) stream(body io.Reader) error {
	events := sse.NewReader(body, maxEvent)
	complete := false
	for {
		event, err := events.Next()
		switch {
		case errors.Is(err, io.EOF) && complete:
			return nil
		case errors.Is(err, io.EOF):
			return io.ErrUnexpectedEOF
		case err != nil:
			return err
		}
		if string(bytes.TrimSpace(event.Data)) == "[DONE]" {
			complete = true
			continue
		}
		var s said
		_ = json.Unmarshal(event.Data, &s) // what does not fit is passed on and not counted
		complete = complete || s.ends()
		if err := c.hear(s); err != nil {
			return err
		}
	}
}

// whole reads an answer that is not streamed.
func (c *call) whole(body io.Reader) error {
	text, err := io.ReadAll(io.LimitReader(body, maxBody))
	if err != nil {
		return err
	}
	if c.protocol.free {
		return nil
	}
	var s said
	_ = json.Unmarshal(text, &s) // an answer without a count is guessed by its length
	c.text = len(text)
	return c.hear(s)
}

// hear counts what was said. errStopped.
func (c *call) hear(s said) error {
	c.final = c.final || s.Usage != nil || s.Response.Usage != nil
	for _, told := range []*counted{s.Usage, s.Response.Usage, s.Message.Usage} {
		if told != nil {
			c.usage, c.counted = merge(c.usage, told.usage(c.protocol)), true
		}
	}
	if n := s.text(); n > 0 {
		c.text += n
		c.open.Add(llm.Usage{Output: llm.EstimateTokens(n)})
	}
	if err := c.h.run.Meter.Exceeded(); err != nil {
		c.h.run.Stop(err)
		return errStopped
	}
	return nil
}

// settle tells what the call has used.
func (c *call) settle() {
	used := c.usage
	if c.begun && !c.protocol.free {
		if !c.counted {
			used.Input = c.input
		}
		if !c.final || used.Output <= 1 { // a stream that broke off has told the beginning alone
			used.Output = max(used.Output, llm.EstimateTokens(c.text))
		}
	}
	c.h.noteStored(used)
	cost := c.open.Settle(used)
	if used != (llm.Usage{}) {
		c.h.run.Used(engine.Usage{
			Model: c.h.p.model, InputTokens: used.Input + used.CacheRead + used.CacheWrite, OutputTokens: used.Output, CostUSD: cost,
		})
	}
}

// flusher sends what is written at once.
type flusher struct{ w http.ResponseWriter }

func (f flusher) Write(p []byte) (int, error) {
	n, err := f.w.Write(p)
	if err == nil {
		err = http.NewResponseController(f.w).Flush()
	}
	return n, err
}
