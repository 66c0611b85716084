//go:build unix

package exec

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// killGroup ends a program and all that it started and that has not gone its
// own way. That there is nothing to end is no error.
func killGroup(leader int) { _ = syscall.Kill(-leader, syscall.SIGKILL) }

// hungUp says that the program has closed its standard input, or is gone.
func hungUp(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, os.ErrDeadlineExceeded)
}

// watchdog is a process that outlives the server by a moment: it reads from a
// pipe that the server holds open, and when the server is gone it ends the
// group. The signal at the death of a parent reaches the program itself, but
// not those that the program started.
type watchdog struct {
	cmd  *exec.Cmd
	pipe *os.File
}

// watch begins to watch over a group. Where there is no shell to do it, the
// program alone dies with the server.
func watch(leader int) *watchdog {
	r, w, err := os.Pipe()
	if err != nil {
		return nil
	}
	defer func() { _ = r.Close() }()                                                       // the watchdog has its own
	cmd := exec.Command("/bin/sh", "-c", `read -r _; kill -9 -"$0"`, strconv.Itoa(leader)) //nolint:gosec // the number of a process that was just started
	cmd.Stdin, cmd.Env, cmd.Dir = r, []string{}, "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		_ = w.Close() // nobody reads it
		return nil
	}
	return &watchdog{cmd: cmd, pipe: w}
}

// dismiss ends the watch, before the pipe is closed: it has nothing to end.
func (d *watchdog) dismiss() {
	if d == nil {
		return
	}
	_ = d.cmd.Process.Kill() // it may be gone already
	_ = d.cmd.Wait()         // killed, as it should be
	_ = d.pipe.Close()       // nothing was written
}
