//go:build unix

package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/testkit/cluster"
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
	"TestCommandsOfTheREADMEWork":                      "the README begins with a data folder",
	"TestMigrate":                                      "it is a data folder that moves",
	"TestRestoreCanBeKilled":                           "it is the data folder that is restored",
	"TestRestoreCanEndWhilePlacing":                    "it is the data folder that is restored",
	"TestShutdownLetsADownloadFinish":                  "when one process ends, the others accept connections",
	"TestTheFirstStartPrintsTheNextStepsAndLogsNoLink": "only a process with an authority of its own names it",
}

// rooms are the places of this package's services.
var rooms cluster.Rooms

// withEngines ends the engines after the tests and before leaks are looked for.
type withEngines struct{ *testing.M }

func (w withEngines) Run() int {
	code := w.M.Run()
	if err := rooms.Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = max(code, 1)
	}
	return code
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
	place := rooms.For(t, dir)
	parts := place.Parts(dir, flags)
	first := startOne(t, parts[0].Dir, parts[0].Flags...)
	for _, p := range parts[1:] {
		first.peers = append(first.peers, startOne(t, p.Dir, p.Flags...))
	}
	if !given("--base-url") {
		first.base = "https://" + place.Balancer.Address()
	}
	first.environment = []string{"SVCD_BASE_URL=" + first.base} // links are made from it
	first.address = place.Balancer.Address()
	first.out = first.peers[len(first.peers)-1].out
	return first
}
