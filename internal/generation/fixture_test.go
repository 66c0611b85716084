package generation

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/bundle/pack"
	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/store/sqlite"
	"github.com/bundle-delivery/svc/internal/testkit/memlog"
	"github.com/bundle-delivery/svc/internal/testkit/must"
)

// engineFunc is an engine made of a function.
type engineFunc func(ctx context.Context, req engine.Request, emit func(engine.Output) error) error

func (f engineFunc) Generate(ctx context.Context, req engine.Request, emit func(engine.Output) error) error {
	return f(ctx, req, emit)
}

// says makes an engine that says the same whatever it is asked.
func says(outputs ...engine.Output) engineFunc {
	return func(_ context.Context, _ engine.Request, emit func(engine.Output) error) error {
		for _, o := range outputs {
			if err := emit(o); err != nil {
				return err
			}
		}
		return nil
	}
}

// localNotifier notifies one listener within the process, each in turn.
type localNotifier struct {
	mu        sync.Mutex
	listeners []func()
	next      int
}

func (c *localNotifier) NotifyQueued() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for range c.listeners {
		c.next++
		if f := c.listeners[c.next%len(c.listeners)]; f != nil {
			f()
			return nil
		}
	}
	return nil
}

func (c *localNotifier) OnQueued(notified func()) (func(), error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.listeners = append(c.listeners, notified)
	i := len(c.listeners) - 1
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.listeners[i] = nil
	}, nil
}

// listening is how many would be notified.
func (c *localNotifier) listening() (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, f := range c.listeners {
		if f != nil {
			n++
		}
	}
	return n
}

// emptyDatabase is made once: bringing a schema up to date takes a while.
var emptyDatabase []byte

func TestMain(m *testing.M) {
	var err error
	if emptyDatabase, err = makeDatabase(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m)
}

func makeDatabase() ([]byte, error) {
	dir, err := os.MkdirTemp("", "svc-generation-test-*")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "svcd.db")
	store, err := sqlite.Open(context.Background(), path)
	if err != nil {
		return nil, err
	}
	if err := store.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

// shelf keeps bytes in memory.
type shelf struct {
	mu    sync.Mutex
	blobs map[string][]byte
}

func (s *shelf) Create(_ context.Context, key string) (svc.BlobWriter, error) {
	return &shelfWriter{shelf: s, key: key}, nil
}

func (s *shelf) Open(_ context.Context, key string) (svc.BlobReader, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	blob, found := s.blobs[key]
	if !found {
		return nil, svc.ErrNotFound
	}
	return shelfReader{bytes.NewReader(blob)}, nil
}

func (s *shelf) Delete(_ context.Context, key string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.blobs, key)
	return nil
}

func (s *shelf) Ping(context.Context) error { return nil }

type shelfWriter struct {
	bytes.Buffer
	shelf *shelf
	key   string
}

func (w *shelfWriter) Commit() error {
	w.shelf.mu.Lock()
	defer w.shelf.mu.Unlock()
	if w.shelf.blobs == nil {
		w.shelf.blobs = make(map[string][]byte)
	}
	w.shelf.blobs[w.key] = w.Bytes()
	return nil
}

func (w *shelfWriter) Abort() {}

type shelfReader struct{ *bytes.Reader }

func (shelfReader) Close() error { return nil }

// house is a whole service on parts that run under synctest.
type house struct {
	*Service
	t        *testing.T
	log      *memlog.Log
	packager *pack.Packager
	config   Config
	account  svc.Account
	notifier *localNotifier
}

// inHouse runs a test in a bubble with a house of its own.
func inHouse(t *testing.T, test func(h *house)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "svcd.db")
		must.Do(t, os.WriteFile(path, emptyDatabase, 0o600))
		store, err := sqlite.Open(t.Context(), path)
		must.Do(t, err)
		t.Cleanup(func() { must.Do(t, store.Close()) })
		h := &house{t: t, log: memlog.New(), packager: &pack.Packager{Store: store, Blobs: &shelf{}}}
		h.notifier = &localNotifier{}
		h.config = Config{Store: store, Events: h.log, Notifier: h.notifier, Limits: DefaultLimits()}
		h.Service = New(h.config)
		h.account = h.newAccount("dev@example.com", svc.PlanDeveloper)
		test(h)
	})
}

func (h *house) newAccount(email string, plan svc.Plan) svc.Account {
	h.t.Helper()
	a := svc.Account{ID: svc.NewAccountID(), Email: email, Plan: plan, CreatedAt: time.Now()}
	must.Do(h.t, h.Store.Accounts().Insert(h.t.Context(), a))
	return a
}

// limit changes the limits for what is made from now on.
func (h *house) limit(change func(*Limits)) {
	change(&h.config.Limits)
	h.Service = New(h.config)
}

func encodeID(run svc.Run, position int) (svc.Answer, error) {
	return svc.Answer{Status: 202, Body: fmt.Appendf(nil, "%s at %d", run.ID, position)}, nil
}

// start queues a run of the house's account.
func (h *house) start(projectID, prompt string) svc.Run {
	h.t.Helper()
	s, err := h.Start(h.t.Context(), Start{AccountID: h.account.ID, ProjectID: projectID, Prompt: prompt, Encode: encodeID})
	must.Do(h.t, err)
	return s.Run
}

