//go:build unix && !linux

package exec

import "syscall"

// ownGroup puts the program into a process group of its own. That it dies with
// the server is left to the watchdog.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
