// Package sandbox runs commands that nobody vouches for, where they can do no
// harm.
//
// A [Box] is a shell inside a sandbox, which is told over its standard input what
// to unpack and what to run, and answers over the same socket, in which no command
// has a part: it can neither be opened from inside nor be looked for in the shell's
// memory. Files enter a box as a stream and live in memory of a
// bounded size; nothing of a box is ever written to a disk of the host, and
// everything in it is gone when it ends. What was unpacked or built by one command
// is there for the next one; processes that a command leaves behind are not.
//
// The law of a box. It has user, mount, process, IPC and network namespaces of its
// own. It sees the system's programs and what it is shown, read-only, and none of
// the variables of this process. The system calls that lead out of such a place
// are refused. Memory, processes, files, output and time are bounded, and time by
// this side: a box that is past its limits is killed as a whole, whatever it does
// or says. The limits of a command hold until everything of it is gone.
// When this process dies, its boxes die. A box is never run as root.
//
// The sandbox is bubblewrap, or a command of the operator's that starts a
// container. There is no third way: where neither works, nothing is run.
package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"time"
)

// Where things are inside a box.
const (
	// Work holds everything that can be written to.
	Work = "/work"
	// Source is where the files lie that are tried, Home is $HOME, and Temp is
	// $TMPDIR and /tmp.
	Source = Work + "/src"
	Home   = Work + "/home"
	Temp   = Work + "/tmp"
)

// Config says how boxes are made.
type Config struct {
	// Command is what starts a container, for those who bring a sandbox of their
	// own: the words of a shell that reads from its standard input are added to
	// it. Limits of memory, processes and files are then that sandbox's to keep.
	// Empty: bubblewrap.
	Command []string
	// User is as whom boxes run when this process is root; empty: nobody.
	User string
	// Hidden are folders of the host of which no box sees anything, even where
	// they lie in what is shown. The boxes of Command are not ours to fill.
	Hidden []string
}

// Sandbox makes boxes.
type Sandbox struct {
	command    []string
	bubblewrap string
	hidden     []string
	user       *identity // nil: as whom this process runs
}

// identity is a user that a process can become.
type identity struct{ uid, gid uint32 }

// New finds what boxes need. Whether they work here is for [Sandbox.Probe] to say.
func New(c Config) (*Sandbox, error) {
	s := &Sandbox{command: c.Command, hidden: c.Hidden}
	if len(c.Command) > 0 {
		if _, err := exec.LookPath(c.Command[0]); err != nil {
			return nil, fmt.Errorf("find the program of the sandbox: %w", err)
		}
		return s, nil
	}
	var err error
	if s.bubblewrap, err = exec.LookPath("bwrap"); err != nil {
		return nil, errors.New("bubblewrap is not installed (the program bwrap)")
	}
	if os.Geteuid() == 0 {
		if s.user, err = lookup(c.User); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// lookup finds as whom to run in place of root.
func lookup(name string) (*identity, error) {
	if name == "" {
		name = "nobody"
	}
	u, err := user.Lookup(name)
	if err != nil {
		return nil, fmt.Errorf("find the user of the sandbox: %w", err)
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return nil, fmt.Errorf("the user %s has no number: %w", name, err)
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	if err != nil {
		return nil, fmt.Errorf("the group of %s has no number: %w", name, err)
	}
	if uid == 0 {
		return nil, errors.New("a sandbox is never run as root; name another user")
	}
	return &identity{uint32(uid), uint32(gid)}, nil
}

// Spec says what a box is given.
type Spec struct {
	// Show are paths of the host that are seen inside.
	Show []Mount
	// Path are folders that come first in PATH.
	Path []string
	// Env are the variables of every command beside PATH, HOME, TMPDIR and LANG,
	// which have values of their own unless given here.
	Env    []string
	Limits Limits
	// Forward leads out of the box; nil: nothing does.
	Forward *Forward
}

// Mount shows a path of the host inside, read-only.
type Mount struct{ From, To string }

// Limits bound a box.
type Limits struct {
	Memory    int64 // bytes of all processes together
	Disk      int64 // bytes of all files together
	Processes int
	Output    int64 // bytes of one command
}

// DefaultLimits suffice for the tests of ordinary projects.
func DefaultLimits() Limits {
	return Limits{Memory: 4 << 30, Disk: 2 << 30, Processes: 512, Output: 64 << 20}
}

// Command is what a box runs.
type Command struct {
	Args []string
	// Dir is relative to Source; empty: Source itself.
	Dir string
	// Env are further variables.
	Env []string
	// Time is how long it may take.
	Time time.Duration
	// Output is how many bytes it may say; 0: as many as the box allows.
	Output int64
	// Stdout is given what the command says, as it says it, both its standard
	// output and its standard error; nil: the result has the ends of it.
	Stdout func([]byte) error
}

// Ending says how a command came to its end.
type Ending string

// The endings of a command. After any but the first the box is gone.
const (
	Exited        Ending = "exited"
	OutOfTime     Ending = "out of time"
	OutOfMemory   Ending = "out of memory"
	TooMuchOutput Ending = "too much output"
	TooManyFiles  Ending = "too many files"
	Broken        Ending = "the sandbox ended" // by itself, or by the kernel's hand
)

// Result is what came of a command.
type Result struct {
	Ending Ending
	Exit   int // the status, when it exited; 128 and the number of a signal
	// Output is what the command said: all of it, or its beginning and its end.
	Output     []byte
	Elapsed    time.Duration
	PeakMemory int64 // as it was seen now and then; 0: not seen
}

// OK says that a command ended well.
func (r Result) OK() bool { return r.Ending == Exited && r.Exit == 0 }

// ErrGone says that a box has ended before.
var ErrGone = errors.New("the sandbox has ended")
