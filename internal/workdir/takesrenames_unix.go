//go:build unix

package workdir

import (
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// takesRenames says why files from the stage could not be renamed into a
// folder: it may be closed to the user, or be another file system.
func takesRenames(root *os.Root, folder string) error {
	f, err := root.Open(folder)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // only looked at
	if err := unix.Faccessat(int(f.Fd()), ".", unix.W_OK|unix.X_OK, unix.AT_EACCESS); err != nil {
		return fmt.Errorf("the folder %s cannot be written to: %w", folder, err)
	}
	here, err := f.Stat()
	if err != nil {
		return err
	}
	top, err := root.Stat(".")
	if err != nil {
		return err
	}
	a, okA := here.Sys().(*syscall.Stat_t)
	b, okB := top.Sys().(*syscall.Stat_t)
	if okA && okB && a.Dev != b.Dev {
		return fmt.Errorf("the folder %s lies on another file system than the one it belongs to, so nothing can be put there in one step", folder)
	}
	return nil
}
