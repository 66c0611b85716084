package egress

import (
	"math"
	"syscall"
)

// openFiles returns how many files this process may open. Go has raised that to
// the hard limit when the process started.
func openFiles() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil || limit.Cur > math.MaxInt32 {
		return math.MaxInt32
	}
	return int(limit.Cur)
}
