package main

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/bundle-delivery/svc/internal/sleep"
)

const (
	// Ten events a second of each run, for some seconds in each round.
	livePause  = 100 * time.Millisecond
	liveEvents = 30
	// As fast as it goes: events of each run in each round.
	burstEvents = 300
	nchanEvents = 20
	// replayEvents are sent to a viewer that returns.
	replayEvents = 5000
	// settle lets a server's memory come to rest.
	settle = 2 * time.Second
	// viewersGarbagePercent spares the collector of the viewers.
	viewersGarbagePercent = 400
)

// benchStreams measures live streams: first at the pace of real runs, then as
// fast as it goes beside nchan, then a viewer's return.
func benchStreams(ctx context.Context, e *env) (s section) {
	check(enoughFiles(uint64(2*e.streams + 1000)))
	defer debug.SetGCPercent(debug.SetGCPercent(viewersGarbagePercent))
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // viewers need less than a core
	b := &streamBench{env: e}
	b.start(ctx)
	b.memory(ctx, &s)
	b.live(&s)
	b.burst(ctx, &s)
	b.replay(&s)
	b.server.ask(order{Do: "end"}, nil)
	return s
}

// enoughFiles makes sure that a process can have so many connections.
func enoughFiles(need uint64) error {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return err
	}
	if limit.Max < need {
		return fmt.Errorf("a process may have %d open files here and %d are needed; raise the limit (ulimit -Hn %d)", limit.Max, need, need)
	}
	return nil
}

// streamBench is the service and nchan, each with its viewers.
type streamBench struct {
	*env
	server  *child
	service opened
	runs    []string
	peer    *nchan

	viewers, peerViewers *viewers
}

func (b *streamBench) start(ctx context.Context) {
	b.server = b.child(ctx, streamServerArg, "-dir", filepath.Join(b.dir, "streams"), "-workers", fmt.Sprint(b.streams+10))
	b.server.ask(order{Do: "open"}, &b.service)
	b.viewers = b.watch(ctx, b.service.Base, b.service.CA, b.service.Key)
	b.peer = startNchan(ctx, b.env, b.streams, filepath.Dir(b.service.CA))
	b.peerViewers = b.watch(ctx, "https://"+b.peer.subscribers, b.service.CA, "")
	b.server.ask(order{Do: "start", Runs: b.streams}, &b.runs)
}

// watch prepares viewers, who leave when the benchmark is over.
func (b *streamBench) watch(ctx context.Context, base, caFile, key string) *viewers {
	v := must(newViewers(ctx, base, caFile, key))
	b.later(func() error { v.leave(); return nil })
	return v
}

// memory connects the viewers and measures what they cost. The service begins
// with its runs live and its garbage swept out; what is measured as it stands
// includes the garbage of the handshakes, what is measured at rest does not.
func (b *streamBench) memory(ctx context.Context, s *section) {
	pid, peerPID := b.server.cmd.Process.Pid, b.peer.PID()
	b.server.ask(order{Do: "rest"}, nil)
	before, peerBefore := resident(pid), resident(peerPID)
	check(b.viewers.connect(streamPaths(b.runs)))
	check(b.peerViewers.connect(b.peer.paths()))
	check(sleep.For(ctx, settle))
	each := float64(b.streams) * 1000
	standing, peer := (resident(pid)-before)/each, (resident(peerPID)-peerBefore)/each
	b.server.ask(order{Do: "rest"}, nil)
	resting := (resident(pid) - before) / each
	s.add("memory for a connection, at rest", fmt.Sprintf("%.1f KB", resting), "")
	s.add("memory for a connection, with the garbage of connecting", fmt.Sprintf("%.1f KB", standing), "")
	s.add("nchan, memory for a connection", fmt.Sprintf("%.1f KB", peer), "")
	s.add("memory at rest over that of nchan", fmt.Sprintf("%.2f×", resting/peer), "at most 1.5×")
	s.add("memory with garbage over that of nchan", fmt.Sprintf("%.2f×", standing/peer), "")
	s.note("Memory is the growth of the resident set while %d viewers connect, divided by their number, measured once. Before, the service held its live runs (%.0f MB) and no garbage. Its collector lets garbage grow to twice what is in use, runs included, before it works: that is the difference between the two figures. A collection falls into some of the rounds, and p99 of those is several times that of the others: the spread shows both.", b.streams, before/1e6)
}

func streamPaths(runs []string) []string {
	paths := make([]string, len(runs))
	for i, id := range runs {
		paths[i] = "/generations/" + id + "/stream"
	}
	return paths
}

