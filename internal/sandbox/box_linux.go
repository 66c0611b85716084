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
	"os"
	"os/exec"
	"path"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	// watchEvery is how often the memory of a box is looked at.
	watchEvery = 50 * time.Millisecond
	// startTime is how long a box may take to begin, and dieTime how long what was
	// killed may take to let go of its pipes.
	startTime = 30 * time.Second
	dieTime   = 10 * time.Second
	// maxFiles is how many files a box may hold: empty ones need memory too.
	maxFiles = 500_000
)

// define is what the shell of a box knows: how to answer, and what a line break is.
const define = "say() { printf 'exit %s\\n' \"$1\" >&2; }\nnl='\n'\n"

// listen is what the shell of a box runs: one line after the other. The builtin
// read takes no more of the standard input than its line, so that a line can let
// a command have what follows it.
const listen = `while IFS= read -r line; do eval "$line"; done`

// Box is a sandbox that runs. It is used by one goroutine at a time.
type Box struct {
	spec   Spec
	cmd    *exec.Cmd
	lines  *os.File // what the shell is told
	output *os.File // what commands say
	words  *bufio.Reader
	status *os.File // what the shell says
	exited chan struct{}
	broken error
	once   sync.Once
	// wrapped says that this is a box of bubblewrap, whose limits are ours to keep.
	wrapped bool
}

// Open starts a box.
func (s *Sandbox) Open(ctx context.Context, spec Spec) (*Box, error) {
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
	prelude := "mkdir -p " + Source + " " + Home + " " + Temp
	if b.wrapped { // the folders are there
		// The kernel is to take what runs here before anything else when memory is
		// short; a core would be written where nobody looks.
		prelude = "echo 1000 >/proc/self/oom_score_adj && ulimit -c 0"
	}
	if status, err := b.tell(ctx, prelude+"; say $?", nil); err != nil || status != 0 {
		b.Close()
		return nil, fmt.Errorf("start a sandbox: %w", b.complaint(err))
	}
	return b, nil
}

