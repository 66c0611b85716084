package exec

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"

	"golang.org/x/sys/unix"

	"github.com/bundle-delivery/svc/internal/sandbox/proctree"
)

const (
	// killTimeout is how long a supervisor tries to end what a program left.
	killTimeout = 10 * time.Second
	// killInterval is how often it looks.
	killInterval = 2 * time.Millisecond
)

// Supervise makes this process the supervisor of a program, if args (os.Args)
// ask for that, and returns its exit code when all processes of the program are
// gone. A server that sets [Config.Supervised] calls it first of all.
//
// A process group alone does not hold a program: setsid leaves it. The kernel
// gives the orphans of everything that the program starts to the supervisor (a
// subreaper), so that all of it can be found. When the program ends, when the
// server asks for it, and when the server dies, the supervisor kills until it has
// no descendants.
func Supervise(args []string) (code int, asked bool) {
	if len(args) < 3 || args[0] != supervisorName {
		return 0, false
	}
	// The program dies with the thread that started it.
	runtime.LockOSThread()
	status := os.NewFile(statusFD, "status")
	if _, err := status.WriteString(supervise(args[1], args[2:], status)); err != nil {
		return 1, true // the server is gone
	}
	return 0, true
}

// supervise runs a program to its end and says how that was. Its process id is
// written at once, for the case that the supervisor is killed before the end.
func supervise(program string, args []string, status io.Writer) string {
	// What the program starts has no business with the server.
	unix.CloseOnExec(killPipeFD)
	unix.CloseOnExec(statusFD)
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Sprintf("its orphans cannot be kept: %v", err)
	}
	// What a service manager let the server do is not for the program; a sandbox
	// around it would not start with it. An old kernel has nothing to clear.
	_ = unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
	child, err := os.StartProcess(program, args, &os.ProcAttr{ //nolint:gosec // running the operator's program is the purpose
		Env: os.Environ(), Files: []*os.File{os.Stdin, os.Stdout, os.Stderr}, Sys: ownGroup(),
	})
	if err != nil {
		return err.Error()
	}
	_, err = fmt.Fprintln(status, child.Pid)
	if err == nil {
		err = closeStandardFiles()
	}
	go func() {
		if err == nil {
			_, _ = io.Copy(io.Discard, os.NewFile(killPipeFD, "kill")) // until it is closed
		}
		_ = unix.Kill(child.Pid, unix.SIGKILL) // it may be gone already
	}()
	exit := waitFor(child.Pid)
	killDescendants()
	return describe(exit)
}

// closeStandardFiles closes the supervisor's copies of the program's pipes, so
// that they end with the program.
func closeStandardFiles() error {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	for fd := range 3 {
		if err := unix.Dup3(int(null.Fd()), fd, 0); err != nil {
			return err
		}
	}
	return null.Close()
}

// waitFor returns when the program has ended. Orphans that end before are reaped
// on the way.
func waitFor(program int) unix.WaitStatus {
	var status unix.WaitStatus
	for {
		pid, err := unix.Wait4(-1, &status, unix.WALL, nil)
		if pid == program || err != nil && !errors.Is(err, unix.EINTR) {
			return status
		}
	}
}

// killDescendants kills and reaps until nothing is left. It rests only when all that there
// is has been killed: a process that keeps forking must not get ahead of it.
func killDescendants() {
	killed := make(map[int]bool)
	for end := time.Now().Add(killTimeout); time.Now().Before(end); {
		for {
			pid, err := unix.Wait4(-1, nil, unix.WALL|unix.WNOHANG, nil)
			if errors.Is(err, unix.ECHILD) {
				return
			}
			if pid == 0 {
				break // there are some, and they live
			}
			delete(killed, pid)
		}
		fresh := false
		for _, pid := range proctree.Descendants(os.Getpid()) {
			if !killed[pid] {
				_ = unix.Kill(pid, unix.SIGKILL) // it may be gone already
				killed[pid], fresh = true, true
			}
		}
		if !fresh {
			time.Sleep(killInterval)
		}
	}
}

// describe says how a program ended.
func describe(status unix.WaitStatus) string {
	switch {
	case status.Signaled():
		return "signal: " + status.Signal().String()
	case status.ExitStatus() != 0:
		return fmt.Sprintf("exit status %d", status.ExitStatus())
	}
	return statusOK
}
