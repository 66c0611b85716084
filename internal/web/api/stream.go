package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	svc "github.com/bundle-delivery/svc"
)

const (
	// stallTime is how long a client may take nothing before it is cut off, less
	// renewTime at most: moving a deadline costs, and there is one for each
	// stream. It loses nothing: it comes back and resumes. On HTTP/2 this time passes
	// also while nothing is written, so it is much longer than a heartbeat.
	stallTime = 30 * time.Second
	renewTime = 2 * time.Second
	// lastWrite is what is left to a write when its stream is ended.
	lastWrite = 100 * time.Millisecond
	// pieceSize is about what is sent of a stream at a time: there may be thousands
	// of clients that take nothing, and each holds the piece that it does not take.
	pieceSize = 8 << 10
)

// ErrStreamEnded says that nothing can be sent after End.
var ErrStreamEnded = errors.New("the stream was ended")

// EventSource is where the events of a stream come from. io.EOF after the last.
type EventSource interface {
	Next(ctx context.Context) ([]svc.Event, error)
}

// StreamHeaders sets the headers of an event stream, which nobody on the way may
// keep or hold back.
func StreamHeaders(h http.Header) {
	h.Set("Content-Type", EventStream)
	h.Set("Cache-Control", "no-cache, no-transform")
	h.Set("X-Accel-Buffering", "no")
}

// StreamWriter sends an event stream to a client that must keep taking. It serves
// one goroutine; End may be called by another.
type StreamWriter struct {
	w       http.ResponseWriter
	control *http.ResponseController
	buffer  []byte
	renew   time.Time // when the deadline of writes is to be moved on

	mu      sync.Mutex
	sending bool // a write may be waiting for the client
	ended   bool // nothing more is to be sent
}

// NewStreamWriter makes the writer of one stream.
func NewStreamWriter(w http.ResponseWriter) *StreamWriter {
	return &StreamWriter{w: w, control: http.NewResponseController(w)}
}

// End lets nothing more be sent, and wakes a write that waits. Where none does,
// the stream ends as an answer ends: a deadline would break it off.
func (o *StreamWriter) End() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ended = true; o.sending {
		_ = o.control.SetWriteDeadline(time.Now().Add(lastWrite)) // fails when the connection is gone
	}
}

// Copy sends events until it is time to show that the stream is alive. It says
// whether the stream is over: the source has no more, or the context has ended.
func (o *StreamWriter) Copy(ctx context.Context, from EventSource, heartbeat time.Duration) (over bool, err error) {
	beat, cancel := context.WithTimeout(ctx, heartbeat)
	defer cancel()
	for {
		events, err := from.Next(beat)
		switch {
		case errors.Is(err, io.EOF):
			return true, nil
		case err != nil && ctx.Err() != nil:
			return true, nil // left, revoked or stopping: the client resumes if it may
		case errors.Is(err, context.DeadlineExceeded) && beat.Err() != nil:
			o.rest()
			return false, nil
		case err != nil:
			return true, fmt.Errorf("follow the run: %w", err)
		}
		if o.buffer, err = sendEvents(o.buffer, events, o.Send); err != nil {
			return true, err
		}
	}
}

// rest takes the deadline away until something is sent again: what is done for a sign of
// life may take longer, and on HTTP/2 the stream would end with it.
func (o *StreamWriter) rest() {
	o.Release()
	o.renew = time.Time{}
}

// sendEvents writes events piece by piece. It gives the buffer back, to be used for
// the next events, unless it has grown large.
func sendEvents(buffer []byte, events []svc.Event, send func([]byte) error) ([]byte, error) {
	for i, e := range events {
		buffer = AppendEvent(buffer, e)
		if i+1 < len(events) && len(buffer)+len(events[i+1].Data) < pieceSize {
			continue
		}
		if err := send(buffer); err != nil {
			return nil, err
		}
		if buffer = buffer[:0]; cap(buffer) > 2*pieceSize {
			buffer = nil
		}
	}
	return buffer, nil
}

// Send writes and flushes within stallTime.
func (o *StreamWriter) Send(p []byte) error {
	if err := o.begin(); err != nil {
		return err
	}
	defer o.finish()
	if _, err := o.w.Write(p); err != nil {
		return fmt.Errorf("write a stream: %w", err)
	}
	if err := o.control.Flush(); err != nil {
		return fmt.Errorf("write a stream: %w", err)
	}
	return nil
}

func (o *StreamWriter) begin() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ended {
		return ErrStreamEnded
	}
	if now := time.Now(); !now.Before(o.renew) {
		if err := o.control.SetWriteDeadline(now.Add(stallTime)); err != nil && !errors.Is(err, http.ErrNotSupported) {
			return fmt.Errorf("bound the write of a stream: %w", err)
		}
		o.renew = now.Add(renewTime)
	}
	o.sending = true
	return nil
}

func (o *StreamWriter) finish() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.sending = false
}

// Release lets the connection serve further requests, without the deadline.
func (o *StreamWriter) Release() {
	_ = o.control.SetWriteDeadline(time.Time{}) // the connection may be gone
}
