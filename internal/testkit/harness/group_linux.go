package harness

import (
	"os/exec"
	"syscall"
)

// ownGroup puts a process into a group of its own, so that the interrupt key of a
// terminal ends what runs in its order and not everything at once; and it is gone
// with the test, also when that is killed or runs out of time.
func ownGroup(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid, cmd.SysProcAttr.Pdeathsig = true, syscall.SIGKILL
}
