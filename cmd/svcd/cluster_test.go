//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/bundle-delivery/svc/internal/cluster"
	"github.com/bundle-delivery/svc/internal/harness"
	"github.com/bundle-delivery/svc/internal/needs"
	"github.com/bundle-delivery/svc/internal/toolbox"
)

// With SVC_TEST_CLUSTER, as in `make test-long`, every test of this package that starts the service
// gets three processes behind a balancer, on PostgreSQL, S3 and three servers of
// NATS, and does not know it.

// notForClusters are the tests about something that one process has for itself.
var notForClusters = map[string]string{
	"TestADatabaseThatCannotBeWrittenIsShown":   "it is the file of SQLite that cannot be written",
	"TestARunThatWaitsForASandboxSaysSo":        "each process has its own places for sandboxes",
	"TestShutdownClosesStreamsAndHandsRunsBack": "its stream may be at a process that does not end; tests/cluster ends the one that has the run",
	"TestBackup":                                       "it is the data folder that is backed up",
	"TestFirstBundleByKeyboardAlone":                   "processes that share a certificate do not know whom clients have to trust",
	"TestCommandsOfTheREADMEWork":                      "the README begins with a data folder",
	"TestMigrate":                                      "it is a data folder that moves",
	"TestRestoreCanBeKilled":                           "it is the data folder that is restored",
	"TestRestoreCanEndWhilePlacing":                    "it is the data folder that is restored",
	"TestShutdownLetsADownloadFinish":                  "when one process ends, the others accept connections",
	"TestTheFirstStartPrintsTheNextStepsAndLogsNoLink": "only a process with an authority of its own names it",
}

// engines are shared by the tests of this package.
var engines struct {
	once    sync.Once
	dir     string
	running *cluster.Engines
	err     error

	mu    sync.Mutex
	rooms map[string]*room // by data folder: a service that is started again finds its own
}

// room is the place of one service: on the engines, and behind a balancer.
type room struct {
	*cluster.Tenant
	addresses []string
	balancer  *cluster.Balancer
}

// withEngines ends the engines after the tests and before leaks are looked for.
type withEngines struct{ *testing.M }

func (w withEngines) Run() int {
	code := w.M.Run()
	if engines.running != nil {
		if err := errors.Join(engines.running.Stop(), os.RemoveAll(engines.dir)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = max(code, 1)
		}
		http.DefaultClient.CloseIdleConnections()
	}
	return code
}

func startEngines() {
	if engines.dir, engines.err = os.MkdirTemp("", "svc-engines"); engines.err != nil {
		return
	}
	engines.rooms = make(map[string]*room)
	if engines.running, engines.err = cluster.StartEngines(context.Background(), engines.dir); engines.err != nil {
		return
	}
	for name, text := range cluster.Keys() {
		engines.err = errors.Join(engines.err, os.Setenv(name, text)) // for all tests, which run in parallel
	}
}

// roomFor gives the service of a data folder its place.
func roomFor(t *testing.T, dir string) *room {
	t.Helper()
	engines.once.Do(startEngines)
	needs.Check(t, engines.err)
	engines.mu.Lock()
	defer engines.mu.Unlock()
	if engines.rooms[dir] != nil {
		return engines.rooms[dir]
	}
	made := &room{}
	var err error
	if made.Tenant, err = engines.running.Tenant(t.Context()); err != nil {
		t.Fatal(err)
	}
	if made.addresses, err = toolbox.FreeAddresses(3); err != nil {
		t.Fatal(err)
	}
	if made.balancer, err = cluster.NewBalancer(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, a := range made.addresses {
		made.balancer.Add(a, harness.Listening("tcp", a))
	}
	t.Cleanup(func() {
		if err := made.balancer.Close(); err != nil {
			t.Error(err)
		}
	})
	engines.rooms[dir] = made
	return made
}

// startCluster runs three processes. The instance is the first of them, at the
// address of the balancer.
func startCluster(t *testing.T, dir string, flags []string) *instance {
	t.Helper()
	name, _, _ := strings.Cut(t.Name(), "/")
	if why := notForClusters[name]; why != "" {
		t.Skip("not for a cluster: " + why)
	}
	given := func(flag string) bool { return slices.Contains(flags, flag) }
	if given("--database-url") || given("--blob-url") {
		return startOne(t, dir, flags...) // it says itself where to keep things
	}
	place := roomFor(t, dir)
	flags = append(slices.Clone(flags), "--database-url", place.DatabaseURL(), "--blob-url", place.BlobURL(), "--nats-url", place.NATSURL())
	if !given("--base-url") {
		flags = append(flags, "--base-url", "https://"+place.balancer.Address())
	}
	// Each link to begin with voids the one before, and is made after its process serves:
	// only the last process makes one.
	first := startOne(t, dir, append(slices.Clone(flags), "--listen", place.addresses[0], "--print-setup-link=false")...)
	if !given("--tls-cert") {
		flags = append(flags, "--tls-cert", filepath.Join(dir, "tls", "leaf.pem"), "--tls-key", filepath.Join(dir, "tls", "leaf-key.pem"))
	}
	for n, a := range place.addresses[1:] {
		last := n == len(place.addresses)-2
		own := append(slices.Clone(flags), "--listen", a, fmt.Sprintf("--print-setup-link=%v", last))
		first.peers = append(first.peers, startOne(t, fmt.Sprintf("%s-%d", dir, n+2), own...))
	}
	if !given("--base-url") {
		first.base = "https://" + place.balancer.Address()
	}
	first.environment = []string{"SVCD_BASE_URL=" + first.base} // links are made from it
	first.address = place.balancer.Address()
	first.out = first.peers[len(first.peers)-1].out
	return first
}
