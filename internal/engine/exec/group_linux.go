package exec

import "syscall"

// ownGroup puts the program into a process group of its own, and has the kernel
// kill it when the server dies.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
