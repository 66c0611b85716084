// Package agent lets somebody's coding agent work on a project: a program that
// edits files in a folder.
//
// The law of an agent. It works in a sandbox, on a copy of the project's files,
// and its only way out is the relay: to the hosts that the operator named, and to
// the model, with a token of the run in the place of the key. What it prints is
// told and never believed; what it leaves in the folder, when it exits with 0, is
// the result. Files are told while it writes them. What a bundle cannot hold, what
// .gitignore names and what is no plain file is left out, and named.
//
// The sandbox is kept from one attempt of a run to the next, so that findings go
// to the same agent in the same folder, and in the same conversation where it can
// be continued. Another worker that takes the run up begins with the project.
package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/engine/agent/modelproxy"
	"github.com/bundle-delivery/svc/internal/engine/llm"
	"github.com/bundle-delivery/svc/internal/sandbox"
	"github.com/bundle-delivery/svc/internal/sandbox/egress"
	"github.com/bundle-delivery/svc/internal/validate"
)

// The limits of an agent, where Config sets no others.
const (
	DefaultIdleTimeout = 5 * time.Minute
	DefaultMaxOutput   = 1 << 30
	// defaultLook is how often the folder is looked at: what lies still from one
	// look to the next is told.
	defaultLook = 250 * time.Millisecond
	// defaultLookTime is how long one look may take: a folder at all bounds takes
	// a few seconds.
	defaultLookTime = 30 * time.Second
)

// Config says which agent works, where, and with which model.
type Config struct {
	Preset Preset
	// Command is the program, with all its arguments where the preset has none;
	// empty: the program that the preset names, found by PATH.
	Command []string

	Sandbox *sandbox.Sandbox
	// Outfit says what boxes are given beside the agent; nil: nothing.
	Outfit func(ctx context.Context) (sandbox.Spec, error)
	// Equip puts the project into a box, with what else it needs to be built there;
	// nil: the project alone.
	Equip func(ctx context.Context, box *sandbox.Box, project validate.Tree) error
	// Relay is the way out.
	Relay *egress.Relay

	// Provider is asked for the model; nil: there is none.
	Provider *modelproxy.Provider
	Model    string
	// AnswerTokens is where one answer of the model is cut off.
	AnswerTokens int
	Prices       llm.Prices
	// Budget is for one run, and Calls how often it may ask the model.
	Budget engine.Budget
	Calls  int
	// Account says what an account has left beside one of its runs; nil: as much
	// as it likes.
	Account func(ctx context.Context, accountID, generationID string) (engine.Budget, error)

	// IdleTimeout is how long the agent may neither say nor write nor ask
	// anything, MaxOutput how many bytes it may say. Zero: the defaults.
	IdleTimeout time.Duration
	MaxOutput   int64
	// Look is how often the folder is looked at; 0: four times a second.
	Look time.Duration
	// LookTime is how long one look may take; 0: half a minute.
	LookTime time.Duration
	Log      *slog.Logger
}

// Engine runs the agent. It may be used by any number of runs at once.
type Engine struct {
	Config
	show   []sandbox.Mount // the program and what it needs
	outlet *sandbox.Outlet
}

var _ engine.Engine = (*Engine)(nil)

// New finds the program, and makes what leads out of its sandboxes.
func New(c Config) (*Engine, error) {
	if len(c.Command) == 0 {
		if c.Preset.Program == "" {
			return nil, errors.New("a custom agent needs the command that runs it")
		}
		c.Command = []string{c.Preset.Program}
	}
	program, err := exec.LookPath(c.Command[0])
	if err == nil {
		program, err = filepath.Abs(program)
	}
	if err != nil {
		return nil, fmt.Errorf("find the program of the agent: %w", err)
	}
	e := &Engine{Config: c}
	e.Command = append([]string{program}, c.Command[1:]...)
	if e.show, err = shown(e.Command); err != nil {
		return nil, err
	}
	e.IdleTimeout = cmp.Or(e.IdleTimeout, DefaultIdleTimeout)
	e.MaxOutput = cmp.Or(e.MaxOutput, DefaultMaxOutput)
	e.Look = cmp.Or(e.Look, defaultLook)
	e.LookTime = cmp.Or(e.LookTime, defaultLookTime)
	if e.Equip == nil {
		e.Equip = validate.Fill
	}
	if e.Log == nil {
		e.Log = slog.New(slog.DiscardHandler)
	}
	if e.outlet, err = c.Sandbox.NewOutlet(); err != nil {
		return nil, fmt.Errorf("lead out of the sandbox of an agent: %w", err)
	}
	return e, nil
}

// Close removes what leads out. No run is under way then.
func (e *Engine) Close() error { return e.outlet.Close() }

// versionTime is how long a program may take to say its version.
const versionTime = time.Minute

// Version asks the program for its version, where it works.
func (e *Engine) Version(ctx context.Context) (string, error) {
	spec, err := e.outfit(ctx)
	if err != nil {
		return "", err
	}
	box, err := e.Sandbox.Open(ctx, spec)
	if err != nil {
		return "", err
	}
	defer box.Close()
	r, err := box.Run(ctx, sandbox.Command{Args: append(slices.Clone(e.Command), "--version"), Time: versionTime})
	if err != nil {
		return "", err
	}
	first, _, _ := strings.Cut(strings.TrimSpace(string(r.Output)), "\n")
	if !r.OK() {
		return "", fmt.Errorf("%s --version: %s (%d): %s", e.Command[0], r.Ending, r.Exit, validate.Cut(first, 200))
	}
	return validate.Cut(first, 200), nil
}

// outfit is what boxes are given, the program among it.
func (e *Engine) outfit(ctx context.Context) (spec sandbox.Spec, err error) {
	spec.Limits = sandbox.DefaultLimits()
	if e.Outfit != nil {
		if spec, err = e.Outfit(ctx); err != nil {
			return spec, err
		}
	}
	spec.Show = append(spec.Show, e.show...)
	return spec, nil
}

// system are the folders that every box has.
var system = []string{"/usr/", "/bin/", "/sbin/", "/lib/", "/lib32/", "/lib64/"}

// shown says what of the host the words of a command need: each that is an
// absolute path, a program of npm with all that was installed beside it.
func shown(command []string) (all []sandbox.Mount, err error) {
	show := func(path string) {
		if slices.ContainsFunc(system, func(folder string) bool { return strings.HasPrefix(path, folder) }) {
			return
		}
		if m := (sandbox.Mount{From: path, To: path}); !slices.Contains(all, m) {
			all = append(all, m)
		}
	}
	for i, word := range command {
		if !filepath.IsAbs(word) {
			continue
		}
		resolved, err := filepath.EvalSymlinks(word)
		if err != nil {
			if i > 0 {
				continue // an argument that only looks like a path
			}
			return nil, fmt.Errorf("find the program of the agent: %w", err)
		}
		for _, path := range []string{word, resolved} {
			if before, _, found := strings.Cut(path, "/node_modules/"); found {
				path = before + "/node_modules"
			} else if path == word && resolved != word {
				continue // a link is replaced by what it leads to
			}
			show(path)
		}
		if !strings.Contains(word, "/node_modules/") {
			command[i] = resolved
		}
	}
	return all, nil
}