// live lets every run emit at its pace.
func (b *streamBench) live(s *section) {
	var half, most, worst, used, watching sample
	var events, wrong, breaks int64
	lasts := liveEvents * livePause.Seconds()
	b.inRounds(func(_ int, keep func(*sample, float64)) {
		before := ownProcessorTime()
		got, _, cpu := b.emit(liveEvents, livePause)
		keep(&watching, (ownProcessorTime()-before).Seconds()/lasts)
		keep(&used, cpu/lasts)
		keep(&half, got.p50)
		keep(&most, got.p99)
		keep(&worst, got.slowest)
		events += got.events
		wrong += got.faults + int64(liveEvents*b.streams) - got.events
		breaks += got.breaks
	})
	s.add("events lost, doubled or out of order", fmt.Sprintf("%d of %d", wrong, events), "0")
	s.add("engine to client, p50", half.show("%.1f ms"), "")
	s.add("engine to client, p99", most.show("%.1f ms"), "under 100 ms")
	s.add("engine to client, slowest", worst.show("%.1f ms"), "")
	s.add("cores that the service uses for it", used.show("%.2f"), "")
	s.add("cores that the viewers use for it", watching.show("%.2f"), "")
	s.note("%d runs live at once, each watched over TLS 1.3 and HTTP/1.1 on a connection of its own, %.0f events a second each; a round lasts %s. The engines begin at random moments within a tenth of a second. The time of an event is in its delta; engine, service and viewers share the cores and the clock. %d connections broke and were resumed.",
		b.streams, 1/livePause.Seconds(), liveEvents*livePause, breaks)
}

// emit lets all runs emit events, waits until their viewers have them, and says
// in how many batches they were stored and what processor time that took.
func (b *streamBench) emit(events int, pause time.Duration) (got seen, batches int64, cpu float64) {
	pid := b.server.cmd.Process.Pid
	before := processorTime(pid)
	b.server.ask(order{Do: "emit", Events: events, PauseMS: int(pause / time.Millisecond)}, &batches)
	got = b.viewers.await(int64(events * b.streams))
	return got, batches, processorTime(pid) - before
}

// burst lets both servers send as fast as they can, in turns.
func (b *streamBench) burst(ctx context.Context, s *section) {
	var ours, peer, batch, rate sample
	var wrong int64
	b.inRounds(func(_ int, keep func(*sample, float64)) {
		begin := time.Now()
		got, batches, cpu := b.emit(burstEvents, 0)
		keep(&rate, float64(got.events)/time.Since(begin).Seconds())
		keep(&ours, float64(got.events)/cpu)
		keep(&batch, float64(got.events)/float64(max(batches, 1)))
		wrong += got.faults + int64(burstEvents*b.streams) - got.events
		keep(&peer, b.burstPeer(ctx))
	})
	s.add("events for a second of processor time", ours.show("%.0f"), "")
	s.add("nchan, events for a second of processor time", peer.show("%.0f"), "")
	s.add("events over those of nchan", ours.over(peer).show("%.1f×"), "at least 4×")
	s.add("events in one batch", batch.show("%.1f"), "")
	s.add("events a second, all viewers together", rate.show("%.0f"), "")
	s.add("events lost, doubled or out of order", fmt.Sprint(wrong), "0")
	s.note("nchan pays an HTTP request for each event, and keeps nothing beyond its memory; the service takes events from an engine in its own process, batches them (at most 20 ms or 8 KiB), stores every batch in the log on disk, and sends it on. The batch size is what most of the ratio comes from. nchan has one worker, a channel and a viewer over TLS for each run, and %d publishers in the clear on connections that are kept. Processor time is that of the server's processes, user and system.", publishersAtOnce)
}

func (b *streamBench) burstPeer(ctx context.Context) float64 {
	before := processorTime(b.peer.PID())
	check(b.peer.publish(ctx, nchanEvents))
	want := int64(nchanEvents * b.streams)
	got := b.peerViewers.await(want)
	if got.events != want || got.faults+got.breaks > 0 {
		check(fmt.Errorf("nchan: %d of %d events came, %d wrong, %d connections broke", got.events, want, got.faults, got.breaks))
	}
	return float64(got.events) / (processorTime(b.peer.PID()) - before)
}

// replay lets a viewer return to a run that has told much.
func (b *streamBench) replay(s *section) {
	var live []string
	b.server.ask(order{Do: "start", Runs: 1, Events: replayEvents}, &live)
	for _, r := range []struct{ what, id string }{
		{"a live run, told fast", live[0]},
		{"a run that is over, each event stored alone", b.service.Single},
	} {
		var times sample
		b.inRounds(func(_ int, keep func(*sample, float64)) {
			keep(&times, must(timed(func() error { return b.viewers.replay(streamPaths([]string{r.id})[0], replayEvents) })))
		})
		s.add(fmt.Sprintf("replay of %d events: %s", replayEvents, r.what), times.show("%.0f ms"), "under 100 ms")
	}
	s.note("A replay is timed from dialling, handshake included, to event %d, with the other %d viewers connected.", replayEvents, b.streams)
}
