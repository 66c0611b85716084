package validate

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/evanw/esbuild/pkg/api"
)

// The parser of JavaScript, TypeScript and CSS calls itself at every bracket and
// operator, needs the square of the time for some files and cannot be stopped: a
// file of a few kilobytes could take the whole server with it. So it works in a
// process of its own, which is this program once more (see [Inside]), with bounds
// for its time, its stack and its memory. A file for which it goes beyond them is
// a finding, and the next file is given to a fresh one.

const (
	parserName = "svcd-parser"
	// maxScript is the largest file that is looked at, parseTime how long it may
	// take, on a machine that has other things to do.
	maxScript = 1 << 20
	parseTime = 10 * time.Second
	// parserStack and parserMemory bound the process.
	parserStack  = 128 << 20
	parserMemory = 2 << 30
)

// loaders know the languages by the ending of a name.
var loaders = map[string]api.Loader{
	".js": api.LoaderJS, ".mjs": api.LoaderJS, ".cjs": api.LoaderJS, ".jsx": api.LoaderJSX,
	".ts": api.LoaderTS, ".mts": api.LoaderTS, ".cts": api.LoaderTS, ".tsx": api.LoaderTSX,
	".css": api.LoaderCSS,
}

// source is a file as the parser is given it.
type source struct {
	Ending  string `json:"ending"`
	Content string `json:"content"`
}

// verdict is its answer: the first mistakes, as "line: message".
type verdict struct {
	Errors []string `json:"errors"`
}

// Inside makes this process a parser, if args (os.Args) ask for that, and returns
// with what it is to exit with. A program that sets [Config.Program] calls it
// first of all.
func Inside(args []string) (code int, asked bool) {
	if len(args) != 1 || args[0] != parserName {
		return 0, false
	}
	debug.SetMaxStack(parserStack)
	if err := boundMemory(parserMemory); err != nil {
		return 1, true
	}
	in, out := json.NewDecoder(bufio.NewReader(os.Stdin)), json.NewEncoder(os.Stdout)
	for {
		var s source
		if err := in.Decode(&s); err != nil {
			return 0, true // nobody asks any more
		}
		if err := out.Encode(verdict{parseScript(s)}); err != nil {
			return 1, true
		}
	}
}

func parseScript(s source) []string {
	result := api.Transform(s.Content, api.TransformOptions{
		Loader: loaders[s.Ending], LogLevel: api.LogLevelSilent, LogLimit: 3,
		JSX: api.JSXPreserve, TsconfigRaw: "{}",
	})
	var all []string
	for _, m := range result.Errors {
		if m.Location != nil {
			all = append(all, fmt.Sprintf("line %d: %s", m.Location.Line, m.Text))
		} else {
			all = append(all, m.Text)
		}
	}
	return all
}

// parsers are the processes that parse, as many as are needed at a time.
type parsers struct {
	program string              // empty: there are none
	idle    chan *parserProcess // those that wait
	places  chan struct{}       // one for each that there may be
	time    time.Duration       // for one file
}

func newParsers(program string) *parsers {
	n := runtime.GOMAXPROCS(0)
	return &parsers{program: program, time: parseTime, idle: make(chan *parserProcess, n), places: make(chan struct{}, n)}
}

// parserProcess is one of them.
type parserProcess struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// check says what is wrong with a file.
func (p *parsers) check(ctx context.Context, name string, content []byte) error {
	select {
	case p.places <- struct{}{}:
		defer func() { <-p.places }()
	case <-ctx.Done():
		return ctx.Err()
	}
	var one *parserProcess
	select {
	case one = <-p.idle:
	default:
		var err error
		if one, err = p.start(); err != nil {
			return fmt.Errorf("start a parser: %w", err)
		}
	}
	v, err := one.ask(ctx, p.time, source{strings.ToLower(path.Ext(name)), string(content)})
	if err != nil {
		one.end()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return mistake("it cannot be parsed within reason: " + err.Error())
	}
	p.idle <- one
	if len(v.Errors) > 0 {
		return mistake(strings.Join(v.Errors, "; "))
	}
	return nil
}

// mistake is what is wrong with a file, in contrast to what went wrong here.
type mistake string

func (m mistake) Error() string { return string(m) }

func (p *parsers) start() (*parserProcess, error) {
	cmd := exec.Command(p.program) //nolint:gosec // this program
	cmd.Args, cmd.Env, cmd.Dir = []string{parserName}, []string{"GOMAXPROCS=1"}, "/"
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &parserProcess{cmd: cmd, in: in, out: bufio.NewReader(out)}, nil
}

var errSlow = errors.New("it takes too long")

func (p *parserProcess) ask(ctx context.Context, limit time.Duration, s source) (v verdict, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errSlow)
	defer cancel()
	defer context.AfterFunc(ctx, func() { _ = p.cmd.Process.Kill() })() // it may have ended
	if err = json.NewEncoder(p.in).Encode(s); err == nil {
		var line []byte
		if line, err = p.out.ReadBytes('\n'); err == nil {
			err = json.Unmarshal(line, &v)
		}
	}
	if err != nil {
		err = errors.New("it needs too much memory")
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
	}
	return v, err
}

func (p *parserProcess) end() {
	_ = p.in.Close()         // nothing more is asked
	_ = p.cmd.Process.Kill() // it may have ended
	_ = p.cmd.Wait()         // killed
}

// close ends the processes that wait.
func (p *parsers) close() {
	for {
		select {
		case one := <-p.idle:
			one.end()
		default:
			return
		}
	}
}
