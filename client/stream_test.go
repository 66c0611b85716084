package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// broadcast serves a stream of numbered events, a few on each connection.
func broadcast(total int64, each int64, seen *[]string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		last := r.Header.Get("Last-Event-Id")
		*seen = append(*seen, last)
		var from int64
		_, _ = fmt.Sscan(last, &from)
		if from >= total {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "retry: 1000\n\n")
		// One that was delivered before comes again: it must not be told twice.
		for seq := max(from, 1); seq <= min(from+each, total); seq++ {
			name := "token"
			if seq == total {
				name = "bundle_ready"
			}
			_, _ = fmt.Fprintf(w, "id: %d\nevent: %s\ndata: {\"n\":%d}\n\n:\n\n", seq, name, seq)
		}
	}
}

// Promise: watch-in-order
func TestWatchReconnects(t *testing.T) {
	var seen []string
	r := newRig(t, broadcast(10, 4, &seen))
	var got []int64
	for e, err := range r.Watch(t.Context(), "gen_x", 0) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, e.Seq)
	}
	if diff := cmp.Diff([]int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"", "4", "8"}, seen); diff != "" {
		t.Errorf("Last-Event-ID (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]time.Duration{time.Second, time.Second}, r.waits); diff != "" {
		t.Errorf("waits (-want +got):\n%s", diff)
	}
}

// Promise: watch-in-order
func TestWatchWaitsTwiceAsLongEachTime(t *testing.T) {
	n := 0
	r := newRig(t, func(w http.ResponseWriter, _ *http.Request) {
		if n++; n < 9 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "id: 1\nevent: error\ndata: {}\n\n")
	})
	for _, err := range r.Watch(t.Context(), "gen_x", 0) {
		if err != nil {
			t.Fatal(err)
		}
	}
	var want []time.Duration
	for _, seconds := range []float64{1, 2, 4, 8, 16, 30, 30, 30} {
		want = append(want, time.Duration(seconds*float64(time.Second)))
	}
	if diff := cmp.Diff(want, r.waits); diff != "" {
		t.Errorf("waits (-want +got):\n%s", diff)
	}
}

// Promise: watch-in-order
func TestWatchEnds(t *testing.T) {
	last := func(ctx context.Context, r *rig, after int64) (err error) {
		for _, err = range r.Watch(ctx, "gen_x", after) {
			if err != nil {
				break
			}
		}
		return err
	}
	var seen []string
	t.Run("when all was told before", func(t *testing.T) {
		if err := last(t.Context(), newRig(t, broadcast(3, 9, &seen)), 3); !errors.Is(err, ErrStreamOver) {
			t.Errorf("error %v", err)
		}
	})
	t.Run("when the run is not there", func(t *testing.T) {
		r := newRig(t, http.NotFound)
		if err := last(t.Context(), r, 0); StatusOf(err) != http.StatusNotFound || r.waits != nil {
			t.Errorf("error %v, waits %v", err, r.waits)
		}
	})
	t.Run("when the server stays away too long", func(t *testing.T) {
		r := newRig(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) })
		if err := last(t.Context(), r, 0); StatusOf(err) != http.StatusBadGateway || len(r.waits) < 20 {
			t.Errorf("error %v, waits %v", err, r.waits)
		}
	})
	t.Run("when the user has had enough", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		r := newRig(t, func(http.ResponseWriter, *http.Request) { cancel() })
		if err := last(ctx, r, 0); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
	})
	t.Run("when the consumer breaks off", func(t *testing.T) {
		r := newRig(t, broadcast(10, 20, &seen))
		for range r.Watch(t.Context(), "gen_x", 0) {
			break
		}
	})
	t.Run("at an event without a number", func(t *testing.T) {
		r := newRig(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "data: x\n\n")
		})
		if err := last(t.Context(), r, 0); err == nil || errors.Is(err, errForeign) || len(r.waits) != 0 {
			t.Errorf("error %v", err)
		}
	})
}
