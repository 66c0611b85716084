package agent

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/engine/agent/lines"
	"github.com/bundle-delivery/svc/internal/engine/agent/modelproxy"
	"github.com/bundle-delivery/svc/internal/engine/llm"
	"github.com/bundle-delivery/svc/internal/sandbox"
	"github.com/bundle-delivery/svc/internal/text/ignore"
)

// maxLine is the longest line that is read; the rest of a longer one is passed over.
const maxLine = 4 << 20

// longest is more than any run may take: whoever asks decides when it is over.
const longest = 24 * time.Hour

// attempt is one call of Generate.
type attempt struct {
	*session
	req   engine.Request
	meter *llm.Meter
	model *modelproxy.Handler // nil: there is none
	stop  context.CancelCauseFunc

	lastSign atomic.Int64 // of life, in nanoseconds

	mu      sync.Mutex // one output at a time
	emit    func(engine.Output) error
	changed bool // a file was

	kept map[string][]byte // files of the project that are as they were, though the folder has them no more

	// Of the agent's lines, read by one goroutine:
	partial  []byte
	skipping bool
	message  string // the last that it said to the person
	failure  string // why it could not go on; empty: it could
	doing    string // what was told last
}

// Generate implements [engine.Engine].
func (e *Engine) Generate(ctx context.Context, req engine.Request, emit func(engine.Output) error) (err error) {
	s, err := e.sessionOf(ctx, req)
	if err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return fmt.Errorf("make a working copy for an agent: %w", err)
	}
	if req.Kept == nil {
		defer func() { err = errors.Join(err, s.Close()) }()
	}
	running, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	a := &attempt{
		session: s, req: req, stop: stop, emit: emit,
		meter: llm.NewMeter(e.Budget, e.Prices.Of(e.Model), req.Spent, time.Now),
	}
	err = a.run(running)
	// Whatever made the agent stop is the reason, not that it stopped.
	if cause := context.Cause(running); err != nil && cause != nil {
		err = cause
	}
	return llm.Explain(err)
}

// sessionOf finds the working copy of the attempt before, or makes one.
func (e *Engine) sessionOf(ctx context.Context, req engine.Request) (*session, error) {
	if req.Kept != nil {
		if s, ok := req.Kept.Closer.(*session); ok && req.Attempt > 1 {
			s.files.nextAttempt()
			return s, nil
		}
	}
	s, err := e.open(ctx, req)
	if err == nil && req.Kept != nil {
		req.Kept.Closer = s
	}
	return s, err
}

// say emits one output, never two at a time. After the first error of emit the
// agent is stopped.
func (a *attempt) say(o engine.Output) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch o.(type) {
	case engine.Token, engine.File, engine.Delete:
		a.changed = true
	}
	err := a.emit(o)
	if err != nil {
		a.stop(err)
	}
	a.alive()
	return err
}

func (a *attempt) alive() { a.lastSign.Store(time.Now().UnixNano()) }

// run lets the agent work, and takes what it leaves.
func (a *attempt) run(ctx context.Context) error {
	a.alive()
	if err := a.say(engine.ToolStatus{Action: engine.ActionPlan}); err != nil {
		return err
	}
	if err := a.askAccount(ctx); err != nil {
		return &engine.Error{Code: engine.CodeInternal, Message: "What the account has spent cannot be read.", Retryable: true, Err: err}
	}
	if err := a.meter.Exceeded(); err != nil {
		return err
	}
	if err := a.put(ctx, sandbox.Work, map[string]string{path.Base(promptFile): a.prompt()}); err != nil {
		return err
	}
	a.connect()
	defer a.disconnect()
	result, err := a.runAgent(ctx)
	if err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return err
	}
	if err := a.judge(ctx, result); err != nil {
		return err
	}
	return a.takeResult(ctx)
}

// askAccount reads what the account has left.
func (a *attempt) askAccount(ctx context.Context) error {
	return a.meter.Ask(ctx, a.engine.Account, a.req)
}

// connect lets the agent ask the model.
func (a *attempt) connect() {
	if a.engine.Provider == nil {
		return
	}
	calls := a.engine.Calls
	if calls > 0 {
		calls = max(calls-a.calls, 1)
	}
	a.model = a.engine.Provider.For(modelproxy.Run{
		Token: a.token, Meter: a.meter, Calls: calls, Ask: a.askAccount, Alive: a.alive, Stop: a.stop,
		Used: func(u engine.Usage) { _ = a.say(u) }, // an error has stopped the agent
	})
	a.handler.Store(a.model)
}

func (a *attempt) disconnect() {
	a.handler.Store(nil)
	if a.model != nil {
		a.model.Close()
		a.calls += a.model.Calls()
	}
}

