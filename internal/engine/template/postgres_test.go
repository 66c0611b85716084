//go:build unix

package template_test

import (
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/pgtest"
)

func TestGoProjectKeepsRecordsInPostgreSQL(t *testing.T) {
	t.Parallel()
	url := emptyDatabase(t)
	p := begin(t, "A todo list API in Go", nil)
	p.ask(t, "add a database", nil)
	p.ask(t, "add parking spots to todos", nil)
	out := checkGo(t, p, "TEST_DATABASE_URL="+url)
	if !strings.Contains(out, "--- PASS: TestPostgres") {
		t.Errorf("the store was not tested:\n%s", out)
	}
}

func TestTypeScriptProjectKeepsRecordsInPostgreSQL(t *testing.T) {
	t.Parallel()
	need(t, "node")
	need(t, "npm")
	url := emptyDatabase(t)
	p := begin(t, "A Node API for products", nil)
	p.ask(t, "add a database", nil)
	p.ask(t, "add gift cards to products", nil)
	dir := p.write(t)
	install(t, dir)
	if out := command(t, dir, []string{"TEST_DATABASE_URL=" + url}, "npm", "test"); !strings.Contains(out, "# skipped 0\n") || !strings.Contains(out, "the PostgreSQL store") {
		t.Errorf("the store was not tested:\n%s", out)
	}
}

// emptyDatabase gives the address of a database of its own.
func emptyDatabase(t *testing.T) string {
	t.Helper()
	cluster := pgtest.Start(t)
	return cluster.Address(cluster.Database(t))
}
