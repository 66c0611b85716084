package jetstream

import (
	"bytes"
	"strings"
	"testing"

	svc "github.com/bundle-delivery/svc"
)

func TestFeedThatCaughtUpOnlyListens(t *testing.T) {
	b := open(t, t.TempDir())
	opened, err := b.Events().Follow(t.Context(), "gen_1", 0)
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	f, ok := opened.(*feed)
	if !ok {
		t.Fatalf("a feed is a %T", opened)
	}
	w, err := b.Events().Writer(t.Context(), svc.RunClaim{ID: "gen_1", Epoch: 1})
	if err != nil {
		t.Fatal(err)
	}
	for n := range int64(5) {
		if err := w.Append(t.Context(), batchOf(n+1, 1)); err != nil {
			t.Fatal(err)
		}
		wantNext(t, f, n+1, n+1)
		f.mu.Lock()
		behind := f.behind
		f.mu.Unlock()
		if behind {
			t.Errorf("after event %d the feed will ask the log again", n+1)
		}
	}
}

func TestPagesCutByTheirSizeAreAllRead(t *testing.T) {
	const messages, size = 40, 100 << 10
	b := open(t, t.TempDir())
	w, err := b.Events().Writer(t.Context(), svc.RunClaim{ID: "gen_1", Epoch: 1})
	if err != nil {
		t.Fatal(err)
	}
	for range messages {
		event := svc.Event{Name: svc.EventToken, Data: bytes.Repeat([]byte("x"), size)}
		if err := w.Append(t.Context(), []svc.Event{event}); err != nil {
			t.Fatal(err)
		}
	}
	feed, err := b.Events().Follow(t.Context(), "gen_1", 0)
	if err != nil {
		t.Fatal(err)
	}
	defer feed.Close()
	wantNext(t, feed, 1, messages)
	for after := int64(0); after < messages; {
		events, err := b.Events().Read(t.Context(), "gen_1", after)
		if err != nil || len(events) == 0 || events[0].Seq != after+1 {
			t.Fatalf("after %d there are %d events (%v)", after, len(events), err)
		}
		after = events[len(events)-1].Seq
	}
}

// A viewer that stops reading holds what it was last given: it is never given much.
// Promise: slow-reader-memory
func TestAPastIsHandedOutInSmallPages(t *testing.T) {
	bus := open(t, t.TempDir())
	const runID, count = "gen_long", 2000
	w, err := bus.Events().Writer(t.Context(), svc.RunClaim{ID: runID, Epoch: 1})
	if err != nil {
		t.Fatal(err)
	}
	for n := 0; n < count; n += 8 {
		var batch []svc.Event
		for range 8 {
			batch = append(batch, svc.Event{Name: svc.EventToken, Data: []byte(`{"delta":"` + strings.Repeat("x", 1000) + `"}`)})
		}
		if err := w.Append(t.Context(), batch); err != nil {
			t.Fatal(err)
		}
	}
	for _, after := range []int64{0, 1, count / 2, count - 1} {
		feed, err := bus.Events().Follow(t.Context(), runID, after)
		if err != nil {
			t.Fatal(err)
		}
		for last := after; last < count; {
			events, err := feed.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if size := dataSize(events); size > 2*pageBytes {
				t.Errorf("after %d came %d bytes at once", last, size)
			}
			for _, e := range events {
				if last++; e.Seq != last {
					t.Fatalf("event %d stands in the place of %d", e.Seq, last)
				}
			}
		}
		feed.Close()
	}
}
