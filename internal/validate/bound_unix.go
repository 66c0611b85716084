//go:build unix

package validate

import "golang.org/x/sys/unix"

// boundMemory has the kernel refuse this process more memory than that.
func boundMemory(bytes uint64) error {
	return unix.Setrlimit(unix.RLIMIT_AS, &unix.Rlimit{Cur: bytes, Max: bytes})
}
