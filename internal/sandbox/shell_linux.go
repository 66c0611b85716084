//go:build amd64 || arm64

package sandbox

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// How this process and the shell of a box speak with each other. What runs in the
// box is of the same user as the shell and must have no part in it, by four things:
//
//   - The channel is a socket. Unlike a pipe it cannot be opened through /proc, and
//     no command is given it.
//   - In a box of bubblewrap the shell is the first process, and /proc/1 is empty:
//     its memory cannot be read or written. The filter refuses the system calls
//     for that.
//   - An answer begins with a word that was drawn for this question.
//   - What is heard is bounded, and so is the time, whatever is said.
const (
	// maxWords is how long a line of the shell may be; a longer one is several.
	maxWords = 4 << 10
	// maxSaid is how many lines that are no answer are kept, to explain an end.
	maxSaid = 5
)

// start runs the command from a thread that lives as long as it does: bubblewrap
// dies with the thread that started it.
func (b *Box) start() error {
	ours, theirs, err := socketPair()
	if err != nil {
		return err
	}
	output, out, err := os.Pipe() // programs open /dev/stdout
	if err != nil {
		return errors.Join(err, ours.Close(), theirs.Close())
	}
	b.cmd.Stdin, b.cmd.Stdout, b.cmd.Stderr = theirs, out, theirs
	b.shell, b.output, b.words = ours, output, bufio.NewReaderSize(ours, maxWords)
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with what it started
		dropRights()
		keepFiles()
		err := b.cmd.Start()
		started <- err
		if err == nil {
			b.reap()
		}
		close(b.exited)
	}()
	err = <-started
	closeAll([]*os.File{theirs, out})
	return err
}

// socketPair gives the two ends of a connection.
func socketPair() (ours, theirs *os.File, err error) {
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("make a socket for a sandbox: %w", err)
	}
	err = unix.SetNonblock(ends[0], true) // so that waiting for it can end
	ours, theirs = os.NewFile(uintptr(ends[0]), "sandbox"), os.NewFile(uintptr(ends[1]), "sandbox")
	if err != nil {
		return nil, nil, errors.Join(err, ours.Close(), theirs.Close())
	}
	return ours, theirs, nil
}

// reap waits for the end of what was started. What an operator's command left
// behind is killed while the number of its group is still its own.
func (b *Box) reap() {
	pid := b.cmd.Process.Pid
	for errors.Is(unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil), unix.EINTR) {
		continue
	}
	b.reaping.Lock()
	defer b.reaping.Unlock()
	_ = syscall.Kill(-pid, syscall.SIGKILL) // there may be nothing
	_ = b.cmd.Wait()                        // how it ended is told by the box, or does not matter
	b.reaped = true
}

// kill ends everything in the box. Nobody waits for it much longer, even if
// something outlives that.
func (b *Box) kill() {
	b.killed.Do(func() {
		b.reaping.Lock()
		if b.cmd.Process != nil && !b.reaped {
			_ = syscall.Kill(-b.cmd.Process.Pid, syscall.SIGKILL) // it may have ended
		}
		b.reaping.Unlock()
		until := time.Now().Add(dieTime)
		_ = b.shell.SetDeadline(until)      // it may be closed
		_ = b.output.SetReadDeadline(until) // it may be closed
	})
}

// tell gives the shell a line that leaves a status in the variable s, and what
// follows the line, and waits for the status.
func (b *Box) tell(ctx context.Context, line string, after io.Reader) (status int, err error) {
	if b.shell == nil || b.broken != nil {
		return 0, ErrGone
	}
	release := context.AfterFunc(ctx, b.kill)
	word := rand.Text()
	fed := make(chan error, 1)
	go func() {
		_, err := io.WriteString(b.shell, line+`; printf '\n%s %s\n' `+word+" $s >&2\n")
		if err == nil && after != nil {
			_, err = io.Copy(b.shell, after)
		}
		fed <- err
	}()
	status, err = b.hear(word)
	if err != nil {
		b.kill() // so that the writing ends
	}
	if feedErr := <-fed; err == nil {
		err = feedErr
	}
	if !release() {
		err = because(context.Cause(ctx), err)
	}
	if err != nil {
		b.broken = err
		b.kill()
	}
	return status, err
}

// because says why something was killed, and what came of that.
func because(cause, err error) error {
	if err == nil {
		return cause
	}
	return fmt.Errorf("%w (%w)", cause, err)
}

// hear reads the shell's answer.
func (b *Box) hear(word string) (int, error) {
	var said []string
	for {
		line, err := b.words.ReadSlice('\n')
		line = bytes.TrimSpace(line)
		if number, ok := bytes.CutPrefix(line, []byte(word+" ")); ok && err == nil {
			return strconv.Atoi(string(number))
		}
		if len(line) > 0 && len(said) < maxSaid {
			said = append(said, string(line))
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return 0, errors.New(strings.Join(append(said, "the sandbox has ended"), "; "))
		}
	}
}
