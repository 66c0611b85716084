package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bundle-delivery/svc/internal/accounts"
	"github.com/bundle-delivery/svc/internal/bundle/assemble"
	"github.com/bundle-delivery/svc/internal/bundle/pack"
	"github.com/bundle-delivery/svc/internal/bundle/signing"
	"github.com/bundle-delivery/svc/internal/delivery"
	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/engine/template"
	"github.com/bundle-delivery/svc/internal/generation"
	"github.com/bundle-delivery/svc/internal/ops/telemetry"
	"github.com/bundle-delivery/svc/internal/store/datadir"
	"github.com/bundle-delivery/svc/internal/store/jetstream"
	"github.com/bundle-delivery/svc/internal/validate"
	"github.com/bundle-delivery/svc/internal/web/certs"
	"github.com/bundle-delivery/svc/internal/web/console"
	"github.com/bundle-delivery/svc/internal/web/httpd"
)

// components are the service without its listeners: what is kept, and the use cases.
type components struct {
	settings *settings
	log      *slog.Logger
	storage  *storage
	bus      *jetstream.Bus
	metrics  *telemetry.Metrics
	accounts *accounts.Service
	delivery *delivery.Service
	runs     *generation.Service
	streams  *httpd.Streams
	signer   *signing.Signer
	console  *console.Console // nil without the api role
	pool     *generation.Pool // nil without the worker role
	engine   engine.Engine    // nil without the worker role

	validator *validate.Validator // nil without the worker role

	certificates *certs.ACME // nil where no ACME authority is asked

	draining atomic.Bool // the process is about to end
}

func openComponents(ctx context.Context, s *settings, dir datadir.Dir, log *slog.Logger) (*components, error) {
	p := &components{settings: s, log: log, metrics: telemetry.NewMetrics(programVersion())}
	var err error
	if p.storage, err = openStorage(ctx, s, dir); err != nil {
		return nil, err
	}
	if p.bus, err = openBus(ctx, s, s.natsURL, dir, log); err != nil {
		return nil, errors.Join(fmt.Errorf("events: %w", err), p.storage.close())
	}
	p.metrics.WatchBundles(p.storage.store.Bundles().Tally)
	for _, part := range p.sharedParts() {
		p.metrics.WatchPart(part.Name, part.Ask)
	}
	p.metrics.WatchEventLog(func(ctx context.Context) (telemetry.EventLog, error) {
		s, err := p.bus.Status(ctx)
		return telemetry.EventLog{Bytes: s.Bytes, MaxBytes: s.MaxBytes, MissingReplicas: s.Missing}, err
	})
	p.accounts = accounts.New(p.storage.store, time.Now, append(s.signIn.options(),
		accounts.WithBrowserKey(func(ctx context.Context) ([]byte, error) { return signing.Secret(ctx, p.storage.store, "browser") }))...)
	p.metrics.WatchAudit(p.accounts.Audit.Dropped)
	p.signer = signing.New(p.storage.store, programVersion())
	p.delivery = delivery.New(delivery.Config{
		Store: p.storage.store, Blobs: p.storage.blobs, Assembler: p.bus.Assembler(), Attester: p.signer,
		Limits: s.limits, Observer: p.metrics,
	})
	p.streams = httpd.NewStreams(func(ctx context.Context, prefixes []string) ([]string, error) {
		return p.storage.store.Keys().Usable(ctx, prefixes, time.Now())
	}, log)
	if err := p.openRuns(ctx, dir); err != nil {
		return nil, errors.Join(err, p.close())
	}
	return p, nil
}

// openBus opens the event log at an address, or without one that in the data
// folder.
func openBus(ctx context.Context, s *settings, address string, dir datadir.Dir, log *slog.Logger) (*jetstream.Bus, error) {
	return jetstream.Open(ctx, jetstream.Config{
		URL: address, Replicas: s.natsReplicas, MaxBytes: s.eventBytes, Dir: dir.Events(), Log: log,
		Retention: generation.Retention(s.runLimits, s.limits.BundleTTL, s.cleanup),
	})
}

