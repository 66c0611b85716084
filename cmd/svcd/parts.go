package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/bundle-delivery/svc/internal/accounts"
	"github.com/bundle-delivery/svc/internal/assembly"
	"github.com/bundle-delivery/svc/internal/delivery"
	"github.com/bundle-delivery/svc/internal/jetstream"
	"github.com/bundle-delivery/svc/internal/telemetry"
)

// parts is the service without its listeners: what is kept, and the use cases.
type parts struct {
	settings *settings
	log      *slog.Logger
	storage  *storage
	bus      *jetstream.Bus
	metrics  *telemetry.Metrics
	accounts *accounts.Service
	delivery *delivery.Service
}

func openParts(ctx context.Context, s *settings, dir dataDir, log *slog.Logger) (*parts, error) {
	p := &parts{settings: s, log: log, metrics: telemetry.NewMetrics(programVersion())}
	var err error
	if p.storage, err = openStorage(ctx, dir); err != nil {
		return nil, err
	}
	if p.bus, err = jetstream.Open(ctx, jetstream.Config{
		URL: s.natsURL, Dir: dir.events(), Retention: eventRetention(s), Log: log,
	}); err != nil {
		return nil, errors.Join(fmt.Errorf("events: %w", err), p.storage.close())
	}
	p.metrics.WatchBundles(p.storage.store.Bundles().Tally)
	p.accounts = accounts.New(p.storage.store, time.Now)
	p.delivery = delivery.New(delivery.Config{
		Store: p.storage.store, Blobs: p.storage.blobs, Assembler: p.bus.Assembler(),
		Limits: s.limits, Observer: p.metrics,
	})
	return p, nil
}

// eventRetention keeps what a run said until its bundle has expired, by a
// clean-up job that may come late, and for a day at least.
func eventRetention(s *settings) time.Duration {
	return max(s.limits.BundleTTL, 24*time.Hour) + 2*s.cleanup
}

func (p *parts) close() error {
	p.bus.Close()
	return p.storage.close()
}

// report is told of failures that mend themselves.
func (p *parts) report(doing string) func(error) {
	return func(err error) { p.log.Error(doing+" failed and will be tried again", "error", err) }
}

// work is what goes on in the background.
type work struct {
	running  sync.WaitGroup
	handBack context.CancelFunc // ends what other processes can go on with
	cancel   context.CancelFunc // ends what requests need
}

// start begins the work of the roles that this process plays.
func (p *parts) start() *work {
	w := &work{}
	var base, runs context.Context
	base, w.cancel = context.WithCancel(context.Background())
	runs, w.handBack = context.WithCancel(base)
	if p.settings.plays(roleAPI) {
		w.running.Go(func() { p.accounts.Run(base, p.report("noting the use of keys")) })
	}
	if p.settings.plays(roleAssembler) {
		w.running.Go(func() {
			if err := p.bus.ServeAssembler(base, assembly.Local{Blobs: p.storage.blobs}); err != nil {
				p.log.Error("the assembler ended", "error", err)
			}
		})
	}
	cleaner := &delivery.Cleaner{
		Store: p.storage.store, Blobs: p.storage.blobs, Interval: p.settings.cleanup,
		Observer: p.metrics, Report: p.report("the clean-up"),
	}
	w.running.Go(func() { cleaner.Run(runs) })
	return w
}

// stop ends all work and says whether it ended in time.
func (w *work) stop(wait time.Duration) bool {
	w.handBack()
	w.cancel()
	ended := make(chan struct{})
	go func() {
		w.running.Wait()
		close(ended)
	}()
	select {
	case <-ended:
		return true
	case <-time.After(wait):
		return false
	}
}
