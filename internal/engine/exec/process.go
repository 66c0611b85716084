package exec

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/bundle-delivery/svc/internal/engine"
)

const (
	// maxLine is the longest line.
	maxLine = 16 << 20
	// drainTime is how long output is waited for when the program has ended but
	// a process that it started holds the pipe.
	drainTime = time.Second
	// How much of its standard error is logged, in all and of one line.
	maxStderr     = 64 << 10
	maxStderrLine = 2 << 10
)

// process is a program that runs.
type process struct {
	cmd        *exec.Cmd
	output     *os.File // its standard output
	done       chan struct{}
	exit       error // once done
	background sync.WaitGroup
	tree       processTree

	mu    sync.Mutex
	ended bool // its process id may be another's by now
}

// start runs the program and feeds it.
func (e *Engine) start(dir string, req engine.Request) (*process, error) {
	words := append([]string{e.program}, e.config.Command[1:]...)
	if e.config.Wrap != nil {
		words = append(e.config.Wrap(dir, e.program), words...)
	}
	cmd := exec.Command(words[0], words[1:]...) //nolint:gosec // running the operator's program is the purpose
	if e.config.Wrap == nil {
		cmd.Args[0] = e.config.Command[0]
	}
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH")}

	pipes, err := openPipes()
	if err != nil {
		return nil, err
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = pipes.theirs[0], pipes.theirs[1], pipes.theirs[2]
	p := &process{cmd: cmd, output: pipes.ours[1], done: make(chan struct{}), tree: newProcessTree(e.config.Supervised)}
	if err = p.tree.prepare(cmd); err == nil {
		err = p.launch()
		p.tree.started(cmd, err)
	}
	pipes.closeTheirs()
	if err != nil {
		pipes.closeOurs()
		return nil, fmt.Errorf("start the engine: %w", err)
	}
	log := e.config.Log.With("run", req.GenerationID)
	p.background.Go(func() { sendRequest(pipes.ours[0], req, log) })
	p.background.Go(func() { logStderr(pipes.ours[2], log) })
	p.background.Go(func() { p.killLeftovers(pipes.ours) })
	return p, nil
}

// launch starts the program from a thread that lives as long as it does: the
// signal at the death of the parent is bound to the thread.
func (p *process) launch() error {
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := p.cmd.Start()
		started <- err
		if err == nil {
			p.exit = p.cmd.Wait()
			close(p.done)
		}
	}()
	return <-started
}

// kill ends the program and all that it started.
func (p *process) kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.ended {
		p.tree.kill()
	}
}

// killLeftovers kills what the program started and did not end, and bounds how
// long its pipes are read after that.
func (p *process) killLeftovers(files [3]*os.File) {
	<-p.done
	p.kill()
	p.mu.Lock()
	p.ended = true
	p.mu.Unlock()
	deadline := time.Now().Add(drainTime)
	for _, f := range files {
		_ = f.SetDeadline(deadline) // fails only for those that are closed
	}
}

// wait returns the program's exit error, when all its processes are gone.
func (p *process) wait() error {
	<-p.done
	p.background.Wait()
	_ = p.output.Close() // it was only read
	exit := p.tree.exit(p.exit)
	p.tree.release()
	return exit
}

// readOutput emits what the program writes, up to the end of its standard output.
func (p *process) readOutput(emit func(engine.Output) error, c Config) error {
	in := bufio.NewReaderSize(&limitedReader{r: p.output, left: c.MaxOutput}, 64<<10)
	for {
		if err := p.allowIdle(c.IdleTimeout); err != nil {
			return err
		}
		text, err := readLine(in)
		if err != nil && !errors.Is(err, io.EOF) {
			return p.explain(err, c)
		}
		if len(bytes.TrimSpace(text)) > 0 {
			out, err := parseLine(text)
			if err != nil {
				return err
			}
			if err := emit(out); err != nil {
				return err
			}
		}
		if err != nil {
			return nil //nolint:nilerr // the end of its output
		}
	}
}

// waitForExit gives a program that has closed its standard output time to end.
func (p *process) waitForExit(timeout time.Duration) error {
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case <-p.done:
		return nil
	case <-timer.C:
		return &engine.Error{
			Code: engine.CodeInternal, Retryable: true,
			Message: fmt.Sprintf("The engine closed its output, did not end for %v and was stopped.", timeout),
		}
	}
}

// allowIdle sets the deadline of the program's next line, unless it has ended:
// then killLeftovers has set it.
func (p *process) allowIdle(timeout time.Duration) error {
	select {
	case <-p.done:
		return nil
	default:
	}
	if err := p.output.SetReadDeadline(time.Now().Add(timeout)); err != nil {
		return fmt.Errorf("set the engine's idle timeout: %w", err)
	}
	select {
	case <-p.done: // just now: its own deadline may have been overwritten
		_ = p.output.SetReadDeadline(time.Now().Add(drainTime))
	default:
	}
	return nil
}

var (
	errLongLine = errors.New("a line is too long")
	errTooMuch  = errors.New("the output is too long")
)

// explain says why the program's output could not be read on.
func (p *process) explain(err error, c Config) error {
	e := &engine.Error{Code: engine.CodeInternal, Err: err}
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		select {
		case <-p.done: // a process that it started kept the pipe open
			return nil
		default:
		}
		e.Message, e.Retryable = fmt.Sprintf("The engine said nothing for %v and was stopped.", c.IdleTimeout), true
	case errors.Is(err, errLongLine):
		e.Message = fmt.Sprintf("The engine said a line of more than %d bytes.", maxLine)
	case errors.Is(err, errTooMuch):
		e.Message = fmt.Sprintf("The engine said more than %d bytes.", c.MaxOutput)
	default:
		return fmt.Errorf("read the engine's output: %w", err)
	}
	return e
}

