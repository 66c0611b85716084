//go:build unix

// Package pgtest gives tests a PostgreSQL of their own.
//
// Its law: a cluster is private to the test that starts it, listens on a Unix
// socket in a folder of its own, and is gone with the test. Without PostgreSQL a
// test is skipped, loudly; with CI=true that is a failure.
package pgtest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Cluster is a running PostgreSQL.
type Cluster struct {
	dir, bin, data string
	as             *syscall.Credential
	made           atomic.Int64
}

// Start starts a cluster that stops when the test ends.
func Start(t testing.TB) *Cluster {
	t.Helper()
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	if err != nil || len(found) == 0 {
		if os.Getenv("CI") == "true" {
			t.Fatal("PostgreSQL is missing: install the Debian package postgresql")
		}
		t.Skip("SKIPPED: PostgreSQL is missing; install the Debian package postgresql")
	}
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
	c := &Cluster{dir: dir, bin: found[len(found)-1], data: filepath.Join(dir, "data"), as: unprivileged(t, dir)}
	c.run(t, "initdb", "--no-sync", "--username=svc", "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", "-D", c.data)
	c.up(t)
	t.Cleanup(func() { c.run(t, "pg_ctl", "stop", "--wait", "--mode=immediate", "-D", c.data) })
	return c
}

// Restart stops the server at once, as a crash would, and starts it again.
func (c *Cluster) Restart(t testing.TB) {
	t.Helper()
	c.run(t, "pg_ctl", "stop", "--wait", "--mode=immediate", "-D", c.data)
	c.up(t)
}

func (c *Cluster) up(t testing.TB) {
	t.Helper()
	c.run(t, "pg_ctl", "start", "--wait", "-D", c.data, "-l", filepath.Join(c.dir, "log"),
		"-o", "-k "+c.dir+" -c listen_addresses= -c fsync=off -c full_page_writes=off -c max_connections=400 -c deadlock_timeout=50ms")
}

// run runs a program of PostgreSQL as the cluster's user.
func (c *Cluster) run(t testing.TB, name string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), filepath.Join(c.bin, name), args...)
	cmd.Dir = c.dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: c.as}
	// Into a file: the server inherits it, and a pipe would stay open with it.
	out, err := os.Create(filepath.Join(c.dir, name+".out"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = out.Close() }() // it is only read
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Run(); err != nil {
		said, _ := os.ReadFile(out.Name())
		t.Fatalf("%s: %v\n%s", name, err, said)
	}
}

// Address gives the address of a database of the cluster.
func (c *Cluster) Address(database string) string {
	return "postgres://svc@/" + database + "?host=" + c.dir
}

// Socket is the file that the server listens on.
func (c *Cluster) Socket() string { return filepath.Join(c.dir, ".s.PGSQL.5432") }

// Database makes an empty database and gives its name.
func (c *Cluster) Database(t testing.TB) string { t.Helper(); return c.Copy(t, "template0") }

// Copy makes a database like another, to which nobody may be connected.
func (c *Cluster) Copy(t testing.TB, template string) string {
	t.Helper()
	name := fmt.Sprintf("db%d", c.made.Add(1))
	c.SQL(t, "postgres", `CREATE DATABASE `+name+` TEMPLATE `+template)
	return name
}

// SQL runs a statement on a database, by hand.
func (c *Cluster) SQL(t testing.TB, database, statement string) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	conn, err := pgx.Connect(ctx, c.Address(database))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(ctx) }() // what it was asked for is done
	if _, err := conn.Exec(ctx, statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// unprivileged gives the user that the cluster runs as: initdb refuses root.
func unprivileged(t testing.TB, dir string) *syscall.Credential {
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
