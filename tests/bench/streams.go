package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"syscall"
	"time"
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
)

// benchStreams measures live streams: first at the pace of real runs, then as
// fast as it goes beside nchan, then a viewer's return.
func benchStreams(ctx context.Context, l *lab) (s section, err error) {
	if err := enoughFiles(uint64(2*l.streams + 1000)); err != nil {
		return s, err
	}
	b := &streamBench{lab: l}
	defer func() { err = errors.Join(err, b.stop()) }()
	if err := b.start(ctx); err != nil {
		return s, err
	}
	for _, part := range []func(context.Context, *section) error{b.memory, b.live, b.burst, b.replay} {
		if err := part(ctx, &s); err != nil {
			return s, err
		}
	}
	var done bool
	return s, b.server.ask(order{Do: "end"}, &done)
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

// streamBench is the service and nchan, each with its audience.
type streamBench struct {
	*lab
	server, audience *child
	peer             *nchan
	peerAudience     *child
	service          opened
	runs             []string
}

func (b *streamBench) start(ctx context.Context) (err error) {
	if b.server, err = startChild(ctx, streamServerArg, "-dir", filepath.Join(b.dir, "streams"), "-workers", fmt.Sprint(b.streams+10), "-profiles", b.profiles); err != nil {
		return err
	}
	if b.audience, err = startChild(ctx, streamWatchArg); err != nil {
		return err
	}
	if b.peerAudience, err = startChild(ctx, streamWatchArg); err != nil {
		return err
	}
	if err := b.server.ask(order{Do: "open"}, &b.service); err != nil {
		return err
	}
	if b.peer, err = startNchan(ctx, b.lab, b.streams, filepath.Dir(b.service.CA)); err != nil {
		return err
	}
	return b.server.ask(order{Do: "start", Runs: b.streams}, &b.runs)
}

// memory connects the viewers and measures what they cost. The service begins
// with its runs live and its garbage swept out; what is measured as it stands
// includes the garbage of the handshakes, what is measured at rest does not.
func (b *streamBench) memory(ctx context.Context, s *section) error {
	pid, peerPID := b.server.cmd.Process.Pid, b.peer.cmd.Process.Pid
	if err := b.rest(); err != nil {
		return err
	}
	before, err := resident(pid)
	if err != nil {
		return err
	}
	peerBefore, err := resident(peerPID)
	if err != nil {
		return err
	}
	if err := b.connect(b.audience, order{Base: b.service.Base, Key: b.service.Key, Paths: streamPaths(b.runs)}); err != nil {
		return err
	}
	if err := b.connect(b.peerAudience, order{Base: "https://" + b.peer.subscribers, Paths: b.peer.paths()}); err != nil {
		return fmt.Errorf("nchan: %w", err)
	}
	if err := sleep(ctx, settle); err != nil {
		return err
	}
	standing, err := resident(pid)
	if err != nil {
		return err
	}
	peer, err := resident(peerPID)
	if err != nil {
		return err
	}
	if err := b.rest(); err != nil {
		return err
	}
	resting, err := resident(pid)
	if err != nil {
		return err
	}
	each := float64(b.streams) * 1000
	peer = (peer - peerBefore) / each
	s.add("memory for a connection, at rest", fmt.Sprintf("%.1f KB", (resting-before)/each), "")
	s.add("memory for a connection, with the garbage of connecting", fmt.Sprintf("%.1f KB", (standing-before)/each), "")
	s.add("nchan, memory for a connection", fmt.Sprintf("%.1f KB", peer), "")
	s.add("memory at rest over that of nchan", fmt.Sprintf("%.2f×", (resting-before)/each/peer), "at most 2×")
	s.add("memory with garbage over that of nchan", fmt.Sprintf("%.2f×", (standing-before)/each/peer), "")
	s.note("Memory is the growth of the resident set while %d viewers connect, divided by their number, measured once. Before, the service held its live runs (%.0f MB) and no garbage. Its collector lets garbage grow to four times what is in use, runs included, before it works: that is the difference between the two figures. A collection falls into some of the rounds, and p99 of those is several times that of the others: the spread shows both.", b.streams, before/1e6)
	return nil
}

func (b *streamBench) rest() error {
	var done bool
	return b.server.ask(order{Do: "rest"}, &done)
}

func (b *streamBench) connect(audience *child, to order) error {
	to.Do, to.CA = "connect", b.service.CA
	var connections int
	return audience.ask(to, &connections)
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

func streamPaths(runs []string) []string {
	paths := make([]string, len(runs))
	for i, id := range runs {
		paths[i] = "/generations/" + id + "/stream"
	}
	return paths
}

// live lets every run tell at its pace.
func (b *streamBench) live(_ context.Context, s *section) error {
	var half, most, worst, used, watching sample
	var events, wrong, breaks int64
	for round := range b.rounds + 1 {
		before, err := processorTime(b.audience.cmd.Process.Pid)
		if err != nil {
			return err
		}
		got, told, cpu, err := b.tell(liveEvents, livePause)
		if err != nil {
			return err
		}
		after, err := processorTime(b.audience.cmd.Process.Pid)
		if err != nil {
			return err
		}
		events += got.Events
		wrong += got.Faults + told.Events - got.Events
		breaks += got.Breaks
		if round > 0 {
			half, most, worst = append(half, got.P50), append(most, got.P99), append(worst, got.Max)
			used = append(used, cpu.Seconds()/(liveEvents*livePause.Seconds()))
			watching = append(watching, (after-before).Seconds()/(liveEvents*livePause.Seconds()))
		}
	}
	s.add("events lost, doubled or out of order", fmt.Sprintf("%d of %d", wrong, events), "0")
	s.add("engine to client, p50", half.show("%.1f ms"), "")
	s.add("engine to client, p99", most.show("%.1f ms"), "under 100 ms")
	s.add("engine to client, slowest", worst.show("%.1f ms"), "")
	s.add("cores that the service uses for it", used.show("%.2f"), "")
	s.add("cores that the viewers use for it", watching.show("%.2f"), "")
	s.note("%d runs live at once, each watched over TLS 1.3 and HTTP/1.1 on a connection of its own, %.0f events a second each; a round lasts %s. The engines begin at random moments within a tenth of a second. The time of an event is in its delta; engine, service and viewers share the cores and the clock. %d connections broke and were resumed.",
		b.streams, 1/livePause.Seconds(), liveEvents*livePause, breaks)
	return nil
}

// tell lets all runs tell, and waits until their viewers have heard it.
func (b *streamBench) tell(events int, pause time.Duration) (got seen, told toldSoFar, cpu time.Duration, err error) {
	pid := b.server.cmd.Process.Pid
	before, err := processorTime(pid)
	if err != nil {
		return got, told, 0, err
	}
	if err := b.server.ask(order{Do: "tell", Events: events, PauseMS: int(pause / time.Millisecond)}, &told); err != nil {
		return got, told, 0, err
	}
	// The last batch of each run may still be on its way to the log, so what the
	// viewers are to hear is counted by what the engine was asked to say.
	told.Events = int64(events * b.streams)
	if err := b.audience.ask(order{Do: "wait", Events: events * b.streams}, &got); err != nil {
		return got, told, 0, err
	}
	after, err := processorTime(pid)
	return got, told, after - before, err
}

// burst lets both servers send as fast as they can, in turns.
func (b *streamBench) burst(ctx context.Context, s *section) error {
	var ours, peer, batch, rate sample
	var wrong int64
	for round := range b.rounds + 1 {
		begin := time.Now()
		got, told, cpu, err := b.tell(burstEvents, 0)
		if err != nil {
			return err
		}
		took := time.Since(begin).Seconds()
		wrong += got.Faults + told.Events - got.Events
		theirs, err := b.burstPeer(ctx)
		if err != nil {
			return fmt.Errorf("nchan: %w", err)
		}
		if round > 0 {
			ours, peer = append(ours, float64(got.Events)/cpu.Seconds()), append(peer, theirs)
			batch = append(batch, float64(told.Events)/float64(max(told.Batches, 1)))
			rate = append(rate, float64(got.Events)/took)
		}
	}
	s.add("events for a second of processor time", ours.show("%.0f"), "")
	s.add("nchan, events for a second of processor time", peer.show("%.0f"), "")
	s.add("events over those of nchan", ours.over(peer).show("%.1f×"), "at least 2×")
	s.add("events in one batch", batch.show("%.1f"), "")
	s.add("events a second, all viewers together", rate.show("%.0f"), "")
	s.add("events lost, doubled or out of order", fmt.Sprint(wrong), "0")
	s.note("nchan pays an HTTP request for each event, and keeps nothing beyond its memory; the service takes events from an engine in its own process, batches them (at most 20 ms or 8 KiB), stores every batch in the log on disk, and sends it on. The batch size is what most of the ratio comes from. nchan has one worker, a channel and a viewer over TLS for each run, and %d publishers in the clear on connections that are kept. Processor time is that of the server's processes, user and system.", publishersAtOnce)
	return nil
}

func (b *streamBench) burstPeer(ctx context.Context) (float64, error) {
	pid := b.peer.cmd.Process.Pid
	before, err := processorTime(pid)
	if err != nil {
		return 0, err
	}
	if err := b.peer.tell(ctx, nchanEvents); err != nil {
		return 0, err
	}
	var got seen
	if err := b.peerAudience.ask(order{Do: "wait", Events: nchanEvents * b.streams}, &got); err != nil {
		return 0, err
	}
	if want := int64(nchanEvents * b.streams); got.Events != want || got.Faults+got.Breaks > 0 {
		return 0, fmt.Errorf("%d of %d events came, %d wrong, %d connections broke", got.Events, want, got.Faults, got.Breaks)
	}
	after, err := processorTime(pid)
	return float64(got.Events) / (after - before).Seconds(), err
}

// replay lets a viewer return to a run that has told much.
func (b *streamBench) replay(_ context.Context, s *section) error {
	var told []string
	if err := b.server.ask(order{Do: "start", Runs: 1, Events: replayEvents}, &told); err != nil {
		return err
	}
	for _, r := range []struct {
		what, id string
		events   int
	}{
		{"a live run, told fast", told[0], replayEvents},
		{"a run that is over, each event stored alone", b.service.Single, replayEvents},
	} {
		var times sample
		for round := range b.rounds + 1 {
			var ms float64
			if err := b.audience.ask(order{
				Do: "replay", Base: b.service.Base, CA: b.service.CA, Key: b.service.Key,
				Paths: streamPaths([]string{r.id}), Events: r.events,
			}, &ms); err != nil {
				return err
			}
			if round > 0 {
				times = append(times, ms)
			}
		}
		s.add(fmt.Sprintf("replay of %d events: %s", replayEvents, r.what), times.show("%.0f ms"), "under 100 ms")
	}
	s.note("A replay is timed from dialling, handshake included, to event %d, with the other %d viewers connected.", replayEvents, b.streams)
	return nil
}

func (b *streamBench) stop() error {
	var errs []error
	for _, audience := range []*child{b.audience, b.peerAudience} {
		if audience != nil {
			var done bool
			errs = append(errs, audience.ask(order{Do: "leave"}, &done), audience.stop())
		}
	}
	if b.peer != nil {
		errs = append(errs, b.peer.stop())
	}
	if b.server != nil {
		errs = append(errs, b.server.stop())
	}
	return errors.Join(errs...)
}
