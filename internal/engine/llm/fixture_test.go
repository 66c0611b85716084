package llm_test

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/engine/llm"
	"github.com/bundle-delivery/svc/internal/testkit/wiretest"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("net/http.(*persistConn).readLoop"), goleak.IgnoreAnyFunction("net/http.(*persistConn).writeLoop"))
}

// record is what a run makes of an engine's outputs: the rules of the boundary,
// in short.
type record struct {
	t       *testing.T
	busy    sync.Mutex
	refuse  func(engine.Output) error
	files   map[string]string // complete
	places  map[string]engine.Placement
	told    map[string]string // the last attempt at each file, from its tokens
	open    map[string]bool
	state   map[string]string
	memory  string
	ports   []engine.Port
	deleted []string
	retold  []string // files whose tokens were not their content
	story   []string
	usage   llm.Usage
	cost    float64
}

func newRecord(t *testing.T) *record {
	return &record{
		t: t, files: map[string]string{}, places: map[string]engine.Placement{}, told: map[string]string{},
		open: map[string]bool{}, state: map[string]string{},
	}
}

func (r *record) emit(out engine.Output) error {
	if !r.busy.TryLock() {
		r.t.Error("two outputs at once")
		return nil
	}
	defer r.busy.Unlock()
	if r.refuse != nil {
		if err := r.refuse(out); err != nil {
			return err
		}
	}
	switch o := out.(type) {
	case engine.ToolStatus:
		r.story = append(r.story, strings.TrimSpace(o.Action+" "+o.File))
	case engine.StateUpdate:
		r.state[o.Key] = o.Value
	case engine.MemoryUpdate:
		r.memory = o.Content
	case engine.Token:
		r.path(o.File)
		if !r.open[o.File] {
			r.open[o.File], r.told[o.File] = true, ""
		}
		r.told[o.File] += o.Delta
	case engine.File:
		r.path(o.Path)
		if r.open[o.Path] && r.told[o.Path] != string(o.Content) {
			r.retold = append(r.retold, o.Path)
		}
		r.told[o.Path] = string(o.Content) // other content is the next attempt
		r.open[o.Path], r.files[o.Path], r.places[o.Path] = false, string(o.Content), o.Place
	case engine.Delete:
		r.path(o.Path)
		r.deleted = append(r.deleted, o.Path)
		delete(r.files, o.Path)
	case engine.Port:
		r.ports = append(r.ports, o)
	case engine.Usage:
		r.usage.Input += o.InputTokens
		r.usage.Output += o.OutputTokens
		r.cost += o.CostUSD
	}
	return nil
}

// path holds an engine to the rule that no bad path gets past it.
func (r *record) path(path string) {
	if err := bundlezip.CheckPath(path); err != nil {
		r.t.Errorf("the engine let %q through: %v", path, err)
	}
}

// project is the record as the next run finds it.
func (r *record) project() engine.Project {
	p := engine.Project{State: r.state, Memory: r.memory, Ports: r.ports}
	for _, path := range slices.Sorted(maps.Keys(r.files)) {
		p.Files = append(p.Files, engine.FileInfo{Path: path, Size: int64(len(r.files[path])), Place: r.places[path]})
	}
	files := maps.Clone(r.files) // what it was stays so while it is changed
	p.Open = func(path string) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(files[path])), nil
	}
	return p
}

// waits notes how long an engine wants to wait, and does not.
type waits struct {
	mu  sync.Mutex
	all []time.Duration
}

func (w *waits) wait(ctx context.Context, d time.Duration) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all = append(w.all, d)
	return ctx.Err()
}

// prices makes a token cost a cent to write and a tenth of it to read.
func prices() llm.Prices {
	return llm.Prices{testModel: {Input: 1000, Output: 10_000, CacheRead: 100}}
}

// engineOf starts a server and gives an engine that asks it.
func engineOf(t *testing.T, protocol string, c llm.Config, answer func(wiretest.Ask) wiretest.Answer) (engine.Engine, *wiretest.Handler) {
	t.Helper()
	p, server := providerOf(t, protocol, patience, answer)
	c.Provider, c.Model = p, testModel
	if c.Prices == nil {
		c.Prices = prices()
	}
	if c.Wait == nil {
		c.Wait = new(waits).wait
	}
	return llm.New(c), server
}

var counter struct {
	sync.Mutex
	n int
}

func request(prompt string) engine.Request {
	counter.Lock()
	defer counter.Unlock()
	counter.n++
	return engine.Request{GenerationID: fmt.Sprintf("gen_%d", counter.n), ProjectID: "proj_x", AccountID: "acc", Prompt: prompt, Attempt: 1}
}

// greeter is a small Go project.
func greeter() wiretest.Author {
	return wiretest.Author{
		Plan: map[string]any{
			"cannot": "", "summary": "A server that greets.",
			"decisions": []map[string]any{{"key": "language", "value": "go", "reason": "asked for"}, {"key": "database", "value": "none", "reason": "nothing is kept"}},
			"files": []map[string]any{
				{"path": "main.go", "purpose": "serves", "interface": "", "depends_on": []string{"greet/greet.go", "go.mod"}},
				{"path": "greet/greet.go", "purpose": "greets", "interface": "func Hello(name string) string", "depends_on": []string{"go.mod"}},
				{"path": "greet/greet_test.go", "purpose": "tests it", "interface": "", "depends_on": []string{"greet/greet.go"}},
				{"path": "go.mod", "purpose": "the module", "interface": "module example.com/greeter", "depends_on": []string{}},
				{"path": ".env", "purpose": "settings", "interface": "PORT", "depends_on": []string{}},
				{"path": "README.md", "purpose": "explains", "interface": "", "depends_on": []string{"main.go", ".env"}},
			},
			"delete":   []string{},
			"ports":    []map[string]any{{"name": "web", "port": 8087, "uses": []map[string]any{{"path": ".env", "template": "PORT={port}"}}}},
			"left_out": []string{},
			"memory":   "# Greeter\nA Go server, `greet` holds the words.",
		},
		Files: map[string]string{
			"go.mod":              "module example.com/greeter\n\ngo 1.22\n",
			"greet/greet.go":      "package greet\n\n// Hello greets, also 世界.\nfunc Hello(name string) string { return \"Hallo, \" + name + \" 🎉\" }\n",
			"greet/greet_test.go": "package greet\n\nimport \"testing\"\n\nfunc TestHello(t *testing.T) {\n\tif Hello(\"x\") == \"\" {\n\t\tt.Fail()\n\t}\n}\n",
			"main.go":             "package main\n\nimport (\n\t\"fmt\"\n\n\t\"example.com/greeter/greet\"\n)\n\nfunc main() { fmt.Println(greet.Hello(\"you\")) }\n",
			".env":                "PORT=8087\n",
			"README.md":           "# Greeter\n\nRun it:\n\n```sh\ngo run .\n```\n",
		},
	}
}
