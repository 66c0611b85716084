package main

import (
	"os"
	"runtime/debug"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

const (
	// garbagePercent is how much garbage may gather, of what is in use, where the
	// operator says nothing (GOGC). With thousands of streams a collection keeps
	// every processor busy for a tenth of a second, which their viewers notice:
	// so there are few of them. With more, clients that stop reading would hold
	// more memory than they may.
	garbagePercent = 200
	// memoryShare is the part of the memory that this process may have, of its
	// container or else of the machine, from which on it collects as often as
	// need be, where the operator says nothing (GOMEMLIMIT).
	memoryShare = 0.7
)

// configureGC sets how the runtime collects garbage. An error is of no
// consequence: the share cannot be told where neither cgroup nor system says how
// much memory there is, and then there is no limit, as for every Go program.
func configureGC() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbagePercent)
	}
	if os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	_ = os.Unsetenv("GOMEMLIMIT") // one that is empty says nothing, to the library neither
	_, _ = memlimit.Set(memlimit.WithRatio(memoryShare),
		memlimit.WithProvider(memlimit.ApplyFallback(memlimit.FromCgroup, memlimit.FromSystem)))
}
