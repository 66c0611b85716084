package exec

import "os/exec"

// keeper sees to it that a program ends with everything that it started: when
// it is told to, and when the server dies.
type keeper interface {
	// prepare changes how the program will be started.
	prepare(cmd *exec.Cmd) error
	// began tells that cmd runs, or that it could not be started.
	began(cmd *exec.Cmd, err error)
	// kill ends the program and what it started. Once the program has ended it is
	// called no more.
	kill()
	// exit says how the program ended, from what was seen of the process that
	// cmd started.
	exit(err error) error
	// dismiss lets go of everything, when the program is gone.
	dismiss()
}
