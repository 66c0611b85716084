package main

import (
	"context"
	"database/sql"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"github.com/bundle-delivery/svc/internal/store/datadir"
	"github.com/bundle-delivery/svc/internal/testkit/needs"
)

// A pipe shows the next steps as a terminal does; the log never has the link.
// Promise: setup-link-unlogged, console-invitation
func TestTheFirstStartPrintsTheNextStepsAndLogsNoLink(t *testing.T) {
	t.Parallel()
	i := start(t)
	link := i.setUpLink()
	for _, want := range []string{i.base, filepath.Join(i.dir, "tls", "ca.pem"), "A browser warns", i.base + "/ca.pem", "account create", "key create", "generate"} {
		if !strings.Contains(i.out.String(), want) {
			t.Errorf("%q is not printed:\n%s", want, i.out)
		}
	}
	i.stop()
	if strings.Contains(i.log.String(), link) {
		t.Errorf("the link is in the log:\n%s", i.log)
	}
}

func TestAStartThatWaitsForTheDatabaseCanBeStopped(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	held := flock.New(datadir.Dir(dir).Database() + ".lock") // another program upgrades the schema
	if ok, err := held.TryLock(); err != nil || !ok {
		t.Fatal(ok, err)
	}
	defer func() { _ = held.Close() }()
	ctx, stop := context.WithCancel(t.Context())
	log, code := &transcript{}, make(chan int, 1)
	go func() {
		code <- Main(ctx, []string{"serve", "--data-dir", dir, "--listen", "127.0.0.1:0"}, Streams{Out: log, Err: log, Program: "svcd"}, nil)
	}()
	eventually(t, "the folder is locked", func() bool {
		_, err := os.Stat(filepath.Join(dir, "svcd.lock"))
		return err == nil
	})
	stop()
	eventually(t, "the start is given up", func() bool { return len(code) == 1 })
	if got := <-code; got != exitOK {
		t.Errorf("exit %d:\n%s", got, log)
	}
}

func TestAnOpenDataFolderIsTightened(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil { // whatever the umask is
		t.Fatal(err)
	}
	i := startIn(t, dir)
	info, err := os.Stat(dir)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o700 || !strings.Contains(i.log.String(), "other users") {
		t.Errorf("mode %v:\n%s", info.Mode(), i.log)
	}
}

func TestServeWantsToBeTheFoldersOwner(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		needs.Missing(t, "only root can give a folder away")
	}
	dir := filepath.Join(t.TempDir(), "data")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(dir, 12345, -1); err != nil {
		t.Fatal(err)
	}
	code, _, text := runMain(t, nil, "serve", "--data-dir", dir, "--listen", "127.0.0.1:0")
	if code != exitFailure || !strings.Contains(text, "belongs to the user with id 12345") {
		t.Errorf("exit %d: %s", code, text)
	}
}

// TestADatabaseThatCannotBeWrittenIsShown: it is shown, and the process stays ready for
// what can do without.
// Promise: readiness-own
func TestADatabaseThatCannotBeWrittenIsShown(t *testing.T) {
	t.Parallel()
	i := start(t)
	i.want(http.StatusOK, "", http.MethodGet, "/readyz", "")
	db, err := sql.Open("sqlite", datadir.Dir(i.dir).Database())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	other, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Close() }()
	eventually(t, "another program holds the database", func() bool {
		_, err := other.ExecContext(t.Context(), "BEGIN IMMEDIATE")
		return err == nil
	})
	if got := i.want(http.StatusOK, "", http.MethodGet, "/readyz", ""); !strings.Contains(string(got.body), `"records":"unavailable"`) {
		t.Errorf("got %s", got.body)
	}
	if _, err := other.ExecContext(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	i.want(http.StatusOK, "", http.MethodGet, "/readyz", "")
}

// TestDrainDelay: a process that is to end says so to its balancer, and serves on for
// the time that the balancer needs to notice.
// Promise: drain-delay
func TestDrainDelay(t *testing.T) {
	t.Parallel()
	i := startOne(t, filepath.Join(t.TempDir(), "data"), "--drain-delay", "3s", "--admin-listen", "127.0.0.1:0")
	i.want(http.StatusOK, "", http.MethodGet, "/readyz", "")
	begun := time.Now()
	i.end()
	eventually(t, "the process says that it drains", func() bool {
		got := i.ask(http.MethodGet, "/readyz", "")
		return got.status == http.StatusServiceUnavailable && strings.Contains(string(got.body), `"status":"draining"`)
	})
	i.want(http.StatusOK, "", http.MethodGet, "/healthz", "")
	<-i.ended
	if took := time.Since(begun); took < 3*time.Second || i.code != exitOK {
		t.Errorf("it ended after %v with %d", took, i.code)
	}
}
