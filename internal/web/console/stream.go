package console

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/bundle-delivery/svc/internal/accounts"
	"github.com/bundle-delivery/svc/internal/generation"
	"github.com/bundle-delivery/svc/internal/web/api"
)

// heartbeat is how often a live view shows that it is alive, asks whether news was
// lost, and whether its session still holds.
const heartbeat = 5 * time.Second

// signedOut is the event by which a stream says that its session has ended. A
// browser cannot see the status of a stream, so that a refusal would only make it
// come back for ever.
const signedOut = "event: signed_out\ndata: {}\n\n"

// beat is the event by which a stream shows that it is alive, for scripts do not see
// the comments of a stream. It tells what the run has used so far, which no other event
// does before the run ends.
func (s *runHandlers) beat(ctx context.Context, v *visit, id string) ([]byte, error) {
	var told struct {
		Spent string `json:"spent,omitempty"`
	}
	// Of a run that was deleted there is nothing to tell; its stream ends by itself.
	if run, err := s.Generations.Get(ctx, v.account.ID, id); err == nil && run.Cost != nil {
		told.Spent = spentText(*run.Cost)
	}
	data, err := json.Marshal(told)
	return fmt.Appendf(nil, "event: beat\ndata: %s\n\n", data), err
}

// streamGeneration is the stream of the interface, opened by a session. It ends
// when the run does, the browser leaves or stalls, the session ends or the
// server stops; the browser comes back by itself where that makes sense.
func (s *runHandlers) streamGeneration(w http.ResponseWriter, r *http.Request, v *visit) error {
	if !v.signedIn() {
		api.StreamHeaders(w.Header())
		_, _ = io.WriteString(w, signedOut) // whoever has left misses nothing
		return nil
	}
	leave, err := s.Generations.OpenStream(v.account.ID)
	if err != nil {
		return err
	}
	defer leave()
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
	api.StreamHeaders(w.Header())
	out := api.NewStreamWriter(w)
	defer out.Release()
	if err := out.Send([]byte(api.StreamOpening)); err != nil {
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
		alive, err := s.beat(ctx, v, r.PathValue("id"))
		if err == nil {
			err = out.Send(alive)
		}
		if err != nil {
			return s.streamEnded(r, err)
		}
		over, err := out.Copy(ctx, watch, heartbeat)
		if over || err != nil {
			return s.streamEnded(r, err)
		}
		if _, _, err := s.Accounts.Session(ctx, v.token); err != nil {
			if errors.Is(err, accounts.ErrNoSession) {
				err = out.Send([]byte(signedOut))
			}
			return s.streamEnded(r, err)
		}
		if err := watch.Verify(ctx); err != nil {
			return s.streamEnded(r, err)
		}
	}
}

// streamEnded notes why a stream broke off; its answer has begun, so that there
// is nobody to tell.
func (s *runHandlers) streamEnded(r *http.Request, err error) error {
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
