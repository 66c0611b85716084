package jetstream

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	svc "github.com/bundle-delivery/svc"
)

func TestManyWritersAtOnce(t *testing.T) {
	const writers, appends = 100, 20
	b := open(t, t.TempDir())
	var work sync.WaitGroup
	for n := range writers {
		work.Go(func() {
			w, err := b.Events().Writer(t.Context(), svc.RunClaim{ID: fmt.Sprintf("gen_%d", n), Epoch: 1})
			if err != nil {
				t.Error(err)
				return
			}
			for range appends {
				if err := w.Append(t.Context(), []svc.Event{{Name: svc.EventToken, Data: fmt.Appendf(nil, `{"n":%d}`, n)}}); err != nil {
					t.Errorf("writer %d: %v", n, err)
				}
			}
		})
	}
	work.Wait()
	for n := range writers {
		events, err := b.Events().Read(t.Context(), fmt.Sprintf("gen_%d", n), 0)
		if err != nil || len(events) != appends {
			t.Fatalf("run %d has %d events (%v), want %d", n, len(events), err, appends)
		}
		for i, e := range events {
			if want := fmt.Sprintf(`{"n":%d}`, n); e.Seq != int64(i+1) || string(e.Data) != want {
				t.Errorf("run %d has event %d %s, want %d %s", n, e.Seq, e.Data, i+1, want)
			}
		}
	}
}

// A refusal may be older than what the log says now. Where that is what the writer knows,
// nobody came before it, and it tries again.
func TestARefusalThatTheLogDoesNotExplainIsTriedAgain(t *testing.T) {
	b := open(t, t.TempDir())
	claim := svc.RunClaim{ID: "gen_refused", Epoch: 1}
	next := batch{epoch: 1, events: []svc.Event{{Seq: 2, Name: svc.EventToken, Data: []byte(`{"n":2}`)}}}
	resolve := func(what string, w *writer) {
		t.Helper()
		if done, err := w.resolveRefusal(t.Context(), next); done || err != nil {
			t.Errorf("%s: %v, %v", what, done, err)
		}
	}
	resolve("the log is empty", b.events.writer(claim))
	w, err := b.Events().Writer(t.Context(), claim)
	if err == nil {
		err = w.Append(t.Context(), []svc.Event{{Name: svc.EventToken, Data: []byte(`{"n":1}`)}})
	}
	if err != nil {
		t.Fatal(err)
	}
	again := b.events.writer(claim)
	if err := again.readEnd(t.Context()); err != nil {
		t.Fatal(err)
	}
	resolve("nothing came after what was read", again)
	again.wrote, again.streamSeq = true, again.streamSeq+1
	resolve("a server lags behind", again)
	again.streamSeq -= 2
	if done, err := again.resolveRefusal(t.Context(), next); done || !errors.Is(err, svc.ErrConflict) {
		t.Errorf("another wrote in between: %v, %v", done, err)
	}
}

// unacknowledged gives a writer whose messages are heard, on the channel, and
// never acknowledged.
func unacknowledged(t *testing.T, b *Bus) (*writer, <-chan *nats.Msg) {
	t.Helper()
	w := b.events.writer(svc.RunClaim{ID: "gen_unheard", Epoch: 1})
	w.subject = "svc.silence"
	heard := make(chan *nats.Msg, 10)
	if _, err := b.conn.ChanSubscribe(w.subject, heard); err != nil {
		t.Fatal(err)
	}
	if err := b.conn.Flush(); err != nil {
		t.Fatal(err)
	}
	return w, heard
}

func TestAppendDoesNotWaitForEver(t *testing.T) {
	for name, test := range map[string]struct {
		end  func(b *Bus, leave func())
		want error
	}{
		"the caller leaves":        {func(_ *Bus, leave func()) { leave() }, context.Canceled},
		"the connection is closed": {func(b *Bus, _ func()) { b.Close() }, svc.ErrUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, leave := context.WithCancel(t.Context())
			defer leave()
			b := open(t, t.TempDir())
			w, heard := unacknowledged(t, b)
			ended := make(chan error)
			go func() { ended <- w.Append(ctx, batchOf(1, 1)) }()
			<-heard
			test.end(b, leave)
			if err := <-ended; !errors.Is(err, test.want) {
				t.Errorf("append ended with %v, want %v", err, test.want)
			}
		})
	}
}

// TestUnacknowledgedEventsAreSentAgain lets the first acknowledgement get lost.
// Promise: append-once
func TestUnacknowledgedEventsAreSentAgain(t *testing.T) {
	b := open(t, t.TempDir())
	js, err := jetstream.New(b.conn, jetstream.WithPublishAsyncTimeout(10*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	b.js = js
	w, heard := unacknowledged(t, b)
	ended := make(chan error)
	go func() { ended <- w.Append(t.Context(), batchOf(1, 3)) }()
	first := <-heard
	for ended != nil {
		select {
		case again := <-heard:
			if string(again.Data) != string(first.Data) {
				t.Errorf("%q was sent again as %q", first.Data, again.Data)
			}
			if err := again.Respond([]byte(`{"stream":"SVC_EVENTS","seq":7}`)); err != nil {
				t.Fatal(err)
			}
		case err := <-ended:
			if err != nil || w.Last() != 3 || w.streamSeq != 7 {
				t.Errorf("the append ended with %v at event %d, streamSeq %d", err, w.Last(), w.streamSeq)
			}
			ended = nil
		}
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
	for _, messages := range []int{1, 2, 8, 1, 11, 2, 1} {
		for range messages {
			said++
			if err := w.Append(t.Context(), []svc.Event{{Name: svc.EventToken, Data: fmt.Appendf(nil, `{"n":%d}`, said)}}); err != nil {
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
