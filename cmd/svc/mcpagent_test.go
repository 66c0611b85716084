package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/bundle-delivery/svc/internal/testkit/cluster"
	"github.com/bundle-delivery/svc/internal/testkit/harness"
)

// agent is a session with the program in a folder.
type agent struct {
	t       *testing.T
	between *middleman
	dir     string
	home    string
	env     []string
	key     string
	session *sdk.ClientSession
	tenant  harness.Tenant

	mu    sync.Mutex
	more  sync.Cond // told when something was heard
	heard []string
}

// hears waits until the progress tells something: it may be handled after the answer that it belongs to.
func (a *agent) hears(what string) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	late := false
	defer time.AfterFunc(time.Minute, func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		late = true
		a.more.Broadcast()
	}).Stop()
	for !late && !strings.Contains(strings.Join(a.heard, "\n"), what) {
		a.more.Wait()
	}
	return strings.Join(a.heard, "\n")
}

// newAgent makes an account with a project of these files, and starts the program in
// an empty folder.
func newAgent(t *testing.T, s *stage, files map[string]string, flags ...string) *agent {
	t.Helper()
	a := prepareAgent(t, s, files)
	a.start(flags...)
	return a
}

func prepareAgent(t *testing.T, s *stage, files map[string]string) *agent {
	t.Helper()
	tree := t.TempDir()
	writeFiles(t, tree, files)
	tenant, err := s.service.Tenant(t.Context(), fmt.Sprintf("agent-%d@example.com", s.tenant.Add(1)), tree)
	if err != nil {
		t.Fatal(err)
	}
	m := newMiddleman(s.service)
	t.Cleanup(m.close)
	a := &agent{t: t, between: m, dir: t.TempDir(), home: t.TempDir(), key: tenant.Key, tenant: tenant}
	a.env = append(os.Environ(), "HOME="+a.home, "USERPROFILE="+a.home, "TMPDIR="+t.TempDir(),
		"SVC_API_URL="+m.server.URL, "SVC_CA_FILE="+writeCA(t, m.server), "SVC_TOKEN="+a.key)
	return a
}

func writeFiles(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// program is a command of the real program in the agent's folder.
func (a *agent) program(args ...string) *exec.Cmd {
	// The context of a test is done before what was started is ended.
	cmd := exec.CommandContext(context.WithoutCancel(a.t.Context()), "svc", args...)
	cmd.Dir, cmd.Env = a.dir, a.env
	return cmd
}

// run runs a command of the real program.
func (a *agent) run(args ...string) string {
	a.t.Helper()
	out, err := a.program(args...).CombinedOutput()
	if err != nil {
		a.t.Fatalf("svc %v: %v\n%s", args, err, out)
	}
	return string(out)
}

func (a *agent) start(flags ...string) {
	a.t.Helper()
	cmd := a.program(append([]string{"mcp"}, flags...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	a.more.L = &a.mu
	c := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, &sdk.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
			a.mu.Lock()
			defer a.mu.Unlock()
			a.heard = append(a.heard, r.Params.Message)
			a.more.Broadcast()
		},
	})
	session, err := c.Connect(a.t.Context(), &sdk.CommandTransport{Command: cmd, TerminateDuration: time.Minute}, nil)
	if err != nil {
		a.t.Fatalf("%v\n%s", err, &stderr)
	}
	a.session = session
	a.t.Cleanup(func() {
		if err := session.Close(); err != nil {
			a.t.Errorf("the server ended with %v\n%s", err, &stderr)
		}
	})
}

// file reads a file of the agent's folder, or gives "-" if there is none.
func (a *agent) file(name string) string {
	content, err := os.ReadFile(filepath.Join(a.dir, filepath.FromSlash(name)))
	if err != nil {
		return "-"
	}
	return string(content)
}

func (a *agent) write(name, content string) {
	a.t.Helper()
	writeFiles(a.t, a.dir, map[string]string{name: content})
}

// state is all that is in a folder.
func (a *agent) state(dir string) map[string]string {
	a.t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		content, err := os.ReadFile(name)
		all[name] = info.Mode().String() + " " + string(content)
		return err
	})
	if err != nil {
		a.t.Fatal(err)
	}
	return all
}

// answered is what a tool answered.
type answered struct {
	text   string
	failed bool
	fields map[string]any
}

func (r answered) field(name string) string {
	text, _ := r.fields[name].(string)
	return text
}

// names are the values of a field of the objects in a list.
func (r answered) names(list, field string) (all []string) {
	items, _ := r.fields[list].([]any)
	for _, item := range items {
		switch v := item.(type) {
		case string:
			all = append(all, v)
		case map[string]any:
			text, _ := v[field].(string)
			all = append(all, text)
		}
	}
	return all
}

type arguments map[string]any

