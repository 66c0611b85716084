package console

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/bundle-delivery/svc/internal/accounts"
	"github.com/bundle-delivery/svc/internal/api"
	"github.com/bundle-delivery/svc/internal/generation"
)

const (
	// beat is how often a live view shows that it is alive, asks whether news
	// was lost, and whether its session still holds.
	beat = 5 * time.Second
	// stall is how long a browser may take nothing before it is cut off.
	stall = 20 * time.Second
)

// signedOut is the event by which a stream says that its session has ended. A
// browser cannot see the status of a stream, so that a refusal would only make it
// come back for ever.
const signedOut = "event: signed_out\ndata: {}\n\n"

// streamGeneration is the stream of the interface, opened by a session. It ends
// when the run does, the browser leaves or stalls, the session ends or the
// server stops; the browser comes back by itself where that makes sense.
func (s *Console) streamGeneration(w http.ResponseWriter, r *http.Request, v *visit) error {
	if !v.signedIn() {
		streamHeaders(w.Header())
		_, _ = io.WriteString(w, signedOut) // whoever has left misses nothing
		return nil
	}
	watch, err := s.Generations.Watch(r.Context(), v.account.ID, r.PathValue("id"), lastSeen(r))
	if errors.Is(err, generation.ErrOver) {
		w.WriteHeader(http.StatusNoContent) // tells the browser not to come back
		return nil
	}
	if err != nil {
		return err
	}
	defer watch.Close()
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	streamHeaders(w.Header())
	out := browser{w, http.NewResponseController(w)}
	defer out.release()
	if err := out.send([]byte(api.StreamOpening)); err != nil {
		return s.streamEnded(r, err)
	}
	go func() { // the server stops: end the wait for news
		select {
		case <-s.stop:
			cancel()
		case <-ctx.Done():
		}
	}()
	for {
		over, err := out.copyUntilBeat(ctx, watch)
		if over || err != nil {
			return s.streamEnded(r, err)
		}
		if _, _, err := s.Accounts.Session(ctx, v.token); err != nil {
			if errors.Is(err, accounts.ErrNoSession) {
				err = out.send([]byte(signedOut))
			}
			return s.streamEnded(r, err)
		}
		err = watch.Verify(ctx)
		if err == nil {
			err = out.send([]byte(api.StreamComment))
		}
		if err != nil {
			return s.streamEnded(r, err)
		}
	}
}

func streamHeaders(h http.Header) {
	h.Set("Content-Type", api.EventStream)
	h.Set("Cache-Control", "no-cache, no-transform")
	h.Set("X-Accel-Buffering", "no")
}

// streamEnded notes why a stream broke off; its answer has begun, so that there
// is nobody to tell.
func (s *Console) streamEnded(r *http.Request, err error) error {
	if err != nil && !errors.Is(err, io.EOF) && r.Context().Err() == nil {
		s.Log.Warn("a live view broke off; its browser comes back", "error", err)
	}
	return nil
}

// lastSeen is the event after which a browser goes on.
func lastSeen(r *http.Request) int64 {
	text := r.Header.Get("Last-Event-ID")
	if text == "" {
		text = r.URL.Query().Get("lastEventId")
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// browser is one that watches, and has to keep taking.
type browser struct {
	w       http.ResponseWriter
	control *http.ResponseController
}

// copyUntilBeat sends events until the next beat, and says whether the stream is
// over.
func (b browser) copyUntilBeat(ctx context.Context, watch *generation.Watch) (over bool, err error) {
	until, cancel := context.WithTimeout(ctx, beat)
	defer cancel()
	for {
		events, err := watch.Next(until)
		switch {
		case errors.Is(err, io.EOF), err != nil && ctx.Err() != nil:
			return true, nil
		case errors.Is(err, context.DeadlineExceeded) && until.Err() != nil:
			return false, nil
		case err != nil:
			return true, fmt.Errorf("follow the run: %w", err)
		}
		var text []byte
		for _, e := range events {
			text = api.AppendEvent(text, e)
		}
		if err := b.send(text); err != nil {
			return true, err
		}
	}
}

func (b browser) send(text []byte) error {
	if err := b.control.SetWriteDeadline(time.Now().Add(stall)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return fmt.Errorf("bound the write of a live view: %w", err)
	}
	if _, err := b.w.Write(text); err != nil { //nolint:gosec // an event stream, which no browser takes for a page
		return fmt.Errorf("write a live view: %w", err)
	}
	if err := b.control.Flush(); err != nil {
		return fmt.Errorf("write a live view: %w", err)
	}
	return nil
}

// release lets the connection serve further requests, without the deadline.
func (b browser) release() {
	_ = b.control.SetWriteDeadline(time.Time{}) // the connection may be gone
}
