//go:build unix

package exec

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// pipeClosed reports whether the program has closed its standard input, or is gone.
func pipeClosed(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, os.ErrDeadlineExceeded)
}

// processGroup kills a program by its process group. Processes that leave the
// group are out of its reach.
type processGroup struct {
	leader   int
	watchdog *watchdog
}

func (g *processGroup) prepare(cmd *exec.Cmd) error {
	cmd.SysProcAttr = ownGroup()
	return nil
}

func (g *processGroup) started(cmd *exec.Cmd, err error) {
	if err == nil {
		g.leader = cmd.Process.Pid
		g.watchdog = startWatchdog(g.leader)
	}
}

// That there is nothing to kill is no error.
func (g *processGroup) kill() { _ = syscall.Kill(-g.leader, syscall.SIGKILL) }

func (g *processGroup) exit(err error) error { return err }

func (g *processGroup) release() { g.watchdog.stop() }

// watchdog is a process that outlives the server by a moment: it reads from a
// pipe that the server holds open, and when the server is gone it kills the
// group. The signal at the death of a parent reaches the program itself, but
// not those that the program started.
type watchdog struct {
	cmd  *exec.Cmd
	pipe *os.File
}

// startWatchdog starts the watchdog of a group. Where there is no shell to run
// it, the program alone dies with the server.
func startWatchdog(leader int) *watchdog {
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

// stop ends the watchdog before the pipe is closed, so that it kills nothing.
func (d *watchdog) stop() {
	if d == nil {
		return
	}
	_ = d.cmd.Process.Kill() // it may be gone already
	_ = d.cmd.Wait()         // killed, as it should be
	_ = d.pipe.Close()       // nothing was written
}
