//go:build !linux

package edge

import "syscall"

// boundUnsent is for Linux, where services run; elsewhere sockets are as they are.
func boundUnsent(_, _ string, _ syscall.RawConn) error { return nil }
