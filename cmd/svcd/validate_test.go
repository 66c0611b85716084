//go:build linux

package main

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/engine/exec"
	"github.com/bundle-delivery/svc/internal/testkit/needs"
)

// validationOf reads what the record of a run says about its checks.
func validationOf(t *testing.T, record reply) (status string, v svc.Validation) {
	t.Helper()
	var run struct {
		Status     string         `json:"status"`
		Validation svc.Validation `json:"validation"`
	}
	if err := json.Unmarshal(record.body, &run); err != nil {
		t.Fatal(err)
	}
	return run.Status, run.Validation
}

func checkOf(v svc.Validation, name string) string {
	for _, c := range v.Checks {
		if c.Check == name {
			return c.Status
		}
	}
	return ""
}

// generated runs a generation to its end.
func (i *instance) generated(t *testing.T, key, path string) (events []wireEvent, record reply) {
	t.Helper()
	queued := i.send("POST", path, key, `{"prompt":"x"}`)
	run := "/generations/" + queued.field(t, "generationId")
	return i.follow(key, i.open("GET", run+"/stream", key, "")), i.want(200, "", "GET", run, key)
}

const pythonTest = `{"type":"file","path":"test_sum.py","content":"import unittest\\nimport app\\n\\n\\nclass Sum(unittest.TestCase):\\n    def test_sum(self):\\n        self.assertEqual(app.sum(1, 2), 3)\\n"}`

const unittest = "python3 -m unittest discover"

// An engine that is told what failed, with file and line, mends it.
// Promise: checks-live, checks-mended
func TestAnEngineMendsWhatItsFindingsSay(t *testing.T) {
	t.Parallel()
	needs.Program(t, "bwrap", "install bubblewrap")
	needs.Program(t, "python3", "install python3")
	i := start(t, "--engine", "exec", "--validate", "test", "--engine-command", engineScript(t, `
request=$(cat)
echo '`+pythonTest+`'
case $request in
*test_sum.py:7*) echo '{"type":"file","path":"app.py","content":"def sum(a, b):\\n    return a + b\\n"}' ;;
*) echo '{"type":"file","path":"app.py","content":"def sum(a, b):\\n    return a - b\\n"}' ;;
esac
`))
	events, record := i.generated(t, i.account(email), "/generations")
	status, v := validationOf(t, record)
	if status != "succeeded" || v.Status != "passed" || v.Level != "test" || checkOf(v, unittest) != "passed" {
		t.Fatalf("the record is %s", record.body)
	}
	var told []string
	for _, e := range events {
		if e.data["check"] == unittest {
			told = append(told, e.data["status"].(string)) //nolint:forcetypeassert // a test that panics fails
		}
	}
	if got := strings.Join(told, " "); got != "started failed started passed" {
		t.Errorf("the check was told as %s", got)
	}
}

// Promise: checks-mended
func TestWhatCannotBeMendedEndsTheRunWithTheFinding(t *testing.T) {
	t.Parallel()
	needs.Program(t, "bwrap", "install bubblewrap")
	i := start(t, "--engine", "exec", "--validate", "test", "--engine-command", engineScript(t, `
cat >/dev/null
echo '`+pythonTest+`'
echo '{"type":"file","path":"app.py","content":"def sum(a, b):\\n    return a - b\\n"}'
`))
	_, record := i.generated(t, i.account(email), "/generations")
	status, v := validationOf(t, record)
	if status != "failed" || v.Status != "failed" || !strings.Contains(string(record.body), "VALIDATION_FAILED") || !strings.Contains(string(record.body), "test_sum.py:7") {
		t.Errorf("the record is %s", record.body)
	}
}

// What failed already when the run began is told, kept in the memory, and ends
// nothing.
// Promise: checks-remembered, checks-former-failures
func TestWhatFailedBeforeEndsNoRun(t *testing.T) {
	t.Parallel()
	needs.Program(t, "bwrap", "install bubblewrap")
	i := start(t, "--engine", "exec", "--validate", "test", "--engine-command", engineScript(t, `
cat >/dev/null
echo '{"type":"file","path":"README.md","content":"more"}'
`))
	key := i.account(email)
	project := i.importFiles(email, map[string]string{
		"app.py":      "def sum(a, b):\n    return a - b\n",
		"test_sum.py": "import unittest\nimport app\n\n\nclass Sum(unittest.TestCase):\n    def test_sum(self):\n        self.assertEqual(app.sum(1, 2), 3)\n",
	})
	events, record := i.generated(t, key, "/projects/"+project.ProjectID+"/generations")
	status, v := validationOf(t, record)
	if status != "succeeded" || v.Status != "failed_before" || checkOf(v, unittest) != "failed_before" {
		t.Fatalf("the record is %s", record.body)
	}
	memory := ""
	for _, e := range events {
		if e.name == "memory_update" {
			memory, _ = e.data["content"].(string)
		}
	}
	if !strings.Contains(memory, "Checks that failed before") || !strings.Contains(memory, unittest) {
		t.Errorf("the memory is %q", memory)
	}
}

