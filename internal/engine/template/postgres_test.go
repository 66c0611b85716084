//go:build unix

package template_test

import (
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

func TestGoProjectKeepsRecordsInPostgreSQL(t *testing.T) {
	t.Parallel()
	url := startPostgres(t)
	p := begin(t, "A todo list API in Go", nil)
	p.ask(t, "add a database", nil)
	out := checkGo(t, p, "TEST_DATABASE_URL="+url)
	if !strings.Contains(out, "--- PASS: TestPostgres") {
		t.Errorf("the store was not tested:\n%s", out)
	}
}

func TestTypeScriptProjectKeepsRecordsInPostgreSQL(t *testing.T) {
	t.Parallel()
	need(t, "node")
	need(t, "npm")
	url := startPostgres(t)
	p := begin(t, "A Node API for products", nil)
	p.ask(t, "add a database", nil)
	dir := p.write(t)
	install(t, dir)
	if out := command(t, dir, []string{"TEST_DATABASE_URL=" + url}, "npm", "test"); !strings.Contains(out, "# skipped 0\n") || !strings.Contains(out, "the PostgreSQL store") {
		t.Errorf("the store was not tested:\n%s", out)
	}
}

// startPostgres starts a private cluster on a Unix socket and gives the address
// of its database, or skips the test where PostgreSQL is not installed.
func startPostgres(t *testing.T) string {
	t.Helper()
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	if err != nil || len(found) == 0 {
		if os.Getenv("CI") == "true" {
			t.Fatal("PostgreSQL is missing")
		}
		t.Skip("PostgreSQL is missing")
	}
	bin := found[len(found)-1]
	// A socket's path must be short, and the cluster's user must reach it.
	dir, err := os.MkdirTemp("", "pg") //nolint:usetesting // see above
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	as := unprivileged(t, dir)
	data := filepath.Join(dir, "data")
	run := func(name string, args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), filepath.Join(bin, name), args...)
		cmd.Dir = dir
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: as}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
	}
	run("initdb", "--no-sync", "--username=app", "--auth=trust", "-D", data)
	run("pg_ctl", "start", "--wait", "-D", data, "-l", filepath.Join(dir, "log"), "-o", "-k "+dir+" -c listen_addresses= -c fsync=off")
	t.Cleanup(func() {
		cmd := exec.Command(filepath.Join(bin, "pg_ctl"), "stop", "--wait", "--mode=fast", "-D", data)
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: as}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("stopping PostgreSQL: %v\n%s", err, out)
		}
	})
	return "postgres://app@/postgres?host=" + dir
}

// unprivileged gives the user that the cluster runs as: initdb refuses root.
func unprivileged(t *testing.T, dir string) *syscall.Credential {
	t.Helper()
	if os.Getuid() != 0 {
		return nil
	}
	nobody, err := user.Lookup("nobody")
	if err != nil {
		t.Fatal(err)
	}
	uid, err := strconv.ParseUint(nobody.Uid, 10, 32)
	if err != nil {
		t.Fatal(err)
	}
	gid, err := strconv.ParseUint(nobody.Gid, 10, 32)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(dir, int(uid), int(gid)); err != nil {
		t.Fatal(err)
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
}
