//go:build linux

package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/needs"
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
	stream := i.open("GET", run+"/stream", key, "")
	defer func() { _ = stream.Body.Close() }()
	return readEvents(t, stream.Body, nil), i.want(200, "", "GET", run, key)
}

const pythonTest = `{"type":"file","path":"test_sum.py","content":"import unittest\\nimport app\\n\\n\\nclass Sum(unittest.TestCase):\\n    def test_sum(self):\\n        self.assertEqual(app.sum(1, 2), 3)\\n"}`

const unittest = "python3 -m unittest discover"

// An engine that is told what failed, with file and line, mends it.
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
// service has it.
func TestProjectsOfTheTemplateEnginePassTheirChecks(t *testing.T) {
	needs.Long(t, "what the template engine writes, built and tested as a service tries it")
	needs.Program(t, "bwrap", "install bubblewrap")
	i := start(t, "--validate", "test")
	key := i.account(email)
	for prompt, want := range map[string]string{
		"a Go HTTP API for a todo list": "passed", "a Python HTTP API for a todo list": "passed", "a static site for a bakery": "passed",
		"a TypeScript API for a todo list": "unchecked", // its dependencies cannot be had here
	} {
		queued := i.send("POST", "/generations", key, `{"prompt":"`+prompt+`"}`)
		run := "/generations/" + queued.field(t, "generationId")
		stream := i.open("GET", run+"/stream", key, "")
		readEvents(t, stream.Body, nil)
		_ = stream.Body.Close()
		record := i.want(200, "", "GET", run, key)
		if status, v := validationOf(t, record); status != "succeeded" || v.Status != want {
			t.Errorf("%s: %s", prompt, record.body)
		}
	}
}
