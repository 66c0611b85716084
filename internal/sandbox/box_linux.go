//go:build amd64 || arm64

package sandbox

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	// watchEvery is how often the memory of a box is looked at.
	watchEvery = 50 * time.Millisecond
	// startTime is how long a box may take to begin, and dieTime how long what was
	// killed may take to let go of what it writes to.
	startTime = 30 * time.Second
	dieTime   = 10 * time.Second
	// maxFiles is how many files a box may hold: empty ones need memory too.
	maxFiles = 500_000
	// openFiles is how many files a process may hold open.
	openFiles = 4096
	// graceTime is how much longer a command may go on in a container of the
	// operator's, if killing what started that has not ended it.
	graceTime = time.Second

	systemPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
)

// listen is what the shell of a box runs: one line after the other. The builtin
// read takes no more of the standard input than its line, so that a line can let
// a command have what follows it.
const listen = "nl='\n'\n" + `while IFS= read -r line; do eval "$line"; done`

// begin is how bubblewrap is started: the kernel is to take what runs in a box
// before anything else when memory is short, and a core would be written where
// nobody looks.
const begin = `ulimit -c 0 && echo 1000 >/proc/self/oom_score_adj && exec "$0" "$@"`

// Box is a sandbox that runs. It is used by one goroutine at a time.
type Box struct {
	spec   Spec
	cmd    *exec.Cmd
	shell  *os.File // what the shell is told, and what it says
	words  *bufio.Reader
	output *os.File // what commands say
	broken error
	// wrapped says that this is a box of bubblewrap, whose limits are ours to keep.
	wrapped bool

	killed  sync.Once
	reaping sync.Mutex
	reaped  bool // the number of the process may be another's
	exited  chan struct{}
}

