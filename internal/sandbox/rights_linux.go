package sandbox

import (
	"math"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// dropRights has what this thread starts begin without the rights that a service
// manager has given this process, such as that to listen on port 443: bubblewrap
// refuses to work with any.
func dropRights() {
	// An old kernel has none to drop.
	_ = unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
}

// keepFiles has what this process starts begin without the files that whoever
// started this process has left open in it. Those that it opens itself it keeps
// anyway.
func keepFiles() {
	const first = 3
	if unix.CloseRange(first, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC) == nil {
		return
	}
	// An old kernel, or one that may not be asked.
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return // there is no /proc, and no sandbox either
	}
	for _, entry := range open {
		if fd, err := strconv.Atoi(entry.Name()); err == nil && fd >= first {
			unix.CloseOnExec(fd)
		}
	}
}
