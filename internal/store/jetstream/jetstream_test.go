package jetstream

import (
	"context"
	"crypto/sha256"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/goleak"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/testkit/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(tb testing.TB, dir string) *Bus {
	tb.Helper()
	b, err := Open(tb.Context(), Config{Dir: dir, Retention: time.Hour})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(b.Close)
	return b
}

// Promise: stream-gapless, stream-lost-worker, append-once
func TestEventLog(t *testing.T) {
	b := open(t, t.TempDir())
	storetest.EventLog(t, func(*testing.T) svc.EventLog { return b.Events() })
}

func batchOf(from int64, n int) []svc.Event {
	events := make([]svc.Event, n)
	for i := range events {
		events[i] = svc.Event{Seq: from + int64(i), Name: svc.EventToken, Data: []byte(`{"v":1}`)}
	}
	return events
}

func TestEventsSurviveARestart(t *testing.T) {
	dir := t.TempDir()
	claim := svc.RunClaim{ID: "gen_restart", Epoch: 3}
	first := open(t, dir)
	w, err := first.Events().Writer(t.Context(), claim)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Append(t.Context(), batchOf(1, 7)); err != nil {
		t.Fatal(err)
	}
	first.Close()

	second := open(t, dir)
	w, err = second.Events().Writer(t.Context(), svc.RunClaim{ID: claim.ID, Epoch: 4})
	if err != nil {
		t.Fatal(err)
	}
	if w.Last() != 7 {
		t.Errorf("after the restart the log ends at %d, want 7", w.Last())
	}
	if _, err := second.Events().Writer(t.Context(), svc.RunClaim{ID: claim.ID, Epoch: 2}); !errors.Is(err, svc.ErrConflict) {
		t.Errorf("a worker from before writes after the restart: %v", err)
	}
}

