package sandbox

import "golang.org/x/sys/unix"

const (
	auditArch    = unix.AUDIT_ARCH_AARCH64
	foreignCalls = 0 // there are none
)

// refusedHere are the calls that this architecture alone has.
var refusedHere = []uint32{unix.SYS_KEXEC_FILE_LOAD}
