//go:build unix

package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bundle-delivery/svc/internal/testkit/pgtest"
	"github.com/bundle-delivery/svc/internal/web/api"
)

// unreadable is a request that the template engine cannot read, and readable one that it can.
const (
	unreadable = `{"prompt":"teach my parrot to sing"}`
	readable   = `{"prompt":"a todo list API in Go"}`
)

// suggestionIn reads the suggestion of an answer, which has to have one.
func suggestionIn(t *testing.T, r reply) any {
	t.Helper()
	var body struct {
		Suggestion any `json:"suggestion"`
		Error      any `json:"error"`
	}
	if err := json.Unmarshal(r.body, &body); err != nil {
		t.Fatal(err)
	}
	if inner, ok := body.Error.(map[string]any); ok { // of a record
		body.Suggestion = inner["suggestion"]
	}
	if body.Suggestion == nil {
		t.Fatalf("there is no suggestion in %s", r.body)
	}
	return body.Suggestion
}

// asks sends a request for a run, and insists on the status.
func (i *instance) asks(status int, key, body string, header ...string) reply {
	i.t.Helper()
	got := i.send("POST", "/generations", key, body, header...)
	if got.status != status {
		i.t.Fatalf("POST /generations %s: got %d %s, want %d", body, got.status, got.body, status)
	}
	return got
}

// Promise: unreadable-422
func TestAnUnreadableRequestIsRefusedAtOnce(t *testing.T) {
	t.Parallel()
	i := start(t)
	i.operate("account", "create", "--email", email, "--plan", "hobby")
	key := strings.TrimSpace(i.operate("key", "create", "--account", email, "--name", "laptop"))
	for range 4 { // more than the plan has
		for _, accept := range []string{"application/json", api.EventStream} {
			got := i.asks(422, key, unreadable, "Accept: "+accept, "Idempotency-Key: once")
			if kind := got.header.Get("Content-Type"); got.field(t, "code") != "CONSTRAINT_UNRESOLVABLE" || kind != "application/json" {
				t.Errorf("the answer is %s: %s", kind, got.body)
			}
			suggestionIn(t, got)
		}
	}
	project := i.importFiles(email, map[string]string{"a.txt": "a\n"}).ProjectID
	for range 4 {
		got := i.send("POST", "/projects/"+project+"/generations", key, unreadable)
		if got.status != 422 {
			t.Errorf("a project that was imported: %d %s", got.status, got.body)
		}
		suggestionIn(t, got)
	}
	first := i.asks(202, key, readable, "Idempotency-Key: once")
	if again := i.asks(202, key, readable, "Idempotency-Key: once"); string(again.body) != string(first.body) {
		t.Errorf("the accepted request is answered again with %s, want %s", again.body, first.body)
	}
	i.asks(202, key, readable)
	i.asks(202, key, readable)
	i.asks(429, key, readable)
}

// A service whose engine changes while it runs. Each process has its own --engine; those
// that only answer requests have none.
// Promise: unreadable-one-engine, unreadable-at-worker
func TestARollingChangeOfTheEngine(t *testing.T) {
	t.Parallel()
	records := pgtest.Start(t)
	database := records.Address(records.Database(t))
	process := func(flags ...string) *instance {
		return startOne(t, filepath.Join(t.TempDir(), "data"), append([]string{"--database-url", database}, flags...)...)
	}
	front := process("--roles", "api")
	key := front.account(email)
	free := process("--engine", "exec", "--engine-command", engineScript(t, `cat > /dev/null
printf '%s\n' '{"type":"file","path":"song.txt","content":"la\n"}'
`))
	ends := func(run, status string) (record reply) {
		t.Helper()
		eventually(t, "the run ends", func() bool {
			record = front.want(200, "", "GET", "/generations/"+run, key)
			return record.field(t, "finishedAt") != ""
		})
		if got := record.field(t, "status"); got != status {
			t.Fatalf("the run is %s: %s", got, record.body)
		}
		return record
	}
	ends(front.asks(202, key, unreadable).field(t, "generationId"), "succeeded")
	templates := process()
	front.asks(202, key, unreadable) // both engines are there
	free.stop()
	refused := front.asks(422, key, unreadable)
	templates.stop()
	run := front.asks(202, key, unreadable).field(t, "generationId") // nobody is there to decide
	process()
	record := ends(run, "failed")
	if diff := cmp.Diff(suggestionIn(t, refused), suggestionIn(t, record)); diff != "" {
		t.Errorf("the worker suggests something else (-answer +record):\n%s", diff)
	}
	told := string(front.send("GET", "/generations/"+run+"/stream", key, "", "Accept: "+api.EventStream).body)
	if !strings.Contains(told, "event: error") || !strings.Contains(told, `"suggestion":{"spec":`) {
		t.Errorf("the stream rebuilt from the record has %q", told)
	}
}
