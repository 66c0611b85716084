package validate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/bundle-delivery/svc/internal/sandbox"
)

const (
	// stepTime is how long one command may take.
	stepTime = 5 * time.Minute
	// Reserve is what a run needs after its checks; nothing is tried that would
	// use it up.
	Reserve = 30 * time.Second
)

// run makes the checks of projects in sandboxes, when it is this run's turn. It
// says whether all that were to be made were made.
func (t *Trial) run(ctx context.Context, report *Report, tree Tree, projects []project) (complete bool, err error) {
	entered, err := t.enter(ctx)
	if err != nil {
		return false, err
	}
	if !entered {
		return false, t.skipAll(report, projects, late+", and no sandbox was free")
	}
	defer t.v.queue.leave(t.account)
	complete = true
	for _, p := range projects {
		one, err := t.runProject(ctx, report, tree, p)
		if err != nil {
			return false, err
		}
		complete = complete && one
	}
	return complete, nil
}

// errLate says that there is no time to wait any longer.
var errLate = errors.New(late)

// inTime bounds what has to be over before another command is of use.
func (t *Trial) inTime(ctx context.Context) (context.Context, context.CancelFunc) {
	if t.until.IsZero() {
		return context.WithCancel(ctx)
	}
	return context.WithDeadlineCause(ctx, t.until.Add(-2*Reserve), errLate)
}

// enter waits for a place as long as there is time, and tells so.
func (t *Trial) enter(ctx context.Context) (entered bool, err error) {
	waiting := Check{Name: "sandbox", Status: Started}
	began := time.Now()
	bound, cancel := t.inTime(ctx)
	defer cancel()
	err = t.v.queue.enter(bound, t.account, func(before int) error {
		waiting.Detail = fmt.Sprintf("waits for a free place, %d before it", before)
		return t.tell(waiting)
	})
	isLate := errors.Is(err, errLate) && ctx.Err() == nil
	if err != nil && !isLate {
		return false, err
	}
	if waiting.Detail != "" {
		waiting = Check{Name: waiting.Name, Status: Passed, Elapsed: time.Since(began), Detail: "has a place"}
		if isLate {
			waiting.Status, waiting.Detail = Skipped, late
		}
		err = t.tell(waiting)
	} else {
		err = nil
	}
	return !isLate, err
}

// runProject makes the checks of one project. It says whether all that the level
// asks for were made.
func (t *Trial) runProject(ctx context.Context, report *Report, tree Tree, p project) (complete bool, err error) {
	if p.kind == kindOther {
		return false, t.skipAll(report, []project{p}, "")
	}
	tool, err := t.v.tools.of(ctx, p.kind)
	if err != nil {
		return false, err
	}
	var box *sandbox.Box
	defer func() {
		if box != nil {
			box.Close()
		}
	}()
	why := tool.Missing // why the rest is skipped
	ran := false
	complete = true
	for _, s := range p.steps() {
		if why == "" && t.late() {
			why = late
		}
		if why == "" && s.why == "" && box == nil && t.wanted(s) {
			if box, why, err = t.open(ctx, tree, p.kind); err != nil {
				return false, err
			}
		}
		switch {
		case s.why != "":
			complete, err = false, t.skip(report, s, s.why)
		case !t.wanted(s):
			err = t.skip(report, s, "tests are not run here (--validate build)")
		case why != "":
			complete, err = false, t.skip(report, s, why)
		default:
			var c Check
			if c, why, err = t.runStep(ctx, report, box, p, s, tool); err == nil {
				ran = ran || c.Status != Skipped && !s.fetches
				complete = complete && c.Status != Skipped
			}
		}
		if err != nil {
			return false, err
		}
	}
	return complete && ran, nil
}

// wanted says that the level asks for a step.
func (t *Trial) wanted(s step) bool { return t.v.config.Level == Test || s.level == Build }

// open makes a box with a tree. why says that there is none.
func (t *Trial) open(ctx context.Context, tree Tree, k kind) (box *sandbox.Box, why string, err error) {
	bound, cancel := t.inTime(ctx)
	defer cancel()
	box, err = t.v.openBox(bound, tree, k)
	switch {
	case err == nil:
		return box, "", nil
	case ctx.Err() == nil && errors.Is(context.Cause(bound), errLate):
		return nil, late, nil
	case ctx.Err() == nil && errors.Is(err, errNoBox):
		t.v.config.Log.Error("a project was not tried", "error", err)
		return nil, errNoBox.Error(), nil
	}
	return nil, "", boxError(ctx, err)
}

