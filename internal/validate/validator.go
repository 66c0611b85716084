package validate

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"github.com/bundle-delivery/svc/internal/sandbox"
)

// Config says how trees are tried.
type Config struct {
	// Level is how far trees are tried; empty: Test for those of Models where there
	// is a sandbox, else Syntax.
	Level Level
	// Models says that models or agents write the trees.
	Models bool
	// Sandbox is where the tools of projects run; nil: nowhere, and Missing says
	// why.
	Sandbox *sandbox.Sandbox
	Missing string
	// Program is this program, which calls [Inside] first of all; empty: what
	// only a process of its own may parse is not looked at.
	Program string
	// Toolchains and Caches are folders that the operator named.
	Toolchains []string
	Cache      string
	// Env are the operator's variables for what is tried, such as the address of a
	// registry. What is tried can read them.
	Env []string
	// Way leads one box out, to a proxy that knows a few hosts; nil: nothing does.
	Way func() (*sandbox.Forward, error)
	// CacheDir is where this process keeps what it has built for all, such as the
	// standard library of Go; empty: nowhere.
	CacheDir string
	// Parallel is how many trees are in a sandbox at a time.
	Parallel int
	Limits   sandbox.Limits
	// Observe is told of every check that came to an end; nil: nobody is.
	Observe func(tool string, status Status, took time.Duration)
	Log     *slog.Logger
}

// NeedsSandbox reports whether trees are tried in a sandbox if there is one.
func (c Config) NeedsSandbox() bool { return c.Level.inBox() || c.Level == "" && c.Models }

// Validator tries trees.
type Validator struct {
	config  Config
	parsers *parsers
	queue   *queue
	tools   *toolchains
	base    *goBase
	way     *way // nil: nothing that is closed here leads out
}

// New makes a validator. Which tools there are is found out when they are first
// needed, or by [Validator.Tools].
func New(c Config) *Validator {
	if c.Level == "" {
		c.Level = Syntax
		if c.Models && c.Sandbox != nil {
			c.Level = Test
		}
	}
	if c.Limits == (sandbox.Limits{}) {
		c.Limits = sandbox.DefaultLimits()
	}
	if c.Observe == nil {
		c.Observe = func(string, Status, time.Duration) {}
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	v := &Validator{config: c, parsers: newParsers(c.Program), queue: newQueue(max(c.Parallel, 1))}
	v.tools = &toolchains{config: c}
	v.base = &goBase{validator: v, turn: make(chan struct{}, 1)}
	return v
}

// Close ends the processes that it holds, and the way out of its boxes.
func (v *Validator) Close() error {
	v.parsers.close()
	return v.way.close()
}

// Level is how far trees are tried.
func (v *Validator) Level() Level { return v.config.Level }

// Trial is what one run has tried: the same checks may be made several times, and
// the state that the run began with is tried only when one of them fails.
type Trial struct {
	v       *Validator
	account string
	before  Tree
	until   time.Time // zero: there is no hurry
	tell    func(Check) error
	failed  map[string]bool // steps that were tried on the state before: whether they failed
}

// NewTrial begins the trial of a run for an account. before is the state that it
// builds on, until when it has to end; tell is told of every check as it begins
// and ends.
func (v *Validator) NewTrial(account string, before Tree, until time.Time, tell func(Check) error) *Trial {
	return &Trial{v: v, account: account, before: before, until: until, tell: tell, failed: make(map[string]bool)}
}

// SetDeadline changes when the trial has to end.
func (t *Trial) SetDeadline(until time.Time) { t.until = until }

// Try tries a tree. touched says which files the run has written; removed, that
// others are gone.
func (t *Trial) Try(ctx context.Context, tree Tree, touched func(path string) bool, removed bool) (Report, error) {
	if t.v.config.Level == Off {
		return Report{Status: Unchecked}, nil
	}
	inBox := t.v.config.Level.inBox()
	checks, found, err := t.static(ctx, tree, touched, inBox || removed)
	if err != nil {
		return Report{}, err
	}
	report := Report{Checks: checks, Findings: found}
	skipped := false
	for _, c := range checks {
		skipped = skipped || c.Status == Skipped
		t.v.config.Observe(c.Name, c.Status, c.Elapsed)
	}
	projects, err := findProjects(tree)
	if err != nil {
		return Report{}, err
	}
	complete := len(projects) == 0
	switch {
	case len(projects) == 0:
	case len(found) > 0:
		// What cannot be parsed cannot be built: the engine is told of that first.
		err = t.skipAll(&report, projects, "the syntax has to be right first")
	case !inBox:
		err = t.skipAll(&report, projects, "this service looks at syntax, imports and links; with --validate test it also builds and tests")
	case t.v.config.Sandbox == nil:
		err = t.skipAll(&report, projects, "there is no sandbox here: "+t.v.config.Missing)
	default:
		complete, err = t.run(ctx, &report, tree, projects)
	}
	if err != nil {
		return Report{}, err
	}
	report.Status = overall(report.Checks, complete && !skipped)
	if report.Status != Failed {
		report.Findings = nil
	}
	return report, nil
}

// overall is what all checks come to. complete says that every project was tried.
func overall(checks []Check, complete bool) Status {
	status, looked := Passed, false
	for _, c := range checks {
		looked = looked || c.Status != Skipped
		switch c.Status {
		case Failed:
			return Failed
		case FailedBefore:
			status = FailedBefore
		}
	}
	if !complete || !looked {
		return Unchecked
	}
	return status
}

// skipAll lists the checks of projects without making them.
func (t *Trial) skipAll(report *Report, projects []project, why string) error {
	for _, p := range projects {
		for _, s := range p.steps() {
			if err := t.skip(report, s, cmp.Or(s.why, why)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *Trial) skip(report *Report, s step, why string) error {
	c := Check{Name: s.name, Status: Skipped, Detail: Cut(why, maxDetail)}
	report.Checks = append(report.Checks, c)
	t.v.config.Observe(s.tool, Skipped, 0)
	return t.tell(c)
}
