package template_test

import (
	"os"
	"path/filepath"
	"strings"
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
		if packages == "" {
			// The dependencies are the same at every step, so they are installed once.
			packages = p.write(t)
			install(t, packages)
		}
		dir := borrow(t, p, packages)
		if step != "" {
			checkService(t, dir, "/notes", nil, "node", "dist/src/main.js")
		}
	}
	for _, database := range []string{"in memory", "a JSON file"} {
		checkTypeScriptRules(t, "a TypeScript API with "+database, packages, nil)
	}
}

func TestTypeScriptProjectKeepsRecordsInSQLite(t *testing.T) {
	t.Parallel()
	need(t, "node")
	need(t, "npm")
	dir := begin(t, "A TypeScript API for books and reading notes in SQLite. Reading notes belong to books.", nil).write(t)
	install(t, dir)
	command(t, dir, nil, "npm", "test")
	checkTypeScriptRules(t, "a TypeScript API with SQLite", dir, nil)
	for _, fields := range oneRule {
		one := ruled(t, "a TypeScript API with SQLite", "books/book("+fields+")").write(t)
		command(t, one, nil, filepath.Join(dir, "node_modules", ".bin", "tsc"), "--noEmit", "--typeRoots", filepath.Join(dir, "node_modules", "@types"))
	}
}

// borrow compiles and tests a project with the packages of another, and gives its folder.
func borrow(t *testing.T, p *project, packages string, env ...string) (dir string) {
	t.Helper()
	dir = p.write(t)
	if err := os.Symlink(filepath.Join(packages, "node_modules"), filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	if out := command(t, dir, env, "npm", "test"); !strings.Contains(out, "# skipped 0\n") {
		t.Errorf("something was not tested:\n%s", out)
	}
	return dir
}

// checkTypeScriptRules has a project with every rule test itself, with the packages of another, and asks it.
func checkTypeScriptRules(t *testing.T, prompt, packages string, env []string) {
	t.Helper()
	dir := borrow(t, ruledAPI(t, prompt), packages, env...)
	checkRules(t, dir, !strings.Contains(prompt, "memory"), env, "node", "dist/src/main.js")
}

func install(t *testing.T, dir string) {
	t.Helper()
	command(t, dir, nil, "npm", "ci", "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error")
}
