//go:build linux

package main

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/testkit/needs"
	"github.com/bundle-delivery/svc/internal/testkit/wiretest"
)

// installAgents makes sure that the agents of the lock file lie in a folder that
// is kept between test runs, and that the user of sandboxes can read.
func installAgents(t *testing.T) string {
	t.Helper()
	needs.Program(t, "bwrap", "install bubblewrap")
	needs.Program(t, "npm", "install npm")
	lock, err := os.ReadFile(filepath.Join("testdata", "agents", "package-lock.json"))
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(lock)
	dir := filepath.Join(os.TempDir(), "svc-agents-"+hex.EncodeToString(sum[:8]))
	if _, err := os.Stat(filepath.Join(dir, "installed")); err == nil {
		return dir
	}
	fresh, err := os.MkdirTemp("", "svc-agents-install-") //nolint:usetesting // it is renamed to its place beside it
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(fresh) }() // gone already, if all went well
	for _, name := range []string{"package.json", "package-lock.json"} {
		text, err := os.ReadFile(filepath.Join("testdata", "agents", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(fresh, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	cmd.Dir = fresh
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("npm ci: %v: %s", err, out)
	}
	for _, err := range []error{os.Chmod(fresh, 0o755), os.WriteFile(filepath.Join(fresh, "installed"), nil, 0o600)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Rename(fresh, dir); err != nil {
		if _, there := os.Stat(filepath.Join(dir, "installed")); there != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// realAgent is a coding agent from npm.
type realAgent struct {
	name     string
	version  string
	agent    string // how it calls itself, with its version
	protocol string
	tools    []string // by which it writes files
}

func realAgents() []realAgent {
	return []realAgent{
		{"opencode", "1.18.33", "opencode/1.18.33", wiretest.OpenAI, []string{"write"}},
		{"codex", "0.166.0", "codex_exec/0.166.0", wiretest.Responses, []string{"exec_command", "shell_command", "shell"}},
		{"claude", "2.1.325", "claude-cli/2.1.325", wiretest.Anthropic, []string{"Write", "Bash"}},
	}
}

// command is the agent's own program: what npm puts before it is not needed.
func (a realAgent) command(t *testing.T, dir string) string {
	t.Helper()
	own := map[string]string{"opencode": "opencode-linux-x64/bin/opencode", "claude": "@anthropic-ai/claude-code-linux-x64/claude"}[a.name]
	if own == "" {
		return filepath.Join(dir, "node_modules", ".bin", a.name)
	}
	if runtime.GOARCH != "amd64" {
		needs.Missing(t, "the lock file has %s for amd64 alone", a.name)
	}
	return filepath.Join(dir, "node_modules", filepath.FromSlash(own))
}

// start runs a service whose generations are the agent's, against a model of ours.
func (a realAgent) start(t *testing.T, dir string, coder *wiretest.Coder, flags ...string) *instance {
	t.Helper()
	server := httptest.NewServer(coder)
	t.Cleanup(server.Close)
	key := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(key, []byte(wiretest.Key+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	address := server.URL + "/v1"
	if a.protocol == wiretest.Anthropic {
		address = server.URL
	}
	if a.name == "opencode" { // by the example, but for the model
		flags = append(flags, "--config", filepath.Join("..", "..", "examples", "agent-opencode", "svcd.toml"))
	}
	return start(t, append([]string{
		"--engine", "agent", "--engine-agent", a.name, "--engine-command", a.command(t, dir), "--validate", "test",
		"--engine-url", address, "--engine-key-file", key, "--engine-model", "stand-in",
	}, flags...)...)
}

const (
	sumTest  = "import unittest\nimport app\n\n\nclass Sum(unittest.TestCase):\n    def test_sum(self):\n        self.assertEqual(app.sum(1, 2), 3)\n"
	sumRight = "def sum(a, b):\n    return a + b\n"
	sumWrong = "def sum(a, b):\n    return a - b\n"
)

// The real agents, headless, in the sandbox, through the relay: a new project, a
// change that keeps the user's edits, and a failing test that is mended in the
// second round.
// Promise: agent-real
func TestRealAgents(t *testing.T) {
	needs.Long(t, "the real opencode, Codex and Claude Code from npm work on projects, against a model of ours")
	needs.Program(t, "python3", "install python3")
	dir := installAgents(t)
	for _, a := range realAgents() {
		t.Run(a.name, func(t *testing.T) {
			coder := &wiretest.Coder{Steps: func(prompt string) []wiretest.Step {
				switch {
				case strings.Contains(prompt, "test_sum.py:7"): // what the validation found
					return []wiretest.Step{{File: "app.py", Content: sumRight}, {Text: "The sum is right now."}}
				case strings.Contains(prompt, "a sum that fails"):
					return []wiretest.Step{{File: "app.py", Content: sumWrong}, {File: "test_sum.py", Content: sumTest}, {Text: "There is a sum."}}
				case strings.Contains(prompt, "add a difference"):
					return []wiretest.Step{
						{Command: "printf '\\n\\ndef difference(a, b):\\n    return a - b\\n' >>app.py && python3 -m unittest -q && env | sort"},
						{Text: "There is a difference."},
					}
				}
				return []wiretest.Step{
					{File: "app.py", Content: sumRight}, {File: "test_sum.py", Content: sumTest}, {File: ".env", Content: "PORT=4321\n"}, {Text: "There is a sum."},
				}
			}}
			i := a.start(t, dir, coder)
			key := i.account(email)

			project := a.newProject(t, i, key)
			a.change(t, i, key, project)
			a.mends(t, i, key)

			calls := 0
			for _, ask := range coder.Asks() {
				if ask.Protocol != a.protocol || !strings.Contains(ask.Agent, a.agent) || ask.Model != "stand-in" || !ask.Streamed {
					t.Errorf("the model was asked by %q for %q in %s", ask.Agent, ask.Model, ask.Protocol)
				}
				for _, tool := range ask.Called {
					if calls++; !slices.Contains(append(a.tools, "bash"), tool) {
						t.Errorf("the model called %q", tool)
					}
				}
				for _, result := range ask.Results {
					if strings.Contains(result, wiretest.Key) {
						t.Errorf("the agent saw the key: %s", result)
					}
				}
			}
			if calls == 0 {
				t.Error("no tool was called")
			}
			if strings.Contains(i.log.String(), wiretest.Key) {
				t.Error("the log has the key")
			}
		})
	}
}

// run generates to the end and gives what was delivered.
func (a realAgent) run(t *testing.T, i *instance, key, path, prompt string) (events []wireEvent, files map[string]string, record reply) {
	t.Helper()
	queued := i.send("POST", path, key, `{"prompt":"`+prompt+`"}`)
	run := "/generations/" + queued.field(t, "generationId")
	events = i.follow(key, i.open("GET", run+"/stream", key, ""))
	record = i.want(200, "", "GET", run, key)
	last := events[len(events)-1]
	if last.name != "bundle_ready" {
		t.Fatalf("%s: the run ended with %+v\n%s\n%s", prompt, last, record.body, i.log)
	}
	cost := events[len(events)-2]
	if tokens, _ := cost.data["input_tokens"].(float64); tokens < 2*wiretest.CoderInput || int(tokens)%wiretest.CoderInput != 0 {
		t.Errorf("the cost is %+v", cost)
	}
	id, _ := last.data["bundle_id"].(string)
	files = unzip(t, i.want(200, "", "GET", "/bundles/"+id+"/download", key).body)
	return events, files, record
}

func (a realAgent) newProject(t *testing.T, i *instance, key string) (id string) {
	t.Helper()
	events, files, record := a.run(t, i, key, "/generations", "a sum in Python")
	if files["app.py"] != sumRight || files["test_sum.py"] != sumTest || !strings.Contains(files["manifest.json"], `"PORT={port}"`) || len(files) != 4 {
		t.Errorf("delivered: %q", files)
	}
	if _, v := validationOf(t, record); v.Status != "passed" || checkOf(v, unittest) != "passed" {
		t.Errorf("the record is %s", record.body)
	}
	if got := rebuilt(events); got["app.py"] != sumRight {
		t.Errorf("the stream rebuilds %q", got)
	}
	said := strings.Join(storyOf(events), "\n")
	if !strings.Contains(said, "There is a sum.") || !strings.Contains(said, a.name) {
		t.Errorf("the decisions are %s", said)
	}
	return record.field(t, "projectId")
}

// change has the agent continue a project that somebody has edited meanwhile.
func (a realAgent) change(t *testing.T, i *instance, key, project string) {
	t.Helper()
	edited := "# edited by hand\n" + sumRight
	i.importFiles(email, map[string]string{"app.py": edited, "test_sum.py": sumTest, ".env": "PORT=4321\n", "notes.txt": "mine\n"}, "--project", project)
	_, files, _ := a.run(t, i, key, "/projects/"+project+"/generations", "add a difference")
	if !strings.HasPrefix(files["app.py"], edited) || !strings.Contains(files["app.py"], "def difference") || files["notes.txt"] != "mine\n" || len(files) != 5 {
		t.Errorf("delivered: %q", files)
	}
}

// mends has the validation find what the agent did wrong.
func (a realAgent) mends(t *testing.T, i *instance, key string) {
	t.Helper()
	events, files, _ := a.run(t, i, key, "/generations", "a sum that fails")
	if files["app.py"] != sumRight {
		t.Errorf("delivered: %q", files)
	}
	var told []string
	for _, e := range events {
		if e.data["check"] == unittest {
			status, _ := e.data["status"].(string)
			told = append(told, status)
		}
	}
	if got := strings.Join(told, " "); got != "started failed started passed" {
		t.Errorf("the check was told as %s", got)
	}
}
