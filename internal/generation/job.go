package generation

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"runtime/debug"
	"strings"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/bundle/pack"
	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/sleep"
)

// Why the work on a run is stopped before its end.
var (
	errLost       = errors.New("another worker has the run")
	errHandedBack = errors.New("this process stops")
	errCancelled  = errors.New("the run was cancelled")
	errTooLong    = errors.New("the run takes too long")
)

// job is one worker's work on one run.
type job struct {
	pool   *Pool
	run    svc.Run
	events *eventBuffer
	clock  *runClock
	meter  *costMeter
}

const (
	// settleTime is how long runs may still store and record what they have when
	// their process stops, and handBackTime what handing one back may need after
	// that: together they are less than a process is given to end.
	settleTime   = 4 * time.Second
	handBackTime = 3 * time.Second
	// logRetry is the wait before a run is handed back for want of a log.
	logRetry = time.Second
	// feedTimeout is how long events that are stored are waited for before the log
	// is asked for them.
	feedTimeout = 5 * time.Second
)

// work takes a run to its end, or as far as ctx allows. The cause of ctx says
// why it was stopped.
func (j *job) work(ctx context.Context) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	log := j.pool.Log.With("run", j.run.ID, "epoch", j.run.Epoch)
	// A run that is cancelled before its log can be written waits for it all the same:
	// handed back, it would be taken and cancelled again and again.
	opening, giveUp := context.WithCancelCause(context.WithoutCancel(ctx))
	defer giveUp(nil)
	defer context.AfterFunc(ctx, func() {
		if cause := context.Cause(ctx); !errors.Is(cause, errCancelled) {
			giveUp(cause)
		}
	})()
	var writer svc.EventWriter
	err := j.untilAvailable(opening, "begin", func(ctx context.Context) (err error) {
		writer, err = j.pool.Events.Writer(ctx, j.claim())
		return err
	})
	if err != nil {
		log.Warn("the event log cannot be written; the run is handed back", "error", err)
		_ = sleep.For(ctx, logRetry) // whoever takes it next will ask the log again
		j.handBack(ctx)
		return
	}
	j.events = newEventBuffer(j.pool.settling, writer, j.pool.Observer, j.clock, func(err error) {
		if errors.Is(err, svc.ErrConflict) {
			err = errLost
		}
		stop(err)
	})
	defer context.AfterFunc(ctx, func() { j.events.stop(context.Cause(ctx)) })()
	if err = j.generate(ctx); err == nil {
		return
	}
	if cause := context.Cause(ctx); cause != nil {
		err = cause // what the engine says when it is stopped is of no interest
	}
	switch {
	case errors.Is(err, errLost):
		j.events.giveUp()
		_, _ = j.events.close() // refused, or void
		log.Warn("the run was lost to another worker")
	case errors.Is(err, errHandedBack):
		_, err := j.events.close()
		log.Info("the run is handed back", "error", err)
		j.handBack(ctx)
	default:
		if err := j.fail(err); err != nil {
			log.Error("the end of the run was not recorded; its lease will run out", "error", err)
		}
	}
}

func (j *job) claim() svc.RunClaim { return svc.RunClaim{ID: j.run.ID, Epoch: j.run.Epoch} }

func (j *job) handBack(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), handBackTime)
	defer cancel()
	if cost, grown := j.meter.unrecorded(); grown {
		if err := j.pool.Store.Runs().Spend(ctx, j.claim(), cost); err != nil {
			j.pool.Log.Warn("what a run has used was not noted", "run", j.run.ID, "error", err)
		}
	}
	if err := j.pool.Store.Runs().Release(ctx, j.claim()); err != nil {
		j.pool.Log.Warn("a run was not handed back; its lease will run out", "run", j.run.ID, "error", err)
		return
	}
	notifyQueued(j.pool.Notifier, j.pool.Log)
}

// generate asks the engine until its files pass, then packages and records them.
func (j *job) generate(ctx context.Context) error {
	working, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer j.clock.start(j.pool.Limits.RunTime, func() { cancel(errTooLong) })()
	err := j.generateIn(working)
	if cause := context.Cause(working); err != nil && cause != nil {
		return cause
	}
	return err
}