// TestEmbeddedLogRepeatsNothing opens a folder whose stream still repeats what it
// has stored, as it once did.
func TestEmbeddedLogRepeatsNothing(t *testing.T) {
	dir := t.TempDir()
	first := open(t, dir)
	config := first.events.stream.CachedInfo().Config
	config.RePublish = &jetstream.RePublish{Source: runSubject + "*", Destination: republishSubject + "{{wildcard(1)}}"}
	if _, err := first.js.UpdateStream(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	first.Close()
	if repeat := open(t, dir).events.stream.CachedInfo().Config.RePublish; repeat != nil {
		t.Errorf("the stream repeats to %s, where nobody listens", repeat.Destination)
	}
}

func TestOpenNeedsARetention(t *testing.T) {
	if _, err := Open(t.Context(), Config{Dir: t.TempDir()}); err == nil {
		t.Error("a log without a retention opens")
	}
}

func TestRunIDsAreOneTokenOfASubject(t *testing.T) {
	log := open(t, t.TempDir()).Events()
	for _, id := range []string{"", "*", ">", "a.b", "a b", "gen_ä"} {
		if _, err := log.Last(t.Context(), id); err == nil {
			t.Errorf("last of %q: no error", id)
		}
		if _, err := log.Follow(t.Context(), id, 0); err == nil {
			t.Errorf("follow %q: no error", id)
		}
	}
}

// Promise: stream-lost-news
func TestFeedFindsALostLastMessage(t *testing.T) {
	b := open(t, t.TempDir())
	feed := &feed{log: b.events, runID: "gen_lost", signal: make(chan struct{}, 1)} // no news reaches it
	w, err := b.Events().Writer(t.Context(), svc.RunClaim{ID: "gen_lost", Epoch: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Append(t.Context(), batchOf(1, 2)); err != nil {
		t.Fatal(err)
	}
	if err := feed.Verify(t.Context()); err != nil {
		t.Fatal(err)
	}
	if feed.behind {
		t.Error("what was stored just now is read from the log, although it may be on its way")
	}
	b.events.now = func() time.Time { return time.Now().Add(2 * underway) }
	if err := feed.Verify(t.Context()); err != nil {
		t.Fatal(err)
	}
	events, err := feed.Next(t.Context())
	if err != nil || len(events) != 2 {
		t.Errorf("after Verify the feed gives %d events (%v), want 2", len(events), err)
	}
}

// Promise: append-once
func TestAppendWhoseAnswerWasLostIsNotDoubled(t *testing.T) {
	b := open(t, t.TempDir())
	claim := svc.RunClaim{ID: "gen_twice", Epoch: 1}
	w := b.events.writer(claim)
	if err := w.Append(t.Context(), batchOf(1, 2)); err != nil {
		t.Fatal(err)
	}
	// The writer forgets the answer to its second append, and sends it again.
	seq, streamSeq := w.seq, w.streamSeq
	if err := w.Append(t.Context(), batchOf(3, 2)); err != nil {
		t.Fatal(err)
	}
	w.seq, w.streamSeq = seq, streamSeq
	if err := w.Append(t.Context(), batchOf(3, 2)); err != nil {
		t.Fatal(err)
	}
	events, err := b.Events().Read(t.Context(), claim.ID, 0)
	if err != nil || len(events) != 4 || w.Last() != 4 {
		t.Errorf("the log has %d events (%v), last is %d, want 4", len(events), err, w.Last())
	}
}

func TestBatchRefusesWhatCannotBeRead(t *testing.T) {
	good, err := batch{epoch: 2, events: batchOf(5, 2)}.encode()
	if err != nil {
		t.Fatal(err)
	}
	if b, err := decodeBatch(good); err != nil || b.epoch != 2 || b.first() != 5 || b.last() != 6 {
		t.Fatalf("a good batch is read as %+v (%v)", b, err)
	}
	for cut := range good {
		if _, err := decodeBatch(good[:cut]); err == nil {
			t.Errorf("the first %d bytes of a batch are read as one", cut)
		}
	}
	for name, events := range map[string][]svc.Event{
		"line break": {{Seq: 1, Name: svc.EventToken, Data: []byte("{\n}")}},
		"too large":  {{Seq: 1, Name: svc.EventToken, Data: make([]byte, maxPayload)}},
	} {
		if _, err := (batch{epoch: 1, events: events}).encode(); err == nil {
			t.Errorf("%s: encoded", name)
		}
	}
}

type assemblerFunc func(context.Context, svc.Assembly) (svc.Assembled, error)

func (f assemblerFunc) Assemble(ctx context.Context, a svc.Assembly) (svc.Assembled, error) {
	return f(ctx, a)
}

func serveAssembler(t *testing.T, b *Bus, impl svc.Assembler) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	var wait sync.WaitGroup
	wait.Go(func() {
		if err := b.ServeAssembler(ctx, impl); err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	t.Cleanup(func() { stop(); wait.Wait() })
	// The role is there when its subscription is known to the server.
	for !hasResponder(t, b) {
		select {
		case <-t.Context().Done():
			t.Fatal("the assembler does not come up")
		case <-time.After(time.Millisecond):
		}
	}
}

func hasResponder(t *testing.T, b *Bus) bool {
	t.Helper()
	_, err := b.Assembler().Assemble(t.Context(), svc.Assembly{Target: "probe", Deadline: time.Now().Add(10 * time.Second)})
	return !errors.Is(err, svc.ErrNoAssembler)
}

func TestAssemblerTravels(t *testing.T) {
	b := open(t, t.TempDir())
	deadline := time.Now().Add(time.Minute).UTC().Truncate(time.Millisecond)
	asked := svc.Assembly{
		Pack:   svc.Pack{Blob: "packs/x", Extent: svc.Extent{Files: 3, Bytes: 99}, Size: 50, SHA256: sha256.Sum256([]byte("pack"))},
		Target: "bundles/y", Deadline: deadline,
	}
	made := svc.Assembled{Size: 50, SHA256: sha256.Sum256([]byte("archive"))}
	broken := errors.New("the disk is gone")
	serveAssembler(t, b, assemblerFunc(func(_ context.Context, a svc.Assembly) (svc.Assembled, error) {
		switch a.Target {
		case "probe":
			return svc.Assembled{}, nil
		case "gone":
			return svc.Assembled{}, svc.ErrNotFound
		case "broken":
			return svc.Assembled{}, broken
		}
		if a != asked {
			t.Errorf("asked for %+v, want %+v", a, asked)
		}
		return made, nil
	}))
	got, err := b.Assembler().Assemble(t.Context(), asked)
	if err != nil || got != made {
		t.Errorf("assembled %+v (%v), want %+v", got, err, made)
	}
	for target, check := range map[string]func(error) bool{
		"gone": func(err error) bool { return errors.Is(err, svc.ErrNotFound) },
		"broken": func(err error) bool {
			return err != nil && !errors.Is(err, svc.ErrNotFound) && !errors.Is(err, svc.ErrNoAssembler)
		},
	} {
		if _, err := b.Assembler().Assemble(t.Context(), svc.Assembly{Target: target, Deadline: deadline}); !check(err) {
			t.Errorf("%s: %v", target, err)
		}
	}
}

func TestNoAssembler(t *testing.T) {
	b := open(t, t.TempDir())
	_, err := b.Assembler().Assemble(t.Context(), svc.Assembly{Target: "x", Deadline: time.Now().Add(time.Hour)})
	if !errors.Is(err, svc.ErrNoAssembler) {
		t.Errorf("with nobody there: %v", err)
	}
}

func TestAssemblerThatIsTooSlowIsNoAssembler(t *testing.T) {
	b := open(t, t.TempDir())
	release := make(chan struct{})
	serveAssembler(t, b, assemblerFunc(func(_ context.Context, a svc.Assembly) (svc.Assembled, error) {
		if a.Target != "probe" {
			<-release
		}
		return svc.Assembled{}, nil
	}))
	_, err := b.Assembler().Assemble(t.Context(), svc.Assembly{Target: "x", Deadline: time.Now().Add(20 * time.Millisecond)})
	close(release)
	if !errors.Is(err, svc.ErrNoAssembler) {
		t.Errorf("after the deadline: %v", err)
	}
}

// TestOneWorkerHearsOfAQueuedRun: of all who listen one hears each notice.
// Promise: worker-wake
func TestOneWorkerHearsOfAQueuedRun(t *testing.T) {
	b := open(t, t.TempDir())
	const listeners, notices = 5, 40
	heard := make(chan int, listeners*notices)
	for n := range listeners {
		stop, err := b.OnQueued(func() { heard <- n })
		if err != nil {
			t.Fatal(err)
		}
		defer stop()
	}
	for range notices {
		if err := b.NotifyQueued(); err != nil {
			t.Fatal(err)
		}
	}
	for range notices {
		select {
		case <-heard:
		case <-t.Context().Done():
			t.Fatal("nobody heard of a queued run")
		}
	}
	if err := b.conn.Flush(); err != nil {
		t.Fatal(err)
	}
	if n := len(heard); n > 0 {
		t.Errorf("%d notices were heard by more than one", n)
	}
}
