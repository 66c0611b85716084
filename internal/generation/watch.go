package generation

import (
	"context"
	"errors"
	"fmt"
	"io"

	svc "github.com/bundle-delivery/svc"
)

// ErrOver says that a run has ended and that the viewer has seen its end.
var ErrOver = errors.New("the run is over and all of it was seen")

// Watch is one viewer's way through the events of a run, to its ending. It is
// used by one goroutine.
type Watch struct {
	service *Service
	run     svc.Run
	feed    svc.EventFeed // nil once the run is known to be over
	last    int64         // number of the last event handed out
	done    bool
}

// Watch begins to follow a run after the given event. A number that a run which
// is not over has not reached counts as none. CodeGenerationNotFound, ErrOver.
func (s *Service) Watch(ctx context.Context, accountID, id string, after int64) (*Watch, error) {
	run, err := s.Get(ctx, accountID, id)
	if err != nil {
		return nil, err
	}
	w := &Watch{service: s, run: run, last: max(after, 0)}
	if run.Status.Final() {
		if w.last >= run.LastEvent {
			return nil, ErrOver
		}
		return w, nil
	}
	if w.last > 0 {
		reached, err := s.events.Last(ctx, run.ID)
		if err != nil {
			return nil, fmt.Errorf("watch run %s: %w", id, err)
		}
		if w.last > reached {
			w.last = 0
		}
	}
	if w.feed, err = s.events.Follow(ctx, run.ID, w.last); err != nil {
		return nil, fmt.Errorf("watch run %s: %w", id, err)
	}
	return w, nil
}

// Next waits for the events that follow and returns them. After the terminal
// event it returns io.EOF. When ctx ends first it returns ctx's error, and the
// watch can be used on.
func (w *Watch) Next(ctx context.Context) ([]svc.Event, error) {
	if w.done {
		return nil, io.EOF
	}
	var events []svc.Event
	var err error
	if w.feed != nil {
		events, err = w.feed.Next(ctx)
	} else {
		events, err = w.rest(ctx)
	}
	if err != nil {
		return nil, err
	}
	for i, e := range events {
		w.last = e.Seq
		if e.Name.Terminal() {
			w.done = true
			return events[:i+1], nil
		}
	}
	return events, nil
}

// rest reads a run that is over: what the log has, then the ending, from the
// record where the log has lost it.
func (w *Watch) rest(ctx context.Context) ([]svc.Event, error) {
	events, err := w.service.events.Read(ctx, w.run.ID, w.last)
	if err != nil {
		return nil, fmt.Errorf("read the events of %s: %w", w.run.ID, err)
	}
	if len(events) > 0 {
		return events, nil
	}
	end, err := ending(ctx, w.service.store, w.run)
	if errors.Is(err, svc.ErrNotFound) {
		return nil, io.EOF
	}
	if err != nil {
		return nil, err
	}
	for len(end) > 0 && end[0].Seq <= w.last {
		end = end[1:]
	}
	if len(end) == 0 {
		return nil, io.EOF
	}
	return end, nil
}

// Verify is for every heartbeat: it finds out whether news was lost on the way,
// or the run is over and its ending will not come through the log. io.EOF when
// the run is gone, as when its project was deleted.
func (w *Watch) Verify(ctx context.Context) error {
	if w.done || w.feed == nil {
		return nil
	}
	run, err := w.service.Get(ctx, w.run.AccountID, w.run.ID)
	if svc.CodeOf(err) == svc.CodeGenerationNotFound {
		return io.EOF
	}
	if err != nil {
		return err
	}
	if run.Status.Final() {
		w.Close()
		w.run, w.feed = run, nil
		return nil
	}
	if err := w.feed.Verify(ctx); err != nil {
		return fmt.Errorf("verify the events of %s: %w", w.run.ID, err)
	}
	return nil
}

// Close ends the watch.
func (w *Watch) Close() {
	if w.feed != nil {
		w.feed.Close()
	}
}
