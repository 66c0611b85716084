package jetstream

import (
	"context"
	"errors"
	"testing"
	"time"

	svc "github.com/bundle-delivery/svc"
)

// TestAFullLogRefusesAndForgetsNothing: what a live run has said stays while another
// one is refused, and that one goes on when there is room.
// Promise: log-full, log-without-room
func TestAFullLogRefusesAndForgetsNothing(t *testing.T) {
	b := open(t, t.TempDir())
	resize(t, b, 64<<10)
	live, loud := svc.RunClaim{ID: "gen_live", Epoch: 1}, svc.RunClaim{ID: "gen_loud", Epoch: 1}
	first, err := b.Events().Writer(t.Context(), live)
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Append(t.Context(), batchOf(1, 10)); err != nil {
		t.Fatal(err)
	}
	said := int64(0)
	for err = nil; err == nil; {
		var w svc.EventWriter
		if w, err = b.Events().Writer(t.Context(), loud); err != nil {
			t.Fatal(err)
		}
		said = w.Last()
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		err = w.Append(ctx, batchOf(said+1, 500))
		cancel()
	}
	if !errors.Is(err, svc.ErrUnavailable) {
		t.Errorf("a full log refuses with %v", err)
	}
	status, err := b.Status(t.Context())
	if err != nil || status.MaxBytes != 64<<10 || status.Bytes > status.MaxBytes || status.Bytes < status.MaxBytes/2 {
		t.Errorf("the status of a full log is %+v (%v)", status, err)
	}

	waiting := make(chan error, 1)
	w, err := b.Events().Writer(t.Context(), loud)
	if err != nil {
		t.Fatal(err)
	}
	go func() { waiting <- w.Append(t.Context(), batchOf(said+1, 500)) }()
	for b.Ping(t.Context()) == nil { // until it shows
		select {
		case err := <-waiting:
			t.Fatalf("what was refused does not wait: %v", err)
		case <-time.After(50 * time.Millisecond):
		}
	}
	resize(t, b, 1<<20)
	if err := <-waiting; err != nil {
		t.Fatalf("with room again: %v", err)
	}
	if err := b.Ping(t.Context()); err != nil {
		t.Errorf("with room again: %v", err)
	}
	for id, last := range map[string]int64{live.ID: 10, loud.ID: said + 500} {
		feed, err := b.Events().Follow(t.Context(), id, 0)
		if err != nil {
			t.Fatal(err)
		}
		wantNext(t, feed, 1, last)
		feed.Close()
	}
}

func resize(t *testing.T, b *Bus, bytes int64) {
	t.Helper()
	config := b.events.stream.CachedInfo().Config
	config.MaxBytes = bytes
	if _, err := b.js.UpdateStream(t.Context(), config); err != nil {
		t.Fatal(err)
	}
}

// TestTheSizeOfTheLog: it is what was asked for, else what it was, else the usual, and
// never less than what lies there.
// Promise: log-full
func TestTheSizeOfTheLog(t *testing.T) {
	dir := t.TempDir()
	for _, test := range []struct{ ask, want int64 }{{0, usualMaxBytes}, {1 << 30, 1 << 30}, {0, 1 << 30}, {2 << 30, 2 << 30}} {
		b, err := Open(t.Context(), Config{Dir: dir, Retention: time.Hour, MaxBytes: test.ask})
		if err != nil {
			t.Fatal(err)
		}
		status, err := b.Status(t.Context())
		b.Close()
		if err != nil || status.MaxBytes != test.want {
			t.Errorf("asked for %d it is %+v (%v), want %d", test.ask, status, err, test.want)
		}
	}
}
