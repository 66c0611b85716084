//go:build linux && (amd64 || arm64)

package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/bundle-delivery/svc/internal/engine"
)

// Promise: agent-fails
func TestAnAgentThatFailsFailsTheRun(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		script string
		change func(*Config)
		says   string
	}{
		"exits 1 after good work": {`echo good >good.txt; echo "no space" >&2; exit 1`, func(*Config) {}, "exit 1"},
		"hangs":                   {`echo x >x.txt; exec sleep 1000`, func(c *Config) { c.IdleTimeout = 300 * time.Millisecond }, "neither said nor wrote"},
		"is killed":               {`kill -KILL $$`, func(*Config) {}, "exit 137"},
		"says too much":           {`exec yes`, func(c *Config) { c.MaxOutput = 1 << 20 }, "more than 1048576 bytes"},
		"is not there":            {`exec no-such-program`, func(*Config) {}, "exit 127"},
		"has used its time":       {`while :; do echo on; sleep 0.05; done`, func(c *Config) { c.Budget.Time = 300 * time.Millisecond }, "budget of time"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := ended(t, shell(t, tc.script, tc.change), nil); !strings.Contains(err.Message, tc.says) {
				t.Error(err)
			}
		})
	}
}

// Promise: agent-cancel
func TestACancelledAgentIsStopped(t *testing.T) {
	t.Parallel()
	e := shell(t, `echo begun; exec sleep 1000`)
	cause := errors.New("somebody cancelled it")
	ctx, cancel := context.WithCancelCause(t.Context())
	err := e.Generate(ctx, engine.Request{Prompt: "x", Attempt: 1, Project: project(nil)}, func(o engine.Output) error {
		if s, ok := o.(engine.ToolStatus); ok && s.Detail == "begun" {
			cancel(cause)
		}
		return nil
	})
	if !errors.Is(err, cause) {
		t.Error(err)
	}
}

func TestAnAgentThatWasCancelledBeforeIsNotStarted(t *testing.T) {
	t.Parallel()
	e := shell(t, `echo begun`)
	cause := errors.New("somebody cancelled it")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	err := e.Generate(ctx, engine.Request{Prompt: "x", Attempt: 1, Project: project(nil)}, func(o engine.Output) error {
		t.Errorf("it tells of %v", o)
		return nil
	})
	if !errors.Is(err, cause) {
		t.Error(err)
	}
}

// The memory of a project is bounded: what was done first is forgotten first.
func TestTheOldestIsForgottenFirst(t *testing.T) {
	memory := ""
	for i := range 40 {
		memory = remember(memory, fmt.Sprintf("task %d\nin detail", i), strings.Repeat("x", maxSummary))
	}
	if len(memory) > maxRemembered+1 || len(memory) < maxRemembered/2 {
		t.Errorf("%d bytes are remembered", len(memory))
	}
	if !strings.HasPrefix(memory, "## task ") || strings.Contains(memory, "## task 0\n") || !strings.Contains(memory, "## task 39\n") {
		t.Errorf("remembered: %.40q", memory)
	}
	if got, want := remember("", "a shop", "done"), "## a shop\n\ndone\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// What an agent leaves running is dead when it has ended, and the next attempt
// finds the folder as it was left.
// Promise: agent-findings
func TestADaemonDoesNotOutliveTheAgentAndTheFolderIsKept(t *testing.T) {
	t.Parallel()
	e := shell(t, `if [ -e beat.txt ]; then wc -c <beat.txt >count.txt; sleep 0.3; wc -c <beat.txt >>count.txt; exit; fi
mkdir node_modules; echo node_modules >.gitignore; echo x >node_modules/left
setsid sh -c 'while :; do printf x >>beat.txt; sleep 0.01; done' >/dev/null 2>&1 &
while [ ! -s beat.txt ]; do sleep 0.01; done`)
	kept := &engine.Kept{}
	first := newStory()
	if err := e.Generate(t.Context(), engine.Request{Prompt: "x", Attempt: 1, Kept: kept, Project: project(nil)}, first.emit); err != nil {
		t.Fatal(err)
	}
	second := newStory()
	err := e.Generate(t.Context(), engine.Request{Prompt: "x", Attempt: 2, Kept: kept, Findings: []string{"f"}, Project: project(first.files)}, second.emit)
	if err != nil {
		t.Fatal(err)
	}
	counts := strings.Fields(second.files["count.txt"])
	if len(counts) != 2 || counts[0] != counts[1] || len(second.files) != 1 {
		t.Errorf("the daemon lived on, or the folder was not kept: %q", second.files)
	}
	if err := kept.Close(); err != nil {
		t.Error(err)
	}
}

// Findings go to the same agent, in the same conversation where it can be
// continued, and with the whole prompt where it cannot.
// Promise: agent-findings
func TestFindingsGoToTheSameAgent(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct{ args, prompt, not string }{
		Custom:     {"", "do it", "no such text"},
		"codex":    {"resume thread-1 -", "Mend that", "do it"},
		"opencode": {"-s thread-1", "Mend that", "do it"},
		"claude":   {"--resume thread-1", "Mend that", "do it"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := shell(t, `echo "$@" >args.txt; cat >prompt.txt; cmp -s prompt.txt /work/prompt.md || exit 3
echo '{"type":"thread.started","thread_id":"thread-1","sessionID":"thread-1","session_id":"thread-1"}'`, preset(name), func(c *Config) { c.Model = "tested" })
			kept := &engine.Kept{}
			defer func() { _ = kept.Close() }()
			s := newStory()
			for attempt := 1; attempt <= 2; attempt++ {
				err := e.Generate(t.Context(), engine.Request{
					Prompt: "do it", Attempt: attempt, Kept: kept, Constraints: map[string]string{"language": "go"},
					Findings: []string{"main.go:3: undefined: x"}[:attempt-1], Project: project(nil),
				}, s.emit)
				if err != nil {
					t.Fatal(err)
				}
				if attempt == 1 && !strings.Contains(s.files["prompt.txt"], "- language: go") {
					t.Errorf("the first prompt is %q", s.files["prompt.txt"])
				}
			}
			args, prompt := s.files["args.txt"], s.files["prompt.txt"]
			if !strings.Contains(args, want.args) || !strings.Contains(prompt, want.prompt) || strings.Contains(prompt, want.not) || !strings.Contains(prompt, "main.go:3: undefined: x") {
				t.Errorf("asked with %q and %q", args, prompt)
			}
		})
	}
}
