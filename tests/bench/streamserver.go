package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/accounts"
	"github.com/bundle-delivery/svc/internal/bundle/pack"
	"github.com/bundle-delivery/svc/internal/delivery"
	"github.com/bundle-delivery/svc/internal/generation"
	"github.com/bundle-delivery/svc/internal/ops/telemetry"
	"github.com/bundle-delivery/svc/internal/store/fsblob"
	"github.com/bundle-delivery/svc/internal/store/jetstream"
	"github.com/bundle-delivery/svc/internal/store/sqlite"
	"github.com/bundle-delivery/svc/internal/web/certs"
	"github.com/bundle-delivery/svc/internal/web/edge"
	"github.com/bundle-delivery/svc/internal/web/httpd"
)

// streamServerArg makes this program the service, wired as svcd wires it, with
// an engine inside: two thousand programs at once would measure the machine.
const streamServerArg = "stream-server"

// serverGarbagePercent is what cmd/svcd sets.
const serverGarbagePercent = 200

// streamServer is the service under measurement.
type streamServer struct {
	store   *sqlite.Store
	blobs   *fsblob.Store
	bus     *jetstream.Bus
	people  *accounts.Service
	runs    *generation.Service
	streams *httpd.Streams
	engine  *phasedEngine
	batches *batchCounter

	account string
	log     *os.File
	base    string
}

// batchCounter counts in how many batches events go to the log.
type batchCounter struct {
	generation.Unobserved
	atomic.Int64
}

// EventsStored is generation.Observer.
func (c *batchCounter) EventsStored(int) { c.Add(1) }

// opened is the answer to the first order.
type opened struct {
	Base string `json:"base"`
	CA   string `json:"ca"`
	Key  string `json:"key"`
	// Single is a run that is over, each of its events stored alone.
	Single string `json:"single"`
}

func serveStreams(args []string) {
	flags := flag.NewFlagSet(streamServerArg, flag.ContinueOnError)
	dir := flags.String("dir", "", "data folder")
	workers := flags.Int("workers", 2000, "runs at a time")
	check(flags.Parse(args))
	debug.SetGCPercent(serverGarbagePercent)
	// Whoever gave the orders closes the input; a signal meant for it is not ours.
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s := openStreamServer(ctx, *dir)
	defer s.close()
	key := s.tenant(ctx)
	single := s.singles(ctx, replayEvents)
	pool := generation.NewPool(generation.PoolConfig{
		Config: s.config(), Engine: s.engine, EngineName: "bench", Workers: *workers,
		Packager: &pack.Packager{Store: s.store, Blobs: s.blobs}, TempDir: *dir,
	})
	server, listener, ca := s.listen(*dir)
	var work sync.WaitGroup
	defer work.Wait()
	work.Go(func() { s.streams.Run(ctx) })
	work.Go(func() {
		if err := pool.Run(ctx); err != nil {
			fmt.Fprintln(os.Stderr, "bench: the workers:", err)
		}
	})
	work.Go(func() { _ = edge.Serve(server, listener) }) // ends with Close
	defer func() { _ = server.Close() }()                // viewers are gone by now
	defer cancel()
	check(obey(os.Stdin, os.Stdout, func(o order) (any, error) {
		switch o.Do {
		case "open":
			return opened{s.base, ca, key, single}, nil
		case "start":
			return s.start(ctx, o.Runs, o.Events), nil
		case "rest":
			// What is measured next begins with the least that the process can have.
			debug.FreeOSMemory()
			return nil, nil
		case "emit":
			before := s.batches.Load()
			s.engine.emit(o.Events, time.Duration(o.PauseMS)*time.Millisecond)
			return s.batches.Load() - before, nil
		case "end":
			s.engine.end()
			return nil, nil
		}
		return nil, errors.New("there is no such order")
	}))
}

func openStreamServer(ctx context.Context, dir string) *streamServer {
	check(os.MkdirAll(dir, 0o700))
	s := &streamServer{engine: newPhasedEngine(), batches: &batchCounter{}, log: must(os.Create(filepath.Join(dir, "log")))}
	s.store = must(sqlite.Open(ctx, filepath.Join(dir, "svcd.db")))
	s.blobs = must(fsblob.Open(filepath.Join(dir, "blobs")))
	s.bus = must(jetstream.Open(ctx, jetstream.Config{
		Dir: filepath.Join(dir, "events"), Retention: 24 * time.Hour, Log: telemetry.NewLogger(s.log, false),
	}))
	s.people = accounts.New(s.store, time.Now)
	s.runs = generation.New(s.config())
	return s
}

