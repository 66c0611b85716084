package workdir

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// tryLock takes the lock on an open file without waiting. It ends with the
// process or with the file.
func tryLock(f *os.File) error {
	const everything = ^uint32(0)
	err := windows.LockFileEx(windows.Handle(f.Fd()),
		windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY,
		0, everything, everything, new(windows.Overlapped))
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return ErrBusy
	}
	return err
}
