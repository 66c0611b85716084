//go:build unix

package exec

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// hungUp says that the program has closed its standard input, or is gone.
func hungUp(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, os.ErrDeadlineExceeded)
}

// group keeps a program by its process group. What leaves the group is out of
// its reach.
type group struct {
	leader int
	guard  *watchdog
}

func (g *group) prepare(cmd *exec.Cmd) error {
	cmd.SysProcAttr = ownGroup()
	return nil
}

func (g *group) began(cmd *exec.Cmd, err error) {
	if err == nil {
		g.leader = cmd.Process.Pid
		g.guard = watch(g.leader)
	}
}

// That there is nothing to end is no error.
func (g *group) kill() { _ = syscall.Kill(-g.leader, syscall.SIGKILL) }

func (g *group) exit(err error) error { return err }

func (g *group) dismiss() { g.guard.dismiss() }

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
