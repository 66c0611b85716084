package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/engine/llm"
	"github.com/bundle-delivery/svc/internal/engine/llm/anthropic"
	"github.com/bundle-delivery/svc/internal/engine/llm/openai"
	"github.com/bundle-delivery/svc/internal/engine/llm/wiretest"
	"github.com/bundle-delivery/svc/internal/engine/template"
)

// recordedTrials are those whose streams are kept, in both protocols: one of each
// kind that needs no network, and one that is continued. All together would be
// large and hold nothing more.
var recordedTrials = []string{"go-todo", "python-recipes", "static-site", "go-continued"}

// continued names the recording of a trial's second wish.
const continued = ".then"

// recording is the answers of one trial in one protocol, by what was asked.
type recording struct {
	Source  string            `json:"source"`
	Prompt  string            `json:"prompt"`
	Streams map[string]string `json:"streams"` // the bytes of the event stream
}

// step names what a request asks for.
func step(a wiretest.Ask) string {
	if file := a.File(); file != "" {
		return fmt.Sprintf("file %s, turn %d", file, len(a.Turns))
	}
	if strings.Contains(a.Last(), `{"read":`) {
		return "read"
	}
	return fmt.Sprintf("plan, turn %d", len(a.Turns))
}

// tape answers from recordings.
type tape struct {
	protocol string
	all      map[string]recording // by trial
	server   *http.Server
	address  string
}

// recordedNames are those of all recordings in one protocol.
func recordedNames() []string {
	var names []string
	for _, t := range trials() {
		if slices.Contains(recordedTrials, t.name) {
			names = append(names, t.name)
			if t.then != "" {
				names = append(names, t.name+continued)
			}
		}
	}
	return names
}

func recordingFile(dir, trial, protocol string) string {
	return filepath.Join(dir, trial+"."+protocol+".json")
}

