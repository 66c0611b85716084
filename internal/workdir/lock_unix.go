//go:build unix

package workdir

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// tryLock takes the lock on an open file without waiting. It ends with the
// process or with the file.
func tryLock(f *os.File) error {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return ErrBusy
	}
	return err
}
