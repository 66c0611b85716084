package sandbox

import "golang.org/x/sys/unix"

const (
	auditArch = unix.AUDIT_ARCH_X86_64
	// foreignCalls is where the numbers of the x32 interface begin, under which
	// the same calls could be made.
	foreignCalls = 0x40000000
)

// refusedHere are the calls that this architecture alone has.
var refusedHere = []uint32{unix.SYS_IOPL, unix.SYS_IOPERM, unix.SYS_MODIFY_LDT, unix.SYS_KEXEC_FILE_LOAD, unix.SYS_USELIB}
