package exec

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// pipeClosed reports whether the program has closed its standard input, or is gone.
func pipeClosed(err error) bool {
	return errors.Is(err, syscall.ERROR_BROKEN_PIPE) || errors.Is(err, os.ErrDeadlineExceeded)
}

// processGroup kills the program itself, and nothing that it started.
type processGroup struct{ cmd *exec.Cmd }

func (g *processGroup) prepare(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
	return nil
}

func (g *processGroup) started(cmd *exec.Cmd, err error) {
	if err == nil {
		g.cmd = cmd
	}
}

func (g *processGroup) kill() { _ = g.cmd.Process.Kill() } // it may be gone already

func (g *processGroup) exit(err error) error { return err }

func (g *processGroup) release() {}