// What was tried is in the console and in the metrics.
// Promise: checks-shown, checks-live
func TestWhatWasTriedIsShown(t *testing.T) {
	t.Parallel()
	needs.Program(t, "bwrap", "install bubblewrap")
	i := start(t, "--admin-listen", "127.0.0.1:0", "--engine", "exec", "--validate", "test", "--engine-command", engineScript(t, `
cat >/dev/null
echo '`+pythonTest+`'
echo '{"type":"file","path":"app.py","content":"def sum(a, b):\\n    return a + b\\n"}'
`))
	_, page := i.setUp().generate("a sum", "")
	for _, want := range []string{`id="verdict">passed<`, unittest, "1 passed", "Python 3", "bundle"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q:\n%s", want, page)
		}
	}
	var metrics strings.Builder // of all processes: one has tried it
	for _, p := range i.processes() {
		answer, err := http.Get("http://" + p.listener("admin") + "/metrics")
		if err != nil {
			t.Fatal(err)
		}
		_, err = io.Copy(&metrics, answer.Body)
		if err = errors.Join(err, answer.Body.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if want := `svcd_validation_check_duration_seconds_count{status="passed",tool="python"} 2`; !strings.Contains(metrics.String(), want) {
		t.Errorf("the metrics lack %s:\n%s", want, &metrics)
	}
}

// A run that waits for a place in a sandbox says so, and has its turn when another
// leaves.
// Promise: sandbox-fair
func TestARunThatWaitsForASandboxSaysSo(t *testing.T) {
	t.Parallel()
	needs.Program(t, "bwrap", "install bubblewrap")
	i := start(t, "--validate-parallel", "1", "--engine", "exec", "--validate", "test", "--engine-command", engineScript(t, `
case $(cat) in *'"prompt":"long"'*) command='sleep 600' ;; *) command=true ;; esac
echo '{"type":"file","path":"Makefile","content":"test:\\n\\t'"$command"'\\n"}'
`))
	key := i.account(email)
	begin := func(prompt string) (run string, stream *http.Response) {
		run = "/generations/" + i.send("POST", "/generations", key, `{"prompt":"`+prompt+`"}`).field(t, "generationId")
		return run, i.open("GET", run+"/stream", key, "")
	}
	tells := func(check string) func(wireEvent) bool {
		return func(e wireEvent) bool { return e.data["check"] == check && e.data["status"] == "started" }
	}
	long, stream := begin("long")
	defer func() { _ = stream.Body.Close() }()
	readEvents(t, stream.Body, tells("make test"))
	_, waits := begin("short")
	defer func() { _ = waits.Body.Close() }()
	events := readEvents(t, waits.Body, tells("sandbox"))
	if detail, _ := events[len(events)-1].data["detail"].(string); !strings.Contains(detail, "waits for a free place, 0 before it") {
		t.Fatalf("told: %+v", events)
	}
	i.want(200, "", "POST", long+"/cancel", key)
	if events = readEvents(t, waits.Body, nil); len(events) == 0 || events[len(events)-1].name != "bundle_ready" {
		t.Errorf("told: %+v", events)
	}
}

// Promise: sandbox-engine-check
func TestEngineCheckSaysWhatResultsAreTriedWith(t *testing.T) {
	t.Parallel()
	needs.Program(t, "bwrap", "install bubblewrap")
	empty := t.TempDir()
	for flags, says := range map[string][]string{
		"":              {"ok      sandbox            works", "ok      python             Python 3", "ok      make               GNU Make"},
		"--sandbox off": {"ok      sandbox            none: it is switched off (--sandbox off); projects are not built or tested"},
		"--sandbox command --sandbox-command 'bwrap --unshare-all --ro-bind /usr/bin/sh /bin/sh --ro-bind /lib /lib --ro-bind /lib64 /lib64 --ro-bind " + empty + " /usr --tmpfs /work'": {"FAILED  sandbox"},
	} {
		words, err := exec.Split("engine check " + flags)
		if err != nil {
			t.Fatal(err)
		}
		_, out, errText := runMain(t, nil, words...)
		for _, want := range says {
			if !strings.Contains(out, want) {
				t.Errorf("%s: no %q in\n%s%s", flags, want, out, errText)
			}
		}
	}
}

// Promise: sandbox-users, sandbox-own
func TestSettingsOfSandboxes(t *testing.T) {
	for flags, says := range map[string]string{
		"--sandbox command":                            "--sandbox-command",
		"--sandbox-command podman":                     "has no use without --sandbox command",
		"--sandbox nothing":                            "--sandbox",
		"--validate some":                              "--validate",
		"--sandbox-hosts https://x":                    "--sandbox-hosts",
		"--sandbox-toolchains relative":                "--sandbox-toolchains",
		"--sandbox-cache relative":                     "--sandbox-cache",
		"--sandbox bwrap --sandbox-cache /no/such":     "--sandbox-cache /no/such",
		"--sandbox-env GOPROXY":                        "--sandbox-env",
		"--sandbox command --sandbox-command /no/such": "find the program",
		"--sandbox command --sandbox-command false":    "--sandbox command",
		"--sandbox bwrap --sandbox-user no-such-user":  "no-such-user",
		"--sandbox bwrap --sandbox-user root":          "never run as root",
	} {
		if strings.Contains(flags, "sandbox-user") && os.Geteuid() != 0 {
			continue // only root becomes another
		}
		code, _, text := runMain(t, nil, append([]string{"serve", "--data-dir", t.TempDir(), "--listen", "127.0.0.1:0"}, strings.Fields(flags)...)...)
		if code != exitUsage || !strings.Contains(text, says) {
			t.Errorf("%s: exit %d, %q", flags, code, text)
		}
	}
}

// What the template engine writes passes the tests that come with it, as a
// service has it. What needs dependencies is unchecked where they cannot be had,
// and passes where a cache has them.
// Promise: checks-template-tests
func TestProjectsOfTheTemplateEnginePassTheirChecks(t *testing.T) {
	needs.Long(t, "what the template engine writes, built and tested as a service tries it")
	needs.Program(t, "bwrap", "install bubblewrap")
	needs.Program(t, "npm", "install Node and npm")
	const typescript, ruled = "a TypeScript API for a todo list", ", coupon(code unique, percent: integer 1..100, status one of new/used default new, note)"
	i := start(t, "--validate", "test")
	key := i.account(email)
	var files map[string]string
	for prompt, want := range map[string]string{
		"api in go" + ruled: "passed", "api in python" + ruled: "passed", "a Python HTTP API for a todo list with SQLite": "passed", "a web site for a bakery": "passed",
		typescript: "unchecked",
	} {
		record := i.passes(t, key, prompt, want)
		if prompt == typescript {
			files = unzip(t, i.want(200, "", "GET", "/bundles/"+record.field(t, "bundleId")+"/download", key).body)
		}
	}

	cache, err := os.MkdirTemp("/tmp", "svcd-test-cache-*") //nolint:usetesting // for another user to read
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(cache) })
	dir := t.TempDir()
	for _, name := range []string{"package.json", "package-lock.json"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(files[name]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := program(t)
	cmd.Path, cmd.Args, cmd.Dir = needs.Program(t, "npm", "install Node and npm"), []string{"npm", "ci", "--cache", cache + "/npm", "--ignore-scripts", "--no-audit", "--no-fund"}, dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := os.Chmod(cache, 0o755); err != nil {
		t.Fatal(err)
	}
	i = start(t, "--validate", "test", "--sandbox-cache", cache)
	i.passes(t, i.account(email), typescript, "passed")
}

// passes generates from a prompt and holds what its trial came to against want.
func (i *instance) passes(t *testing.T, key, prompt, want string) (record reply) {
	t.Helper()
	queued := i.send("POST", "/generations", key, `{"prompt":"`+prompt+`"}`)
	run := "/generations/" + queued.field(t, "generationId")
	i.follow(key, i.open("GET", run+"/stream", key, ""))
	record = i.want(200, "", "GET", run, key)
	if status, v := validationOf(t, record); status != "succeeded" || v.Status != want {
		t.Errorf("%s: %s", prompt, record.body)
	}
	return record
}
