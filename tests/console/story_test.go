package console

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// story is what an engine tells of a small project, as one does that is worth looking
// at: files of which one is in the making, decisions, what was left out, and what all
// of it costs.
type story struct{ lines []string }

func (s *story) say(t *testing.T, kind string, fields map[string]any) {
	t.Helper()
	fields["type"] = kind
	line, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	s.lines = append(s.lines, string(line))
}

// write tells a file piece by piece, line after line.
func (s *story) write(t *testing.T, path, content string) {
	t.Helper()
	s.say(t, "tool_status", map[string]any{"action": "generate_file", "file": path})
	s.goOn(t, path, content)
}

func (s *story) goOn(t *testing.T, path, content string) {
	t.Helper()
	for line := range strings.Lines(content) {
		s.say(t, "token", map[string]any{"file": path, "delta": line})
	}
}

// storyFile is the file that the engine of a story is in the middle of; storyTest is
// the last one that it writes.
const (
	storyFile = "internal/api/api.go"
	storyTest = "internal/api/api_test.go"
)

// storyEngine is the command of an engine that tells the story, and waits in the
// middle of it until a file is there.
func storyEngine(t *testing.T) (command, gate string) {
	t.Helper()
	var before, after story
	before.say(t, "tool_status", map[string]any{"action": "plan"})
	for _, d := range [][3]string{
		{"language", "go", "asked for"},
		{"storage", "a file of JSON", "nothing to install"},
		{"port", "8080", "the usual one"},
		{"left_out", "reminders by e-mail; sharing lists", "no mail server was named"},
	} {
		before.say(t, "state_update", map[string]any{"key": d[0], "value": d[1], "reason": d[2]})
	}
	for _, f := range [][2]string{
		{"go.mod", "module example.com/todo\n\ngo 1.26\n"},
		{".gitignore", "/todo\n/todos.json\n"},
		{"Dockerfile", "FROM golang:1.26 AS build\nCOPY . /src\nRUN cd /src && go build -o /todo .\n\nFROM scratch\nCOPY --from=build /todo /todo\nCMD [\"/todo\"]\n"},
		{"Makefile", "test:\n\tgo test ./...\n"},
		{"internal/store/todo.go", storeCode},
		{"main.go", mainCode},
	} {
		before.write(t, f[0], f[1])
	}
	before.say(t, "usage", map[string]any{"model": "example-1", "input_tokens": 31_180, "output_tokens": 10_070, "cost_usd": 0.218})
	half := strings.Index(apiCode, "\tif todo.Title ==")
	before.write(t, storyFile, apiCode[:half])

	after.goOn(t, storyFile, apiCode[half:])
	after.write(t, storyTest, testCode)
	after.say(t, "memory_update", map[string]any{"content": "A todo list over HTTP. Todos are kept in a file."})

	dir := t.TempDir()
	gate = filepath.Join(dir, "gate")
	for name, content := range map[string]string{
		"before": strings.Join(before.lines, "\n") + "\n", "after": strings.Join(after.lines, "\n") + "\n",
		"engine.sh": "cd '" + dir + "'\ncat before\nwhile [ ! -e gate ]; do sleep 0.05; done\ncat after\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return "sh " + filepath.Join(dir, "engine.sh"), gate
}

const storeCode = `// Package store keeps todos in a file.
package store

// Todo is one thing to do.
type Todo struct {
	ID    int    ` + "`json:\"id\"`" + `
	Title string ` + "`json:\"title\"`" + `
	Done  bool   ` + "`json:\"done\"`" + `
}
`

const mainCode = `package main

import (
	"log"
	"net/http"

	"example.com/todo/internal/api"
)

func main() {
	log.Fatal(http.ListenAndServe(":8080", api.New()))
}
`

const apiCode = `// Package api answers requests about todos.
package api

import (
	"encoding/json"
	"net/http"
	"sync"

	"example.com/todo/internal/store"
)

const maxTodos = 1000 // of one list

// API is a list of todos over HTTP.
type API struct {
	mu    sync.Mutex
	todos []store.Todo
}

// New makes an API without todos.
func New() http.Handler {
	a, mux := &API{}, http.NewServeMux()
	mux.HandleFunc("GET /todos", a.list)
	mux.HandleFunc("POST /todos", a.add)
	return mux
}

// add takes one more todo.
func (a *API) add(w http.ResponseWriter, r *http.Request) {
	var todo store.Todo
	err := json.NewDecoder(r.Body).Decode(&todo)
	if err != nil {
		http.Error(w, "no todo", http.StatusBadRequest)
		return
	}
	if todo.Title == "" {
		http.Error(w, "no title", http.StatusBadRequest)
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.todos) == maxTodos {
		http.Error(w, "too many", http.StatusConflict)
		return
	}
	a.todos = append(a.todos, todo)
	w.WriteHeader(http.StatusCreated)
}

// list tells all of them.
func (a *API) list(w http.ResponseWriter, _ *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	_ = json.NewEncoder(w).Encode(a.todos)
}
`

const testCode = `package api

import (
	"net/http/httptest"
	"testing"
)

func TestListOfNothing(t *testing.T) {
	w := httptest.NewRecorder()
	New().ServeHTTP(w, httptest.NewRequest("GET", "/todos", nil))
	if w.Code != 200 {
		t.Errorf("it is answered with %d", w.Code)
	}
}
`
