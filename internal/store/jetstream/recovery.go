package jetstream

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/bundle-delivery/svc/internal/sleep"
)

const (
	// recoveryPause is the time between two attempts to open the store again.
	recoveryPause = time.Second
	// probeSize is the room that must be on the disk before one is made.
	probeSize = 1 << 20
)

// storeRecovery opens the store of the embedded server again after it could not
// write. The server refuses every message from then on, also when the disk has
// room again: it believes its files to be damaged, and only looks at them when it
// opens them. It does not answer such a message either, so whoever publishes in
// vain says so here, and the server is asked for its health.
type storeRecovery struct {
	bus       *Bus
	dir       string
	suspected chan struct{} // holds one when the server is to be asked
	stop      context.CancelFunc
	wait      sync.WaitGroup
}

func startRecovery(b *Bus, dir string) *storeRecovery {
	ctx, stop := context.WithCancel(context.Background())
	r := &storeRecovery{bus: b, dir: dir, suspected: make(chan struct{}, 1), stop: stop}
	r.wait.Go(func() { r.run(ctx) })
	return r
}

// suspect says that a publish failed. A log elsewhere recovers by itself.
func (r *storeRecovery) suspect() {
	if r == nil {
		return
	}
	select {
	case r.suspected <- struct{}{}:
	default:
	}
}

func (r *storeRecovery) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-r.suspected:
		}
		for cause := r.failure(); cause != nil; cause = r.failure() {
			if r.reopen(cause) != nil && sleep.For(ctx, recoveryPause) != nil {
				return
			}
		}
	}
}

// failure asks the server why it does not write; nil when it does.
func (r *storeRecovery) failure() error {
	for _, e := range r.bus.server.Healthz(&server.HealthzOptions{Details: true}).Errors {
		if e.Type != server.HealthzErrorConn { // of a server that is slow to say that it runs
			return errors.New(e.Error)
		}
	}
	return nil
}

// reopen closes the store and opens it, when there is room to write.
func (r *storeRecovery) reopen(cause error) error {
	if err := r.probe(); err != nil {
		r.bus.log.Error("the event log cannot write; make room on its disk, and it goes on by itself", "folder", r.dir, "error", errors.Join(cause, err))
		return err
	}
	err := r.bus.server.ShutdownJetStream()
	if err == nil {
		err = r.bus.server.EnableJetStream(&server.JetStreamConfig{StoreDir: r.dir, MaxStore: embeddedStore, Strict: true})
	}
	if err == nil {
		err = r.failure()
	}
	if err != nil {
		r.bus.log.Error("the event log cannot be opened again", "folder", r.dir, "error", err)
		return err
	}
	r.bus.log.Warn("the event log could not write, and was opened again", "error", cause)
	r.bus.invalidateFeeds()
	return nil
}

// probe says whether the disk takes anything.
func (r *storeRecovery) probe() error {
	f, err := os.CreateTemp(r.dir, "probe-*")
	if err != nil {
		return fmt.Errorf("look for room: %w", err)
	}
	_, err = f.Write(make([]byte, probeSize))
	return errors.Join(err, f.Close(), os.Remove(f.Name()))
}

// close ends it.
func (r *storeRecovery) close() {
	if r != nil {
		r.stop()
		r.wait.Wait()
	}
}
