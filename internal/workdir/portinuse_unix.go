//go:build unix

package workdir

import "syscall"

const errAddressInUse = syscall.EADDRINUSE
