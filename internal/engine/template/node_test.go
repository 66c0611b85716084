package template_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/bundle-delivery/svc/internal/needs"
)

// need ends a test whose tool is missing.
func need(t *testing.T, tool string) {
	t.Helper()
	needs.Program(t, tool, "scripts/ensure-tools.sh installs it")
}

func TestTypeScriptProjectsPassTheirOwnTests(t *testing.T) {
	t.Parallel()
	need(t, "node")
	need(t, "npm")
	p := begin(t, "A Node API for products with price, tags and a rating", nil)
	packages := ""
	for _, step := range []string{
		"", "persist the data in a file, require an API key, enable CORS, call it Shop Desk and add an endpoint for notes. Notes belong to products",
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

func TestTypeScriptProjectKeepsRecordsInSQLite(t *testing.T) {
	t.Parallel()
	need(t, "node")
	need(t, "npm")
	dir := begin(t, "A TypeScript API for books and reading notes in SQLite. Reading notes belong to books.", nil).write(t)
	install(t, dir)
	command(t, dir, nil, "npm", "test")
}

func install(t *testing.T, dir string) {
	t.Helper()
	command(t, dir, nil, "npm", "ci", "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error")
}
