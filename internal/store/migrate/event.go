package migrate

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	svc "github.com/bundle-delivery/svc"
)

// messageBytes is how much goes into one message at most; a single event may be
// larger.
const messageBytes = 256 << 10

// moveEvents copies what runs said, as long as it is of interest, and reads it
// back. A run without its beginning is left out: events keep their numbers, and
// a log cannot begin in the middle. Its ending is in the records.
func (m *Move) moveEvents(ctx context.Context, sum *EventSummary) error {
	for run, err := range m.From.Runs(ctx, m.Since) {
		if err != nil {
			return err
		}
		n, err := m.moveRun(ctx, run)
		switch {
		case errors.Is(err, errForgotten):
			sum.Partial++
		case err != nil:
			return fmt.Errorf("move the events of %s: %w", run.ID, err)
		case n > 0:
			sum.Runs, sum.Events = sum.Runs+1, sum.Events+n
		}
		m.report(Progress{Stage: StageEvents, Done: sum.Runs})
	}
	return nil
}

var errForgotten = errors.New("the beginning of the events is forgotten")

func (m *Move) moveRun(ctx context.Context, run svc.RunClaim) (moved int64, err error) {
	first, err := m.FromEvents.Read(ctx, run.ID, 0)
	if err != nil || len(first) == 0 {
		return 0, err
	}
	if first[0].Seq != 1 {
		return 0, errForgotten
	}
	w, err := m.ToEvents.Writer(ctx, run)
	if err != nil {
		return 0, err
	}
	for {
		events, err := m.FromEvents.Read(ctx, run.ID, w.Last())
		if err != nil {
			return 0, err
		}
		if len(events) == 0 {
			break
		}
		for len(events) > 0 {
			n := portion(events)
			if err := w.Append(ctx, append([]svc.Event(nil), events[:n]...)); err != nil {
				return 0, err
			}
			events = events[n:]
		}
	}
	return w.Last(), m.compareRun(ctx, run.ID, w.Last())
}

// portion is how many events go into the next message.
func portion(events []svc.Event) int {
	size := 0
	for i, e := range events {
		if size += len(e.Data); size > messageBytes && i > 0 {
			return i
		}
	}
	return len(events)
}

// compareRun reads both logs of a run side by side.
func (m *Move) compareRun(ctx context.Context, runID string, last int64) error {
	var here, there []svc.Event
	for at := int64(0); at < last; {
		var err error
		if len(here) == 0 {
			if here, err = m.FromEvents.Read(ctx, runID, at); err != nil {
				return err
			}
		}
		if len(there) == 0 {
			if there, err = m.ToEvents.Read(ctx, runID, at); err != nil {
				return err
			}
		}
		n := min(len(here), len(there))
		if n == 0 {
			return fmt.Errorf("event %d is missing in the target", at+1)
		}
		for i := range n {
			if here[i].Seq != there[i].Seq || here[i].Name != there[i].Name || !bytes.Equal(here[i].Data, there[i].Data) {
				return fmt.Errorf("event %d is another one in the target; it holds events of another service, name an empty one", here[i].Seq)
			}
		}
		at = here[n-1].Seq
		here, there = here[n:], there[n:]
	}
	return nil
}
