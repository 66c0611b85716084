package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/bundle-delivery/svc/internal/testkit/harness"
	"github.com/bundle-delivery/svc/internal/testkit/toolbox"
)

// made is a project that was delivered, and its program while that runs.
type made struct {
	dir      string
	files    map[string]string
	ports    []int
	left     string // what the engine says it left out
	database string // the address of a PostgreSQL of its own
	token    string // what the program is started with
	samples  map[string]object
	paths    map[string]string // of resources
	process  *harness.Process
	base     string
}

func (m *made) has(match func(name string) bool) bool {
	return slices.ContainsFunc(slices.Collect(maps.Keys(m.files)), match)
}

func contains(text, word string) bool {
	return strings.Contains(strings.ToLower(text), strings.ToLower(word))
}

// program finds how the project is run, which has been built before.
func (m *made) program(ctx context.Context) ([]string, error) {
	names := slices.Sorted(maps.Keys(m.files))
	if _, ok := m.files["go.mod"]; ok {
		for _, name := range names {
			if strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") && strings.Contains(m.files[name], "\nfunc main() {") {
				binary := filepath.Join(m.dir, ".eval", "program")
				return []string{binary}, m.command(ctx, command{args: []string{"go", "build", "-o", binary, "./" + filepath.ToSlash(filepath.Dir(name))}})
			}
		}
	}
	if text, ok := m.files["package.json"]; ok {
		var scripts struct {
			Scripts struct{ Start string }
		}
		if err := json.Unmarshal([]byte(text), &scripts); err != nil {
			return nil, err
		}
		if args := strings.Fields(scripts.Scripts.Start); len(args) > 1 && args[0] == "node" {
			return args, nil
		}
		return []string{"npm", "start"}, nil
	}
	for _, name := range names {
		if filepath.Base(name) == "__main__.py" {
			return []string{"python3", "-m", strings.ReplaceAll(filepath.ToSlash(filepath.Dir(name)), "/", ".")}, nil
		}
	}
	for _, name := range names {
		if isPython(name) && strings.Contains(m.files[name], "__main__") && !strings.Contains(name, "test") {
			return []string{"python3", filepath.Join(m.dir, name)}, nil
		}
	}
	return nil, fmt.Errorf("nothing that runs was found among %v", names)
}

var secretName = regexp.MustCompile(`(?:TOKEN|KEY|SECRET)$`)

// environment is what .env says, with a token where it has none.
func (m *made) environment(address string) []string {
	env := append(environment(), "API_TOKEN="+m.token, "API_KEY="+m.token)
	for line := range strings.Lines(m.files[".env"]) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), "=")
		if ok && !strings.HasPrefix(name, "#") {
			if secretName.MatchString(name) {
				value = m.token
			}
			env = append(env, name+"="+value)
		}
	}
	if m.database != "" {
		env = append(env, "DATABASE_URL="+m.database)
	}
	if address != "" {
		env = append(env, "PORT="+address[strings.LastIndex(address, ":")+1:])
	}
	return append(env, "HOST=127.0.0.1", "PYTHONPATH="+m.dir)
}

// serve starts the program as a server; with an address, where it listens by
// itself, and otherwise on a free port.
func (m *made) serve(ctx context.Context, address string) error {
	args, err := m.program(ctx)
	if err != nil {
		return err
	}
	env := m.environment("")
	if address == "" {
		if address, err = toolbox.FreeAddress(); err != nil {
			return err
		}
		env = m.environment(address)
	}
	m.base = "http://" + address
	m.process = &harness.Process{
		Name: "the program", Address: address, LogFile: filepath.Join(m.dir, ".eval.log"), Ready: harness.Listening("tcp", address),
		Command: func() *exec.Cmd {
			cmd := exec.Command(args[0], args[1:]...) //nolint:gosec // what was generated is run
			cmd.Dir, cmd.Env = m.dir, env
			return cmd
		},
	}
	return m.process.Start(ctx)
}

func (m *made) stop() {
	if m.process != nil {
		_ = m.process.Stop() // how it ends is no fact of a trial
		m.process = nil
	}
}

