package jetstream

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/conformance"
)

// startingLog is a log whose writers start every append and wait for its end:
// whoever does not wait is promised the same.
type startingLog struct{ svc.EventLog }

func (l startingLog) Writer(ctx context.Context, c svc.RunClaim) (svc.EventWriter, error) {
	w, err := l.EventLog.Writer(ctx, c)
	if err != nil {
		return nil, err
	}
	return startingWriter{w}, nil
}

type startingWriter struct{ svc.EventWriter }

func (w startingWriter) Append(_ context.Context, events []svc.Event) error {
	if len(events) == 0 {
		return nil
	}
	return startAndWait(w.EventWriter, events)
}

// startAndWait starts an append and waits for its end.
func startAndWait(w svc.EventWriter, events []svc.Event) error {
	starter, ok := w.(*writer)
	if !ok {
		return errors.New("a writer of another log")
	}
	ended := make(chan error, 1)
	if err := starter.Start(time.Minute, events, func(err error) { ended <- err }); err != nil {
		return err
	}
	return <-ended
}

func TestEventLogThatIsNotWaitedFor(t *testing.T) {
	b := open(t, t.TempDir())
	conformance.EventLog(t, func(*testing.T) svc.EventLog { return startingLog{b.Events()} })
}

// TestAWriterThatLostItsFenceStartsInVain lets a worker go on after another has
// taken its run.
func TestAWriterThatLostItsFenceStartsInVain(t *testing.T) {
	b := open(t, t.TempDir())
	log := b.Events()
	var writers [2]svc.EventWriter
	for i := range writers {
		var err error
		if writers[i], err = log.Writer(t.Context(), svc.RunClaim{ID: "gen_started", Epoch: int64(i + 1)}); err != nil {
			t.Fatal(err)
		}
		if err := startAndWait(writers[i], batchOf(1, 2)); err != nil {
			t.Fatal(err)
		}
	}
	for try := range 2 {
		if err := startAndWait(writers[0], batchOf(1, 1)); !errors.Is(err, svc.ErrConflict) {
			t.Errorf("try %d of a lost worker ended with %v, want a conflict", try, err)
		}
	}
	events, err := log.Read(t.Context(), "gen_started", 0)
	if err != nil || len(events) != 4 {
		t.Errorf("the log has %d events (%v), want 4", len(events), err)
	}
}

func TestStartedAppendsEndWithTheConnection(t *testing.T) {
	b := open(t, t.TempDir())
	sent := listener(t, b, "svc.silence")
	waiting := b.events.writer(svc.RunClaim{ID: "gen_waits", Epoch: 1})
	waiting.subject = "svc.silence"
	ended := make(chan error, 1)
	if err := waiting.Start(time.Minute, batchOf(1, 1), func(err error) { ended <- err }); err != nil {
		t.Fatal(err)
	}
	<-sent
	b.events.press.close()
	if err := <-ended; !errors.Is(err, nats.ErrConnectionClosed) {
		t.Errorf("what was under way ended with %v", err)
	}
	if err := startAndWait(b.events.writer(svc.RunClaim{ID: "gen_late", Epoch: 1}), batchOf(1, 1)); !errors.Is(err, nats.ErrConnectionClosed) {
		t.Errorf("what came later ended with %v", err)
	}
}

// TestALostAnswerIsAskedForAgain lets the answer to a started append get lost:
// it is sent once more, and the fence tells that the first had arrived.
func TestALostAnswerIsAskedForAgain(t *testing.T) {
	b := open(t, t.TempDir())
	claim := svc.RunClaim{ID: "gen_unheard", Epoch: 1}
	w := b.events.writer(claim)
	if err := b.events.writer(claim).Append(t.Context(), batchOf(1, 3)); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	w.flight = flight{
		batch: batch{epoch: 1, events: batchOf(1, 3)},
		began: time.Now(), until: time.Now().Add(time.Minute), done: func(err error) { ended <- err },
	}
	w.hear(answer{err: errNoAnswer})
	if err := <-ended; err != nil || w.Last() != 3 {
		t.Fatalf("the append ended with %v at event %d, want 3", err, w.Last())
	}
	if err := startAndWait(w, batchOf(4, 1)); err != nil {
		t.Error(err)
	}
	events, err := b.Events().Read(t.Context(), claim.ID, 0)
	if err != nil || len(events) != 4 {
		t.Errorf("the log has %d events (%v), want 4", len(events), err)
	}
}

// TestFeedsThatLagHandOutAllInOrder fills the room of a feed over and over.
func TestFeedsThatLagHandOutAllInOrder(t *testing.T) {
	b := open(t, t.TempDir())
	w, err := b.Events().Writer(t.Context(), svc.RunClaim{ID: "gen_lag", Epoch: 1})
	if err != nil {
		t.Fatal(err)
	}
	feed, err := b.Events().Follow(t.Context(), "gen_lag", 0)
	if err != nil {
		t.Fatal(err)
	}
	defer feed.Close()
	said, heard := 0, 0
	for _, messages := range []int{1, 2, feedRoom, 1, feedRoom + 3, 2, 1} {
		for range messages {
			said++
			if err := startAndWait(w, []svc.Event{{Name: svc.EventToken, Data: fmt.Appendf(nil, `{"n":%d}`, said)}}); err != nil {
				t.Fatal(err)
			}
		}
		for heard < said {
			events, err := feed.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range events {
				heard++
				if want := fmt.Sprintf(`{"n":%d}`, heard); string(e.Data) != want || e.Seq != int64(heard) {
					t.Fatalf("event %d is %s, want %s", e.Seq, e.Data, want)
				}
			}
		}
	}
}
