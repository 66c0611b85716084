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
	feed    svc.EventFeed
	last    int64 // number of the last event handed out
	until   int64 // where the log ends, once the run is known to be over
	done    bool
}

// Watch begins to follow a run after the given event. A number that a run which
// is not over has not reached counts as none. So does one past the ending of a
// run that had more than one worker: it may come from what an earlier one emitted
// and a power cut took. CodeGenerationNotFound, ErrOver.
func (s *Service) Watch(ctx context.Context, accountID, id string, after int64) (*Watch, error) {
	run, err := s.Get(ctx, accountID, id)
	if err != nil {
		return nil, err
	}
	w := &Watch{service: s, run: run, last: max(after, 0)}
	if run.Status.Final() || w.last > 0 {
		end, err := s.Events.Last(ctx, run.ID)
		if err != nil {
			return nil, fmt.Errorf("watch run %s: %w", id, err)
		}
		w.until = end.Seq
		switch ending, known := endOf(run, end); {
		case w.last > max(ending, w.until) && (!known || run.Epoch > 1):
			w.last = 0
		case known && w.last >= ending:
			return nil, ErrOver
		}
	}
	if w.feed, err = s.Events.Follow(ctx, run.ID, w.last); err != nil {
		return nil, fmt.Errorf("watch run %s: %w", id, err)
	}
	return w, nil
}

// endOf gives the number of a run's terminal event, if it can be known from its
// record and the last event of its log. Where the record expects the ending
// there may stand what a worker emitted that was believed to be dead: the ending
// then comes under a higher number, which the record is about to learn.
func endOf(run svc.Run, last svc.Event) (number int64, known bool) {
	switch {
	case !run.Status.Final():
		return 0, false
	case last.Seq < run.LastEvent:
		return run.LastEvent, true
	default:
		return last.Seq, last.Name.Terminal()
	}
}

// Next waits for the events that follow and returns them. After the terminal
// event it returns io.EOF. When ctx ends first it returns ctx's error, and the
// watch can be used on.
func (w *Watch) Next(ctx context.Context) ([]svc.Event, error) {
	if w.done {
		return nil, io.EOF
	}
	next := w.feed.Next
	if w.run.Status.Final() && w.last >= w.until {
		next = w.endingFromRecord // the log has no more to say
	}
	events, err := next(ctx)
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

// endingFromRecord gives what the log has lost of the end of a run, from the record.
func (w *Watch) endingFromRecord(ctx context.Context) ([]svc.Event, error) {
	end, err := endingEvents(ctx, w.service.Store, w.run)
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
		// The log is longer than the record knows, and its last event is not the
		// end: that is about to be published under a higher number.
		return w.feed.Next(ctx)
	}
	return end, nil
}

// Verify is for every heartbeat: it finds out whether news was lost on the way,
// or the run is over and its ending will not come through the log. io.EOF when
// the run is gone, as when its project was deleted.
func (w *Watch) Verify(ctx context.Context) error {
	if w.done {
		return nil
	}
	run, err := w.service.Get(ctx, w.run.AccountID, w.run.ID)
	if svc.CodeOf(err) == svc.CodeGenerationNotFound {
		return io.EOF
	}
	if err != nil {
		return err
	}
	if err := w.feed.Verify(ctx); err != nil {
		return fmt.Errorf("verify the events of %s: %w", w.run.ID, err)
	}
	if run.Status.Final() {
		end, err := w.service.Events.Last(ctx, run.ID)
		if err != nil {
			return fmt.Errorf("verify the events of %s: %w", w.run.ID, err)
		}
		w.until = end.Seq
	}
	w.run = run
	return nil
}

// Close ends the watch.
func (w *Watch) Close() { w.feed.Close() }
