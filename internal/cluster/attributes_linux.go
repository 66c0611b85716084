package cluster

import "syscall"

// attributes are those of every process here: in a group of its own, so that the
// interrupt key of a terminal ends the cluster in its order and not everything at
// once; and gone with the test, also when that is killed or runs out of time.
func attributes(as *syscall.Credential) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Credential: as, Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
