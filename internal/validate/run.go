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
// says whether any command ran.
func (t *Trial) run(ctx context.Context, report *Report, tree Tree, projects []project) (ran bool, err error) {
	err = t.v.queue.enter(ctx, t.account, func(before int) error {
		return t.tell(Check{Name: "sandbox", Status: Started, Detail: fmt.Sprintf("waits for a free place, %d before it", before)})
	})
	if err != nil {
		return false, err
	}
	defer t.v.queue.leave(t.account)
	for _, p := range projects {
		one, err := t.runProject(ctx, report, tree, p)
		if err != nil {
			return ran, err
		}
		ran = ran || one
	}
	return ran, nil
}

// runProject makes the checks of one project.
func (t *Trial) runProject(ctx context.Context, report *Report, tree Tree, p project) (ran bool, err error) {
	tool, err := t.v.tools.of(ctx, p.kind)
	if err != nil {
		return false, err
	}
	level := t.v.config.Level
	var box *sandbox.Box
	defer func() {
		if box != nil {
			box.Close()
		}
	}()
	why := tool.Missing // why the rest is skipped
	for _, s := range p.steps(Test) {
		if why == "" && t.late() {
			why = "the time of the run is nearly used up"
		}
		switch {
		case why != "":
			err = t.skip(report, s, why)
		case level == Build && s.level == Test:
			err = t.skip(report, s, "tests are not run here (--validate build)")
		default:
			if box == nil {
				if box, err = t.v.openBox(ctx, tree, p.kind); err != nil {
					return ran, boxError(ctx, err)
				}
			}
			var c Check
			if c, why, err = t.runStep(ctx, report, box, p, s, tool); err == nil {
				ran = ran || c.Status != Skipped && !s.fetches
			}
		}
		if err != nil {
			return ran, err
		}
	}
	return ran, nil
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
	c = Check{Name: s.name, Status: judged.status, Elapsed: result.Elapsed, Detail: Cut(judged.detail, maxDetail), Version: tool.Version}
	if c.Status == Failed {
		before, err := t.failedBefore(ctx, p, s)
		if err != nil {
			return c, "", err
		}
		if before {
			c.Status = FailedBefore
		} else {
			report.Findings = append(report.Findings, judged.findings...)
			report.Findings = report.Findings[:min(len(report.Findings), maxFindings)]
		}
	}
	report.Checks = append(report.Checks, c)
	t.v.config.Observe(s.tool, c.Status, c.Elapsed)
	switch {
	case c.Status == Skipped && s.fetches:
		why = c.Detail
	case c.Status == Failed:
		why = s.name + " failed"
	case result.Ending != sandbox.Exited:
		why = s.name + " had to be stopped"
	}
	return c, why, t.tell(c)
}

// failedBefore says whether a command fails on the state that the run began with
// as well.
func (t *Trial) failedBefore(ctx context.Context, p project, s step) (bool, error) {
	key := string(p.kind) + " " + s.name
	if failed, known := t.failed[key]; known {
		return failed, nil
	}
	projects, err := findProjects(t.before)
	if err != nil {
		return false, err
	}
	i := slices.IndexFunc(projects, func(o project) bool { return o.kind == p.kind && o.dir == p.dir })
	if i < 0 || t.late() {
		return false, nil
	}
	box, err := t.v.openBox(ctx, t.before, p.kind)
	if err != nil {
		return false, boxError(ctx, err)
	}
	defer box.Close()
	steps := slices.DeleteFunc(projects[i].steps(Test), func(o step) bool { return !o.fetches && o.name != s.name })
	failed := false
	for _, o := range steps {
		limit := t.timeFor()
		result, err := box.Run(ctx, sandbox.Command{Args: o.args, Dir: o.dir, Env: o.env, Time: limit})
		if errors.Is(err, sandbox.ErrGone) {
			break
		}
		if err != nil {
			return false, boxError(ctx, err)
		}
		failed = judge(projects[i], o, result, limit, t.v.config.Way != nil).status == Failed
	}
	t.failed[key] = failed && len(steps) > 0 && steps[len(steps)-1].name == s.name
	return t.failed[key], nil
}
