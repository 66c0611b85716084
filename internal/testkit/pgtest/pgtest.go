//go:build unix

// Package pgtest gives tests a PostgreSQL of their own.
//
// Its law: a server is private to the test that starts it, keeps everything in a
// folder of its own, and is gone with the test. Without PostgreSQL a test is
// skipped, loudly; with CI=true that is a failure.
package pgtest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/bundle-delivery/svc/internal/testkit/harness"
	"github.com/bundle-delivery/svc/internal/testkit/needs"
)

// Cluster is a running PostgreSQL that listens on a socket.
type Cluster struct {
	*harness.Process
	dir string
}

// made counts the databases of this process, each of which has a name of its own.
var made atomic.Int64

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
	p, err := New(t.Context(), dir, "")
	needs.Check(t, err)
	p.ForTest(t)
	return &Cluster{Process: p, dir: dir}
}

// Join gives a cluster that another process started, by its Folder.
func Join(folder string) *Cluster { return &Cluster{dir: folder} }

// Folder is where the cluster lives.
func (c *Cluster) Folder() string { return c.dir }

// Restart stops the server at once, as a crash would, and starts it again.
func (c *Cluster) Restart(t testing.TB) {
	t.Helper()
	if err := c.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := c.Process.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// Address gives the address of a database of the cluster.
func (c *Cluster) Address(database string) string { return socketURL(c.dir, database) }

// Socket is the file that the server listens on.
func (c *Cluster) Socket() string { return filepath.Join(c.dir, ".s.PGSQL.5432") }

// Database makes an empty database and gives its name.
func (c *Cluster) Database(t testing.TB) string { t.Helper(); return c.Copy(t, "template0") }

// Copy makes a database like another, to which nobody may be connected.
func (c *Cluster) Copy(t testing.TB, template string) string {
	t.Helper()
	name := fmt.Sprintf("db%d_%d", os.Getpid(), made.Add(1))
	c.SQL(t, "postgres", `CREATE DATABASE `+name+` TEMPLATE `+template)
	return name
}

// SQL runs a statement on a database, by hand.
func (c *Cluster) SQL(t testing.TB, database, statement string) {
	t.Helper()
	if err := Exec(context.WithoutCancel(t.Context()), c.Address(database), statement); err != nil {
		t.Fatal(err)
	}
}