// Open starts a box.
func (s *Sandbox) Open(ctx context.Context, spec Spec) (_ *Box, err error) {
	defer func() {
		if err != nil {
			spec.Forward.hangUp()
		}
	}()
	b := &Box{spec: spec, exited: make(chan struct{}), wrapped: len(s.command) == 0}
	extra, err := b.prepare(s)
	if err != nil {
		return nil, err
	}
	err = b.start()
	closeAll(extra)
	if err != nil {
		b.Close()
		return nil, fmt.Errorf("start a sandbox: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	prelude := "s=0"
	if !b.wrapped { // the folders of bubblewrap are there
		prelude = "mkdir -p " + Source + " " + Home + " " + Temp + "; s=$?"
	}
	if status, err := b.tell(ctx, prelude, nil); err != nil || status != 0 {
		b.Close()
		return nil, fmt.Errorf("start a sandbox: %w", b.complaint(err))
	}
	return b, nil
}

// prepare makes the command of the box.
func (b *Box) prepare(s *Sandbox) (extra []*os.File, err error) {
	shell := []string{"/bin/sh", "-c", listen}
	if !b.wrapped {
		words := append(append([]string{}, s.command...), shell...)
		b.cmd = exec.Command(words[0], words[1:]...) //nolint:gosec // the operator's own sandbox
	} else {
		var args []string
		if args, extra, err = wrap(b.spec, s.hidden); err != nil {
			return nil, err
		}
		words := append(append([]string{"-c", begin, s.bubblewrap}, args...), shell...)
		b.cmd = exec.Command("/bin/sh", words...) //nolint:gosec // its arguments are ours
		b.cmd.ExtraFiles = extra
	}
	// Variables of this process are not for the sandbox, nor for what starts it.
	b.cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
	b.cmd.Dir = "/"
	b.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if s.user != nil {
		b.cmd.SysProcAttr.Credential = &syscall.Credential{Uid: s.user.uid, Gid: s.user.gid}
	}
	return extra, nil
}

// Close ends the box, and returns when nothing is left of it.
func (b *Box) Close() {
	if b.shell == nil {
		return // it never began
	}
	_ = b.shell.Close() // the shell's loop ends, wherever it runs
	b.kill()
	<-b.exited
	// What still holds the pipe still lives, but not for long.
	_ = b.output.SetReadDeadline(time.Now().Add(dieTime))
	_, _ = io.Copy(io.Discard, b.output)
	_ = b.output.Close() // it was only read
	b.shell = nil
	b.spec.Forward.hangUp()
}

// Unpack puts the files of a tar archive of a known size into a folder below Work.
func (b *Box) Unpack(ctx context.Context, dir string, archive io.Reader, size int64) error {
	fill := fmt.Sprintf("{ [ -d %[1]s ] || mkdir -p %[1]s; } && tar -xf - -C %[1]s --no-same-owner 2>/dev/null", quote(dir))
	status, err := b.tell(ctx, feed(size, fill)+"; s=$?", archive)
	if err != nil {
		return fmt.Errorf("fill a sandbox: %w", b.complaint(err))
	}
	if status != 0 {
		b.kill() // half of the files are of no use
		return fmt.Errorf("fill a sandbox: tar ended with %d", status)
	}
	return nil
}

// complaint is an error as the box explains it.
func (b *Box) complaint(err error) error {
	if err == nil {
		return errors.New("its folders cannot be made")
	}
	return err
}

// Run runs a command to its end. An error says that it could not be run, or that
// ctx ended; how the command ended is in the result.
func (b *Box) Run(ctx context.Context, c Command) (Result, error) {
	if b.shell == nil || b.broken != nil {
		return Result{}, ErrGone
	}
	began := time.Now()
	running, end := context.WithTimeoutCause(ctx, c.Time, errOutOfTime)
	defer end()
	running, stop := context.WithCancelCause(running)
	defer stop(nil)
	// Whatever the shell says meanwhile: the limits hold until the last of the
	// command has been heard.
	release := context.AfterFunc(running, b.kill)

	mark := "end-of-output-" + rand.Text()
	var reading, watching sync.WaitGroup
	finished := make(chan struct{})
	out, whole := &ends{}, false
	reading.Go(func() { whole = b.read(out, c, mark, stop) })
	var peak int64
	watching.Go(func() { peak = b.watch(stop, finished) })

	exit, err := b.tell(running, b.line(c, mark), nil)
	reading.Wait()
	close(finished)
	watching.Wait()
	if err == nil && !whole {
		err = errors.New("the output has no end")
	}
	if !release() {
		err = because(context.Cause(running), err)
	}

	result := Result{Ending: Exited, Exit: exit, Output: out.bytes(), Elapsed: time.Since(began), PeakMemory: peak}
	if err == nil {
		return result, nil
	}
	b.broken = err
	b.kill()
	switch cause := context.Cause(running); {
	case ctx.Err() != nil:
		return result, context.Cause(ctx)
	case errors.Is(cause, errOutOfTime):
		result.Ending = OutOfTime
	case errors.Is(cause, errOutOfMemory):
		result.Ending = OutOfMemory
	case errors.Is(cause, errTooMuch):
		result.Ending = TooMuchOutput
	case errors.Is(cause, errTooManyFiles):
		result.Ending = TooManyFiles
	case cause != nil:
		return result, cause
	default:
		result.Ending = Broken
	}
	return result, nil
}

var (
	errOutOfTime   = errors.New("the command takes too long")
	errOutOfMemory = errors.New("the command needs too much memory")
	errTooMuch     = errors.New("the command says too much")

	errTooManyFiles = errors.New("the command makes too many files")
)

// line is what the shell is told for a command. What the command leaves running is
// killed before its end is told, as often as there is something: a shell that
// waits for a process of its own takes in those that have died. One that is not
// the first process of its namespace must not do that.
//
// While the command runs there is nobody else in the box but the shell: a copy of
// it, such as the beginning of a pipe would be, could be looked into.
func (b *Box) line(c Command, mark string) string {
	args := c.Args
	if b.spec.Forward != nil {
		args = b.spec.Forward.under(args)
	}
	var text, found strings.Builder
	fmt.Fprintf(&text, "( cd %s && ulimit -n %d && exec env -i", quote(path.Join(Source, c.Dir)), openFiles)
	for _, folder := range b.spec.Path {
		found.WriteString(quote(folder + ":"))
	}
	if b.wrapped {
		found.WriteString(systemPath)
	} else {
		found.WriteString(`"$PATH"`) // the image knows where its programs lie
	}
	text.WriteString(" PATH=" + found.String())
	env := append([]string{"HOME=" + Home, "TMPDIR=" + Temp, "LANG=C.UTF-8"}, b.spec.Env...)
	for _, variable := range append(env, c.Env...) {
		text.WriteString(" " + quote(variable))
	}
	if b.spec.Limits.Processes > 0 && b.wrapped {
		fmt.Fprintf(&text, " prlimit --nproc=%d", b.spec.Limits.Processes)
	}
	if !b.wrapped {
		// Who is killed from here may only have spoken for a container that goes on:
		// the command ends there, and with it the shell, which is told no more.
		fmt.Fprintf(&text, " timeout -s KILL %d", int(math.Ceil((c.Time + graceTime).Seconds())))
	}
	for _, word := range args {
		text.WriteString(" " + quote(word))
	}
	text.WriteString(" ) </dev/null 2>&1; s=$?; [ $$ != 1 ] || while kill -9 -1 2>/dev/null; do ( : ); done; printf %s " + mark)
	return text.String()
}

// feed is a command that is given so many bytes of what follows the line. They are
// taken from there even if it fails: nothing of them is ever read as a line.
func feed(size int64, command string) string {
	return fmt.Sprintf("head -c %d | { %s; s=$?; cat >/dev/null; exit $s; }", size, command)
}

// quote makes one word of a shell's line of a text.
func quote(text string) string {
	return "'" + quoting.Replace(text) + "'"
}

var quoting = strings.NewReplacer("'", `'\''`, "\n", `'"$nl"'`)

// read takes what the command says, up to the mark that the shell puts behind it.
// Whether there was one is returned.
func (b *Box) read(to *ends, c Command, mark string, stop context.CancelCauseFunc) (whole bool) {
	part := make([]byte, 64<<10)
	held := 0 // at the beginning of part: what may be the beginning of the mark
	for {
		n, err := b.output.Read(part[held:])
		said := part[:held+n]
		said, ended := bytes.CutSuffix(said, []byte(mark))
		held = 0
		if !ended && err == nil {
			held = overlap(said, mark)
		}
		heard := said[:len(said)-held]
		to.write(heard)
		if c.Stdout != nil && len(heard) > 0 {
			if err := c.Stdout(heard); err != nil {
				stop(err)
			}
		}
		if limit := cmp.Or(c.Output, b.spec.Limits.Output); limit > 0 && to.total > limit {
			stop(errTooMuch)
		}
		if ended || err != nil {
			return ended
		}
		copy(part, said[len(heard):])
	}
}

// overlap is how many bytes at the end of a text are the beginning of a mark.
func overlap(text []byte, mark string) int {
	for n := min(len(text), len(mark)-1); n > 0; n-- {
		if string(text[len(text)-n:]) == mark[:n] {
			return n
		}
	}
	return 0
}

// watch looks at the memory of the box until the command has ended.
func (b *Box) watch(stop context.CancelCauseFunc, finished <-chan struct{}) (peak int64) {
	ticker := time.NewTicker(watchEvery)
	defer ticker.Stop()
	for {
		tree := b.below()
		held := memoryOf(tree, b.spec.Limits.Memory)
		peak = max(peak, held)
		if b.wrapped && filesOf(tree) > maxFiles {
			stop(errTooManyFiles)
			return peak
		}
		if limit := b.spec.Limits.Memory; limit > 0 && held > limit {
			stop(errOutOfMemory)
			return peak
		}
		select {
		case <-finished:
			return peak
		case <-ticker.C:
		}
	}
}
