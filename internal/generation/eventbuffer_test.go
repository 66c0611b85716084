package generation

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/testkit/must"
)

// slowWriter appends when the test says so.
type slowWriter struct {
	started chan []svc.Event
	ended   chan error
	last    int64
}

func (w *slowWriter) Last() int64 { return w.last }

func (w *slowWriter) Append(_ context.Context, events []svc.Event) error {
	w.started <- events
	err := <-w.ended
	if err == nil {
		w.last += int64(len(events))
	}
	return err
}

// said are the deltas of events.
func said(t *testing.T, events []svc.Event) (deltas []string) {
	t.Helper()
	for _, e := range events {
		deltas = append(deltas, payload[svc.TokenEvent](t, e).Delta)
	}
	return deltas
}

// slowly runs a test with a buffer whose writer is slow.
func slowly(t *testing.T, test func(t *testing.T, w *slowWriter, b *eventBuffer, broken chan error)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &slowWriter{started: make(chan []svc.Event), ended: make(chan error)}
		broken := make(chan error, 10)
		test(t, w, newEventBuffer(t.Context(), w, Unobserved{}, new(runClock), func(err error) { broken <- err }), broken)
	})
}

func emitAll(t *testing.T, b *eventBuffer, deltas ...string) {
	t.Helper()
	for _, d := range deltas {
		must.Do(t, b.emit(svc.TokenEvent{File: "f", Attempt: 1, Delta: d}))
	}
}

// wantIdle fails when an append is under way that nobody expects.
func wantIdle(t *testing.T, w *slowWriter, why string) {
	t.Helper()
	synctest.Wait()
	select {
	case <-w.started:
		t.Fatal(why)
	default:
	}
}

// Promise: log-backpressure
func TestWhatIsEmittedMeanwhileIsStoredNext(t *testing.T) {
	slowly(t, func(t *testing.T, w *slowWriter, b *eventBuffer, _ chan error) {
		emitAll(t, b, "a")
		<-w.started
		emitAll(t, b, "b", "c")
		time.Sleep(10 * batchTime)
		wantIdle(t, w, "two appends are under way")
		w.ended <- nil
		second := <-w.started
		if diff := cmp.Diff([]string{"b", "c"}, said(t, second)); diff != "" {
			t.Errorf("the second append (-want +got):\n%s", diff)
		}
		emitAll(t, b, "d")
		w.ended <- nil
		wantIdle(t, w, "what is young was stored at once")
		time.Sleep(batchTime)
		<-w.started
		w.ended <- nil
		if last, err := b.close(); last != 4 || err != nil {
			t.Errorf("the buffer ended at %d (%v), want 4", last, err)
		}
	})
}

// Promise: log-backpressure
func TestARunDoesNotOutrunItsLog(t *testing.T) {
	slowly(t, func(t *testing.T, w *slowWriter, b *eventBuffer, _ chan error) {
		emitAll(t, b, "a")
		<-w.started
		through := make(chan struct{})
		go func() {
			emitAll(t, b, strings.Repeat("b", batchBytes))
			close(through)
		}()
		synctest.Wait()
		select {
		case <-through:
			t.Fatal("a whole batch was emitted while another was being stored")
		default:
		}
		w.ended <- nil
		<-through
		<-w.started
		w.ended <- nil
	})
}

// Promise: log-backpressure
func TestClosingWaitsForWhatIsUnderWay(t *testing.T) {
	slowly(t, func(t *testing.T, w *slowWriter, b *eventBuffer, _ chan error) {
		emitAll(t, b, "a", "b")
		closed := make(chan string)
		go func() {
			last, err := b.close()
			closed <- fmt.Sprint(last, err)
		}()
		for range 2 {
			<-w.started
			synctest.Wait()
			select {
			case got := <-closed:
				t.Fatalf("closing ended with %s before all was stored", got)
			default:
			}
			w.ended <- nil
		}
		if got := <-closed; got != "2 <nil>" {
			t.Errorf("closing ended with %s", got)
		}
	})
}

func TestARefusalIsShownToTheNextEmit(t *testing.T) {
	refusal := errors.New("refused")
	slowly(t, func(t *testing.T, w *slowWriter, b *eventBuffer, broken chan error) {
		emitAll(t, b, "a")
		<-w.started
		emitAll(t, b, "b")
		time.Sleep(2 * batchTime)
		synctest.Wait()
		w.ended <- refusal
		wantIdle(t, w, "an append followed a refusal")
		if err := b.emit(svc.TokenEvent{File: "f", Attempt: 1, Delta: "c"}); !errors.Is(err, refusal) {
			t.Errorf("the next emit ends with %v", err)
		}
		if _, err := b.close(); !errors.Is(err, refusal) {
			t.Errorf("closing ends with %v", err)
		}
		wantIdle(t, w, "an append followed a refusal")
		if len(broken) != 1 {
			t.Errorf("%d refusals were told, want 1", len(broken))
		}
	})
}