// prepare makes the command of the box and its pipes.
func (b *Box) prepare(s *Sandbox) (extra []*os.File, err error) {
	shell := []string{"/bin/sh", "-c", define + listen}
	if !b.wrapped {
		words := append(append([]string{}, s.command...), shell...)
		b.cmd = exec.Command(words[0], words[1:]...) //nolint:gosec // the operator's own sandbox
	} else {
		var args []string
		if args, extra, err = wrap(b.spec); err != nil {
			return nil, err
		}
		b.cmd = exec.Command(s.bubblewrap, append(args, shell...)...) //nolint:gosec // its arguments are ours
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

// start runs the command from a thread that lives as long as it does: bubblewrap
// dies with the thread that started it.
func (b *Box) start() error {
	in, lines, err := os.Pipe()
	if err != nil {
		return err
	}
	output, out, err := os.Pipe()
	if err != nil {
		return errors.Join(err, in.Close(), lines.Close())
	}
	status, words, err := os.Pipe()
	if err != nil {
		return errors.Join(err, in.Close(), lines.Close(), output.Close(), out.Close())
	}
	b.cmd.Stdin, b.cmd.Stdout, b.cmd.Stderr = in, out, words
	b.lines, b.output, b.status, b.words = lines, output, status, bufio.NewReaderSize(status, 4<<10)
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with what it started
		dropRights()
		err := b.cmd.Start()
		started <- err
		if err == nil {
			_ = b.cmd.Wait() // how it ended is told by the box, or does not matter
		}
		close(b.exited)
	}()
	err = <-started
	closeAll([]*os.File{in, out, words})
	return err
}

// kill ends everything in the box.
func (b *Box) kill() {
	b.once.Do(func() {
		if b.cmd.Process != nil {
			_ = b.cmd.Process.Kill()                              // it may have ended
			_ = syscall.Kill(-b.cmd.Process.Pid, syscall.SIGKILL) // what an operator's command started
		}
	})
}

// Close ends the box, and returns when nothing is left of it.
func (b *Box) Close() {
	if b.lines == nil {
		return // it never began
	}
	_ = b.lines.Close() // the shell's loop ends, wherever it runs
	b.kill()
	<-b.exited
	// What still holds a pipe still lives, but not for long.
	_ = b.output.SetReadDeadline(time.Now().Add(dieTime))
	_, _ = io.Copy(io.Discard, b.output)
	_ = b.output.Close() // it was only read
	_ = b.status.Close() // it was only read
	b.lines = nil
}

// Unpack puts the files of a tar archive of a known size into a folder below Work.
func (b *Box) Unpack(ctx context.Context, dir string, archive io.Reader, size int64) error {
	line := fmt.Sprintf("{ [ -d %[1]s ] || mkdir -p %[1]s; } && head -c %[2]d | tar -xf - -C %[1]s --no-same-owner 2>/dev/null; say $?", quote(dir), size)
	status, err := b.tell(ctx, line, archive)
	if err != nil {
		return fmt.Errorf("fill a sandbox: %w", b.complaint(err))
	}
	if status != 0 {
		b.kill() // how much of the stream was read is not known
		return fmt.Errorf("fill a sandbox: tar ended with %d", status)
	}
	return nil
}

// tell gives the shell a line, and what follows it, and waits for its answer.
func (b *Box) tell(ctx context.Context, line string, after io.Reader) (status int, err error) {
	if b.lines == nil || b.broken != nil {
		return 0, ErrGone
	}
	defer context.AfterFunc(ctx, b.kill)()
	fed := make(chan error, 1)
	go func() {
		_, err := io.WriteString(b.lines, line+"\n")
		if err == nil && after != nil {
			_, err = io.Copy(b.lines, after)
		}
		fed <- err
	}()
	status, err = b.hear()
	if err != nil {
		b.kill() // so that the writing ends
		b.broken = err
	}
	if feedErr := <-fed; err == nil && feedErr != nil && !errors.Is(feedErr, syscall.EPIPE) {
		b.broken = feedErr
		b.kill()
		err = feedErr
	}
	if cause := context.Cause(ctx); cause != nil {
		if err == nil {
			return 0, cause
		}
		return 0, fmt.Errorf("%w (%w)", cause, err)
	}
	return status, err
}

// hear reads the shell's answer: the last line that begins with "exit".
func (b *Box) hear() (int, error) {
	var said []string
	for {
		line, err := b.words.ReadString('\n')
		if number, ok := strings.CutPrefix(strings.TrimSpace(line), "exit "); ok && err == nil {
			return strconv.Atoi(number)
		}
		if line = strings.TrimSpace(line); line != "" && len(said) < 5 {
			said = append(said, line)
		}
		if err != nil {
			return 0, errors.New(strings.Join(append(said, "the sandbox has ended"), "; "))
		}
	}
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
	if b.lines == nil || b.broken != nil {
		return Result{}, ErrGone
	}
	began := time.Now()
	running, end := context.WithTimeoutCause(ctx, c.Time, errOutOfTime)
	defer end()
	running, stop := context.WithCancelCause(running)
	defer stop(nil)

	mark := "end-of-output-" + rand.Text()
	var beside sync.WaitGroup
	finished := make(chan struct{})
	out := &ends{}
	beside.Go(func() { b.read(out, c, mark, stop) })
	var peak int64
	beside.Go(func() { peak = b.watch(stop, finished) })

	var stdin io.Reader
	if c.Stdin != nil {
		stdin = bytes.NewReader(c.Stdin)
	}
	exit, err := b.tell(running, b.line(c, mark), stdin)
	close(finished)
	if err != nil {
		_ = b.output.SetReadDeadline(time.Now().Add(dieTime)) // what is dying holds the pipe
	}
	beside.Wait()

	result := Result{Ending: Exited, Exit: exit, Output: out.bytes(), Elapsed: time.Since(began), PeakMemory: peak}
	if err == nil {
		return result, nil
	}
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
func (b *Box) line(c Command, mark string) string {
	args := c.Args
	if b.spec.Forward != nil {
		args = b.spec.Forward.under(args)
	}
	var text strings.Builder
	if c.Stdin != nil {
		fmt.Fprintf(&text, "head -c %d | ", len(c.Stdin))
	}
	fmt.Fprintf(&text, "( cd %s && ulimit -n 4096 && exec env -i", quote(path.Join(Source, c.Dir)))
	env := append([]string{
		"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
		"HOME=" + Home, "TMPDIR=" + Temp, "LANG=C.UTF-8",
	}, b.spec.Env...)
	for _, variable := range append(env, c.Env...) {
		text.WriteString(" " + quote(variable))
	}
	if b.spec.Limits.Processes > 0 && b.wrapped {
		fmt.Fprintf(&text, " prlimit --nproc=%d", b.spec.Limits.Processes)
	}
	for _, word := range args {
		text.WriteString(" " + quote(word))
	}
	text.WriteString(" ) 2>&1")
	if c.Stdin == nil {
		text.WriteString(" </dev/null")
	}
	text.WriteString("; s=$?; [ $$ != 1 ] || while kill -9 -1 2>/dev/null; do ( : ); done; printf %s " + mark + "; say $s")
	return text.String()
}

// quote makes one word of a shell's line of a text.
func quote(text string) string {
	return "'" + quoting.Replace(text) + "'"
}

var quoting = strings.NewReplacer("'", `'\''`, "\n", `'"$nl"'`)

// read takes what the command says, up to the mark that the shell puts behind it.
func (b *Box) read(to *ends, c Command, mark string, stop context.CancelCauseFunc) {
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
			return
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