// openRuns makes the use cases of generations, and the workers where this
// process has any.
func (p *components) openRuns(ctx context.Context, dir datadir.Dir) error {
	limits := p.settings.runLimits
	limits.PendingBytes = p.settings.limits.PendingBytes
	config := generation.Config{
		Store: p.storage.store, Events: p.bus.Events(), Notifier: p.bus, Limits: limits, Log: p.log,
		Observer: p.metrics.WatchRuns(p.waiting, p.streams.Count),
		Readers:  map[string]engine.Reader{engineTemplate: template.Reader()},
	}
	p.runs = generation.New(config)
	if !p.settings.plays(roleWorker) {
		return nil
	}
	scratch, err := dir.Scratch()
	if err != nil {
		return err
	}
	var place workshop
	if p.validator, place, err = openValidator(ctx, p.settings, dir, p.metrics, p.log); err != nil {
		return err
	}
	if p.engine, err = openEngine(ctx, p.settings, scratch, p.log, p.storage.store.Usage(), place); err != nil {
		return err
	}
	p.pool = generation.NewPool(generation.PoolConfig{
		Config: config, Validator: p.validator, Engine: p.engine, EngineName: p.settings.engine, Workers: p.settings.workers,
		TempDir: scratch, Only: p.settings.databaseURL == "", // the folder is locked
		Packager: &pack.Packager{
			Store: p.storage.store, Blobs: p.storage.blobs, BundleTTL: p.settings.limits.BundleTTL, Attester: p.signer,
		},
	})
	return nil
}

// waiting is how many generations are queued, of all accounts.
func (p *components) waiting(ctx context.Context) (int, error) {
	length, err := p.storage.store.Runs().Waiting(ctx, "")
	return length.All, err
}

func (p *components) close() error {
	p.bus.Close()
	var err error
	if c, ok := p.engine.(io.Closer); ok {
		err = c.Close()
	}
	if p.validator != nil {
		err = errors.Join(err, p.validator.Close())
	}
	return errors.Join(err, p.storage.close())
}

// report is told of failures that mend themselves.
func (p *components) report(doing string) func(error) {
	return func(err error) { p.log.Error(doing+" failed and will be tried again", "error", err) }
}

// work is what goes on in the background.
type work struct {
	running  sync.WaitGroup
	handBack context.CancelFunc // ends what other processes can go on with
	cancel   context.CancelFunc // ends what requests need
}

// start begins the work of the roles that this process plays.
func (p *components) start() *work {
	w := &work{}
	var base, runs context.Context
	base, w.cancel = context.WithCancel(context.Background())
	runs, w.handBack = context.WithCancel(base)
	if p.settings.plays(roleAPI) {
		w.running.Go(func() { p.accounts.Run(base, p.report("noting the use of keys")) })
		w.running.Go(func() {
			p.accounts.Audit.Run(base, func(err error) { p.log.Error("the audit log", "error", err) })
		})
		w.running.Go(func() { p.accounts.RemoveExpired(runs, p.report("removing old sessions")) })
		w.running.Go(func() { p.console.Run(runs) })
	}
	if p.settings.plays(roleAssembler) {
		w.running.Go(func() {
			if err := p.bus.ServeAssembler(base, assemble.Local{Blobs: p.storage.blobs}); err != nil {
				p.log.Error("the assembler ended", "error", err)
			}
		})
	}
	w.running.Go(func() { p.streams.Run(runs) })
	if p.certificates != nil {
		w.running.Go(func() { p.certificates.Run(runs) })
	}
	if p.pool != nil {
		p.pool.Announce(runs) // before the first request is accepted
		w.running.Go(func() {
			if err := p.validator.Prepare(runs); err != nil && runs.Err() == nil {
				p.log.Warn("what projects are tried with could not be prepared", "error", err)
			}
		})
		w.running.Go(func() {
			if err := p.pool.Run(runs); err != nil {
				p.log.Error("the workers ended", "error", err)
			}
		})
	}
	cleaner := &delivery.Cleaner{
		Store: p.storage.store, Blobs: p.storage.blobs, Interval: p.settings.cleanup,
		RunRetention: p.settings.runRetention, BundleRetention: p.settings.bundleRetention, AuditRetention: p.settings.auditRetention,
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
