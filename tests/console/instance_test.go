// Package console uses the web console of the real server in Chromium: by keyboard,
// without scripts, with a screen that is narrow or dark, over restarts and silent
// connections.
package console

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/store/postgres"
	"github.com/bundle-delivery/svc/internal/store/sqlite"
	"github.com/bundle-delivery/svc/internal/testkit/cluster"
	"github.com/bundle-delivery/svc/internal/testkit/harness"
	"github.com/bundle-delivery/svc/internal/testkit/must"
	"github.com/bundle-delivery/svc/internal/testkit/seed"
	"github.com/bundle-delivery/svc/internal/testkit/toolbox"
)

const (
	email    = "ada@example.com"
	password = "correct horse battery"
)

// programs are the server and the client, built once for all tests.
var programs struct {
	once      sync.Once
	dir       string
	svcd, svc string
	err       error
}

// rooms are the places of services where SVC_TEST_CLUSTER asks for clusters.
var rooms cluster.Rooms

// notForClusters are the tests about something that one process has for itself.
var notForClusters = map[string]string{
	"TestFirstBundleByKeyboardAlone": "processes that share a certificate do not know whom clients have to trust",
}

func TestMain(m *testing.M) {
	code := m.Run()
	if err := rooms.Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = max(code, 1)
	}
	_ = os.RemoveAll(programs.dir) // the system removes it otherwise
	os.Exit(code)
}

// build returns the server and the client. The race detector watches the server if it
// watches the tests.
func build(t *testing.T) (server, client string) {
	t.Helper()
	programs.once.Do(func() {
		p := &programs
		if p.dir, p.err = os.MkdirTemp("", "svc-console-"); p.err != nil { //nolint:usetesting // outlives the first test
			return
		}
		if p.svcd, p.err = harness.Build(context.Background(), p.dir, buildFlags...); p.err == nil {
			p.svc, p.err = harness.BuildClient(context.Background(), p.dir)
		}
	})
	must.Do(t, programs.err)
	return programs.svcd, programs.svc
}

// instance is a service: one process, or the first process of a cluster.
type instance struct {
	t       *testing.T
	dir     string // the data folder
	address string
	base    string
	server  *harness.Server
	storage []string    // the flags that say where else it keeps things
	peers   []*instance // the other processes of a cluster
}

// start runs the service in a new folder with these flags.
func start(t *testing.T, flags ...string) *instance {
	t.Helper()
	return startIn(t, filepath.Join(t.TempDir(), "data"), flags...)
}

func startIn(t *testing.T, dir string, flags ...string) *instance {
	t.Helper()
	if !cluster.Wanted() {
		return startOne(t, dir, flags...)
	}
	if why := notForClusters[t.Name()]; why != "" {
		t.Skip("not for a cluster: " + why)
	}
	place := rooms.For(t, dir)
	parts := place.Parts(dir, flags)
	first := startOne(t, parts[0].Dir, parts[0].Flags...)
	for _, p := range parts[1:] {
		first.peers = append(first.peers, startOne(t, p.Dir, p.Flags...))
	}
	if !slices.Contains(flags, "--base-url") {
		first.base = "https://" + place.Balancer.Address()
	}
	first.server.Environment = []string{"SVCD_BASE_URL=" + first.base} // links are made from it
	first.address = place.Balancer.Address()
	return first
}

// startOne runs one process of the service.
func startOne(t *testing.T, dir string, flags ...string) *instance {
	t.Helper()
	i := &instance{t: t, dir: dir}
	config := harness.Config{Data: dir, Flags: append([]string{"--print-setup-link"}, flags...)}
	config.Program, _ = build(t)
	for n, flag := range flags {
		switch flag {
		case "--base-url":
			i.base = flags[n+1]
		case "--database-url", "--blob-url":
			i.storage = append(i.storage, flag, flags[n+1])
		case "--tls-cert": // of the first process, whose authority is beside it
			config.Authority = filepath.Join(filepath.Dir(flags[n+1]), "ca.pem")
		}
	}
	i.server = must.Get(harness.NewServer(config))(t)
	t.Cleanup(func() {
		i.stop()
		if t.Failed() {
			t.Log(i.server.Tail())
		}
	})
	must.Do(t, i.server.Start(t.Context()))
	i.address = strings.TrimPrefix(i.server.Base, "https://")
	if i.base == "" {
		i.base = i.server.Base
	}
	return i
}

// stop ends the service as a signal does.
func (i *instance) stop() {
	i.t.Helper()
	for _, process := range append([]*instance{i}, i.peers...) {
		if err := process.server.Stop(); err != nil {
			i.t.Error(err)
		}
	}
}

