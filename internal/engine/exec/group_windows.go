package exec

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// hungUp says that the program has closed its standard input, or is gone.
func hungUp(err error) bool {
	return errors.Is(err, syscall.ERROR_BROKEN_PIPE) || errors.Is(err, os.ErrDeadlineExceeded)
}

// group keeps the program itself.
type group struct{ cmd *exec.Cmd }

func (g *group) prepare(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
	return nil
}

func (g *group) began(cmd *exec.Cmd, err error) {
	if err == nil {
		g.cmd = cmd
	}
}

func (g *group) kill() { _ = g.cmd.Process.Kill() } // it may be gone already

func (g *group) exit(err error) error { return err }

func (g *group) dismiss() {}
