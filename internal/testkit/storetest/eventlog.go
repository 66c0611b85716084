package storetest

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/testkit/must"
)

// EventLog is the suite for event logs. Each test uses runs of its own, so open
// may return the same log every time.
func EventLog(t *testing.T, open func(t *testing.T) svc.EventLog) {
	t.Helper()
	t.Run("stores events in order and numbers them", func(t *testing.T) { eventsInOrder(t, open(t)) })
	t.Run("reads after any number", func(t *testing.T) { eventsAfter(t, open(t)) })
	t.Run("continues the numbers of the worker before", func(t *testing.T) { eventsTakeover(t, open(t)) })
	t.Run("refuses a worker that was replaced, and shows nothing of it", func(t *testing.T) { eventsFence(t, open(t)) })
	t.Run("lets the first append of a worker follow a last word of the one before", func(t *testing.T) { eventsLastWord(t, open(t)) })
	t.Run("ends a writer with its first error", func(t *testing.T) { eventsFailed(t, open(t)) })
	t.Run("refuses a worker's own second writer what its first was quicker with", func(t *testing.T) { eventsTwoWriters(t, open(t)) })
	t.Run("keeps runs apart", func(t *testing.T) { eventsApart(t, open(t)) })
	t.Run("follows a run live", func(t *testing.T) { eventsLive(t, open(t)) })
	t.Run("joins replay and live without gap or double", func(t *testing.T) { eventsSeam(t, open(t)) })
	t.Run("lets a feed wait again after its context ended", func(t *testing.T) { eventsWaitAgain(t, open(t)) })
	t.Run("serves a viewer that is much slower than the run", func(t *testing.T) { eventsSlow(t, open(t)) })
}

// said makes events whose data name them.
func said(from, n int, by string) []svc.Event {
	events := make([]svc.Event, n)
	for i := range events {
		events[i] = svc.Event{Name: svc.EventToken, Data: fmt.Appendf(nil, `{"v":1,"n":%d,"by":%q}`, from+i, by)}
	}
	return events
}

func numbered(from int64, events []svc.Event) []svc.Event {
	out := make([]svc.Event, len(events))
	for i, e := range events {
		e.Seq = from + int64(i)
		out[i] = e
	}
	return out
}

func writer(t *testing.T, log svc.EventLog, run string, epoch int64) svc.EventWriter {
	t.Helper()
	w, err := log.Writer(t.Context(), svc.RunClaim{ID: run, Epoch: epoch})
	if err != nil {
		t.Fatalf("writer of %s as %d: %v", run, epoch, err)
	}
	return w
}

func appendAll(t *testing.T, w svc.EventWriter, events []svc.Event) {
	t.Helper()
	if err := w.Append(t.Context(), events); err != nil {
		t.Fatalf("append: %v", err)
	}
}

func readAll(t *testing.T, log svc.EventLog, run string, after int64) []svc.Event {
	t.Helper()
	var all []svc.Event
	for {
		events, err := log.Read(t.Context(), run, after)
		if err != nil {
			t.Fatalf("read %s after %d: %v", run, after, err)
		}
		if len(events) == 0 {
			return all
		}
		all = append(all, events...)
		after = events[len(events)-1].Seq
	}
}

