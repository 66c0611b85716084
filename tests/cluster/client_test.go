//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bundle-delivery/svc/internal/testkit/cluster"
	"github.com/bundle-delivery/svc/internal/testkit/harness"
	"github.com/bundle-delivery/svc/tests/viewer"
)

// answer is one that was read.
type answer struct {
	status int
	header http.Header
	body   []byte
}

func (a answer) field(t *testing.T, name string) string {
	t.Helper()
	var fields map[string]any
	if err := json.Unmarshal(a.body, &fields); err != nil {
		t.Fatalf("%v in %s", err, a.body)
	}
	if fields[name] == nil {
		return ""
	}
	return fmt.Sprint(fields[name])
}

// open sends a request and leaves the answer to be read. Header lines are such
// as "Name: value".
func open(t *testing.T, at *harness.Service, method, path, key, content string, header ...string) (*http.Response, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, at.Base+path, strings.NewReader(content))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+key)
	for _, line := range header {
		name, text, _ := strings.Cut(line, ": ")
		req.Header.Set(name, text)
	}
	return at.Client.Do(req)
}

func ask(t *testing.T, at *harness.Service, method, path, key, content string, header ...string) (answer, error) {
	t.Helper()
	resp, err := open(t, at, method, path, key, content, header...)
	if err != nil {
		return answer{}, err
	}
	body, err := io.ReadAll(resp.Body)
	return answer{resp.StatusCode, resp.Header, body}, errors.Join(err, resp.Body.Close())
}

// want asks and insists on a status and, for a failure, its code.
func want(t *testing.T, at *harness.Service, status int, code, method, path, key, content string, header ...string) answer {
	t.Helper()
	got, err := ask(t, at, method, path, key, content, header...)
	if err != nil {
		t.Fatal(err)
	}
	if got.status != status || code != "" && got.field(t, "code") != code {
		t.Fatalf("%s %s: got %d %s, want %d %s", method, path, got.status, got.body, status, code)
	}
	return got
}

// everywhere sends the same request many times at once, to all processes in
// turn, and returns the answers.
func everywhere(t *testing.T, c *cluster.Cluster, times int, method, path, key, content string, header ...string) []answer {
	t.Helper()
	answers, failures := make([]answer, times), make([]error, times)
	var asking sync.WaitGroup
	for n := range times {
		at := &c.Servers[n%len(c.Servers)].Service
		asking.Go(func() { answers[n], failures[n] = ask(t, at, method, path, key, content, header...) })
	}
	asking.Wait()
	if err := errors.Join(failures...); err != nil {
		t.Fatal(err)
	}
	return answers
}

// count says how many of each status there are.
func count(answers []answer) map[int]int {
	statuses := map[int]int{}
	for _, a := range answers {
		statuses[a.status]++
	}
	return statuses
}

// tenant is an account with a key.
type tenant struct{ id, email, key string }

func newTenant(t *testing.T, c *cluster.Cluster, number *atomic.Int64, plan string) tenant {
	t.Helper()
	who := tenant{email: fmt.Sprintf("tenant%d@example.com", number.Add(1))}
	out, err := c.Admin(t.Context(), "account", "create", "--email", who.email, "--plan", plan)
	if err != nil {
		t.Fatal(err)
	}
	who.id = answer{body: []byte(out)}.field(t, "accountId")
	if who.key, err = c.Admin(t.Context(), "key", "create", "--account", who.email, "--name", "test"); err != nil {
		t.Fatal(err)
	}
	return who
}

// imported is what project import prints.
type imported struct{ ProjectID, BundleID string }

func (who tenant) importFiles(t *testing.T, c *cluster.Cluster) (made imported) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), bytes.Repeat([]byte("text\n"), 1000), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := c.Admin(t.Context(), "project", "import", dir, "--account", who.email)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(out), &made); err != nil {
		t.Fatal(err)
	}
	return made
}

// task is a prompt for the random engine.
func task(files, pieces int) string {
	prompt := fmt.Sprintf(`{"seed":1,"files":%d,"pieces":%d,"pause_ms":10}`, files, pieces)
	body, err := json.Marshal(map[string]string{"prompt": prompt})
	if err != nil {
		panic(err) // strings can be encoded
	}
	return string(body)
}

// buildEngine builds the random engine.
func buildEngine(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "randomengine")
	out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, "../randomengine").CombinedOutput()
	if err != nil {
		t.Fatalf("build the engine: %v: %s", err, out)
	}
	return program
}

// follow listens to a run to its end, at a process or several: wherever a stream
// breaks off it goes on with the next.
func follow(t *testing.T, run, key string, at ...*harness.Service) (*viewer.Viewer, error) {
	t.Helper()
	story := viewer.New()
	for n := 0; !story.Over(); n++ {
		if err := listen(t, at[n%len(at)], run, key, story); err != nil {
			return story, err
		}
		if err := t.Context().Err(); err != nil {
			return story, err
		}
	}
	return story, nil
}

func listen(t *testing.T, at *harness.Service, run, key string, story *viewer.Viewer) error {
	t.Helper()
	resp, err := open(t, at, http.MethodGet, "/generations/"+run+"/stream", key, "", fmt.Sprintf("Last-Event-ID: %d", story.Last))
	if err != nil {
		return pause(t) // it is down just now
	}
	defer func() { _ = resp.Body.Close() }() // it was read as far as it went
	if resp.StatusCode != http.StatusOK {
		return pause(t)
	}
	var unlawful error
	_ = viewer.ReadEvents(resp.Body, func(e viewer.Event) error { // broken off: the story tells
		unlawful = story.Add(e)
		return unlawful
	})
	return unlawful
}

// pause is between two attempts of a client.
func pause(t *testing.T) error {
	t.Helper()
	select {
	case <-time.After(50 * time.Millisecond):
		return nil
	case <-t.Context().Done():
		return t.Context().Err()
	}
}