func (j *job) generateIn(ctx context.Context) error {
	if err := j.mayBegin(); err != nil {
		// The plan moves the fence: from here on no earlier worker is heard, and
		// the number of the ending is certain.
		return cmp.Or(j.emitPlan(), err)
	}
	var attempts map[string]int
	err := j.untilAvailable(ctx, "read its earlier events", func(ctx context.Context) (err error) {
		attempts, err = j.formerAttempts(ctx)
		return err
	})
	if err != nil {
		return err
	}
	if err := cmp.Or(j.emitPlan(), j.emitSecretsNotice()); err != nil {
		return err
	}
	var project svc.Project
	var source *pack.Source
	err = j.untilAvailable(ctx, "read its project", func(ctx context.Context) (err error) {
		project, source, err = j.openProject(ctx)
		return err
	})
	if err != nil {
		return err
	}
	defer func() { _ = source.Close() }() // it was only read
	dir, err := os.MkdirTemp(j.pool.TempDir, "svc-run-*")
	if err != nil {
		return fmt.Errorf("make a folder for a run: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }() // the system's clean-up takes what is left
	t := newTree(project, source, &stagingDir{dir: dir}, j.pool.Limits.Project, attempts, j.events.emit)
	t.cost = j.meter.resume(j.run.Cost, j.pool.EngineName)
	err = j.generateUntilValid(ctx, t)
	if t.cost = j.meter.total(); t.cost.InputTokens+t.cost.OutputTokens > 0 {
		j.run.Cost = &t.cost // however it ends: what fails has to be paid for as well
	}
	if err != nil {
		return err
	}
	return j.conclude(ctx, project, t)
}

func (j *job) emitPlan() error {
	return j.events.emit(svc.ToolStatusEvent{Action: engine.ActionPlan, Status: svc.ToolStarted, RunAttempt: j.run.Epoch})
}

// conclude packages what was generated and records the outcome, when it is this
// run's turn.
func (j *job) conclude(ctx context.Context, project svc.Project, t *tree) error {
	if err := t.emit(svc.ToolStatusEvent{Action: engine.ActionFinalize, Status: svc.ToolStarted}); err != nil {
		return err
	}
	select {
	case j.pool.endingSlots <- struct{}{}:
		defer func() { <-j.pool.endingSlots }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	var draft *pack.Draft
	err := j.untilAvailable(ctx, "store its files", func(ctx context.Context) (err error) {
		content := t.content()
		content.Provenance = svc.Provenance{
			Origin: svc.OriginRun, Engine: j.pool.EngineName, Model: t.cost.Model, Run: j.run.ID, Validation: j.run.Validation,
		}
		draft, err = j.pool.Packager.Draft(ctx, project, content)
		return err
	})
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		return err
	}
	return j.succeed(ctx, draft, t.cost)
}

// mayBegin ends a run that was cancelled while nobody had it, or that has lost
// too many workers.
func (j *job) mayBegin() error {
	if !j.run.CancelRequestedAt.IsZero() {
		return errCancelled
	}
	if j.run.Losses > j.pool.Limits.Losses {
		return &engine.Error{
			Code:      engine.CodeInternal,
			Message:   fmt.Sprintf("The generation lost its worker %d times and is given up.", j.run.Losses),
			Retryable: true,
		}
	}
	return nil
}

// formerAttempts reads how many attempts at each file earlier workers have emitted,
// so that a higher number is always the later text, also for a viewer that does
// not know that a plan voids what precedes it.
func (j *job) formerAttempts(ctx context.Context) (map[string]int, error) {
	attempts := make(map[string]int)
	if j.run.Epoch <= 1 {
		return attempts, nil
	}
	feed, err := j.pool.Events.Follow(ctx, j.run.ID, 0)
	if err != nil {
		return nil, fmt.Errorf("read what earlier workers emitted: %w", err)
	}
	defer feed.Close()
	for last := int64(0); last < j.events.writer.Last(); {
		waiting, cancel := context.WithTimeout(ctx, feedTimeout)
		events, err := feed.Next(waiting)
		cancel()
		if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
			err = feed.Verify(ctx) // the news may have been lost on the way
		}
		if err != nil {
			return nil, fmt.Errorf("read what earlier workers emitted: %w", err)
		}
		for _, e := range events {
			last = e.Seq
			if e.Name != svc.EventToken {
				continue
			}
			var token svc.TokenEvent
			if err := json.Unmarshal(e.Data, &token); err != nil {
				return nil, fmt.Errorf("read what earlier workers emitted: %w", err)
			}
			attempts[token.File] = max(attempts[token.File], token.Attempt)
		}
	}
	return attempts, nil
}

// openProject reads the project and its pack; a pack that went meanwhile is
// looked for once more.
func (j *job) openProject(ctx context.Context) (svc.Project, *pack.Source, error) {
	for again := false; ; again = true {
		project, err := j.pool.Store.Projects().Get(ctx, j.run.AccountID, j.run.ProjectID)
		if err != nil {
			return svc.Project{}, nil, fmt.Errorf("read the project: %w", err)
		}
		source, err := j.pool.Packager.Open(ctx, project)
		if err == nil {
			return project, source, nil
		}
		if again || !errors.Is(err, svc.ErrNotFound) {
			return svc.Project{}, nil, err
		}
	}
}

// generateUntilValid lets the engine write and tries what it wrote, as often as it may try.
func (j *job) generateUntilValid(ctx context.Context, t *tree) error {
	trial := j.newTrial(t)
	kept := &engine.Kept{}
	defer func() {
		if err := kept.Close(); err != nil {
			j.pool.Log.Warn("what an engine kept for a run was not cleared away", "run", j.run.ID, "error", err)
		}
	}()
	var found []string
	seen := make(map[string]int)
	for attempt := 1; ; attempt++ {
		err := j.runEngine(ctx, t, attempt, found, kept)
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		if err != nil {
			return err
		}
		if err := t.completeAll(); err != nil {
			return err
		}
		var record *svc.Validation
		if found, record, err = trial.try(ctx); err != nil {
			return err
		}
		j.run.Validation = record
		switch {
		case len(found) == 0:
			return t.rememberFailures(record)
		case attempt >= j.pool.Limits.Attempts:
			return j.notValid(attempt, found, "")
		case cameBackTwice(seen, found):
			return j.notValid(attempt, found, " A finding came back unchanged twice.")
		case trial.late():
			return j.notValid(attempt, found, " There was no time for another attempt.")
		}
		t.nextAttempt()
	}
}

// runEngine runs the engine once. One that panics fails its run alone.
func (j *job) runEngine(ctx context.Context, t *tree, attempt int, found []string, kept *engine.Kept) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("the engine panicked: %v\n%s", v, debug.Stack())
		}
	}()
	return j.pool.Engine.Generate(ctx, engine.Request{
		GenerationID: j.run.ID, ProjectID: j.run.ProjectID, AccountID: j.run.AccountID,
		Prompt: j.run.Prompt, Constraints: j.run.Constraints,
		Project: t.project(), Attempt: attempt, Findings: found, Spent: j.meter.spent(), Kept: kept,
	}, func(out engine.Output) error {
		stopped := context.Cause(ctx)
		_, isUsage := out.(engine.Usage)
		if stopped != nil && !isUsage {
			return stopped
		}
		if err := t.apply(out); err != nil {
			return err
		}
		if isUsage {
			j.meter.set(t.cost)
		}
		return stopped // what was used before it was stopped counts
	})
}

var numbers = regexp.MustCompile(`\d+`)

// cameBackTwice notes findings and says whether one of them stands there for the third
// time, on whatever line: who could not repair it twice will not, and each attempt has
// to be paid for.
func cameBackTwice(seen map[string]int, found []string) bool {
	twice := false
	for _, text := range found {
		key := numbers.ReplaceAllString(text, "#")
		seen[key]++
		twice = twice || seen[key] > 2
	}
	return twice
}

// notValid ends a run with what was found, and with what it has cost.
func (j *job) notValid(attempts int, found []string, more string) error {
	if cost := j.meter.total(); cost.InputTokens+cost.OutputTokens > 0 {
		more += fmt.Sprintf(" It used %d tokens (about $%.6f).", cost.InputTokens+cost.OutputTokens, cost.EstimatedUSD)
	}
	const shown = 3
	text := strings.Join(found[:min(shown, len(found))], "; ")
	if len(found) > shown {
		text += fmt.Sprintf("; and %d more", len(found)-shown)
	}
	return &engine.Error{
		Code:      engine.CodeValidationFailed,
		Message:   fmt.Sprintf("What was generated did not pass validation in %d attempts: %s.%s", attempts, text, more),
		Retryable: true,
	}
}
