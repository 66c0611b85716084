//go:build linux

package main

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/testkit/needs"
	"github.com/bundle-delivery/svc/internal/testkit/wiretest"
)

// agentFlags run a shell script without single quotes as the agent.
func agentFlags(t *testing.T, script string, more ...string) []string {
	t.Helper()
	needs.Program(t, "bwrap", "install bubblewrap")
	return append([]string{"--engine", "agent", "--engine-command", "sh -c '" + script + "'"}, more...)
}

// streamed runs a generation and reads its events to the end.
func (i *instance) streamed(t *testing.T, key, path string) []wireEvent {
	t.Helper()
	return i.follow(key, i.open("POST", path, key, `{"prompt":"x"}`, "Accept: text/event-stream"))
}

// An agent edits a project; what it leaves is delivered, and told while it works.
// Promise: agent-folder
func TestGenerationByAnAgent(t *testing.T) {
	t.Parallel()
	i := start(t, agentFlags(t, `echo working; sed -i s/one/two/ edit.txt; rm gone.txt; printf "\000\377" >logo.bin; echo "PORT=4000" >.env; printf "#!/bin/sh\n" >run.sh; chmod +x run.sh`)...)
	key := i.account(email)
	project := i.importFiles(email, map[string]string{"edit.txt": "one\n", "gone.txt": "x\n", "keep.txt": "kept\n"})
	events := i.streamed(t, key, "/projects/"+project.ProjectID+"/generations")
	last := events[len(events)-1]
	if last.name != "bundle_ready" {
		t.Fatalf("the run ended with %+v\n%s", last, i.log)
	}
	id, _ := last.data["bundle_id"].(string)
	files := unzip(t, i.want(200, "", "GET", "/bundles/"+id+"/download", key).body)
	manifest := files["manifest.json"]
	delete(files, "manifest.json")
	for name, want := range map[string]string{"edit.txt": "two\n", "keep.txt": "kept\n", "logo.bin": "\x00\xff", ".env": "PORT=4000\n", "run.sh": "#!/bin/sh\n"} {
		if files[name] != want {
			t.Errorf("%s is %q", name, files[name])
		}
	}
	if len(files) != 5 || !strings.Contains(manifest, `"PORT={port}"`) || !strings.Contains(manifest, `"env_merge"`) || !strings.Contains(manifest, `"0755"`) {
		t.Errorf("delivered: %q", files)
	}
	if got := rebuilt(events); got["edit.txt"] != "two\n" {
		t.Errorf("the stream rebuilds %q", got)
	}
	progress, binary := false, false
	for _, e := range events {
		progress = progress || e.name == "tool_status" && e.data["detail"] == "working"
		binary = binary || e.name == "tool_status" && e.data["file"] == "logo.bin"
	}
	if !progress || !binary {
		t.Errorf("told: %+v", events)
	}
}

// A failing test that the validation finds is mended by the same agent in the
// second round, in the same folder. The agent plays Codex, with its lines.
// Promise: agent-findings
func TestAnAgentMendsWhatTheValidationFinds(t *testing.T) {
	t.Parallel()
	needs.Program(t, "python3", "install python3")
	right, wrong := strings.ReplaceAll(sumRight, "\n", `\n`), strings.ReplaceAll(sumWrong, "\n", `\n`)
	i := start(t, agentFlags(t, `echo "{\"type\":\"thread.started\",\"thread_id\":\"t-1\"}"
case "$*" in
*"resume t-1 -") grep -q test_sum.py:7 && [ -e ignored/left ] && printf "`+right+`" >app.py ;;
*) mkdir ignored; echo x >ignored/left; echo ignored >.gitignore; printf "`+wrong+`" >app.py; printf "`+strings.ReplaceAll(sumTest, "\n", `\n`)+`" >test_sum.py ;;
esac
echo "{\"type\":\"item.completed\",\"item\":{\"type\":\"agent_message\",\"text\":\"Done.\"}}"
echo "{\"type\":\"turn.completed\",\"usage\":{\"input_tokens\":1000,\"output_tokens\":100}}"`,
		"--engine-agent", "codex", "--validate", "test", "--engine-url", "http://127.0.0.1:1/v1")...)
	events, record := i.generated(t, i.account(email), "/generations")
	if status, v := validationOf(t, record); status != "succeeded" || v.Status != "passed" || checkOf(v, unittest) != "passed" {
		t.Fatalf("the record is %s\n%s", record.body, i.log)
	}
	if got := rebuilt(events); got["app.py"] != sumRight {
		t.Errorf("the stream rebuilds %q", got)
	}
	// What an agent says it has used is what it was in all: told twice, counted once.
	if cost := events[len(events)-2]; cost.name != "cost_summary" || cost.data["input_tokens"] != 1000.0 {
		t.Errorf("the cost is %+v", cost)
	}
}

