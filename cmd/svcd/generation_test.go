package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// wireEvent is an event as it comes over the wire.
type wireEvent struct {
	id, name string
	data     map[string]any
}

// readEvents reads a stream to its end, or until stop says that it has enough.
func readEvents(t *testing.T, stream io.Reader, stop func(wireEvent) bool) []wireEvent {
	t.Helper()
	var all []wireEvent
	var event wireEvent
	lines := bufio.NewReader(stream)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return all // its end, or cut off: the events tell which
		}
		field, text, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch field {
		case "id":
			event.id = text
		case "event":
			event.name = text
		case "data":
			if err := json.Unmarshal([]byte(text), &event.data); err != nil {
				t.Fatal(err)
			}
		case "":
			if event.name != "" {
				all = append(all, event)
				if stop != nil && stop(event) {
					return all
				}
			}
			event = wireEvent{}
		}
	}
}

// follow reads what is told of a run to its end, as clients do: a stream that breaks off,
// as one may when a process cannot ask the others, is taken up after its last event.
func (i *instance) follow(key string, stream *http.Response) (events []wireEvent) {
	i.t.Helper()
	path := strings.TrimPrefix(stream.Request.URL.String(), i.base)
	if run := stream.Header.Get("Location"); run != "" {
		path = strings.TrimPrefix(run, i.base) + "/stream"
	}
	for last := (wireEvent{id: "0"}); ; {
		events = append(events, readEvents(i.t, stream.Body, nil)...)
		_ = stream.Body.Close() // it was read
		if len(events) > 0 {
			last = events[len(events)-1]
		}
		if stream.StatusCode != http.StatusOK || last.name == "bundle_ready" || last.name == "error" {
			return events
		}
		i.t.Logf("the stream broke off after event %s", last.id)
		stream = i.open("GET", path, key, "", "Last-Event-ID: "+last.id)
	}
}

// Promise: bundle-starts-pending
func TestJourneyOfAGeneration(t *testing.T) {
	t.Parallel()
	i := start(t)
	journeyOfAGeneration(t, i, i.account(email))
}

// journeyOfAGeneration goes from a prompt to a repackage, wherever the service
// keeps things.
func journeyOfAGeneration(t *testing.T, i *instance, key string) {
	t.Helper()
	queued := i.send("POST", "/generations", key, `{"prompt":"a Go HTTP API for a todo list"}`)
	if queued.status != http.StatusAccepted {
		t.Fatalf("got %d %s", queued.status, queued.body)
	}
	run := "/generations/" + queued.field(t, "generationId")
	if got, want := queued.field(t, "streamUrl"), i.base+run+"/stream"; got != want {
		t.Errorf("the stream is at %s, want %s", got, want)
	}
	events := i.follow(key, i.open("GET", run+"/stream", key, ""))
	last := events[len(events)-1]
	if last.name != "bundle_ready" || events[len(events)-2].name != "cost_summary" {
		t.Fatalf("the stream ends with %+v", events[len(events)-2:])
	}
	files := map[string]string{}
	attempts := map[string]float64{}
	for _, e := range events {
		if e.name != "token" {
			continue
		}
		file, _ := e.data["file"].(string)
		attempt, _ := e.data["attempt"].(float64)
		delta, _ := e.data["delta"].(string)
		if attempt > attempts[file] {
			attempts[file], files[file] = attempt, ""
		}
		files[file] += delta
	}
	bundleID, _ := last.data["bundle_id"].(string)
	delivered := unzip(t, i.want(200, "", "GET", "/bundles/"+bundleID+"/download", key).body)
	if len(files) == 0 {
		t.Error("no file was streamed")
	}
	for name, content := range files {
		if delivered[name] != content {
			t.Errorf("%s was streamed as %q and delivered as %q", name, content, delivered[name])
		}
	}
	record := i.want(200, "", "GET", run, key)
	if record.field(t, "status") != "succeeded" || record.field(t, "bundleId") != bundleID {
		t.Errorf("the record is %s", record.body)
	}
	i.want(204, "", "GET", run+"/stream", key, "Last-Event-ID: "+last.id)
	i.want(200, "", "POST", "/bundles/"+bundleID+"/ack", key)
	i.want(200, "", "POST", "/projects/"+queued.field(t, "projectId")+"/bundles/repackage", key)
}

