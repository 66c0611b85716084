package jetstream

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/testkit/must"
)

// These benchmarks chose the layout. Run them with as many runs as matter:
//
//	go test -run '^$' -bench Layout -benchtime 10000x ./internal/store/jetstream
//
// Each operation is one more run (or viewer); heap and goroutines are those that
// stay, for each of them.

// keep measures what b.N things cost that stay.
func keep(b *testing.B, before func(), each func(i int)) {
	b.Helper()
	if before != nil {
		before()
	}
	heap, routines := footprint()
	b.ResetTimer()
	for i := range b.N {
		each(i)
	}
	b.StopTimer()
	heapAfter, routinesAfter := footprint()
	b.ReportMetric(float64(heapAfter-heap)/float64(b.N), "heap-B/run")
	b.ReportMetric(float64(routinesAfter-routines)/float64(b.N), "goroutines/run")
}

func footprint() (heap int64, routines int) {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse), runtime.NumGoroutine()
}

func runName(i int) string { return fmt.Sprintf("gen_%020d", i) }

// BenchmarkLayoutSubject is one run with three messages in the one stream.
func BenchmarkLayoutSubject(b *testing.B) {
	bus := open(b, b.TempDir())
	keep(b, nil, func(i int) {
		w, err := bus.Events().Writer(b.Context(), svc.RunClaim{ID: runName(i), Epoch: 1})
		must.Do(b, err)
		for n := range 3 {
			must.Do(b, w.Append(b.Context(), batchOf(int64(n*5+1), 5)))
		}
	})
}

// BenchmarkLayoutStream is the same with a stream for each run.
func BenchmarkLayoutStream(b *testing.B) {
	bus := open(b, b.TempDir())
	keep(b, nil, func(i int) {
		_, err := bus.js.CreateStream(b.Context(), jetstream.StreamConfig{Name: "RUN" + runName(i), Subjects: []string{"own." + runName(i)}})
		must.Do(b, err)
		for range 3 {
			_, err := bus.js.Publish(b.Context(), "own."+runName(i), make([]byte, 200))
			must.Do(b, err)
		}
	})
}

// BenchmarkLayoutFeed is one viewer as this package has them: a subscription
// into a shared channel.
func BenchmarkLayoutFeed(b *testing.B) {
	bus := open(b, b.TempDir())
	keep(b, nil, func(i int) {
		_, err := bus.Events().Follow(b.Context(), runName(i), 0)
		must.Do(b, err)
	})
}

// BenchmarkLayoutSubscription is one viewer with a subscription of its own.
func BenchmarkLayoutSubscription(b *testing.B) {
	bus := open(b, b.TempDir())
	keep(b, nil, func(i int) {
		_, err := bus.conn.Subscribe(republishSubject+runName(i), func(*nats.Msg) {})
		must.Do(b, err)
	})
}

// BenchmarkLayoutConsumer is one viewer with an ordered consumer. Run it with a
// thousand: servers refuse some thousands on one stream.
func BenchmarkLayoutConsumer(b *testing.B) {
	bus := open(b, b.TempDir())
	var all []jetstream.ConsumeContext
	keep(b, nil, func(i int) {
		c, err := bus.js.OrderedConsumer(b.Context(), streamName, jetstream.OrderedConsumerConfig{FilterSubjects: []string{runSubject + runName(i)}})
		must.Do(b, err)
		cc, err := c.Consume(func(jetstream.Msg) {})
		must.Do(b, err)
		all = append(all, cc)
	})
	for _, cc := range all {
		cc.Stop()
	}
}

// crowd fills the stream with the messages of many runs, interleaved.
func crowd(b *testing.B, bus *Bus, runs, rounds int) {
	b.Helper()
	data, err := batch{epoch: 1, events: batchOf(1, 5)}.encode()
	must.Do(b, err)
	for range rounds {
		for i := range runs {
			_, err := bus.js.PublishAsync(runSubject+runName(i), data)
			must.Do(b, err)
		}
		<-bus.js.PublishAsyncComplete()
	}
}

const crowdSize = 10_000