// work runs a pool until stop is called, which waits for its end.
func (h *house) work(e engine.Engine, workers int) (stop func()) {
	return h.workNamed("test", e, workers)
}

// workNamed does so with an engine of this name.
func (h *house) workNamed(name string, e engine.Engine, workers int) (stop func()) {
	ctx, cancel := context.WithCancel(h.t.Context())
	pool := NewPool(PoolConfig{
		Config: h.config, Packager: h.packager, Engine: e, EngineName: name,
		Workers: workers, TempDir: h.t.TempDir(),
	})
	var wait sync.WaitGroup
	wait.Go(func() {
		if err := pool.Run(ctx); err != nil {
			h.t.Errorf("pool: %v", err)
		}
	})
	return func() { cancel(); wait.Wait() }
}

// watchAll follows a run to its end, as a viewer with heartbeats would.
func (h *house) watchAll(id string, after int64) []svc.Event {
	h.t.Helper()
	events, err := h.follow(h.t.Context(), id, after)
	must.Do(h.t, err)
	return events
}

func (h *house) follow(ctx context.Context, id string, after int64) (seen []svc.Event, err error) {
	w, err := h.Watch(ctx, h.account.ID, id, after)
	if err != nil {
		return nil, err
	}
	defer w.Close()
	for {
		beat, cancel := context.WithTimeout(ctx, 15*time.Second)
		events, err := w.Next(beat)
		cancel()
		switch {
		case errors.Is(err, io.EOF):
			return seen, nil
		case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
			err = w.Verify(ctx)
			if errors.Is(err, io.EOF) {
				return seen, nil
			}
			if err != nil {
				return seen, err
			}
		case err != nil:
			return seen, err
		}
		seen = append(seen, events...)
	}
}

func (h *house) run(id string) svc.Run {
	h.t.Helper()
	r, err := h.Get(h.t.Context(), h.account.ID, id)
	must.Do(h.t, err)
	return r
}

// payload reads the data of an event.
func payload[T svc.Payload](t *testing.T, e svc.Event) T {
	t.Helper()
	var v T
	if e.Name != v.EventName() {
		t.Fatalf("event %d is %s, want %s: %s", e.Seq, e.Name, v.EventName(), e.Data)
	}
	var version struct {
		V int `json:"v"`
	}
	must.Do(t, json.Unmarshal(e.Data, &version))
	if version.V != svc.EventVersion {
		t.Errorf("event %d has version %d: %s", e.Seq, version.V, e.Data)
	}
	must.Do(t, json.Unmarshal(e.Data, &v))
	return v
}

// rebuild does what a viewer does: the deltas of a file's highest attempt,
// joined, are the file.
func rebuild(t *testing.T, events []svc.Event) map[string]string {
	t.Helper()
	files, attempts := map[string]string{}, map[string]int{}
	for _, e := range events {
		if e.Name == svc.EventToolStatus {
			if s := payload[svc.ToolStatusEvent](t, e); s.Action == "plan" && s.RunAttempt > 1 {
				clear(files)
			}
		}
		if e.Name != svc.EventToken {
			continue
		}
		d := payload[svc.TokenEvent](t, e)
		if d.Attempt > attempts[d.File] {
			attempts[d.File], files[d.File] = d.Attempt, ""
		}
		if d.Attempt < attempts[d.File] {
			t.Errorf("event %d speaks of attempt %d at %s after %d", e.Seq, d.Attempt, d.File, attempts[d.File])
		}
		if int64(len(files[d.File])) != d.Offset {
			t.Errorf("event %d has offset %d in %s, want %d", e.Seq, d.Offset, d.File, len(files[d.File]))
		}
		files[d.File] += d.Delta
	}
	return files
}

// checkStory holds what is true of every story that was told to its end.
func checkStory(t *testing.T, events []svc.Event, run svc.Run) {
	t.Helper()
	for i, e := range events {
		if e.Seq != int64(i+1) {
			t.Fatalf("event %d stands in place %d", e.Seq, i+1)
		}
		if e.Name.Terminal() != (i == len(events)-1) {
			t.Errorf("event %d of %d is %s", e.Seq, len(events), e.Name)
		}
	}
	if n := len(events); n == 0 || events[n-1].Seq != run.LastEvent {
		t.Errorf("the story has %d events, the record says %d", n, run.LastEvent)
	}
}

// bundleFiles reads the files of a run's project as they were packaged.
func (h *house) projectFiles(run svc.Run) map[string]string {
	h.t.Helper()
	p, err := h.Store.Projects().Get(h.t.Context(), run.AccountID, run.ProjectID)
	must.Do(h.t, err)
	source, err := h.packager.Open(h.t.Context(), p)
	must.Do(h.t, err)
	defer func() { must.Do(h.t, source.Close()) }()
	files := map[string]string{}
	for _, f := range source.Manifest().Files {
		r, err := source.OpenFile(f.Base, f.Path)
		must.Do(h.t, err)
		content, err := io.ReadAll(r)
		must.Do(h.t, errors.Join(err, r.Close()))
		files[f.Path] = string(content)
	}
	return files
}