// engineScript writes a program for the exec engine.
func engineScript(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "engine")
	if err := os.WriteFile(name, []byte("#!/bin/sh\n"+text), 0o700); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestGenerationByAProgram(t *testing.T) {
	t.Parallel()
	script := engineScript(t, `cat > /dev/null
printf '%s\n' '{"type":"file","path":"hello.txt","content":"hello\n"}'
`)
	i := start(t, "--engine", "exec", "--engine-command", "'"+script+"' argument")
	key := i.account(email)
	events := i.follow(key, i.open("POST", "/generations", key, `{"prompt":"hello"}`, "Accept: text/event-stream"))
	last := events[len(events)-1]
	if last.name != "bundle_ready" {
		t.Fatalf("the run ended with %+v", last)
	}
	bundleID, _ := last.data["bundle_id"].(string)
	if got := unzip(t, i.want(200, "", "GET", "/bundles/"+bundleID+"/download", key).body)["hello.txt"]; got != "hello\n" {
		t.Errorf("hello.txt is %q", got)
	}
}

// endlessEngine says one thing and then works until it is stopped.
const endlessEngine = `echo '{"type":"state_update","key":"language","value":"go"}'
exec sleep 1000
`

// openEndless starts a run that does not end, and reads until the engine speaks.
func openEndless(t *testing.T, i *instance, key string) *http.Response {
	t.Helper()
	answer := i.open("POST", "/generations", key, `{"prompt":"hello"}`, "Accept: text/event-stream")
	t.Cleanup(func() { _ = answer.Body.Close() })
	readEvents(t, answer.Body, func(e wireEvent) bool { return e.name == "state_update" })
	return answer
}

func TestStreamOfARevokedKeyIsClosed(t *testing.T) {
	t.Parallel()
	i := start(t, "--engine", "exec", "--engine-command", engineScript(t, endlessEngine))
	key := i.account(email)
	stream := openEndless(t, i, key)
	i.operate("key", "revoke", key[4:12])
	for _, e := range readEvents(t, stream.Body, nil) {
		if e.name == "bundle_ready" || e.name == "error" {
			t.Errorf("the run ended with %+v, the stream should only have closed", e)
		}
	}
}

func TestShutdownClosesStreamsAndHandsRunsBack(t *testing.T) {
	t.Parallel()
	script := engineScript(t, endlessEngine)
	i := start(t, "--engine", "exec", "--engine-command", script)
	key := i.account(email)
	stream := openEndless(t, i, key)
	i.end()
	for _, e := range readEvents(t, stream.Body, nil) {
		if e.name == "bundle_ready" || e.name == "error" {
			t.Errorf("the run ended with %+v, it should have been handed back", e)
		}
	}
	if code := i.stop(); code != exitOK {
		t.Fatalf("exit code %d:\n%s", code, i.log)
	}
	// Whoever comes next takes the run up and brings it to an end.
	if err := os.WriteFile(script, []byte("#!/bin/sh\necho '{\"type\":\"file\",\"path\":\"a\",\"content\":\"a\"}'\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	i = startIn(t, i.dir, "--engine", "exec", "--engine-command", script)
	eventually(t, "the run is taken up and succeeds", func() bool {
		return i.ask("GET", "/bundles/latest", key).status == http.StatusOK
	})
}

// The console and the interface count the same streams.
// Promise: stream-limit
func TestStreamsOfTheConsoleCountAsWell(t *testing.T) {
	t.Parallel()
	i := startOne(t, filepath.Join(t.TempDir(), "data"), "--account-streams", "1", "--engine", "exec", "--engine-command", engineScript(t, endlessEngine))
	v := i.setUp()
	key := strings.TrimSpace(i.operate("key", "create", "--account", email, "--name", "test"))
	id := i.send("POST", "/generations", key, `{"prompt":"hello"}`).field(t, "generationId")
	ask := func(ctx context.Context) *http.Response {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, i.base+"/console/generations/"+id+"/stream", nil)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := v.http.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		return answer
	}
	watching, leave := context.WithCancel(t.Context())
	defer leave()
	live := ask(watching)
	readEvents(t, live.Body, func(e wireEvent) bool { return e.name == "state_update" })
	i.want(429, "TOO_MANY_STREAMS", "GET", "/generations/"+id+"/stream", key)
	leave()
	_ = live.Body.Close()
	eventually(t, "a view that was left counts no more", func() bool { return i.ask("HEAD", "/generations/"+id+"/stream", key).status == 200 })
	stream := i.open("GET", "/generations/"+id+"/stream", key, "")
	defer func() { _ = stream.Body.Close() }()
	refused := ask(t.Context())
	defer func() { _ = refused.Body.Close() }()
	if refused.StatusCode != http.StatusTooManyRequests || refused.Header.Get("Retry-After") == "" {
		t.Errorf("got %s, Retry-After %q", refused.Status, refused.Header.Get("Retry-After"))
	}
}
