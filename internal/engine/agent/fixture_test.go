//go:build linux && (amd64 || arm64)

package agent

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http/httptest"
	"net/netip"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/engine/agent/modelproxy"
	"github.com/bundle-delivery/svc/internal/engine/llm"
	"github.com/bundle-delivery/svc/internal/sandbox"
	"github.com/bundle-delivery/svc/internal/sandbox/egress"
	"github.com/bundle-delivery/svc/internal/testkit/needs"
	"github.com/bundle-delivery/svc/internal/testkit/wiretest"
)

func TestMain(m *testing.M) {
	if code, asked := sandbox.Inside(os.Args); asked {
		syscall.Exit(code) // os.Exit waits a second for the race detector
	}
	goleak.VerifyTestMain(m)
}

// shell makes an engine whose agent is a shell script.
func shell(t *testing.T, script string, change ...func(*Config)) *Engine {
	t.Helper()
	return program(t, []string{"sh", "-c", script}, change...)
}

// python makes one of a program in Python.
func python(t *testing.T, script string, change ...func(*Config)) *Engine {
	t.Helper()
	if _, err := os.Stat("/usr/bin/python3"); err != nil {
		needs.Missing(t, "there is no python3 of the system: %v", err)
	}
	return program(t, []string{"/usr/bin/python3", "-c", script}, change...)
}

func program(t *testing.T, command []string, change ...func(*Config)) *Engine {
	t.Helper()
	box, err := sandbox.New(sandbox.Config{})
	if err != nil {
		needs.Missing(t, "%v: install bubblewrap", err)
	}
	way, err := egress.New(egress.Config{})
	if err != nil {
		t.Fatal(err)
	}
	c := Config{Preset: Presets()[Custom], Command: command, Sandbox: box, Relay: way, Look: 50 * time.Millisecond}
	for _, f := range change {
		f(&c)
	}
	e, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// preset has the script play a known agent.
func preset(name string) func(*Config) {
	return func(c *Config) { c.Preset = Presets()[name] }
}

// asking lets the agent ask a model.
func asking(t *testing.T, coder *wiretest.Coder, change ...func(*Config)) func(*Config) {
	t.Helper()
	server := httptest.NewServer(coder)
	t.Cleanup(server.Close)
	return func(c *Config) {
		var err error
		if c.Provider, err = modelproxy.New(modelproxy.Config{URL: server.URL + "/v1", Key: wiretest.Key, Model: "tested", Stall: time.Minute, Client: server.Client()}); err != nil {
			t.Fatal(err)
		}
		c.Model, c.Prices = "tested", llm.Prices{"tested": {Input: 1, Output: 10}}
		for _, f := range change {
			f(c)
		}
	}
}

// story is what a run was told, and what came of it.
type story struct {
	mu      sync.Mutex
	files   map[string]string
	modes   map[string]string
	binary  map[string]bool
	deleted []string
	ports   map[string]engine.Port
	state   map[string]string
	memory  string
	usage   engine.Usage
	doing   []string
	told    []engine.Output
	each    func(engine.Output)
}

func newStory() *story {
	return &story{files: map[string]string{}, modes: map[string]string{}, binary: map[string]bool{}, ports: map[string]engine.Port{}, state: map[string]string{}}
}

func (s *story) emit(o engine.Output) error {
	s.mu.Lock()
	s.apply(o)
	s.mu.Unlock()
	if s.each != nil {
		s.each(o)
	}
	return nil
}

func (s *story) apply(o engine.Output) {
	s.told = append(s.told, o)
	switch o := o.(type) {
	case engine.Token:
		s.files[o.File] += o.Delta
	case engine.File:
		s.files[o.Path], s.modes[o.Path], s.binary[o.Path] = string(o.Content), o.Place.Mode, o.Binary
	case engine.Delete:
		delete(s.files, o.Path)
		s.deleted = append(s.deleted, o.Path)
	case engine.Port:
		s.ports[o.Name] = o
	case engine.StateUpdate:
		s.state[o.Key] = o.Value
	case engine.MemoryUpdate:
		s.memory = o.Content
	case engine.Usage:
		s.usage.Model = o.Model
		s.usage.InputTokens += o.InputTokens
		s.usage.OutputTokens += o.OutputTokens
		s.usage.CostUSD += o.CostUSD
	case engine.ToolStatus:
		s.doing = append(s.doing, strings.TrimSpace(o.Action+" "+o.File+" "+o.Detail))
	}
}

// did says whether the agent was told to do something.
func (s *story) did(what string) bool {
	return slices.ContainsFunc(s.doing, func(d string) bool { return strings.Contains(d, what) })
}

// project makes the project that an engine is given.
func project(files map[string]string) engine.Project {
	p := engine.Project{State: map[string]string{}, Open: func(path string) (io.ReadCloser, error) {
		content, ok := files[path]
		if !ok {
			return nil, errors.New("there is no " + path)
		}
		return io.NopCloser(bytes.NewReader([]byte(content))), nil
	}}
	for path, content := range files {
		p.Files = append(p.Files, engine.FileInfo{Path: path, Size: int64(len(content)), Place: engine.Placement{Mode: "0644"}})
	}
	slices.SortFunc(p.Files, func(a, b engine.FileInfo) int { return strings.Compare(a.Path, b.Path) })
	return p
}

// generate runs one attempt on these files.
func generate(t *testing.T, e *Engine, files map[string]string) (*story, error) {
	t.Helper()
	s := newStory()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	err := e.Generate(ctx, engine.Request{GenerationID: "gen_test", Prompt: "do it", Attempt: 1, Project: project(files)}, s.emit)
	return s, err
}

// done is generate for an agent that does its work.
func done(t *testing.T, e *Engine, files map[string]string) *story {
	t.Helper()
	s, err := generate(t, e, files)
	if err != nil {
		t.Fatalf("%v\ntold: %q", err, s.doing)
	}
	return s
}

// ended is generate for one that does not; it gives the error that people see.
func ended(t *testing.T, e *Engine, files map[string]string) (*story, *engine.Error) {
	t.Helper()
	s, err := generate(t, e, files)
	failure, ok := errors.AsType[*engine.Error](err)
	if !ok {
		t.Fatalf("it ended with %v", err)
	}
	return s, failure
}

// world is a network of names for the relay, of which no packet leaves the test.
type world struct {
	mu     sync.Mutex
	called []string
}

func (w *world) relay(t *testing.T, hosts ...string) func(*Config) {
	t.Helper()
	way, err := egress.New(egress.Config{
		Hosts: hosts,
		Resolve: func(context.Context, string) ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr("93.184.216.34")}, nil
		},
		Own: func() ([]netip.Addr, error) { return nil, nil },
		Dial: func(_ context.Context, _, address string) (net.Conn, error) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.called = append(w.called, address)
			return nil, errors.New("nobody is there")
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return func(c *Config) { c.Relay = way }
}
