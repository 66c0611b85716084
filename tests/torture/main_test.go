package torture

import (
	"context"
	"flag"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/bundle-delivery/svc/internal/testkit/harness"
)

var (
	kills  = flag.Int("torture.kills", 5, "how often the server is killed")
	rounds = flag.Int("torture.rounds", 1, "how often every fault comes")
	only   = flag.String("torture.fault", "", "the faults that come, as a regular expression; empty: all")
	out    = flag.Duration("torture.outage", 15*time.Second, "how long records, bytes and events are out of reach")
	seed   = flag.Uint64("torture.seed", uint64(time.Now().UnixNano()), "seed of the campaign's choices")
)

// binary is the server under test, built once.
var binary string

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "svc-torture-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if binary, err = harness.Build(context.Background(), dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}