// boxError is for the log alone, unless the run was stopped.
func boxError(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return fmt.Errorf("try a project: %w", err)
}

// late says that there is no time for another command.
func (t *Trial) late() bool { return !t.until.IsZero() && time.Until(t.until) < 2*Reserve }

// timeFor is how long a command may take.
func (t *Trial) timeFor() time.Duration {
	if t.until.IsZero() {
		return stepTime
	}
	return min(stepTime, time.Until(t.until)-Reserve)
}

// runStep makes one check. why says why those after it are skipped.
func (t *Trial) runStep(ctx context.Context, report *Report, box *sandbox.Box, p project, s step, tool Tool) (c Check, why string, err error) {
	if err = t.tell(Check{Name: s.name, Status: Started, Version: tool.Version}); err != nil {
		return c, "", err
	}
	limit := t.timeFor()
	result, err := box.Run(ctx, sandbox.Command{Args: s.args, Dir: s.dir, Env: s.env, Time: limit})
	if err != nil {
		return c, "", boxError(ctx, err)
	}
	judged := judge(p, s, result, limit, t.v.config.Way != nil)
	c = Check{Name: s.name, Status: judged.status, Elapsed: result.Elapsed, Detail: judged.detail, Version: tool.Version}
	if c.Status == Failed {
		before, unknown, err := t.failedBefore(ctx, p, s)
		if err != nil {
			return c, "", err
		}
		switch {
		case unknown != "":
			c.Status, c.Detail = Skipped, "it fails, and whether it did before could not be tried ("+unknown+"): "+c.Detail
		case before:
			c.Status = FailedBefore
		default:
			report.Findings = append(report.Findings, judged.findings...)
			report.Findings = report.Findings[:min(len(report.Findings), maxFindings)]
		}
	}
	c.Detail = Cut(c.Detail, maxDetail)
	report.Checks = append(report.Checks, c)
	t.v.config.Observe(s.tool, c.Status, c.Elapsed)
	switch {
	case c.Status == Skipped && (s.fetches || result.Ending != sandbox.Exited):
		why = c.Detail
	case c.Status == Failed:
		why = s.name + " failed"
	case result.Ending != sandbox.Exited:
		why = s.name + " had to be stopped"
	}
	return c, why, t.tell(c)
}

// failedBefore says whether a command fails on the state that the run began with
// as well, or why that is not known.
func (t *Trial) failedBefore(ctx context.Context, p project, s step) (failed bool, unknown string, err error) {
	key := string(p.kind) + " " + s.name
	if failed, known := t.failed[key]; known {
		return failed, "", nil
	}
	projects, err := findProjects(t.before)
	if err != nil {
		return false, "", err
	}
	i := slices.IndexFunc(projects, func(o project) bool { return o.kind == p.kind && o.dir == p.dir })
	if i < 0 {
		return false, "", nil
	}
	if t.late() {
		return false, late, nil
	}
	box, why, err := t.open(ctx, t.before, p.kind)
	if err != nil || why != "" {
		return false, why, err
	}
	defer box.Close()
	for _, o := range projects[i].steps() {
		if o.why != "" || !o.fetches && o.name != s.name {
			continue
		}
		limit := t.timeFor()
		result, err := box.Run(ctx, sandbox.Command{Args: o.args, Dir: o.dir, Env: o.env, Time: limit})
		if errors.Is(err, sandbox.ErrGone) {
			break
		}
		if err != nil {
			return false, "", boxError(ctx, err)
		}
		judged := judge(projects[i], o, result, limit, t.v.config.Way != nil)
		if judged.status == Skipped && judged.detail == late {
			return false, late, nil
		}
		if o.name == s.name {
			failed = judged.status == Failed
		}
		if judged.status == Skipped || o.name == s.name {
			break // without what could not be fetched nothing can be said
		}
	}
	t.failed[key] = failed
	return failed, "", nil
}