func openTape(dir, protocol string) (*tape, error) {
	t := &tape{protocol: protocol, all: make(map[string]recording)}
	for _, name := range recordedNames() {
		text, err := os.ReadFile(recordingFile(dir, name, protocol))
		if err != nil {
			return nil, fmt.Errorf("-recorded needs --engine anthropic or --engine openai: %w", err)
		}
		var r recording
		if err := json.Unmarshal(text, &r); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		t.all[name] = r
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	t.address = "http://" + listener.Addr().String()
	t.server = &http.Server{Handler: wiretest.New(t.answer), ReadHeaderTimeout: time.Minute}
	go func() { _ = t.server.Serve(listener) }() // it ends when it is closed
	return t, nil
}

func (t *tape) close() { _ = t.server.Close() }

func (t *tape) has(trial trial) bool { _, ok := t.all[trial.name]; return ok }

// settings lead the server to the tape.
func (t *tape) settings(dir string) ([]string, error) {
	key := filepath.Join(dir, "provider-key")
	if err := os.WriteFile(key, []byte(wiretest.Key), 0o600); err != nil {
		return nil, err
	}
	address := t.address
	if t.protocol == wiretest.OpenAI {
		address += "/v1"
	}
	return []string{"--engine-url", address, "--engine-key-file", key}, nil
}

func (t *tape) answer(a wiretest.Ask) wiretest.Answer {
	for _, r := range t.all {
		if strings.Contains(a.Turns[0].Text, "<request>\n"+r.Prompt+"\n</request>") {
			if stream, ok := r.Streams[step(a)]; ok {
				return wiretest.Answer{Raw: stream}
			}
			break
		}
	}
	return wiretest.Answer{Status: http.StatusBadRequest, Type: "invalid_request_error", Message: "nothing was recorded for " + step(a)}
}

// recordAll makes the recordings.
func recordAll(ctx context.Context, dir string) error {
	for _, t := range trials() {
		if !slices.Contains(recordedTrials, t.name) {
			continue
		}
		request := engine.Request{GenerationID: "gen_record", Prompt: t.prompt, Constraints: t.constraints, Attempt: 1}
		made, err := recordBoth(ctx, dir, t.name, request)
		if err == nil && t.then != "" {
			request = engine.Request{GenerationID: "gen_record", Prompt: t.then, Project: made.project(), Attempt: 1}
			_, err = recordBoth(ctx, dir, t.name+continued, request)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
	}
	return nil
}

// recordBoth records the answers to one request in both protocols.
func recordBoth(ctx context.Context, dir, name string, request engine.Request) (*script, error) {
	made := &script{files: map[string]engine.File{}, state: maps.Clone(request.Project.State)}
	if made.state == nil {
		made.state = map[string]string{}
	}
	if err := template.New().Generate(ctx, request, made.note); err != nil {
		return nil, err
	}
	for _, protocol := range []string{wiretest.Anthropic, wiretest.OpenAI} {
		r, err := recordOne(ctx, request, protocol, made.author())
		if err != nil {
			return nil, fmt.Errorf("in %s: %w", protocol, err)
		}
		text, err := json.MarshalIndent(r, "", " ")
		if err != nil {
			return nil, err
		}
		if err := os.WriteFile(recordingFile(dir, name, protocol), append(text, '\n'), 0o600); err != nil {
			return nil, err
		}
	}
	return made, nil
}

// script is what the template engine wrote, and the provider for tests will say.
type script struct {
	files            map[string]engine.File
	deleted          []string
	ports, decisions []any
	declared         []engine.Port
	state            map[string]string
	memory           string
}

func (s *script) note(o engine.Output) error {
	switch o := o.(type) {
	case engine.File:
		s.files[o.Path] = o
	case engine.Delete:
		s.deleted = append(s.deleted, o.Path)
	case engine.MemoryUpdate:
		s.memory = o.Content
	case engine.StateUpdate:
		s.state[o.Key] = o.Value
		s.decisions = append(s.decisions, map[string]any{"key": o.Key, "value": o.Value, "reason": o.Reason})
	case engine.Port:
		uses := []any{}
		for _, u := range o.Uses {
			uses = append(uses, map[string]any{"path": u.Path, "template": u.Template})
		}
		s.declared = append(s.declared, o)
		s.ports = append(s.ports, map[string]any{"name": o.Name, "port": o.Port, "uses": uses})
	}
	return nil
}

// author says it as a model would, which reads the files that it will change.
func (s *script) author() wiretest.Author {
	author := wiretest.Author{Files: map[string]string{}}
	var planned []any
	for _, path := range slices.Sorted(maps.Keys(s.files)) {
		author.Files[path] = string(s.files[path].Content)
		author.Read = append(author.Read, path)
		planned = append(planned, map[string]any{"path": path, "purpose": "a file of the project", "interface": "", "depends_on": []string{}, "merge": "overwrite"})
	}
	author.Plan = map[string]any{
		"cannot": "", "summary": "What was asked for.", "decisions": s.decisions, "files": planned,
		"delete": append([]string{}, s.deleted...), "ports": s.ports, "memory": s.memory,
	}
	return author
}

// project is the result, for the next wish.
func (s *script) project() engine.Project {
	p := engine.Project{Ports: s.declared, State: s.state, Memory: s.memory}
	for _, path := range slices.Sorted(maps.Keys(s.files)) {
		p.Files = append(p.Files, engine.FileInfo{Path: path, Size: int64(len(s.files[path].Content)), Place: s.files[path].Place})
	}
	p.Open = func(path string) (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(s.files[path].Content)), nil
	}
	return p
}

// recordOne asks the provider for tests and keeps what it sends.
func recordOne(ctx context.Context, request engine.Request, protocol string, author wiretest.Author) (recording, error) {
	r := recording{
		Source: "made by eval -record from the protocol server in internal/engine/llm/wiretest; not an answer of a provider",
		Prompt: request.Prompt, Streams: make(map[string]string),
	}
	handler := wiretest.New(func(a wiretest.Ask) wiretest.Answer {
		answer := author.Answer(a)
		answer.Piece = 600
		return answer
	})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		taken := httptest.NewRecorder()
		handler.ServeHTTP(taken, q)
		asks := handler.Asks()
		r.Streams[step(asks[len(asks)-1])] = taken.Body.String()
		maps.Copy(w.Header(), taken.Header())
		w.WriteHeader(taken.Code)
		_, _ = io.Copy(w, bytes.NewReader(taken.Body.Bytes())) // the client is this process
	}))
	defer server.Close()
	provider := anthropic.New(anthropic.Config{URL: server.URL, Key: wiretest.Key, Model: "claude-sonnet-5-5", Stall: time.Minute})
	if protocol == wiretest.OpenAI {
		provider = openai.New(openai.Config{URL: server.URL + "/v1", Key: wiretest.Key, Model: "gpt-5.4-mini", Stall: time.Minute})
	}
	written := 0
	err := llm.New(llm.Config{Provider: provider, Parallel: 1, Repairs: 1}).Generate(ctx, request, func(o engine.Output) error {
		if _, ok := o.(engine.File); ok {
			written++
		}
		return nil
	})
	if err == nil && written != len(author.Files) {
		err = errors.New("not every file was written once")
	}
	return r, err
}
