//go:build unix

package template_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/pgtest"
)

func TestGoProjectKeepsRecordsInPostgreSQL(t *testing.T) {
	t.Parallel()
	url := emptyDatabase(t)
	p := begin(t, "A todo list API in Go", nil)
	p.ask(t, "use a database", nil)
	p.ask(t, "add parking spots to todos", nil)
	out := checkGo(t, p, "TEST_DATABASE_URL="+url)
	if !strings.Contains(out, "--- PASS: TestPostgres") {
		t.Errorf("the store was not tested:\n%s", out)
	}
	checkGoRules(t, "a Go API with PostgreSQL", []string{"TEST_DATABASE_URL=" + url, "DATABASE_URL=" + emptyDatabase(t)})
}

func TestTypeScriptProjectKeepsRecordsInPostgreSQL(t *testing.T) {
	t.Parallel()
	need(t, "node")
	need(t, "npm")
	url := emptyDatabase(t)
	p := begin(t, "A Node API for products", nil)
	p.ask(t, "use a database", nil)
	p.ask(t, "add gift cards to products", nil)
	dir := p.write(t)
	install(t, dir)
	if out := command(t, dir, []string{"TEST_DATABASE_URL=" + url}, "npm", "test"); !strings.Contains(out, "# skipped 0\n") || !strings.Contains(out, "the PostgreSQL store") {
		t.Errorf("the store was not tested:\n%s", out)
	}
	checkTypeScriptRules(t, "a TypeScript API with PostgreSQL", dir, []string{"TEST_DATABASE_URL=" + url, "DATABASE_URL=" + emptyDatabase(t)})
}

func TestPythonProjectKeepsRecordsInPostgreSQL(t *testing.T) {
	t.Parallel()
	need(t, "python3")
	cluster := pgtest.Start(t)
	database := cluster.Database(t)
	p := begin(t, "A Python todo API with authentication", nil)
	p.ask(t, "switch to postgres", nil)
	plain := p.write(t)
	p.ask(t, "add an endpoint for notes. Notes belong to todos", nil)
	dir := p.write(t)
	tests := []string{"-W", "error", "-m", "unittest", "discover", "-v", "-s", "tests", "-t", "."}
	env := []string{"PYTHONDONTWRITEBYTECODE=1", "TEST_DATABASE_URL=" + cluster.Address(database)}
	held := ruledAPI(t, "a Python API with PostgreSQL").write(t)
	for _, dir := range []string{plain, dir, held} {
		if out := command(t, dir, env[:1], "python3", tests...); !strings.Contains(out, "TEST_DATABASE_URL is not set") {
			t.Errorf("without a database the store was tested:\n%s", out)
		}
		if out := command(t, dir, env, "python3", tests...); strings.Contains(out, "skipped") || !strings.Contains(out, "PostgresStoreTest") {
			t.Errorf("the store was not tested:\n%s", out)
		}
	}
	checkRules(t, held, true, []string{"DATABASE_URL=" + cluster.Address(cluster.Database(t))}, "python3", "-m", "app")

	// As compose.yaml starts it, the database asks for a password.
	rules := filepath.Join(cluster.Folder(), "data", "pg_hba.conf")
	if err := os.WriteFile(rules, []byte("local all app scram-sha-256\nlocal all all trust\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cluster.SQL(t, database, "CREATE ROLE app SUPERUSER LOGIN PASSWORD 'sésame:open'")
	cluster.SQL(t, database, "SELECT pg_reload_conf()")
	address := "DATABASE_URL=postgres://app:%s@/" + database + "?host=" + cluster.Folder()
	checkService(t, dir, "/todos", []string{fmt.Sprintf(address, "s%C3%A9same%3Aopen")}, "python3", "-m", "app")
	checkRelations(t, dir, fmt.Sprintf(address, "s%C3%A9same%3Aopen"))
	wrong := exec.CommandContext(t.Context(), "python3", "-m", "app")
	wrong.Dir, wrong.Env = dir, append(os.Environ(), "API_TOKEN=0123456789abcdef", fmt.Sprintf(address, "guessed"))
	if out, err := wrong.CombinedOutput(); err == nil || !strings.Contains(string(out), "password authentication failed") {
		t.Errorf("a wrong password: %v\n%s", err, out)
	}
}

// checkRelations asks a service of todos, and of notes that belong to them, for pages and for what leads nowhere.
func checkRelations(t *testing.T, dir, env string) {
	t.Helper()
	const token = "0123456789abcdef0123"
	url, stop := service(t, dir, []string{"API_TOKEN=" + token, env}, "python3", "-m", "app")
	post := func(path, body string) string {
		status, answer := ask(t, "POST", url+path, token, body)
		var made struct{ ID string }
		if err := json.Unmarshal([]byte(answer), &made); status != 201 || err != nil || made.ID == "" {
			t.Fatalf("POST %s %s = %d %s", path, body, status, answer)
		}
		return made.ID
	}
	todo := post("/todos", `{"title": "parent"}`)
	var notes []string
	for i := range 3 {
		notes = append(notes, post("/notes", fmt.Sprintf(`{"title": "note %d", "todo_id": %q}`, i, todo)))
	}
	for _, step := range []struct {
		method, path, body string
		status             int
		holds              string
	}{
		{"GET", "/notes?limit=1&offset=1", "", 200, notes[1]},
		{"GET", "/notes?offset=3", "", 200, "[]"},
		{"POST", "/notes", `{"title": "lost", "todo_id": "nobody"}`, 422, "refers to"},
		{"GET", "/notes/%00", "", 404, "no such record"},
		{"POST", "/notes", `{"title": "a\u0000"}`, 422, "no character"},
		{"POST", "/notes", `{"title": "a\ud800"}`, 422, "no character"},
		{"POST", "/notes", `{"title": "'); DROP TABLE documents; --"}`, 201, "DROP TABLE"},
		{"PUT", "/notes/" + notes[0], `{"title": "lost", "todo_id": "nobody"}`, 422, "refers to"},
		{"GET", "/notes/" + notes[0], "", 200, "note 0"},
		{"DELETE", "/todos/" + todo, "", 409, "refer to it"},
		{"PUT", "/notes/" + notes[0], `{"title": "free"}`, 200, "free"},
		{"DELETE", "/notes/" + notes[1], "", 204, ""},
		{"DELETE", "/notes/" + notes[2], "", 204, ""},
		{"DELETE", "/todos/" + todo, "", 204, ""},
		{"GET", "/todos/" + todo, "", 404, "no such record"},
	} {
		if status, answer := ask(t, step.method, url+step.path, token, step.body); status != step.status || !strings.Contains(answer, step.holds) {
			t.Errorf("%s %s %s = %d %s, want %d", step.method, step.path, step.body, status, answer, step.status)
		}
	}
	if err := stop(); err != nil {
		t.Errorf("the service ended with %v", err)
	}
}

// emptyDatabase gives the address of a database of its own.
func emptyDatabase(t *testing.T) string {
	t.Helper()
	cluster := pgtest.Start(t)
	return cluster.Address(cluster.Database(t))
}