// runAgent runs the program to its end.
func (a *attempt) runAgent(ctx context.Context) (sandbox.Result, error) {
	watcher, err := a.newWatcher(ctx)
	if limit, ok := errors.AsType[*ignore.LimitError](err); ok {
		return sandbox.Result{}, &engine.Error{Code: engine.CodeValidationFailed, Message: fmt.Sprintf("The agent cannot work on the project: %v.", limit), Err: err}
	}
	if err != nil {
		return sandbox.Result{}, fmt.Errorf("look at the working copy: %w", err)
	}
	watching, enough := context.WithCancel(ctx)
	var watch sync.WaitGroup
	watch.Go(func() { watcher.watch(watching) })
	defer watch.Wait()
	defer enough()
	// What it says and what it complains about are kept apart.
	script := fmt.Sprintf(`exec "$@" <%s 2>>%s`, promptFile, stderrFile)
	return a.box.Run(ctx, sandbox.Command{
		Args: append([]string{"sh", "-c", script, "agent"}, a.command()...), Env: a.words(a.engine.Preset.Env),
		Time: longest, Output: a.engine.MaxOutput, Stdout: a.hear,
	})
}

// command is the program with its words.
func (a *attempt) command() []string {
	p := a.engine.Preset
	args := p.Args
	if a.continues() {
		args = p.Resume
	}
	return append(a.words(a.engine.Command), a.words(args)...)
}

// continues says that the agent remembers the attempt before.
func (a *attempt) continues() bool {
	return a.req.Attempt > 1 && a.conversation != "" && a.engine.Preset.Resume != nil
}

// hear takes what the agent says, line by line.
func (a *attempt) hear(p []byte) error {
	a.alive()
	for len(p) > 0 {
		line, rest, ended := bytes.Cut(p, []byte{'\n'})
		if len(a.partial)+len(line) > maxLine {
			a.partial, a.skipping = nil, true
		}
		if !a.skipping {
			a.partial = append(a.partial, line...)
		}
		if p = rest; !ended {
			return nil
		}
		whole := a.partial
		a.partial, a.skipping = a.partial[:0], false
		if err := a.line(whole); err != nil {
			return err
		}
	}
	return nil
}

// line tells what one line says.
func (a *attempt) line(text []byte) error {
	text = bytes.TrimSpace(text)
	if len(text) == 0 {
		return nil
	}
	said := a.reader.Read([]byte(a.withoutToken(string(text))))
	a.conversation = cmp.Or(said.Session, a.conversation)
	a.message = cmp.Or(strings.TrimSpace(said.Message), a.message)
	if said.Recovered {
		a.failure = ""
	}
	a.failure = cmp.Or(said.Failure, a.failure)
	if said.Doing != "" && said.Doing != a.doing {
		a.doing = said.Doing
		if err := a.say(engine.ToolStatus{Action: a.action(), File: a.inFolder(said.File), Detail: said.Doing}); err != nil {
			return err
		}
	}
	return a.spend(said.Usage)
}

// action is what an agent does as long as it works.
func (a *attempt) action() string {
	if a.req.Attempt > 1 {
		return engine.ActionRepairFile
	}
	return engine.ActionGenerateFile
}

// inFolder is a file as the project calls it; empty: it is none of the project.
func (a *attempt) inFolder(file string) string {
	if path.IsAbs(file) {
		inside, ok := strings.CutPrefix(path.Clean(file), sandbox.Source+"/")
		if !ok {
			return ""
		}
		file = inside
	}
	if file == "" || bundlezip.CheckPath(file) != nil {
		return ""
	}
	return file
}

// spend counts what the agent says it has used, where nobody counted on the wire.
func (a *attempt) spend(u lines.Usage) error {
	if u == (lines.Usage{}) || a.model != nil && a.model.Calls() > 0 || u.InputTokens < 0 || u.OutputTokens < 0 || u.CostUSD < 0 {
		return nil
	}
	cost := a.meter.Begin(0).Settle(llm.Usage{Input: u.InputTokens, Output: u.OutputTokens})
	if err := a.say(engine.Usage{
		Model: cmp.Or(u.Model, a.engine.Model), InputTokens: u.InputTokens, OutputTokens: u.OutputTokens, CostUSD: cmp.Or(u.CostUSD, cost),
	}); err != nil {
		return err
	}
	return a.meter.Exceeded()
}

// withoutToken is a text in which the token of the run is struck out.
func (s *session) withoutToken(text string) string { return strings.ReplaceAll(text, s.token, struck) }

// judge says whether the agent has done its work, by its exit and by its lines:
// some exit with 0 after they gave up.
func (a *attempt) judge(ctx context.Context, r sandbox.Result) error {
	if err := a.line(a.partial); err != nil {
		return err
	}
	e := &engine.Error{Code: engine.CodeInternal, Retryable: true}
	switch {
	case r.Ending == sandbox.TooMuchOutput:
		e.Message, e.Retryable = fmt.Sprintf("The agent said more than %d bytes.", a.engine.MaxOutput), false
		return e
	case r.Ending != sandbox.Exited:
		e.Message = fmt.Sprintf("The agent was stopped: %s.", r.Ending)
		return e
	case r.Exit == 0 && a.failure == "":
		return nil
	}
	if a.model != nil {
		if err := a.model.Failure(); err != nil {
			return err // the model's failure is that of the agent
		}
	}
	e.Message = fmt.Sprintf("The agent gave up (exit %d)", r.Exit)
	if a.failure != "" {
		e.Message += ": " + a.failure
	}
	e.Message += "."
	if complaint := a.complaint(ctx); complaint != "" {
		e.Err = errors.New(complaint)
	}
	return e
}
