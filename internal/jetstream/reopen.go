package jetstream

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

const (
	// cannotWrite is in what the server says when it could not write. It tells
	// nobody else: whoever sent the message waits for an answer in vain.
	cannotWrite = "critical write error"
	// reopenRest is the time between two attempts to open the log again.
	reopenRest = time.Second
	// probeSize is the room that must be there before one is made.
	probeSize = 1 << 20
)

// reopener opens the embedded log again after it could not write. The server
// refuses every message from then on, also when the disk has room again: it
// believes its files to be damaged, and only looks at them when it opens them.
type reopener struct {
	bus    *Bus
	dir    string
	wanted chan struct{} // holds one when it has to be opened again
	end    context.CancelFunc
	wait   sync.WaitGroup
}

func newReopener(b *Bus, dir string) *reopener {
	return &reopener{bus: b, dir: dir, wanted: make(chan struct{}, 1), end: func() {}}
}

// start begins the work, when the bus has its server.
func (r *reopener) start() {
	var ctx context.Context
	ctx, r.end = context.WithCancel(context.Background())
	r.wait.Go(func() { r.run(ctx) })
}

// hear listens to what the server has to say.
func (r *reopener) hear(said string) {
	if strings.Contains(strings.ToLower(said), cannotWrite) {
		select {
		case r.wanted <- struct{}{}:
		default:
		}
	}
}

func (r *reopener) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-r.wanted:
		}
		for r.reopen() != nil {
			if pauseFor(ctx, reopenRest) != nil {
				return
			}
		}
	}
}

// reopen closes the log and opens it, when there is room to write.
func (r *reopener) reopen() error {
	if err := r.probe(); err != nil {
		r.bus.log.Error("the event log cannot write; make room on its disk, and it goes on by itself", "folder", r.dir, "error", err)
		return err
	}
	err := r.bus.server.ShutdownJetStream()
	if err == nil {
		err = r.bus.server.EnableJetStream(&server.JetStreamConfig{StoreDir: r.dir, Strict: true})
	}
	if err != nil {
		r.bus.log.Error("the event log cannot be opened again", "folder", r.dir, "error", err)
		return err
	}
	select {
	case <-r.wanted: // what the old one said at last
	default:
	}
	r.bus.log.Warn("the event log could not write, and was opened again")
	r.bus.newsLost()
	return nil
}

// probe says whether the disk takes anything.
func (r *reopener) probe() error {
	f, err := os.CreateTemp(r.dir, "probe-*")
	if err != nil {
		return fmt.Errorf("look for room: %w", err)
	}
	_, err = f.Write(make([]byte, probeSize))
	return errors.Join(err, f.Close(), os.Remove(f.Name()))
}

// close ends it; there is none for a log elsewhere.
func (r *reopener) close() {
	if r != nil {
		r.end()
		r.wait.Wait()
	}
}
