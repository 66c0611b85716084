package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bundle-delivery/svc/internal/testkit/needs"
	"github.com/bundle-delivery/svc/internal/testkit/wiretest"
)

func edit(t *testing.T, s stage, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// digestOf is what the last preview gave, as an agent reads it.
func digestOf(results []string) string {
	var answer struct {
		Digest string `json:"digest"`
	}
	if len(results) == 0 || json.Unmarshal([]byte(results[len(results)-1]), &answer) != nil {
		return "none"
	}
	return answer.Digest
}

// TestARealAgentDeliversAndTakesBack lets the real opencode preview a pull, pull and roll
// back through svc mcp; its model is a script.
// Promise: mcp-real
func TestARealAgentDeliversAndTakesBack(t *testing.T) {
	needs.Long(t, "the real opencode previews, pulls and rolls back through svc mcp, with a scripted model")
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		needs.Missing(t, "the lock file has opencode for Linux on amd64 alone")
	}
	s := newStage(t)
	bundle := func([]string) map[string]any { return map[string]any{"bundle_id": s.tenant.BundleID} }
	carryOut := func(results []string) map[string]any {
		return map[string]any{"bundle_id": s.tenant.BundleID, "digest": digestOf(results)}
	}
	var pulled string
	steps := []wiretest.Step{
		{Tool: "svc_preview_pull", Arguments: bundle},
		{Tool: "svc_pull", Arguments: carryOut},
		{Tool: "svc_preview_rollback", Arguments: func(results []string) map[string]any {
			pulled = s.file("hello.txt")
			return bundle(results)
		}},
		{Tool: "svc_rollback", Arguments: carryOut},
		{Text: "It was delivered and taken back."},
	}
	coder := &wiretest.Coder{Steps: func(string) []wiretest.Step { return steps }}
	model := httptest.NewServer(coder)
	t.Cleanup(model.Close)
	config, err := json.Marshal(map[string]any{
		"autoupdate": false, "share": "disabled", "enabled_providers": []string{"stub"},
		"provider": map[string]any{"stub": map[string]any{
			"npm":     "@ai-sdk/openai-compatible",
			"options": map[string]any{"baseURL": model.URL + "/v1", "apiKey": wiretest.Key},
			"models":  map[string]any{"x": map[string]any{"limit": map[string]any{"context": 100000, "output": 8000}}},
		}},
		"mcp": map[string]any{"svc": map[string]any{"type": "local", "command": []string{"svc", "mcp"}, "enabled": true}},
	})
	if err != nil {
		t.Fatal(err)
	}
	configFile := filepath.Join(t.TempDir(), "opencode.json")
	if err := os.WriteFile(configFile, config, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(s.modules, "opencode-linux-x64", "bin", "opencode"),
		"run", "--format", "json", "--title", "t", "-m", "stub/x", "deliver the bundle and take it back")
	cmd.Dir = s.dir
	cmd.Env = append(slices.Clone(s.env), "OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1",
		"OPENCODE_DISABLE_PROJECT_CONFIG=1", "OPENCODE_CONFIG="+configFile)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, &out)
	}
	if pulled != "delivered\n" {
		t.Errorf("after the pull hello.txt is %q", pulled)
	}
	if s.file("hello.txt") != "-" || !strings.Contains(s.file("rollback_log.json"), s.tenant.BundleID) {
		t.Errorf("the pull is not taken back: %s", &out)
	}
	asks := coder.Asks()
	if len(asks) == 0 {
		t.Fatalf("the model was never asked: %s", &out)
	}
	last := asks[len(asks)-1]
	want := []string{"svc_preview_pull", "svc_pull", "svc_preview_rollback", "svc_rollback"}
	if !slices.Equal(last.Called, want) || len(last.Results) != len(want) {
		t.Errorf("called: %v, with %d results\n%s", last.Called, len(last.Results), &out)
	}
	for _, tool := range []string{"svc_projects", "svc_bundles", "svc_generate", "svc_run_status", "svc_verify", "svc_diff", "svc_history"} {
		if !slices.Contains(last.Tools, tool) {
			t.Errorf("the agent does not offer %s: %v", tool, last.Tools)
		}
	}
	if s.tellsKey(fmt.Sprint(asks)) || s.tellsKey(out.String()) {
		t.Error("the model was told the key")
	}
}
