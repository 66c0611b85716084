//go:build unix

// Package pgtest gives tests a PostgreSQL of their own.
//
// Its law: a cluster is private to the test that starts it, listens on a Unix
// socket in a folder of its own, and is gone with the test. Without PostgreSQL a
// test is skipped, loudly; with CI=true that is a failure.
package pgtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/bundle-delivery/svc/internal/needs"
)

// Cluster is a running PostgreSQL.
type Cluster struct {
	Prepared
	dir  string
	made atomic.Int64
}

// Start starts a cluster that stops when the test ends.
func Start(t testing.TB) *Cluster {
	t.Helper()
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
	prepared, err := Prepare(t.Context(), dir)
	if errors.Is(err, ErrMissing) {
		needs.Missing(t, "%v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	c := &Cluster{dir: dir, Prepared: prepared}
	c.up(t)
	t.Cleanup(func() { c.run(t, "pg_ctl", "stop", "--wait", "--mode=immediate", "-D", c.Data) })
	return c
}

// Restart stops the server at once, as a crash would, and starts it again.
func (c *Cluster) Restart(t testing.TB) {
	t.Helper()
	c.run(t, "pg_ctl", "stop", "--wait", "--mode=immediate", "-D", c.Data)
	c.up(t)
}

func (c *Cluster) up(t testing.TB) {
	t.Helper()
	c.run(t, "pg_ctl", "start", "--wait", "-D", c.Data, "-l", filepath.Join(c.dir, "log"),
		"-o", "-k "+c.dir+" -c listen_addresses= -c fsync=off -c full_page_writes=off -c max_connections=400 -c deadlock_timeout=50ms")
}

// run runs a program of PostgreSQL as the cluster's user.
func (c *Cluster) run(t testing.TB, name string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), filepath.Join(c.Programs, name), args...)
	cmd.Dir = c.dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: c.As}
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