func wantEvents(t *testing.T, got, want []svc.Event) {
	t.Helper()
	if diff := cmp.Diff(texts(want), texts(got)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

func texts(events []svc.Event) []string {
	out := make([]string, len(events))
	for i, e := range events {
		out[i] = strconv.FormatInt(e.Seq, 10) + " " + string(e.Name) + " " + string(e.Data)
	}
	return out
}

func wantLast(t *testing.T, log svc.EventLog, run string, want int64) {
	t.Helper()
	got, err := log.Last(t.Context(), run)
	if err != nil || got.Seq != want {
		t.Errorf("last of %s is %d (%v), want %d", run, got.Seq, err, want)
	}
	if want == 0 {
		return
	}
	events := must.Get(log.Read(t.Context(), run, want-1))(t)
	wantEvents(t, []svc.Event{got}, events)
}

func eventsInOrder(t *testing.T, log svc.EventLog) {
	run := svc.NewGenerationID()
	wantLast(t, log, run, 0)
	wantEvents(t, readAll(t, log, run, 0), nil)
	w := writer(t, log, run, 1)
	first, second := said(1, 3, "a"), said(4, 1, "a")
	appendAll(t, w, first)
	if first[2].Seq != 3 || w.Last() != 3 {
		t.Errorf("the third event is %d and last is %d", first[2].Seq, w.Last())
	}
	appendAll(t, w, nil)
	appendAll(t, w, second)
	wantLast(t, log, run, 4)
	wantEvents(t, readAll(t, log, run, 0), numbered(1, said(1, 4, "a")))
}

func eventsAfter(t *testing.T, log svc.EventLog) {
	run := svc.NewGenerationID()
	w := writer(t, log, run, 1)
	for i := range 5 {
		appendAll(t, w, said(1+3*i, 3, "a"))
	}
	for after := range int64(17) {
		var want []svc.Event
		if after < 15 {
			want = numbered(after+1, said(int(after)+1, 15-int(after), "a"))
		}
		wantEvents(t, readAll(t, log, run, after), want)
	}
}

func eventsTakeover(t *testing.T, log svc.EventLog) {
	run := svc.NewGenerationID()
	appendAll(t, writer(t, log, run, 1), said(1, 2, "first"))
	second := writer(t, log, run, 2)
	if second.Last() != 2 {
		t.Errorf("the second worker begins after %d, want 2", second.Last())
	}
	appendAll(t, second, said(3, 2, "second"))
	wantEvents(t, readAll(t, log, run, 2), numbered(3, said(3, 2, "second")))
}

func eventsFence(t *testing.T, log svc.EventLog) {
	run := svc.NewGenerationID()
	old := writer(t, log, run, 1)
	appendAll(t, old, said(1, 1, "old"))
	feed := must.Get(log.Follow(t.Context(), run, 0))(t)
	defer feed.Close()
	appendAll(t, writer(t, log, run, 2), said(2, 1, "new"))
	for range 3 {
		if err := old.Append(t.Context(), said(2, 2, "ghost")); !errors.Is(err, svc.ErrConflict) {
			t.Fatalf("a worker that was replaced appends: %v", err)
		}
	}
	if _, err := log.Writer(t.Context(), svc.RunClaim{ID: run, Epoch: 1}); !errors.Is(err, svc.ErrConflict) {
		t.Errorf("a worker that was replaced opens a writer: %v", err)
	}
	again := writer(t, log, run, 2)
	appendAll(t, again, said(3, 1, "new"))
	var seen []svc.Event
	for len(seen) < 3 {
		events := must.Get(feed.Next(t.Context()))(t)
		seen = append(seen, events...)
	}
	want := numbered(1, append(said(1, 1, "old"), said(2, 2, "new")...))
	wantEvents(t, seen, want)
	wantEvents(t, readAll(t, log, run, 0), want)
}

func eventsLastWord(t *testing.T, log svc.EventLog) {
	run := svc.NewGenerationID()
	old := writer(t, log, run, 1)
	appendAll(t, old, said(1, 1, "old"))
	young := writer(t, log, run, 2)
	appendAll(t, old, said(2, 1, "old"))
	appendAll(t, young, said(3, 1, "new"))
	wantEvents(t, readAll(t, log, run, 0), numbered(1, append(said(1, 2, "old"), said(3, 1, "new")...)))
	if err := old.Append(t.Context(), said(3, 1, "ghost")); !errors.Is(err, svc.ErrConflict) {
		t.Errorf("the old worker appends: %v", err)
	}
}

// eventsFailed lets an append fail of which nobody knows whether it was stored:
// what would follow it could pass for it.
func eventsFailed(t *testing.T, log svc.EventLog) {
	run := svc.NewGenerationID()
	w := writer(t, log, run, 1)
	appendAll(t, w, said(1, 1, "a"))
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for _, ctx := range []context.Context{over, t.Context()} {
		if err := w.Append(ctx, said(2, 1, "lost")); !errors.Is(err, context.Canceled) {
			t.Errorf("append ended with %v", err)
		}
	}
	again := writer(t, log, run, 1)
	from := again.Last() + 1
	appendAll(t, again, said(int(from), 1, "b"))
	wantEvents(t, readAll(t, log, run, from-1), numbered(from, said(int(from), 1, "b")))
}

// eventsTwoWriters lets the append of a writer that was given up arrive late, with
// the numbers that the next writer of the same worker uses.
func eventsTwoWriters(t *testing.T, log svc.EventLog) {
	t.Helper()
	run := svc.NewGenerationID()
	first, second := writer(t, log, run, 1), writer(t, log, run, 1)
	appendAll(t, first, said(1, 1, "first"))
	if err := second.Append(t.Context(), said(1, 1, "second")); !errors.Is(err, svc.ErrConflict) {
		t.Errorf("the second writer appends: %v", err)
	}
	wantEvents(t, readAll(t, log, run, 0), numbered(1, said(1, 1, "first")))
}

func eventsApart(t *testing.T, log svc.EventLog) {
	one, other := svc.NewGenerationID(), svc.NewGenerationID()
	a, b := writer(t, log, one, 1), writer(t, log, other, 1)
	for i := range 4 {
		appendAll(t, a, said(1+i, 1, "a"))
		appendAll(t, b, said(1+i, 1, "b"))
	}
	wantEvents(t, readAll(t, log, one, 0), numbered(1, said(1, 4, "a")))
	wantEvents(t, readAll(t, log, other, 0), numbered(1, said(1, 4, "b")))
}

// collect reads a feed until it has seen the given number.
func collect(ctx context.Context, feed svc.EventFeed, until int64) ([]svc.Event, error) {
	var seen []svc.Event
	for len(seen) == 0 || seen[len(seen)-1].Seq < until {
		events, err := feed.Next(ctx)
		if err != nil {
			return seen, err
		}
		seen = append(seen, events...)
	}
	return seen, nil
}

func eventsLive(t *testing.T, log svc.EventLog) {
	run := svc.NewGenerationID()
	feed := must.Get(log.Follow(t.Context(), run, 0))(t)
	defer feed.Close()
	w := writer(t, log, run, 1)
	for i := range 20 {
		appendAll(t, w, said(1+i, 1, "a"))
		seen := must.Get(collect(t.Context(), feed, int64(i+1)))(t)
		wantEvents(t, seen, numbered(int64(i+1), said(1+i, 1, "a")))
	}
	if err := feed.Verify(t.Context()); err != nil {
		t.Error(err)
	}
}

func eventsSeam(t *testing.T, log svc.EventLog) {
	const total, viewers = 600, 24
	run := svc.NewGenerationID()
	w := writer(t, log, run, 1)
	appendAll(t, w, said(1, 100, "a"))
	var wait sync.WaitGroup
	wait.Go(func() {
		for n := 101; n <= total; {
			size := min(1+n%7, total-n+1)
			if err := w.Append(t.Context(), said(n, size, "a")); err != nil {
				t.Errorf("append: %v", err)
				return
			}
			n += size
		}
	})
	for i := range viewers {
		after := int64(i * 11)
		wait.Go(func() {
			feed, err := log.Follow(t.Context(), run, after)
			if err != nil {
				t.Errorf("follow: %v", err)
				return
			}
			defer feed.Close()
			seen, err := collect(t.Context(), feed, total)
			if err != nil {
				t.Errorf("viewer after %d: %v", after, err)
				return
			}
			wantEvents(t, seen, numbered(after+1, said(int(after)+1, total-int(after), "a")))
		})
	}
	wait.Wait()
}

func eventsWaitAgain(t *testing.T, log svc.EventLog) {
	run := svc.NewGenerationID()
	feed := must.Get(log.Follow(t.Context(), run, 0))(t)
	defer feed.Close()
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := feed.Next(over); !errors.Is(err, context.Canceled) {
		t.Fatalf("next with a context that ended: %v", err)
	}
	appendAll(t, writer(t, log, run, 1), said(1, 2, "a"))
	seen := must.Get(collect(t.Context(), feed, 2))(t)
	wantEvents(t, seen, numbered(1, said(1, 2, "a")))
}

func eventsSlow(t *testing.T, log svc.EventLog) {
	const rounds, size = 3000, 3
	run := svc.NewGenerationID()
	feed := must.Get(log.Follow(t.Context(), run, 0))(t)
	defer feed.Close()
	w := writer(t, log, run, 1)
	appendAll(t, w, said(1, size, "a"))
	if _, err := feed.Next(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i := 1; i < rounds; i++ {
		appendAll(t, w, said(1+i*size, size, "a"))
	}
	seen := must.Get(collect(t.Context(), feed, rounds*size))(t)
	wantEvents(t, seen, numbered(size+1, said(size+1, (rounds-1)*size, "a")))
}
