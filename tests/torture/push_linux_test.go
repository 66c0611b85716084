package torture

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/client"
	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
	"github.com/bundle-delivery/svc/internal/bundle/pack"
	"github.com/bundle-delivery/svc/internal/store/fsblob"
	"github.com/bundle-delivery/svc/internal/store/sqlite"
	"github.com/bundle-delivery/svc/internal/testkit/harness"
	"github.com/bundle-delivery/svc/internal/testkit/needs"
)

// deadly are the system calls by which a server changes what it keeps, and tells of it.
// renameat, renameat2 and linkat are one way to give a file its name.
var deadly = []string{"openat", "pwrite64", "fdatasync,fsync", "write", "renameat,renameat2,linkat", "close", "unlinkat,pread64"}

// pushed is a push and what its client was told.
type pushed struct {
	tenant
	base    string
	archive []byte
	told    string // the state; empty: nothing was heard
}

// TestServerKilledAtASystemCallOfAPush kills the server at the first, the second and
// so on of each kind of the system calls by which a push changes something. Whatever a client was
// told is true, whatever it was not told it finds out by sending the push again, and
// bytes and records agree.
// Promise: push-server-killed
func TestServerKilledAtASystemCallOfAPush(t *testing.T) {
	strace := needs.Program(t, "strace", "install the Debian package strace")
	w := newWorld(t)
	wanted := min(max(*kills, 5), tenants-1) // each has a project of its own
	var last *pushed
	died := 0
	for at := 1; at <= wanted; at++ {
		server, err := harness.Start(t.Context(), binary, w.data)
		if err != nil {
			t.Fatal(err)
		}
		if last != nil {
			if state := send(t, server, last); state == "" || last.told != "" && state != last.told {
				t.Fatalf("sent again after kill %d, the push gave %q; the first answer was %q", at-1, state, last.told)
			}
		}
		last = w.push(t, w.accounts[at])
		tracer := killAt(t, strace, server.PID(), deadly[at%len(deadly)], 1+at/len(deadly))
		if last.told = send(t, server, last); last.told == "" {
			died++
		}
		if err := errors.Join(server.Kill(), tracer()); err != nil {
			t.Fatal(err)
		}
		w.verifyPush(t, last)
		if t.Failed() {
			t.Fatalf("broken after the kill at call %d", at)
		}
	}
	// Not every kind of call comes so often in one thread.
	if died < wanted/2 {
		t.Errorf("the server died %d times before it answered: nothing was proved", died)
	}
	t.Logf("%d of %d servers died before they answered", died, wanted)
}

// push makes a push to a project as it stands.
func (w *world) push(t *testing.T, owner tenant) *pushed {
	t.Helper()
	p := &pushed{tenant: owner}
	w.open(t, time.Now, func(store *sqlite.Store, _ *fsblob.Store) {
		project, err := store.Projects().Get(t.Context(), owner.accountID, owner.projectID)
		if err != nil {
			t.Fatal(err)
		}
		p.base = project.Pack.State()
	})
	note, err := client.Changes{Base: p.base, Deleted: []string{"file1.txt"}}.Note()
	if err != nil {
		t.Fatal(err)
	}
	var archive bytes.Buffer
	if err := bundlezip.WriteChanges(&archive, note, []bundlezip.StateFile{
		{Path: "file0.txt", Content: bundlezip.Bytes([]byte("pushed\n"))}, {Path: "new.txt", Content: bundlezip.Bytes(bytes.Repeat([]byte(owner.projectID), 5000))},
	}); err != nil {
		t.Fatal(err)
	}
	p.archive = archive.Bytes()
	return p
}

// send sends a push and gives the state that was answered, or nothing if the server
// died.
func send(t *testing.T, server *harness.Server, p *pushed) string {
	t.Helper()
	c, err := client.New(client.Options{BaseURL: server.Base, APIKey: p.key, Transport: server.Client.Transport})
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.Push(t.Context(), p.projectID, p.archive, "") // without a key it is the state that tells
	if _, lost := errors.AsType[*client.NetworkError](err); err != nil && !lost {
		t.Fatalf("the push was refused: %v", err)
	}
	return got.State
}

// killAt kills a process at one of the next of these system calls of a thread. What
// it returns waits for the tracer to end.
func killAt(t *testing.T, strace string, pid int, calls string, at int) (wait func() error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), strace, "-f", "-o", "/dev/null", "-e", "trace="+calls,
		"-e", fmt.Sprintf("inject=%s:signal=SIGKILL:when=%d", calls, at), "-p", strconv.Itoa(pid))
	said, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(said)
	for attached := false; !attached; {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatalf("strace does not attach: %v", err)
		}
		attached = strings.Contains(line, "attached")
	}
	go func() { _, _ = io.Copy(io.Discard, lines) }()
	return func() error {
		_ = cmd.Wait() // it ends as its process did
		return nil
	}
}

// verifyPush holds the data folder against what the client of a push was told.
func (w *world) verifyPush(t *testing.T, p *pushed) {
	t.Helper()
	w.sweepSoon(t)
	w.open(t, time.Now, func(store *sqlite.Store, blobs *fsblob.Store) {
		w.verifyArchives(t, store, blobs)
		project, err := store.Projects().Get(t.Context(), p.accountID, p.projectID)
		if err != nil {
			t.Fatal(err)
		}
		state := project.Pack.State()
		switch {
		case p.told != "" && state != p.told:
			t.Errorf("the push was answered with state %s, and the project has %s", p.told, state)
		case state == p.base:
			return
		}
		packs := pack.Packager{Store: store, Blobs: blobs}
		source, err := packs.Open(t.Context(), project)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = source.Close() }()
		r, err := source.OpenFile(bundlezip.ProjectRoot, "file0.txt")
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil || string(content) != "pushed\n" || len(source.Manifest().Files) != 12 || project.LastPush() == nil || project.LastPush().Count(svc.FileDeleted) != 1 {
			t.Errorf("half a push is there: %q, %d files, %+v (%v)", content, len(source.Manifest().Files), project.Push, err)
		}
	})
}
