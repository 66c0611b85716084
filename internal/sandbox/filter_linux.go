//go:build amd64 || arm64

package sandbox

import (
	"encoding/binary"

	"golang.org/x/sys/unix"
)

// The filter of system calls, as the kernel reads it: a program of the classic
// Berkeley packet filter over struct seccomp_data. Namespaces leave open what is
// refused here: looking into other processes, the kernel's keys, its ways to run
// programs inside itself, families of sockets that no namespace holds, further
// namespaces, and memory that belongs to no process and so to no limit.

// Where things are in struct seccomp_data.
const (
	dataNumber   = 0
	dataArch     = 4
	dataArgument = 16 // the first; the low half comes first on what we run on
)

// answer is what a refused call returns.
func answer(errno unix.Errno) uint32 { return unix.SECCOMP_RET_ERRNO | uint32(errno) }

// unknown are the calls that the kernel is made not to know: programs have other
// ways for them. System V's messages, semaphores and shared memory are kept by the
// kernel for no process, until the box ends.
var unknown = []uint32{
	unix.SYS_CLONE3, // its flags cannot be seen from here
	unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
	unix.SYS_MEMFD_CREATE, unix.SYS_MEMFD_SECRET,
	unix.SYS_SHMGET, unix.SYS_SHMAT, unix.SYS_SHMDT, unix.SYS_SHMCTL,
	unix.SYS_MSGGET, unix.SYS_MSGSND, unix.SYS_MSGRCV, unix.SYS_MSGCTL,
	unix.SYS_SEMGET, unix.SYS_SEMOP, unix.SYS_SEMTIMEDOP, unix.SYS_SEMCTL,
}

// refused are the calls that are not permitted.
var refused = []uint32{
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_KCMP, unix.SYS_PIDFD_GETFD,
	unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY,
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD, unix.SYS_FANOTIFY_INIT,
	unix.SYS_UNSHARE, unix.SYS_SETNS, unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT,
	unix.SYS_OPEN_TREE, unix.SYS_MOVE_MOUNT, unix.SYS_FSOPEN, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR,
	unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_NAME_TO_HANDLE_AT,
	unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_KEXEC_LOAD,
	unix.SYS_REBOOT, unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_ACCT, unix.SYS_QUOTACTL, unix.SYS_SYSLOG,
	unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_ADJTIMEX, unix.SYS_CLOCK_ADJTIME,
	unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME, unix.SYS_VHANGUP, unix.SYS_LOOKUP_DCOOKIE, unix.SYS_NFSSERVCTL,
	unix.SYS_MBIND, unix.SYS_MIGRATE_PAGES, unix.SYS_MOVE_PAGES,
}

// families are the sockets that there may be.
var families = []uint32{unix.AF_UNIX, unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK}

// namespaces are the flags of clone that make some.
const namespaces = unix.CLONE_NEWNS | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC | unix.CLONE_NEWUSER |
	unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWCGROUP

// program collects instructions.
type program []unix.SockFilter

func (p *program) load(offset uint32) {
	*p = append(*p, unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset})
}

func (p *program) end(with uint32) {
	*p = append(*p, unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: with})
}

// jump goes on after the next yes or no instructions.
func (p *program) jump(how uint16, value uint32, yes, no int) {
	*p = append(*p, unix.SockFilter{Code: unix.BPF_JMP | how | unix.BPF_K, Jt: uint8(yes), Jf: uint8(no), K: value})
}

// filter is the whole program.
func filter() []byte {
	var p program
	p.load(dataArch)
	p.jump(unix.BPF_JEQ, auditArch, 1, 0)
	p.end(unix.SECCOMP_RET_KILL_PROCESS)
	p.load(dataNumber)
	if foreignCalls != 0 {
		p.jump(unix.BPF_JGE, foreignCalls, 0, 1)
		p.end(answer(unix.ENOSYS))
	}
	for _, call := range unknown {
		p.jump(unix.BPF_JEQ, call, 0, 1)
		p.end(answer(unix.ENOSYS))
	}
	for _, call := range append(refusedHere, refused...) {
		p.jump(unix.BPF_JEQ, call, 0, 1)
		p.end(answer(unix.EPERM))
	}
	// clone, unless its flags ask for a namespace
	p.jump(unix.BPF_JEQ, unix.SYS_CLONE, 0, 4)
	p.load(dataArgument)
	p.jump(unix.BPF_JSET, namespaces, 0, 1)
	p.end(answer(unix.EPERM))
	p.end(unix.SECCOMP_RET_ALLOW)
	// ioctl, unless it types on a terminal
	p.jump(unix.BPF_JEQ, unix.SYS_IOCTL, 0, 5)
	p.load(dataArgument + 8)
	p.jump(unix.BPF_JEQ, unix.TIOCSTI, 1, 0)
	p.jump(unix.BPF_JEQ, unix.TIOCLINUX, 0, 1)
	p.end(answer(unix.EPERM))
	p.end(unix.SECCOMP_RET_ALLOW)
	// socket, of the known families
	p.jump(unix.BPF_JEQ, unix.SYS_SOCKET, 1, 0)
	p.end(unix.SECCOMP_RET_ALLOW)
	p.load(dataArgument)
	for i, family := range families {
		p.jump(unix.BPF_JEQ, family, len(families)-i, 0)
	}
	p.end(answer(unix.EAFNOSUPPORT))
	p.end(unix.SECCOMP_RET_ALLOW)

	text := make([]byte, 0, len(p)*unix.SizeofSockFilter)
	for _, i := range p {
		text = binary.NativeEndian.AppendUint16(text, i.Code)
		text = append(text, i.Jt, i.Jf)
		text = binary.NativeEndian.AppendUint32(text, i.K)
	}
	return text
}
