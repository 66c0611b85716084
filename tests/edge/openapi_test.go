package edge

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/bundle-delivery/svc/internal/testkit/must"
	"github.com/bundle-delivery/svc/internal/testkit/needs"
	"github.com/bundle-delivery/svc/tests/npm"
)

// TestTheDocumentPassesTheLinters holds what a running server says of itself
// against the rules of Redocly and Spectral. A warning is a failure.
// Promise: openapi-lints
func TestTheDocumentPassesTheLinters(t *testing.T) {
	needs.Long(t, "Redocly and Spectral read the document of the interface")
	needs.Program(t, "npm", "install the Debian package npm")
	modules := must.Get(npm.Install(t.Context(), "testdata/openapi"))(t)
	d := start(t)
	var document bytes.Buffer
	if status := must.Get(d.Do(t.Context(), "", http.MethodGet, "/openapi.json", &document))(t); status != http.StatusOK {
		t.Fatalf("got %d", status)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "openapi.json"), document.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"redocly.yaml", ".spectral.yaml"} {
		if err := npm.Copy(filepath.Join("testdata/openapi", name), dir); err != nil {
			t.Fatal(err)
		}
	}
	var report struct {
		Totals struct{ Errors, Warnings, Ignored int }
	}
	text := lint(t, modules, dir, "redocly", "lint", "--format", "json")
	if err := json.Unmarshal([]byte(text), &report); err != nil || report.Totals.Errors+report.Totals.Warnings+report.Totals.Ignored > 0 {
		t.Errorf("Redocly: %v: %s", err, text)
	}
	var findings []any
	text = lint(t, modules, dir, "spectral", "lint", "--fail-severity", "hint", "--format", "json", "--quiet")
	if err := json.Unmarshal([]byte(text), &findings); err != nil || len(findings) > 0 {
		t.Errorf("Spectral: %v: %s", err, text)
	}
}

// lint runs a linter on the document in a folder and gives what it prints.
func lint(t *testing.T, modules, dir, program string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(modules, "node_modules", ".bin", program), append(args, "openapi.json")...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "REDOCLY_TELEMETRY=off", "REDOCLY_SUPPRESS_UPDATE_NOTICE=true")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	t.Logf("%s: %v: %s", program, err, &stderr)
	if err != nil {
		t.Errorf("%s: %v: %s", program, err, out)
	}
	return string(out)
}