func (s *streamServer) config() generation.Config {
	limits := generation.DefaultLimits()
	limits.QueueDepth, limits.QueueShare, limits.AccountStreams = 1<<20, 1<<20, 1<<20
	return generation.Config{
		Store: s.store, Events: s.bus.Events(), Notifier: s.bus, Limits: limits,
		Observer: s.batches, Log: telemetry.NewLogger(s.log, false),
	}
}

// listen makes the HTTPS side as svcd does.
func (s *streamServer) listen(dir string) (server *http.Server, listener net.Listener, ca string) {
	log := telemetry.NewLogger(s.log, false)
	listener = must((&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0"))
	s.base = "https://" + listener.Addr().String()
	s.streams = httpd.NewStreams(func(ctx context.Context, prefixes []string) ([]string, error) {
		return s.store.Keys().Usable(ctx, prefixes, time.Now())
	}, log)
	handler := must(httpd.New(httpd.Config{
		Delivery: delivery.New(delivery.Config{Store: s.store, Blobs: s.blobs, Assembler: s.bus.Assembler(), Limits: delivery.DefaultLimits()}),
		Accounts: s.people, BaseURL: s.base, Logger: log,
		Routes: httpd.NewGenerations(s.runs, s.base, s.streams).Routes(),
	}))
	local := must(certs.OpenLocal(filepath.Join(dir, "tls"), "127.0.0.1", time.Now, log))
	server = edge.NewServer(handler, nil, nil)
	server.TLSConfig = certs.Config(local.GetCertificate)
	return server, edge.TLSOnly(listener, s.base, nil), local.AuthorityFile()
}

func (s *streamServer) tenant(ctx context.Context) (key string) {
	s.account = must(s.people.Create(ctx, accounts.NewAccount{Email: "bench@example.com", Plan: svc.PlanDeveloper})).ID
	key, _, err := s.people.CreateKey(ctx, accounts.NewKey{AccountID: s.account, Name: "bench"})
	check(err)
	return key
}

// queue asks for a run that tells so many events at once.
func (s *streamServer) queue(ctx context.Context, events int) string {
	return must(s.runs.Start(ctx, generation.Start{
		AccountID: s.account, Prompt: fmt.Sprint(events),
		Encode: func(svc.Run, int) (svc.Answer, error) { return svc.Answer{Status: http.StatusAccepted}, nil },
	})).Run.ID
}

// start begins runs and waits until every engine is there.
func (s *streamServer) start(ctx context.Context, runs, events int) []string {
	ids := make([]string, runs)
	for i := range ids {
		ids[i] = s.queue(ctx, events)
	}
	check(s.engine.await(ctx, runs))
	return ids
}

// singles makes a run that is over and whose events are stored one by one, as
// those of a slow run are: what a returning viewer finds hardest.
func (s *streamServer) singles(ctx context.Context, events int) string {
	id, now := s.queue(ctx, events), time.Now()
	run := must(s.store.Runs().Claim(ctx, now, now.Add(time.Hour), 1))[0]
	writer := must(s.bus.Events().Writer(ctx, svc.RunClaim{ID: run.ID, Epoch: run.Epoch}))
	var text numberedText
	for n := range events {
		last := svc.Payload(text.next())
		if n == events-1 {
			last = svc.ErrorEvent{Code: "UPSTREAM_OUTAGE", Message: "The bench is over."}
		}
		check(writer.Append(ctx, []svc.Event{must(svc.NewEvent(last))}))
	}
	run.Status, run.LastEvent, run.FinishedAt = svc.RunFailed, writer.Last(), now
	run.Error = &svc.RunError{Code: "UPSTREAM_OUTAGE", Message: "The bench is over."}
	check(s.store.Runs().Finish(ctx, svc.RunRunning, run))
	check(s.store.Runs().MarkEndPublished(ctx, id))
	return id
}

func (s *streamServer) close() {
	s.bus.Close()
	check(errors.Join(s.blobs.Close(), s.store.Close(), s.log.Close()))
}
