package template_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// need skips a test whose tool is missing, but not in CI.
func need(t *testing.T, tool string) {
	t.Helper()
	if _, err := exec.LookPath(tool); err == nil {
		return
	}
	if os.Getenv("CI") == "true" {
		t.Fatalf("%s is missing", tool)
	}
	t.Skipf("%s is missing", tool)
}

func TestTypeScriptProjectsPassTheirOwnTests(t *testing.T) {
	t.Parallel()
	need(t, "node")
	need(t, "npm")
	p := begin(t, "A Node API for products with price, tags and a rating", nil)
	packages := ""
	for _, step := range []string{
		"", "persist the data in a file, require an API key, enable CORS and add an endpoint for notes, and call it Shop Desk",
	} {
		if step != "" {
			p.ask(t, step, nil)
		}
		dir := p.write(t)
		if packages == "" {
			// The dependencies are the same at every step, so they are installed once.
			install(t, dir)
			packages = filepath.Join(dir, "node_modules")
		} else if err := os.Symlink(packages, filepath.Join(dir, "node_modules")); err != nil {
			t.Fatal(err)
		}
		command(t, dir, nil, "npm", "test")
		if step != "" {
			checkService(t, dir, "/notes", nil, "node", "dist/src/main.js")
		}
	}
}

func install(t *testing.T, dir string) {
	t.Helper()
	command(t, dir, nil, "npm", "ci", "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error")
}
