//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/store/jetstream"
	"github.com/bundle-delivery/svc/internal/testkit/cluster"
)

const (
	// logRuns tell at the same time, each with one message under way, as the service
	// does.
	logRuns = 256
	// logTime is how long they do in a round.
	logTime = 3 * time.Second
	// logBatch is how many events a message has in a burst: see the streams.
	logBatch = 42
)

// benchEventLog measures what the one leader of the event log stores on three servers
// of NATS: messages of one event, and of many. The servers share this machine with
// whoever writes, so that their processor time counts more than their pace.
func benchEventLog(ctx context.Context, e *env) (s section) {
	engines := must(cluster.StartEngines(ctx, e.folder("eventlog")))
	e.later(engines.Stop)
	bus := must(jetstream.Open(ctx, jetstream.Config{URL: engines.NATSURL(), Retention: time.Hour, MaxBytes: 64 << 30}))
	e.later(func() error { bus.Close(); return nil })
	servers := func() (seconds float64) {
		for _, n := range engines.NATS {
			seconds += processorTime(n.PID())
		}
		return seconds
	}
	round := 0
	for _, size := range []int{1, logBatch} {
		var messages, events, serverTime sample
		e.inRounds(func(_ int, keep func(*sample, float64)) {
			round++
			before, began := servers(), time.Now()
			stored := tellLog(ctx, bus.Events(), round, size)
			took := time.Since(began).Seconds()
			keep(&messages, stored/took)
			keep(&events, stored*float64(size)/took)
			keep(&serverTime, (servers()-before)/stored*1e6)
		})
		name := "messages of one event: "
		if size > 1 {
			name = fmt.Sprintf("messages of %d events: ", size)
		}
		s.add(name+"stored a second", messages.show("%.0f"), "")
		s.add(name+"events a second", events.show("%.0f"), "")
		s.add(name+"processor time of a message, three servers together", serverTime.show("%.0f µs"), "")
	}
	s.note("%d runs tell at the same time, each with one message under way until most of three servers have stored it; %s a round. An event has 100 bytes. Whoever writes and all servers share the cores of this machine.", logRuns, logTime)
	return s
}

// tellLog has runs tell for a while, and says how many messages were stored.
func tellLog(ctx context.Context, log svc.EventLog, round, size int) float64 {
	ctx, cancel := context.WithTimeout(ctx, logTime)
	defer cancel()
	var stored atomic.Int64
	var runs errgroup.Group
	for i := range logRuns {
		runs.Go(func() error {
			w, err := log.Writer(context.WithoutCancel(ctx), svc.RunClaim{ID: fmt.Sprintf("gen_%d_%d", round, i), Epoch: 1})
			if err != nil {
				return err
			}
			for ctx.Err() == nil {
				events := make([]svc.Event, size)
				for i := range events {
					events[i] = svc.Event{Name: svc.EventToken, Data: []byte(logEvent)}
				}
				if err := w.Append(ctx, events); err != nil && !errors.Is(err, context.DeadlineExceeded) {
					return err
				} else if err == nil {
					stored.Add(1)
				}
			}
			return nil
		})
	}
	check(runs.Wait())
	return float64(stored.Load())
}

var logEvent = fmt.Sprintf(`{"v":1,"file":"src/main.go","attempt":1,"offset":12345,"delta":%q}`, strings.Repeat("x", 36))