// Cancelling ends the agent; a run that its worker hands back is begun anew, from
// the project's state, by the next.
// Promise: agent-cancel
func TestAnAgentIsCancelledAndTakenUpAgain(t *testing.T) {
	t.Parallel()
	const endless = `echo begun; echo half >half.txt; exec sleep 1000`
	i := start(t, agentFlags(t, endless)...)
	key := i.account(email)
	begun := func(e wireEvent) bool { return e.data["detail"] == "begun" }
	open := func() (run string) {
		queued := i.send("POST", "/generations", key, `{"prompt":"x"}`)
		run = "/generations/" + queued.field(t, "generationId")
		stream := i.open("GET", run+"/stream", key, "")
		defer func() { _ = stream.Body.Close() }()
		readEvents(t, stream.Body, begun)
		return run
	}
	run := open()
	i.want(200, "", "POST", run+"/cancel", key)
	events := i.follow(key, i.open("GET", run+"/stream", key, ""))
	if last := events[len(events)-1]; last.data["code"] != "CANCELLED" {
		t.Errorf("the run ended with %+v", last)
	}
	run = open()
	if code := i.stop(); code != exitOK {
		t.Errorf("exit %d", code)
	}
	i = startIn(t, i.dir, agentFlags(t, `ls -A >listed.txt`)...)
	events = i.follow(key, i.open("GET", run+"/stream", key, ""))
	if last := events[len(events)-1]; last.name != "bundle_ready" || rebuilt(events)["listed.txt"] != "listed.txt\n" {
		t.Errorf("the run ended with %+v, %q\n%s", last, rebuilt(events), i.log)
	}
}

// The budget of an account holds for agents, and what they use is in its usage.
// Promise: agent-budgets
func TestAnAgentSpendsWithinTheBudgetOfItsAccount(t *testing.T) {
	t.Parallel()
	needs.Program(t, "curl", "install curl")
	coder := &wiretest.Coder{Steps: func(string) []wiretest.Step { return nil }}
	server := httptest.NewServer(coder)
	t.Cleanup(server.Close)
	keyFile := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(keyFile, []byte(wiretest.Key), 0o600); err != nil {
		t.Fatal(err)
	}
	i := start(t, agentFlags(t, `while :; do curl -s -H "Authorization: Bearer $MODEL_KEY" -d "{\"messages\":[{\"role\":\"user\",\"content\":\"x\"}]}" "$OPENAI_BASE_URL/chat/completions" >answer.json; done`,
		"--engine-url", server.URL, "--engine-key-file", keyFile, "--engine-account-tokens", "4000")...)
	key := i.account(email)
	for _, calls := range []int{4, 4} { // the second run finds nothing left
		events, record := i.generated(t, key, "/generations")
		if last := events[len(events)-1]; last.data["code"] != "CONSTRAINT_UNRESOLVABLE" || !strings.Contains(string(record.body), "account has used") {
			t.Errorf("the run ended with %+v", last)
		}
		if n := len(coder.Asks()); n != calls {
			t.Errorf("%d calls", n)
		}
	}
	if strings.Contains(i.log.String(), wiretest.Key) {
		t.Error("the log has the key")
	}
}

// Promise: agent-settings
func TestSettingsOfAgents(t *testing.T) {
	t.Parallel()
	for flags, says := range map[string]string{
		"--engine agent":                                   "--engine-command",
		"--engine-agent codex":                             "--engine agent",
		"--engine-hosts a.example":                         "--engine agent",
		"--engine agent --engine-agent cursor":             "--engine-agent",
		"--engine agent --engine-agent codex":              "OPENAI_API_KEY",
		"--engine agent --engine-agent claude":             "ANTHROPIC_API_KEY",
		"--engine agent --engine-command sh --sandbox off": "--sandbox off",
		"--engine agent --engine-command sh --sandbox command --sandbox-command false":                           "--sandbox command",
		"--engine agent --engine-command no-such-program":                                                        "no-such-program",
		"--engine agent --engine-command sh --engine-hosts http://x":                                             "--engine-hosts",
		"--engine agent --engine-command sh --engine-run-calls x":                                                "--engine-run-calls",
		"--engine agent --engine-command sh --engine-url http://localhost:1 --engine-model x --engine-run-usd 1": "--engine-prices",
	} {
		code, _, text := runMain(t, nil, append([]string{"engine", "check"}, strings.Fields(flags)...)...)
		if code != exitUsage || !strings.Contains(text, says) {
			t.Errorf("%s: exit %d, %q", flags, code, text)
		}
	}
}

// Promise: agent-settings
func TestEngineCheckOfAnAgent(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]string{
		`grep -q hello.txt && echo hello >hello.txt`: "ok      generation",
		`exit 9`: "FAILED  generation",
	} {
		_, out, errText := runMain(t, nil, append([]string{"engine", "check"}, agentFlags(t, script)...)...)
		if !strings.Contains(out, want) || !strings.Contains(out, "ok      sandbox") {
			t.Errorf("%s: %s%s", script, out, errText)
		}
	}
	_, out, errText := runMain(t, nil, append([]string{"engine", "check"}, agentFlags(t, `case "$0" in *--version*) echo 1.2.3 ;; *) echo hello >hello.txt ;; esac`,
		"--engine-agent", "opencode", "--engine-url", "http://127.0.0.1:1")...)...)
	if !strings.Contains(out, "opencode 1.2.3") {
		t.Errorf("%s%s", out, errText)
	}
}

// The example is what a real opencode is given, by a script that plays it.
// Promise: agent-settings
func TestTheExampleOfOpencodeWorks(t *testing.T) {
	t.Parallel()
	i := start(t, agentFlags(t, `case "$0 $*" in *"run --pure --format json"*"-m svc/qwen3-coder"*) ;; *) echo "$*"; exit 4 ;; esac
grep -q "\"output\":8000" "$OPENCODE_CONFIG" && cp "$OPENCODE_CONFIG" config.json`, "--config", "../../examples/agent-opencode/svcd.toml", "--validate", "syntax")...)
	events := i.streamed(t, i.account(email), "/generations")
	if last := events[len(events)-1]; last.name != "bundle_ready" || !strings.Contains(rebuilt(events)["config.json"], `"baseURL":"http://127.0.0.1:3128/v1"`) {
		t.Errorf("the run ended with %+v\n%s", last, i.log)
	}
}
