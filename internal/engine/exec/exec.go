// Package exec runs a program of the operator's as an engine, one process for
// each generation.
//
// The program is run without a shell, in a temporary folder of its own, and with
// nothing of the server's environment but PATH. It is given one JSON object on
// its standard input and answers with one JSON object a line on its standard
// output; its standard error goes to the log. It may be slow, silent, endless or
// hostile: idle time and output are bounded, a line that cannot be read ends it,
// and when it ends, for whatever reason, everything that it started ends with it,
// also when the server itself is killed. On Linux a supervisor process between
// server and program sees to that, and reaches every descendant that runs as the
// same user and does not kill it; elsewhere the program's process group is killed.
package exec

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/bundle-delivery/svc/internal/engine"
)

// The limits of a program, where Config sets no others.
const (
	DefaultIdleTimeout = 5 * time.Minute
	DefaultExitTimeout = 10 * time.Second
	DefaultMaxOutput   = 1 << 30
)

// Config says which program to run.
type Config struct {
	// Command is the program and its arguments, as Split gives them.
	Command []string
	// IdleTimeout is how long the program may write nothing, ExitTimeout how long
	// it may take to end when it has closed its standard output, MaxOutput how
	// many bytes it may write. Zero: the defaults. How long it may take in all is
	// decided by whoever asks.
	IdleTimeout time.Duration
	ExitTimeout time.Duration
	MaxOutput   int64
	// TempDir is where the folders of programs are made; empty: the system's.
	TempDir string
	// Supervised says that the program that runs this one calls [Supervise] first
	// of all, so that it can be started once more as a supervisor.
	Supervised bool
	// Wrap gives the words that run the program, in the folder given, inside
	// something; nil: it runs as it is.
	Wrap func(dir, program string) []string
	Log  *slog.Logger
}

// Engine runs the program.
type Engine struct {
	config  Config
	program string // absolute
}

var _ engine.Engine = (*Engine)(nil)

// New finds the program. A name without a slash is looked up in PATH, another
// is relative to the folder in which the server was started.
func New(c Config) (*Engine, error) {
	if len(c.Command) == 0 {
		return nil, errors.New("the exec engine needs the command that it is to run")
	}
	program, err := exec.LookPath(c.Command[0])
	if err == nil {
		program, err = filepath.Abs(program)
	}
	if err != nil {
		return nil, fmt.Errorf("find the program of the exec engine: %w", err)
	}
	if c.IdleTimeout == 0 {
		c.IdleTimeout = DefaultIdleTimeout
	}
	if c.ExitTimeout == 0 {
		c.ExitTimeout = DefaultExitTimeout
	}
	if c.MaxOutput == 0 {
		c.MaxOutput = DefaultMaxOutput
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return &Engine{config: c, program: program}, nil
}

// Generate implements [engine.Engine].
func (e *Engine) Generate(ctx context.Context, req engine.Request, emit func(engine.Output) error) error {
	dir, err := os.MkdirTemp(e.config.TempDir, "svc-engine-*")
	if err != nil {
		return fmt.Errorf("make a folder for the engine: %w", err)
	}
	defer func() {
		if err := os.RemoveAll(dir); err != nil {
			e.config.Log.Warn("the folder of an engine was not removed", "run", req.GenerationID, "error", err)
		}
	}()
	p, err := e.start(dir, req)
	if err != nil {
		return err
	}
	// Until all of its processes are gone: it may go on after its last output.
	defer context.AfterFunc(ctx, p.kill)()
	failure := p.readOutput(emit, e.config)
	if failure == nil {
		failure = p.waitForExit(e.config.ExitTimeout)
	}
	if failure != nil {
		p.kill()
	}
	exit := p.wait()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case failure != nil:
		return failure
	case exit != nil:
		return &engine.Error{Code: engine.CodeInternal, Message: fmt.Sprintf("The engine failed: %v.", exit), Retryable: true}
	}
	return nil
}

// Split cuts a command into words as a shell does: at white space, with quotes
// and backslashes. Nothing is expanded.
func Split(command string) ([]string, error) {
	var words []string
	var word strings.Builder
	inWord := false
	quote := rune(0)
	escaped := false
	for _, c := range command {
		switch {
		case escaped:
			// Between double quotes a backslash is special before these alone.
			if quote == '"' && !strings.ContainsRune("\"\\$`\n", c) {
				word.WriteByte('\\')
			}
			if c != '\n' {
				word.WriteRune(c)
			}
			escaped = false
		case c == '\\' && quote != '\'':
			escaped, inWord = true, true
		case quote != 0:
			if c == quote {
				quote = 0
			} else {
				word.WriteRune(c)
			}
		case c == '\'' || c == '"':
			quote, inWord = c, true
		case strings.ContainsRune(" \t\r\n", c):
			if inWord {
				words = append(words, word.String())
				word.Reset()
				inWord = false
			}
		default:
			word.WriteRune(c)
			inWord = true
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("the command %q has a quote that is not closed", command)
	}
	if escaped {
		return nil, fmt.Errorf("the command %q ends with a backslash", command)
	}
	if inWord {
		words = append(words, word.String())
	}
	return words, nil
}
