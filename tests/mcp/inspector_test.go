package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/bundle-delivery/svc/internal/testkit/needs"
)

// inspect runs the inspector with svc mcp and gives what it prints.
func (s stage) inspect(t *testing.T, args ...string) map[string]any {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	words := append([]string{"--cli", filepath.Join(s.programs, "svc"), "mcp", "--allow-push"}, args...)
	cmd := exec.CommandContext(ctx, filepath.Join(s.modules, ".bin", "mcp-inspector"), words...)
	// The inspector hands on no variables but those it is told.
	for _, variable := range s.env {
		name, _, _ := bytes.Cut([]byte(variable), []byte("="))
		if slices.Contains([]string{"HOME", "SVC_TOKEN", "SVC_API_URL", "SVC_CA_FILE"}, string(name)) {
			cmd.Args = slices.Insert(cmd.Args, 2, "-e", variable)
		}
	}
	cmd.Dir, cmd.Env = s.dir, s.env
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v: %s%s", args, err, out, &stderr)
	}
	if s.tellsKey(string(out)) {
		t.Errorf("%v tells the key: %s", args, out)
	}
	var answer map[string]any
	if err := json.Unmarshal(out, &answer); err != nil {
		t.Fatalf("%v: %v: %s", args, err, out)
	}
	return answer
}

// call calls a tool and gives its structured answer.
func (s stage) call(t *testing.T, tool string, args map[string]string) map[string]any {
	t.Helper()
	words := []string{"--method", "tools/call", "--tool-name", tool}
	for name, value := range args {
		words = append(words, "--tool-arg", name+"="+value)
	}
	answer := s.inspect(t, words...)
	structured, ok := answer["structuredContent"].(map[string]any)
	if !ok || answer["isError"] == true {
		t.Fatalf("%s: %v", tool, answer)
	}
	return structured
}

func word(answer map[string]any, field string) string { return fmt.Sprint(answer[field]) }

// TestTheInspectorUsesEveryTool lists what is offered and calls every tool, with the
// inspector of the protocol's authors.
// Promise: mcp-real
func TestTheInspectorUsesEveryTool(t *testing.T) {
	needs.Long(t, "the official inspector lists and calls every tool of svc mcp")
	s := newStage(t)
	listed, _ := s.inspect(t, "--method", "tools/list")["tools"].([]any)
	left := map[string]bool{}
	for _, item := range listed {
		described, _ := item.(map[string]any)
		left[word(described, "name")] = true
	}
	if len(left) != 14 {
		t.Errorf("the tools are %v", left)
	}
	call := func(tool string, args map[string]string) map[string]any {
		t.Helper()
		delete(left, tool)
		return s.call(t, tool, args)
	}
	id := map[string]string{"bundle_id": s.tenant.BundleID}
	with := func(answer map[string]any) map[string]string {
		return map[string]string{"bundle_id": word(answer, "bundle_id"), "digest": word(answer, "digest")}
	}
	call("projects", nil)
	call("bundles", nil)
	call("pull", with(call("preview_pull", id)))
	if s.file("hello.txt") != "delivered\n" {
		t.Fatal("the bundle is not there")
	}
	if v := call("verify", nil); v["intact"] != true {
		t.Errorf("verify: %v", v)
	}
	call("diff", nil)
	call("history", nil)
	edit(t, s, "hello.txt", "edited\n")
	call("push", map[string]string{"digest": word(call("preview_push", nil), "digest")})
	call("rollback", with(call("preview_rollback", nil)))
	if s.file("hello.txt") != "-" {
		t.Error("the pull is not taken back")
	}
	call("export", map[string]string{"project_id": s.tenant.ProjectID})
	run := call("generate", map[string]string{"prompt": "a Python API for books with title, author and isbn", "wait_seconds": "120"})
	call("run_status", map[string]string{"generation_id": word(run, "generation_id")})
	if len(left) > 0 {
		t.Errorf("never called: %v", left)
	}
	s.inspect(t, "--method", "resources/list")
	s.inspect(t, "--method", "resources/templates/list")
	s.inspect(t, "--method", "resources/read", "--uri", "svc://runs/"+word(run, "generation_id")+"/files")
}