// call sends a request and reads the answer.
func (m *made) call(ctx context.Context, method, path string, body object, token string) (int, any, error) {
	if m.process == nil {
		if err := m.serve(ctx, ""); err != nil {
			return 0, nil, err
		}
	}
	content, err := json.Marshal(body)
	if err != nil || body == nil {
		content = nil
	}
	request, err := http.NewRequestWithContext(ctx, method, m.base+path, bytes.NewReader(content))
	if err != nil {
		return 0, nil, err
	}
	request.Close = true
	request.Header.Set("Content-Type", "application/json")
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
		request.Header.Set("X-Api-Key", token)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = answer.Body.Close() }() // only read
	text, err := io.ReadAll(io.LimitReader(answer.Body, 1<<20))
	var value any
	if json.Unmarshal(text, &value) != nil {
		value = string(text)
	}
	return answer.StatusCode, value, err
}

// find tries where a resource may be served; | parts its names.
func (m *made) find(ctx context.Context, resource string) (string, error) {
	if path, ok := m.paths[resource]; ok {
		return path, nil
	}
	for _, prefix := range []string{"/", "/api/", "/v1/", "/api/v1/"} {
		for name := range strings.SplitSeq(resource, "|") {
			status, _, err := m.call(ctx, http.MethodGet, prefix+name, nil, m.token)
			if err != nil {
				return "", err
			}
			if status == http.StatusOK {
				m.paths[resource] = prefix + name
				return prefix + name, nil
			}
		}
	}
	return "", fmt.Errorf("nothing is served as %s", resource)
}

// list gives the records of a resource, wherever the answer has them.
func (m *made) list(ctx context.Context, resource, query string) ([]object, error) {
	path, err := m.find(ctx, resource)
	if err != nil {
		return nil, err
	}
	status, answer, err := m.call(ctx, http.MethodGet, path+query, nil, m.token)
	if err != nil || status != http.StatusOK {
		return nil, wrong(err, "GET %s: %d", path+query, status)
	}
	if wrapped, ok := answer.(object); ok {
		for _, value := range wrapped {
			if _, ok := value.([]any); ok {
				answer = value
			}
		}
	}
	var all []object
	items, _ := answer.([]any)
	for _, item := range items {
		if o, ok := item.(object); ok {
			all = append(all, o)
		}
	}
	return all, nil
}

// unwrapped gives the record of an answer, which may be wrapped once.
func unwrapped(answer any) object {
	o, _ := answer.(object)
	if len(o) == 1 {
		for _, value := range o {
			if inner, ok := value.(object); ok {
				return inner
			}
		}
	}
	return o
}

// camel gives the record with its keys in camel case.
func camel(o object) object {
	out := object{}
	for key, value := range o {
		words := strings.Split(key, "_")
		for i, word := range words[1:] {
			words[i+1] = strings.ToUpper(word[:1]) + word[1:]
		}
		out[strings.Join(words, "")] = value
	}
	return out
}

// given are files that a command is run beside.
type given map[string]string

// invocation is how a command is run: the first way that works counts.
type invocation struct {
	files     given
	ways      [][]string
	more      []string // is run after it
	all, none []string // what is printed, and what is not
}

func prints(what string, files given, ways ...[]string) fact {
	run := &invocation{files: files, ways: ways}
	return fact{what: what, run: run, check: func(ctx context.Context, m *made) error { return run.try(ctx, m) }}
}

func (f fact) of(words ...string) fact    { f.run.all = words; return f }
func (f fact) never(words ...string) fact { f.run.none = words; return f }
func (f fact) then(args ...string) fact   { f.run.more = args; return f }

func (i *invocation) try(ctx context.Context, m *made) error {
	args, err := m.program(ctx)
	if err != nil {
		return err
	}
	said := ""
	for _, way := range i.ways {
		dir, err := os.MkdirTemp(m.dir, ".eval-run-*")
		if err != nil {
			return err
		}
		if err := unpack(dir, i.files); err != nil {
			return err
		}
		run := func(more []string) (string, error) {
			ctx, cancel := context.WithTimeout(ctx, time.Minute) // a server never ends
			defer cancel()
			cmd := exec.CommandContext(ctx, args[0], append(args[1:len(args):len(args)], more...)...) //nolint:gosec // what was generated is run
			cmd.Dir, cmd.Env = dir, append(m.environment(""), "HOME="+dir)
			out, err := cmd.CombinedOutput()
			return string(out), err
		}
		out, err := run(way)
		if err == nil && i.more != nil {
			out, err = run(i.more)
		}
		missing := slices.ContainsFunc(i.all, func(words string) bool { return !named(out, words) })
		if err == nil && !missing && !slices.ContainsFunc(i.none, func(word string) bool { return contains(out, word) }) {
			return nil
		}
		said += fmt.Sprintf("%v: %v %q; ", way, err, out)
	}
	return fmt.Errorf("no way of running it gave %v: %s", i.all, said)
}
