package checker

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/tests/viewer"
)

// The outcomes of runs. A run that failed did so through no wish of the test.
const (
	succeeded = "succeeded"
	cancelled = "cancelled by the test"
	asTold    = "failed as the engine was told to"
	failed    = "failed"
)

// toldCodes are what the endings of the engine come to.
var toldCodes = map[string]string{"outage": "UPSTREAM_OUTAGE", "invalid": "VALIDATION_FAILED"}

// judge says what became of a run, as a viewer heard it. The lock is held.
func (r *run) judge(whole *viewer.Viewer) string {
	switch {
	case whole.Ready != nil:
		return succeeded
	case whole.Error.Code == "CANCELLED" && r.cancelled:
		return cancelled
	case whole.Error.Code == toldCodes[r.ending]:
		return asTold
	default:
		return failed
	}
}

// mended is the end of the name of the phase that follows on a fault.
const mended = ", mended"

// RunTable says for every fault what became of the runs that were under way while it
// held or was mended.
func (c *Checker) RunTable() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	faults := make([]string, len(c.phases)) // by the number of the phase; empty where it is calm
	var names []string
	for i, p := range c.phases {
		if strings.HasPrefix(p.name, calm) {
			continue
		}
		if faults[i] = strings.TrimSuffix(p.name, mended); !slices.Contains(names, faults[i]) {
			names = append(names, faults[i])
		}
	}
	var text strings.Builder
	for _, name := range names {
		counts := map[string]int{}
		runs := 0
		for _, r := range c.runs {
			r.mu.Lock()
			until := r.until
			if !r.over {
				until, r.outcome = len(c.phases)-1, failed
			}
			if slices.Contains(faults[r.since:until+1], name) {
				runs++
				counts[r.outcome]++
			}
			r.mu.Unlock()
		}
		fmt.Fprintf(&text, "%s: %d runs, %d %s, %d %s, %d %s, the rest %d\n",
			name, runs, counts[succeeded], succeeded, counts[cancelled], cancelled, counts[asTold], asTold, counts[failed])
	}
	return text.String()
}
