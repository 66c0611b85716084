package exec

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// supervisorName is what a server is called that is started as a supervisor.
const supervisorName = "svcd-engine-supervisor"

// The files that a supervisor has beside the program's three.
const (
	killPipeFD = 3 // closed by the server to have everything killed, or by its death
	statusFD   = 4 // takes the program's process id, and then how it ended
)

// statusOK is what a supervisor writes of a program that exited with 0.
const statusOK = "ok"

func newProcessTree(withSupervisor bool) processTree {
	if withSupervisor {
		return &supervised{}
	}
	return &processGroup{}
}

// supervised is a program below a supervisor process: see [Supervise]. Closing
// killPipe makes the supervisor kill everything, and the death of the server
// closes it.
type supervised struct {
	folder     string // where the program runs
	killPipe   *os.File
	statusPipe *os.File
	childFiles []*os.File // the supervisor's ends of the two
	closeOnce  sync.Once
}

func (s *supervised) prepare(cmd *exec.Cmd) error {
	childKill, killPipe, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("make a pipe for the supervisor: %w", err)
	}
	statusPipe, childStatus, err := os.Pipe()
	if err != nil {
		_ = childKill.Close() // unused
		_ = killPipe.Close()  // unused
		return fmt.Errorf("make a pipe for the supervisor: %w", err)
	}
	s.folder = cmd.Dir
	if resolved, err := filepath.EvalSymlinks(cmd.Dir); err == nil {
		s.folder = resolved // as the kernel names it
	}
	s.killPipe, s.statusPipe, s.childFiles = killPipe, statusPipe, []*os.File{childKill, childStatus}
	cmd.Args = append([]string{supervisorName, cmd.Path}, cmd.Args...)
	cmd.Path = "/proc/self/exe"   // also when the file has been replaced since
	cmd.ExtraFiles = s.childFiles // killPipeFD, statusFD
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return nil
}

func (s *supervised) started(_ *exec.Cmd, err error) {
	for _, f := range s.childFiles {
		_ = f.Close() // the supervisor has its own
	}
	if err != nil {
		s.release()
	}
}

func (s *supervised) kill() {
	s.closeOnce.Do(func() { _ = s.killPipe.Close() }) // nothing was written
}

func (s *supervised) exit(err error) error {
	text, readErr := io.ReadAll(io.LimitReader(s.statusPipe, 1<<10))
	pid, status, found := strings.Cut(string(text), "\n")
	switch {
	case !found && pid != "":
		return errors.Join(errors.New("it was not started: "+pid), readErr, err)
	case status == statusOK:
		return nil
	case status == "":
		// The program did not outlive its supervisor, but what it started may have.
		if leader, err := strconv.Atoi(pid); err == nil && leader > 1 {
			_ = syscall.Kill(-leader, syscall.SIGKILL) // there may be nothing left
		}
		killWithin(s.folder)
		return errors.Join(errors.New("its supervisor was killed"), readErr, err)
	}
	return errors.New(status)
}

// killWithin kills every process whose working folder is the one of the run, as
// often as there is one that it has not killed yet. It finds the program also
// when the supervisor was killed before it could tell the program's process id.
func killWithin(folder string) {
	killed := make(map[int]bool)
	for fresh := true; fresh; {
		fresh = false
		places, err := filepath.Glob("/proc/[0-9]*/cwd")
		if err != nil {
			return // the pattern is good
		}
		for _, place := range places {
			pid, err := strconv.Atoi(filepath.Base(filepath.Dir(place)))
			if err != nil || killed[pid] {
				continue
			}
			// One that has ended, or is another user's, cannot be asked.
			where, err := os.Readlink(place)
			if err == nil && (where == folder || strings.HasPrefix(where, folder+"/") || where == folder+" (deleted)") {
				_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended meanwhile
				killed[pid], fresh = true, true
			}
		}
	}
}

func (s *supervised) release() {
	s.kill()
	_ = s.statusPipe.Close() // it was only read
}
