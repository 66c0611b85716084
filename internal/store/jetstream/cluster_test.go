//go:build unix

package jetstream_test

import (
	"context"
	"errors"
	"testing"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/store/jetstream"
	"github.com/bundle-delivery/svc/internal/testkit/cluster"
	"github.com/bundle-delivery/svc/internal/testkit/must"
	"github.com/bundle-delivery/svc/internal/testkit/smalldisk"
	"github.com/bundle-delivery/svc/internal/testkit/storetest"
)

func reach(t *testing.T, servers *cluster.Engines) *jetstream.Bus {
	t.Helper()
	b, err := jetstream.Open(t.Context(), jetstream.Config{URL: servers.NATSURL(), Retention: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return b
}

// TestEventLogOnACluster holds three servers that each keep every event to the
// suite that the embedded one passes, and then to what only they can promise.
// Promise: nats-cluster
func TestEventLogOnACluster(t *testing.T) {
	servers := cluster.NATSForTest(t, nil)
	b := reach(t, servers)
	storetest.EventLog(t, func(*testing.T) svc.EventLog { return b.Events() })

	t.Run("what one process stores another reads at once", func(t *testing.T) {
		log, other := b.Events(), reach(t, servers).Events()
		w, err := log.Writer(t.Context(), svc.RunClaim{ID: "gen_read", Epoch: 1})
		if err != nil {
			t.Fatal(err)
		}
		for n := range int64(300) {
			if err := w.Append(t.Context(), said(1)); err != nil {
				t.Fatal(err)
			}
			events, err := other.Read(t.Context(), "gen_read", n)
			if err != nil || len(events) != 1 || events[0].Seq != n+1 {
				t.Fatalf("after event %d the other process reads %v (%v)", n+1, events, err)
			}
			if last, err := other.Last(t.Context(), "gen_read"); err != nil || last.Seq != n+1 {
				t.Fatalf("after event %d the other process sees %d as the last (%v)", n+1, last.Seq, err)
			}
		}
	})

	t.Run("a lost server costs time and no event", func(t *testing.T) {
		feed, err := reach(t, servers).Events().Follow(t.Context(), "gen_lost", 0)
		if err != nil {
			t.Fatal(err)
		}
		defer feed.Close()
		w, err := b.Events().Writer(t.Context(), svc.RunClaim{ID: "gen_lost", Epoch: 1})
		if err != nil {
			t.Fatal(err)
		}
		next := int64(1)
		speakAndHear := func() {
			t.Helper()
			if err := w.Append(t.Context(), said(3)); err != nil {
				t.Fatal(err)
			}
			for last := next + 2; next <= last; {
				events, err := heard(t.Context(), feed)
				if err != nil {
					t.Fatal(err)
				}
				for _, e := range events {
					if e.Seq != next {
						t.Fatalf("event %d comes where %d is due", e.Seq, next)
					}
					next++
				}
			}
		}
		speakAndHear()
		// Each in turn, so that the leader is among them.
		for _, p := range servers.NATS {
			if err := p.Kill(); err != nil {
				t.Fatal(err)
			}
			speakAndHear()
			if err := p.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		speakAndHear()
	})
}

// heard waits for events as a viewer does: news that was lost with a server is
// found when it has been quiet for a while.
func heard(ctx context.Context, feed svc.EventFeed) ([]svc.Event, error) {
	for {
		quiet, cancel := context.WithTimeout(ctx, 5*time.Second)
		events, err := feed.Next(quiet)
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
			return events, err
		}
		if err := feed.Verify(ctx); err != nil {
			return nil, err
		}
	}
}

// said is what a worker has to say.
func said(n int) []svc.Event {
	events := make([]svc.Event, n)
	for i := range events {
		events[i] = svc.Event{Name: svc.EventToken, Data: []byte(`{"v":1}`)}
	}
	return events
}

// TestFullDisksOfACluster fills the disk of one server, and then of all. A server whose
// disk was full keeps nothing more until it is restarted, which docs/operate.md says;
// the others go on without it, and who writes waits and reconnects by itself.
// Promise: nats-disk-full
func TestFullDisksOfACluster(t *testing.T) {
	const size = 64 << 20
	names := []string{"nats1", "nats2", "nats3"}
	disks := smalldisk.NewSet(map[string]int64{names[0]: size, names[1]: size, names[2]: size})
	servers := cluster.NATSForTest(t, disks)
	b := reach(t, servers)
	claim := svc.RunClaim{ID: "gen_full", Epoch: 1}
	w, err := b.Events().Writer(t.Context(), claim)
	if err != nil {
		t.Fatal(err)
	}
	must.Do(t, w.Append(t.Context(), said(10)))

	must.Do(t, disks.Of(names[0]).Fill())
	for missing := 0; missing == 0; {
		must.Do(t, disks.Of(names[0]).Fill())
		must.Do(t, w.Append(t.Context(), said(100)))
		status, err := b.Status(t.Context())
		if errors.Is(err, svc.ErrUnavailable) {
			continue // it was the leader
		}
		must.Do(t, err)
		missing = status.Missing
	}
	must.Do(t, w.Append(t.Context(), said(100)))

	before := w.Last()
	for err = nil; err == nil; {
		for _, name := range names {
			must.Do(t, disks.Of(name).Fill())
		}
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		if err = w.Append(ctx, said(100)); err == nil {
			before = w.Last()
		}
		cancel()
	}
	if !errors.Is(err, svc.ErrUnavailable) {
		t.Errorf("with all disks full: %v", err)
	}
	for i, name := range names {
		must.Do(t, disks.Of(name).Clear())
		must.Do(t, servers.NATS[i].Stop())
		must.Do(t, servers.NATS[i].Launch())
	}
	for err = svc.ErrUnavailable; errors.Is(err, svc.ErrUnavailable); {
		w, err = b.Events().Writer(t.Context(), claim)
	}
	must.Do(t, err)
	if last := w.Last(); last != before && last != before+100 {
		t.Errorf("the log ends at %d, where %d were acknowledged", last, before)
	}
	must.Do(t, w.Append(t.Context(), said(10)))
	last := w.Last()
	events, err := b.Events().Read(t.Context(), claim.ID, last-1)
	if err != nil || len(events) != 1 || events[0].Seq != last {
		t.Errorf("after event %d there are %v (%v)", last-1, events, err)
	}
	feed, err := b.Events().Follow(t.Context(), claim.ID, 0)
	must.Do(t, err)
	defer feed.Close()
	for next := int64(1); next <= last; {
		events, err := heard(t.Context(), feed)
		must.Do(t, err)
		for _, e := range events {
			if e.Seq != next {
				t.Fatalf("event %d comes where %d is due", e.Seq, next)
			}
			next++
		}
	}
	for missing := 1; missing > 0; {
		status, err := b.Status(t.Context())
		if err == nil {
			missing = status.Missing
		} else if !errors.Is(err, svc.ErrUnavailable) {
			t.Fatal(err)
		}
	}
}
