package sandbox

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/bundle-delivery/svc/internal/sandbox/proctree"
)

// below lists the processes of a box.
func (b *Box) below() []int { return proctree.Descendants(b.cmd.Process.Pid) }

// memoryOf sums what processes hold in memory that is their own. Pages that
// several share after a fork are counted for each: only when that is above the
// limit are they told apart, for it takes the kernel long.
func memoryOf(tree []int, limit int64) int64 {
	held := sum(tree, "status", "RssAnon:", "RssShmem:")
	if held <= limit {
		return held
	}
	if shared := sum(tree, "smaps_rollup", "Pss_Anon:", "Pss_Shmem:"); shared > 0 {
		return min(held, shared)
	}
	return held // the kernel does not tell them apart
}

// sum adds lines such as "RssAnon:   123 kB" of a file of each process.
func sum(tree []int, file string, keys ...string) int64 {
	var total int64
	for _, pid := range tree {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, file))
		if err != nil {
			continue // it has ended
		}
		for line := range strings.Lines(string(text)) {
			for _, key := range keys {
				if rest, ok := strings.CutPrefix(line, key); ok {
					n, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
					total += n << 10
				}
			}
		}
	}
	return total
}

// filesOf counts the files that a box has made, through the eyes of the first
// process in it.
func filesOf(tree []int) uint64 {
	var fs unix.Statfs_t
	for _, inside := range tree {
		if err := unix.Statfs(fmt.Sprintf("/proc/%d/root%s", inside, Work), &fs); err == nil && fs.Type == unix.TMPFS_MAGIC {
			return fs.Files - fs.Ffree
		}
	}
	return 0
}
