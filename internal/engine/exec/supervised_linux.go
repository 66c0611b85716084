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
	leashFile = 3 // ends when the server lets go of it, or dies
	wordFile  = 4 // takes the program's number, and then how it ended
)

// ended well, as a supervisor writes it.
const endedWell = "ok"

// newKeeper chooses how a program is kept.
func newKeeper(supervised bool) keeper {
	if supervised {
		return &leash{}
	}
	return &group{}
}

// leash keeps a program through a supervisor, which stands between it and the
// server: see [Supervise]. To let go of the leash is to have everything killed,
// and the death of the server lets go of it.
type leash struct {
	folder     string // where the program runs
	hold, word *os.File
	theirs     []*os.File
	release    sync.Once
}

func (l *leash) prepare(cmd *exec.Cmd) error {
	theirEnd, hold, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("make a pipe for the supervisor: %w", err)
	}
	word, theirWord, err := os.Pipe()
	if err != nil {
		_ = theirEnd.Close() // unused
		_ = hold.Close()     // unused
		return fmt.Errorf("make a pipe for the supervisor: %w", err)
	}
	l.folder = cmd.Dir
	if resolved, err := filepath.EvalSymlinks(cmd.Dir); err == nil {
		l.folder = resolved // as the kernel names it
	}
	l.hold, l.word, l.theirs = hold, word, []*os.File{theirEnd, theirWord}
	cmd.Args = append([]string{supervisorName, cmd.Path}, cmd.Args...)
	cmd.Path = "/proc/self/exe" // also when the file has been replaced since
	cmd.ExtraFiles = l.theirs   // leashFile, wordFile
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return nil
}

func (l *leash) began(_ *exec.Cmd, err error) {
	for _, f := range l.theirs {
		_ = f.Close() // the supervisor has its own
	}
	if err != nil {
		l.dismiss()
	}
}

func (l *leash) kill() {
	l.release.Do(func() { _ = l.hold.Close() }) // nothing was written
}

func (l *leash) exit(err error) error {
	text, readErr := io.ReadAll(io.LimitReader(l.word, 1<<10))
	number, word, told := strings.Cut(string(text), "\n")
	switch {
	case !told && number != "":
		return errors.Join(errors.New("it was not started: "+number), readErr, err)
	case word == endedWell:
		return nil
	case word == "":
		// The program did not outlive its supervisor, but what it started may have.
		if leader, err := strconv.Atoi(number); err == nil && leader > 1 {
			_ = syscall.Kill(-leader, syscall.SIGKILL) // there may be nothing left
		}
		killWithin(l.folder)
		return errors.Join(errors.New("its supervisor was killed"), readErr, err)
	}
	return errors.New(word)
}

// killWithin kills every process whose working folder is the one of the run, as
// often as there is one that it has not killed yet. It finds the program also
// when the supervisor was killed before it could tell the program's number.
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

func (l *leash) dismiss() {
	l.kill()
	_ = l.word.Close() // it was only read
}