// try calls a tool.
func (a *agent) try(tool string, args arguments) answered {
	a.t.Helper()
	params := &sdk.CallToolParams{Name: tool, Arguments: args}
	params.SetProgressToken("p")
	result, err := a.session.CallTool(a.t.Context(), params)
	if err != nil {
		a.t.Fatalf("%s: %v", tool, err)
	}
	r := answered{failed: result.IsError}
	for _, c := range result.Content {
		if text, ok := c.(*sdk.TextContent); ok {
			r.text += text.Text
		}
	}
	a.judge(tool, r.text)
	if r.failed {
		return r
	}
	structured, err := json.Marshal(result.StructuredContent)
	if err != nil {
		a.t.Fatal(err)
	}
	var asText map[string]any
	if err := json.Unmarshal([]byte(r.text), &asText); err != nil {
		a.t.Fatalf("%s does not answer JSON: %v: %s", tool, err, r.text)
	}
	if err := json.Unmarshal(structured, &r.fields); err != nil || fmt.Sprint(asText) != fmt.Sprint(r.fields) {
		a.t.Errorf("%s says one thing in words and another in fields: %v\n%s\n%s", tool, err, r.text, structured)
	}
	return r
}

// judge holds an answer against what no answer may have in it.
func (a *agent) judge(from, text string) {
	a.t.Helper()
	if secret := a.key[strings.LastIndexByte(a.key, '_')+1:]; strings.Contains(text, secret) {
		a.t.Errorf("%s tells the key: %s", from, text)
	}
	if err := raw(text); err != nil {
		a.t.Errorf("%s: %v: %q", from, err, text)
	}
}

// call calls a tool that has to succeed.
func (a *agent) call(tool string, args arguments) answered {
	a.t.Helper()
	r := a.try(tool, args)
	if r.failed {
		a.t.Fatalf("%s: %s", tool, r.text)
	}
	return r
}

// refused calls a tool that has to fail with these words, and to change nothing.
func (a *agent) refused(tool string, args arguments, words ...string) {
	a.t.Helper()
	before, home := a.state(a.dir), a.state(a.home)
	r := a.try(tool, args)
	if !r.failed {
		a.t.Errorf("%s %v is not refused: %s", tool, args, r.text)
	}
	for _, word := range words {
		if !strings.Contains(r.text, word) {
			a.t.Errorf("%s %v does not say %q: %s", tool, args, word, r.text)
		}
	}
	if !maps.Equal(before, a.state(a.dir)) || !maps.Equal(home, a.state(a.home)) {
		a.t.Errorf("%s %v is refused and changes something", tool, args)
	}
}

// pull previews and pulls a bundle.
func (a *agent) pull(id string) {
	a.t.Helper()
	shown := a.call("preview_pull", arguments{"bundle_id": id})
	a.call("pull", arguments{"bundle_id": id, "digest": shown.field("digest")})
}

// agentGeneratesFromSpecs asks a service whose engine makes projects from specs.
func agentGeneratesFromSpecs(t *testing.T, s *stage) {
	specs := &stage{service: cluster.ServiceForTest(t)}
	specs.tenant.Store(s.tenant.Load() + 1000)
	a := newAgent(t, specs, map[string]string{"a.txt": "a\n"})
	a.refused("generate", arguments{}, "the prompt is empty")
	a.refused("generate", arguments{"prompt": "x", "spec": "api"}, "a prompt or a spec")

	refused := a.call("generate", arguments{"prompt": "an API for books that teaches parrots to sing"})
	failure, _ := refused.fields["failure"].(map[string]any)
	suggestion, _ := failure["suggestion"].(map[string]any)
	text, _ := suggestion["spec"].(string)
	if refused.field("status") != "refused" || failure["code"] != "CONSTRAINT_UNRESOLVABLE" || !strings.HasPrefix(text, "api in ") ||
		!strings.Contains(fmt.Sprint(suggestion["not_understood"]), "parrots") || !strings.Contains(refused.field("next"), "as the prompt") {
		t.Fatalf("the answer is %s", refused.text)
	}
	made := a.call("generate", arguments{"prompt": text + "loan: -> book, borrower required\n", "wait_seconds": 120})
	if made.field("status") != "succeeded" || !slices.Contains(made.names("files", ""), "README.md") {
		t.Fatalf("the run is %s", made.text)
	}

	mistake := a.call("generate", arguments{"spec": "api in go\nbook: title, year: yeer"})
	if next := mistake.field("next"); mistake.field("status") != "refused" || !strings.Contains(next, "Correct the mistake") || !strings.Contains(mistake.text, "ine 2") {
		t.Errorf("the answer to a mistake is %s", mistake.text)
	}
	changed := a.call("generate", arguments{"project_id": made.field("project_id"), "spec": text + "loan: -> book, borrower required, due date\n", "wait_seconds": 120})
	if changed.field("status") != "succeeded" || changed.field("project_id") != made.field("project_id") {
		t.Errorf("the change is %s", changed.text)
	}
}
