package llm

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/sleep"
)

// Config is what the engine works with. Provider and Model are needed; zero
// limits mean the defaults, a zero budget means none.
type Config struct {
	Provider    Provider
	Model       string // for prices, and in the summary of costs
	Temperature *float64
	// Parallel is how many files are written at a time.
	Parallel int
	// MaxTokens is where one answer is cut off, to be continued.
	MaxTokens int64
	// Repairs is how often files that do not match the plan are repaired.
	Repairs int
	// MaxFiles bounds a plan, MaxFileBytes a file.
	MaxFiles, MaxFileBytes int
	Prices                 Prices
	// Budget is for one run.
	Budget engine.Budget
	// Account says what an account has left beside one of its runs; nil: as much
	// as it likes. It is asked before every call, since other runs of the account
	// may be spending at the same time, in other processes too.
	Account func(ctx context.Context, accountID, generationID string) (engine.Budget, error)
	Log     *slog.Logger
	Now     func() time.Time
	// Wait pauses, unless ctx ends before.
	Wait func(ctx context.Context, d time.Duration) error
}

// The limits that are not chosen.
const (
	defaultParallel     = 4
	defaultMaxTokens    = 16_000
	defaultRepairs      = 4
	defaultMaxFiles     = 2000
	defaultMaxFileBytes = 512 << 10
)

// New makes the engine. It may be used by any number of runs at once.
func New(c Config) engine.Engine {
	c.Parallel = cmp.Or(c.Parallel, defaultParallel)
	c.MaxTokens = cmp.Or(c.MaxTokens, defaultMaxTokens)
	c.Repairs = cmp.Or(c.Repairs, defaultRepairs)
	c.MaxFiles = cmp.Or(c.MaxFiles, defaultMaxFiles)
	c.MaxFileBytes = cmp.Or(c.MaxFileBytes, defaultMaxFileBytes)
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Wait == nil {
		c.Wait = sleep.For
	}
	return &modelEngine{config: c}
}

type modelEngine struct {
	config  Config
	inWords atomic.Bool // the provider knows no tools
}

// run is one call of Generate.
type run struct {
	Config
	req     engine.Request
	inWords *atomic.Bool
	meter   *Meter
	stop    context.CancelCauseFunc
	timer   *time.Timer // fires when the time is used up

	mu   sync.Mutex // one output at a time
	emit func(engine.Output) error
}

// Generate implements [engine.Engine].
func (m *modelEngine) Generate(ctx context.Context, req engine.Request, emit func(engine.Output) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	r := &run{
		Config: m.config, req: req, inWords: &m.inWords, stop: stop, emit: emit,
		meter: NewMeter(m.config.Budget, m.config.Prices.Of(m.config.Model), req.Spent, m.config.Now),
	}
	r.timer = time.AfterFunc(forever, r.onTimer)
	defer r.timer.Stop()
	if err := r.askAccount(ctx); err != nil {
		return &engine.Error{Code: engine.CodeInternal, Message: "What the account has spent cannot be read.", Retryable: true, Err: err}
	}
	err := r.generate(ctx)
	// Whatever made streams stop is the reason, not that they stopped.
	if cause := context.Cause(ctx); err != nil && cause != nil {
		err = cause
	}
	return Explain(err)
}

const forever = time.Duration(1<<63 - 1)

// askAccount reads what the account has left, and sets the timer by it.
func (r *run) askAccount(ctx context.Context) error {
	if err := r.meter.Ask(ctx, r.Account, r.req); err != nil {
		return err
	}
	if left := r.meter.TimeLeft(); left > 0 {
		r.timer.Reset(left)
	}
	return nil
}

// onTimer closes every stream of the run, if its time is used up.
func (r *run) onTimer() {
	if err := r.meter.Exceeded(); err != nil {
		r.stop(err)
		return
	}
	r.timer.Reset(r.meter.TimeLeft()) // the account was given more meanwhile
}

// send emits one output, never two at a time. After the first error of emit
// nothing more is asked of the model.
func (r *run) send(o engine.Output) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.emit(o); err != nil {
		r.stop(err)
		return err
	}
	return nil
}

func (r *run) generate(ctx context.Context) error {
	if err := r.send(engine.ToolStatus{Action: engine.ActionPlan}); err != nil {
		return err
	}
	project := newProject(r.req.Project)
	if r.req.Attempt > 1 && len(r.req.Findings) > 0 {
		return r.repairFindings(ctx, project)
	}
	plan, session, err := r.plan(ctx, project)
	if err != nil {
		return err
	}
	if err := r.announce(plan, project); err != nil {
		return err
	}
	if err := r.writeAll(ctx, plan, session, project); err != nil {
		return err
	}
	if err := r.verify(ctx, plan, session, project); err != nil {
		return err
	}
	if err := r.send(engine.MemoryUpdate{Content: memoryOf(plan, r.req, project)}); err != nil {
		return err
	}
	return r.send(engine.ToolStatus{Action: engine.ActionFinalize})
}

// announce emits decisions and deletions. Ports come after the files that
// hold them, since a port that names no file would be wrong until then.
func (r *run) announce(p *plan, project *project) error {
	for _, d := range p.Decisions {
		if old, ok := r.req.Project.State[d.Key]; ok && old == d.Value {
			continue
		}
		if err := r.send(engine.StateUpdate(d)); err != nil {
			return err
		}
	}
	if old := r.req.Project.State["left_out"]; old != p.leftOut() {
		if err := r.send(engine.StateUpdate{Key: "left_out", Value: p.leftOut(), Reason: "what was asked for and is not done"}); err != nil {
			return err
		}
	}
	for _, path := range p.Delete {
		if err := r.send(engine.Delete{Path: path}); err != nil {
			return err
		}
		project.remove(path)
	}
	return nil
}

// Explain turns an error of a provider into the one that people see.
func Explain(err error) error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*engine.Error](err); ok {
		return e
	}
	f, ok := errors.AsType[*Failure](err)
	if !ok {
		return err
	}
	e := &engine.Error{Code: engine.CodeUpstreamOutage, Retryable: true, Err: f}
	switch f.Kind {
	case Unreachable:
		e.Message = "The model provider cannot be reached or fails; try again in a while."
	case Overloaded:
		e.Message = "The model provider is overloaded; try again in a while."
	case RateLimited:
		e.Message = "The model provider's rate limit is reached, and waiting for it would take too long; try again later."
	case Stalled:
		e.Message = "The model provider stopped in the middle of its answers; try again in a while."
	case Broken, Garbled:
		e.Message = "The model provider's answers broke off or could not be read; try again in a while."
	case Denied:
		e.Message, e.Retryable = "The model provider does not accept the key of this service; its operator has to mend that (svcd engine check).", false
	case Rejected:
		e.Message, e.Retryable = "The model provider does not accept the request; the operator should check model and settings (svcd engine check).", false
	case Declined:
		e.Code, e.Retryable = engine.CodeConstraintUnresolvable, false
		e.Message = "The model declined this request; word it differently."
	}
	return e
}
