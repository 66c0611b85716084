package exec

import "os/exec"

// processTree is a program and every process that it started. It ends as a
// whole: when it is killed, and when the server dies.
type processTree interface {
	// prepare changes how the program will be started.
	prepare(cmd *exec.Cmd) error
	// started tells that cmd runs, or that it could not be started.
	started(cmd *exec.Cmd, err error)
	// kill ends the whole tree. It is not called once the program has ended.
	kill()
	// exit gives the program's exit error, from that of the process that cmd
	// started.
	exit(err error) error
	// release frees what the tree holds, when the program is gone.
	release()
}