// story writes a run of 5,000 events, one a message, between the others.
func story(b *testing.B, bus *Bus) string {
	b.Helper()
	w, err := bus.Events().Writer(b.Context(), svc.RunClaim{ID: "gen_story", Epoch: 1})
	must.Do(b, err)
	for n := range 5000 {
		must.Do(b, w.Append(b.Context(), batchOf(int64(n+1), 1)))
		if n%500 == 0 {
			crowd(b, bus, 1000, 1)
		}
	}
	return "gen_story"
}

// BenchmarkReplayFeed is a returning viewer's way through 5,000 messages among
// those of 10,000 other runs.
func BenchmarkReplayFeed(b *testing.B) {
	bus := open(b, b.TempDir())
	crowd(b, bus, crowdSize, 2)
	run := story(b, bus)
	for b.Loop() {
		feed, err := bus.Events().Follow(b.Context(), run, 0)
		must.Do(b, err)
		for seen := 0; seen < 5000; {
			events, err := feed.Next(b.Context())
			must.Do(b, err)
			seen += len(events)
		}
		feed.Close()
	}
}

// BenchmarkReplayConsumer is the same with an ordered consumer.
func BenchmarkReplayConsumer(b *testing.B) {
	bus := open(b, b.TempDir())
	crowd(b, bus, crowdSize, 2)
	run := story(b, bus)
	for b.Loop() {
		c, err := bus.js.OrderedConsumer(b.Context(), streamName, jetstream.OrderedConsumerConfig{FilterSubjects: []string{runSubject + run}})
		must.Do(b, err)
		messages, err := c.Messages()
		must.Do(b, err)
		for range 5000 {
			_, err := messages.Next()
			must.Do(b, err)
		}
		messages.Stop()
	}
}

// BenchmarkLive is one batch of events on its way from writer to viewer, with
// 10,000 runs watched in this process.
func BenchmarkLive(b *testing.B) {
	for _, size := range []int{1, 10} {
		b.Run(fmt.Sprintf("batch=%d", size), func(b *testing.B) {
			bus := open(b, b.TempDir())
			for i := range crowdSize {
				_, err := bus.Events().Follow(b.Context(), runName(i), 0)
				must.Do(b, err)
			}
			feed, err := bus.Events().Follow(b.Context(), "gen_live", 0)
			must.Do(b, err)
			defer feed.Close()
			w, err := bus.Events().Writer(b.Context(), svc.RunClaim{ID: "gen_live", Epoch: 1})
			must.Do(b, err)
			b.ReportAllocs()
			for b.Loop() {
				must.Do(b, w.Append(b.Context(), batchOf(1, size)))
				for seen := 0; seen < size; {
					events, err := feed.Next(b.Context())
					must.Do(b, err)
					seen += len(events)
				}
			}
			b.ReportMetric(float64(b.N*size)/b.Elapsed().Seconds(), "events/s")
		})
	}
}

// BenchmarkThroughput is as fast as it goes: 100 runs, each with one viewer.
func BenchmarkThroughput(b *testing.B) {
	const runs, size = 100, 10
	bus := open(b, b.TempDir())
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	rounds := b.N/runs + 1
	var wait sync.WaitGroup
	for i := range runs {
		feed, err := bus.Events().Follow(ctx, runName(i), 0)
		must.Do(b, err)
		wait.Go(func() {
			defer feed.Close()
			for last := int64(0); last < int64(rounds*size); {
				events, err := feed.Next(ctx)
				if err != nil {
					b.Errorf("viewer: %v", err)
					return
				}
				last = events[len(events)-1].Seq
			}
		})
		w, err := bus.Events().Writer(ctx, svc.RunClaim{ID: runName(i), Epoch: 1})
		must.Do(b, err)
		wait.Go(func() {
			for range rounds {
				if err := w.Append(ctx, batchOf(1, size)); err != nil {
					b.Errorf("writer: %v", err)
					return
				}
			}
		})
	}
	wait.Wait()
	b.ReportMetric(float64(runs*rounds*size)/b.Elapsed().Seconds(), "events/s")
}