// readLine reads up to a line break, or to the end with io.EOF.
func readLine(in *bufio.Reader) ([]byte, error) {
	var long []byte
	for {
		part, err := in.ReadSlice('\n')
		if long == nil && err == nil {
			return part, nil // the usual case costs nothing
		}
		if len(long)+len(part) > maxLine+1 {
			return nil, errLongLine
		}
		long = append(long, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return long, err
		}
	}
}

// limitedReader reads no more than is left, and then fails.
type limitedReader struct {
	r    io.Reader
	left int64
}

func (b *limitedReader) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooMuch
	}
	if int64(len(p)) > b.left {
		p = p[:b.left]
	}
	n, err := b.r.Read(p)
	b.left -= int64(n)
	return n, err
}

// logStderr writes the program's standard error to the log, as far as that is
// reasonable, and reads the rest so that the program is not held up by it.
func logStderr(from *os.File, log *slog.Logger) {
	defer func() { _ = from.Close() }() // it was only read
	in := bufio.NewReaderSize(from, 4<<10)
	rest := false // what is read next belongs to a line whose beginning was logged
	for left := maxStderr; ; {
		part, err := in.ReadSlice('\n')
		text := ""
		if !rest {
			text = stderrLine(part)
		}
		rest = errors.Is(err, bufio.ErrBufferFull)
		if left > 0 && text != "" {
			left -= len(text)
			log.Info("engine", "stderr", text)
			if left <= 0 {
				log.Warn("the engine's further standard error is not logged")
			}
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return
		}
	}
}

// stderrLine is as much of a line as is logged. It is cut before a word, never
// within one: the log hides keys, and would not know half of one.
func stderrLine(line []byte) string {
	text := strings.ToValidUTF8(string(bytes.TrimRight(line, "\r\n")), "\uFFFD")
	if len(text) <= maxStderrLine {
		return text
	}
	return strings.TrimRightFunc(strings.ToValidUTF8(text[:maxStderrLine], ""), func(c rune) bool {
		return c == '_' || c == '-' || unicode.IsLetter(c) || unicode.IsDigit(c)
	}) + "…"
}

// sendRequest writes the request to the program, file by file. A program may stop
// reading before its end.
func sendRequest(to *os.File, req engine.Request, log *slog.Logger) {
	w := bufio.NewWriterSize(to, 64<<10)
	err := writeRequest(w, req)
	if err == nil {
		err = w.Flush()
	}
	if err = errors.Join(err, to.Close()); err != nil && !pipeClosed(err) {
		log.Warn("the engine was not given its whole request", "error", err)
	}
}

// writeRequest writes the one JSON object of the boundary. The contents of files
// pass one at a time; content that is not text is left out.
func writeRequest(w io.Writer, req engine.Request) error {
	head, err := json.Marshal(struct {
		Prompt      string            `json:"prompt"`
		Constraints map[string]string `json:"constraints"`
		ProjectID   string            `json:"projectId"`
		State       map[string]string `json:"state"`
		Memory      string            `json:"memory"`
		Attempt     int               `json:"attempt"`
		Findings    []string          `json:"findings"`
	}{req.Prompt, orEmpty(req.Constraints), req.ProjectID, orEmpty(req.Project.State), req.Project.Memory, req.Attempt, append([]string{}, req.Findings...)})
	if err != nil {
		return fmt.Errorf("write the request: %w", err)
	}
	if _, err := w.Write(append(head[:len(head)-1], `,"files":[`...)); err != nil {
		return err
	}
	for i, f := range req.Project.Files {
		entry, err := fileEntry(req, f)
		if err != nil {
			return err
		}
		if i > 0 {
			entry = append([]byte{','}, entry...)
		}
		if _, err := w.Write(entry); err != nil {
			return err
		}
	}
	_, err = io.WriteString(w, "]}\n")
	return err
}

func orEmpty(m map[string]string) map[string]string {
	if m == nil {
		return map[string]string{}
	}
	return m
}

func fileEntry(req engine.Request, f engine.FileInfo) ([]byte, error) {
	r, err := req.Project.Open(f.Path)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", f.Path, err)
	}
	content, err := io.ReadAll(r)
	if err = errors.Join(err, r.Close()); err != nil {
		return nil, fmt.Errorf("read %s: %w", f.Path, err)
	}
	entry := struct {
		Path    string  `json:"path"`
		Content *string `json:"content,omitempty"`
	}{Path: f.Path}
	if utf8.Valid(content) {
		text := string(content)
		entry.Content = &text
	}
	return json.Marshal(entry)
}

// pipes are the three standard files, as seen from both sides.
type pipes struct{ ours, theirs [3]*os.File }

func openPipes() (*pipes, error) {
	p := &pipes{}
	for i := range 3 {
		r, w, err := os.Pipe()
		if err != nil {
			p.closeOurs()
			p.closeTheirs()
			return nil, fmt.Errorf("make pipes for the engine: %w", err)
		}
		if i == 0 {
			p.theirs[i], p.ours[i] = r, w
		} else {
			p.ours[i], p.theirs[i] = r, w
		}
	}
	return p, nil
}

func (p *pipes) closeOurs()   { closeAll(p.ours) }
func (p *pipes) closeTheirs() { closeAll(p.theirs) }

func closeAll(files [3]*os.File) {
	for _, f := range files {
		if f != nil {
			_ = f.Close() // nothing was written through it yet
		}
	}
}
