package jetstream

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/testkit/storetest"
	"github.com/bundle-delivery/svc/internal/testkit/toolbox"
)

// elsewhere runs a server with a port of its own, as a process apart would.
func elsewhere(t *testing.T, dir string, port int) *server.Server {
	t.Helper()
	return start(t, &server.Options{Host: "127.0.0.1", Port: port, NoSigs: true, NoLog: true, JetStream: true, StoreDir: dir})
}

func start(t *testing.T, opts *server.Options) *server.Server {
	t.Helper()
	srv, err := server.NewServer(opts)
	if err != nil {
		t.Fatal(err)
	}
	go srv.Start()
	if !srv.ReadyForConnections(startTimeout) {
		t.Fatal("the server does not start")
	}
	t.Cleanup(func() { srv.Shutdown(); srv.WaitForShutdown() })
	return srv
}

func reach(t *testing.T, url string) *Bus {
	t.Helper()
	b, err := Open(t.Context(), Config{URL: url, Retention: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return b
}

// Promise: stream-gapless
func TestEventLogElsewhere(t *testing.T) {
	b := reach(t, elsewhere(t, t.TempDir(), -1).ClientURL())
	storetest.EventLog(t, func(*testing.T) svc.EventLog { return b.Events() })
}

// TestTwoProcesses has a writer in one process and a viewer in another.
func TestTwoProcesses(t *testing.T) {
	url := elsewhere(t, t.TempDir(), -1).ClientURL()
	here, there := reach(t, url), reach(t, url)
	feed, err := there.Events().Follow(t.Context(), "gen_two", 0)
	if err != nil {
		t.Fatal(err)
	}
	defer feed.Close()
	w, err := here.Events().Writer(t.Context(), svc.RunClaim{ID: "gen_two", Epoch: 1})
	if err != nil {
		t.Fatal(err)
	}
	for n := range int64(50) {
		if err := w.Append(t.Context(), batchOf(n+1, 1)); err != nil {
			t.Fatal(err)
		}
	}
	wantNext(t, feed, 1, 50)
}

// wantNext reads a feed up to a number and checks that none is missing.
func wantNext(t *testing.T, feed svc.EventFeed, from, to int64) {
	t.Helper()
	for next := from; next <= to; {
		events, err := feed.Next(t.Context())
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

// Promise: stream-lost-news
func TestFeedOutlivesAServer(t *testing.T) {
	dir, port := t.TempDir(), lastingPort(t)
	first := elsewhere(t, dir, port)
	b := reach(t, first.ClientURL())
	feed, err := b.Events().Follow(t.Context(), "gen_1", 0)
	if err != nil {
		t.Fatal(err)
	}
	defer feed.Close()
	w, err := b.Events().Writer(t.Context(), svc.RunClaim{ID: "gen_1", Epoch: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Append(t.Context(), batchOf(1, 3)); err != nil {
		t.Fatal(err)
	}
	wantNext(t, feed, 1, 3)
	first.Shutdown()
	first.WaitForShutdown()
	elsewhere(t, dir, port)
	if err := w.Append(t.Context(), batchOf(4, 3)); err != nil {
		t.Fatal(err)
	}
	wantNext(t, feed, 4, 6)
}

// lastingPort is one that a server finds free when it is started again.
func lastingPort(t *testing.T) int {
	t.Helper()
	address, err := toolbox.FreeAddress()
	if err != nil {
		t.Fatal(err)
	}
	chosen, err := netip.ParseAddrPort(address)
	if err != nil {
		t.Fatal(err)
	}
	return int(chosen.Port())
}

// TestFloodThatNobodyCanFollow fills the buffer before the feeds, so that NATS
// drops messages of another process: the viewer has every event all the same.
// Promise: stream-lost-news
func TestFloodThatNobodyCanFollow(t *testing.T) {
	url := elsewhere(t, t.TempDir(), -1).ClientURL()
	here, there := reach(t, url), reach(t, url)
	feed, err := there.Events().Follow(t.Context(), "gen_flood", 0)
	if err != nil {
		t.Fatal(err)
	}
	defer feed.Close()
	w, err := here.Events().Writer(t.Context(), svc.RunClaim{ID: "gen_flood", Epoch: 1})
	if err != nil {
		t.Fatal(err)
	}
	const flood = hubBuffer + 500
	there.events.hub.mu.Lock() // nothing is handed to feeds meanwhile
	for n := range int64(flood) {
		if err := w.Append(t.Context(), batchOf(n+1, 1)); err != nil {
			there.events.hub.mu.Unlock()
			t.Fatal(err)
		}
	}
	there.events.hub.mu.Unlock()
	wantNext(t, feed, 1, flood)
}

func TestOldServersAreRefused(t *testing.T) {
	for version, good := range map[string]bool{"2.11.0": true, "2.15.2": true, "3.0.0-beta": true, "2.10.29": false, "1.4.1": false, "": false} {
		if err := checkVersion(version); (err == nil) != good {
			t.Errorf("%q: %v", version, err)
		}
	}
}

func TestAddressesAreShownWithoutSecrets(t *testing.T) {
	got := withoutSecrets("nats://ann:secret@one:4222, nats://token@two, nats://three:4222,:bad%")
	if strings.Contains(got, "secret") || strings.Contains(got, "token") || !strings.Contains(got, "three:4222") {
		t.Errorf("shown as %s", got)
	}
}

func TestServerThatIsNotThere(t *testing.T) {
	_, err := Open(t.Context(), Config{URL: "nats://u:secret@127.0.0.1:1", Retention: time.Hour})
	if err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("ended with %v", err)
	}
}