// lasting is an address that a service finds free when it is started again: the
// system gives it to nobody meanwhile.
func lasting(t *testing.T) string {
	t.Helper()
	return must.Get(toolbox.FreeAddress())(t)
}

// printed is everything that the process which prints the set-up link has said.
func (i *instance) printed() string {
	i.t.Helper()
	last := append([]*instance{i}, i.peers...)[len(i.peers)]
	return string(must.Get(os.ReadFile(last.server.LogFile))(i.t))
}

var linkPattern = regexp.MustCompile(`https://\S+/console/link/[\w-]+`)

// setUpLink is the link that the first start prints.
func (i *instance) setUpLink() (link string) {
	i.t.Helper()
	eventually(i.t, "the set-up link is printed", func() bool {
		link = linkPattern.FindString(i.printed())
		return link != ""
	})
	return link
}

// setUp follows the set-up link.
func (i *instance) setUp() *visitor {
	i.t.Helper()
	link := i.setUpLink()
	v := i.visitor()
	v.want(http.StatusOK, link, nil)
	v.want(http.StatusSeeOther, link, credentials(email, password))
	return v
}

// operate runs an operator's command on the data folder and returns its stdout.
func (i *instance) operate(args ...string) string {
	i.t.Helper()
	return must.Get(i.server.Admin(i.t.Context(), slices.Concat(args, i.storage)...))(i.t)
}

// account makes an account and a key for it.
func (i *instance) account(address string) (key string) {
	i.t.Helper()
	i.operate("account", "create", "--email", address, "--plan", "developer")
	return i.operate("key", "create", "--account", address, "--name", "test")
}

// imported is what project import prints.
type imported struct{ ProjectID, BundleID string }

// importFiles makes a project of files for an account.
func (i *instance) importFiles(address string, files map[string]string, flags ...string) (made imported) {
	i.t.Helper()
	dir := i.t.TempDir()
	for name, content := range files {
		must.Do(i.t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	args := append([]string{"project", "import", dir, "--account", address, "--name", "demo"}, flags...)
	must.Do(i.t, json.Unmarshal([]byte(i.operate(args...)), &made))
	return made
}

// seedUsage writes a month of generations into the records of an account.
func (i *instance) seedUsage(address string) {
	i.t.Helper()
	ctx := i.t.Context()
	var store svc.Store
	var err error
	if n := slices.Index(i.storage, "--database-url"); n >= 0 {
		store, err = postgres.Open(ctx, i.storage[n+1])
	} else {
		store, err = sqlite.Open(ctx, filepath.Join(i.dir, "svcd.db"))
	}
	must.Do(i.t, err)
	defer func() { _ = store.Close() }()
	must.Do(i.t, seed.Usage(ctx, store, address))
}

// reply is an answer that was read.
type reply struct {
	status int
	header http.Header
	body   []byte
}

// ask sends a request to the interface with a key and header lines such as "Name: value".
func (i *instance) ask(method, path, key, content string, header ...string) reply {
	i.t.Helper()
	r := must.Get(http.NewRequestWithContext(i.t.Context(), method, i.base+path, strings.NewReader(content)))(i.t)
	r.Header.Set("Authorization", "Bearer "+key)
	return answerTo(i.t, i.server.Client, r, header)
}

// want asks without a body and insists on a status and, for a failure, its code.
func (i *instance) want(status int, code, method, path, key string) reply {
	i.t.Helper()
	got := i.ask(method, path, key, "")
	if got.status != status || !strings.Contains(string(got.body), code) {
		i.t.Fatalf("%s %s: got %d %s, want %d %s", method, path, got.status, got.body, status, code)
	}
	return got
}

// answerTo sends a request with more header lines and reads the answer.
func answerTo(t *testing.T, client *http.Client, r *http.Request, header []string) reply {
	t.Helper()
	for _, line := range header {
		name, text, _ := strings.Cut(line, ": ")
		r.Header.Set(name, text)
	}
	answer := must.Get(client.Do(r))(t)
	defer func() { _ = answer.Body.Close() }()
	return reply{answer.StatusCode, answer.Header, must.Get(io.ReadAll(answer.Body))(t)}
}

// eventually waits for something that another process brings about.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	give := time.NewTimer(3 * time.Minute)
	defer give.Stop()
	for !ok() {
		select {
		case <-look.C:
		case <-give.C:
			t.Fatalf("waited in vain: %s", what)
		}
	}
}
