package exec

import (
	"errors"
	"os"
	"syscall"
)

// ownGroup puts the program into a process group of its own.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// killGroup ends the program.
func killGroup(leader int) {
	if p, err := os.FindProcess(leader); err == nil {
		_ = p.Kill() // it may be gone already
	}
}

// hungUp says that the program has closed its standard input, or is gone.
func hungUp(err error) bool {
	return errors.Is(err, syscall.ERROR_BROKEN_PIPE) || errors.Is(err, os.ErrDeadlineExceeded)
}

// watchdog is not needed here.
type watchdog struct{}

func watch(int) *watchdog    { return nil }
func (d *watchdog) dismiss() {}
