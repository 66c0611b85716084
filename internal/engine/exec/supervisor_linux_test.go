package exec

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/engine"
)

// Promise: exec-no-escape
func TestProcessesThatHideEndWithTheRun(t *testing.T) {
	stopped := errors.New("enough")
	for name, test := range map[string]struct {
		script string
		emit   func(cancel func()) error
		want   error
	}{
		"cancelled":    {hiding + `wait; sleep 600`, func(cancel func()) error { cancel(); return nil }, context.Canceled},
		"emit refuses": {hiding + `wait; sleep 600`, func(func()) error { return stopped }, stopped},
		"it ends":      {hiding + `exit 0`, func(func()) error { return nil }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var started []int
			err := shell(t, test.script).Generate(ctx, engine.Request{}, func(o engine.Output) error {
				started = pids(t, o)
				return test.emit(cancel)
			})
			if !errors.Is(err, test.want) {
				t.Errorf("ended with %v, want %v", err, test.want)
			}
			if len(started) != 3 {
				t.Fatalf("the program started %v", started)
			}
			// When Generate has returned nothing is left, not a moment later.
			for _, pid := range started {
				if alive(pid) {
					t.Errorf("%d of %v is still there", pid, started)
				}
			}
		})
	}
}

// Promise: exec-no-escape
func TestProcessesThatHideEndWithAServerThatIsKilled(t *testing.T) {
	killServer(t, "hiding", 3)
}

// A program that forks faster than it is looked at loses all the same.
// Promise: exec-no-escape
func TestAProgramThatKeepsForkingEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	// Each process starts the next one and ends, always in a session of its own.
	hop := filepath.Join(t.TempDir(), "hop")
	if err := os.WriteFile(hop, []byte(`setsid sh "$0" & exit 0`), 0o600); err != nil {
		t.Fatal(err)
	}
	e := shell(t, `sh "$0"; echo '{"type":"memory_update","content":"hopping"}'; sleep 600`, func(c *Config) { c.Command = append(c.Command, hop) })
	err := e.Generate(ctx, engine.Request{}, func(engine.Output) error {
		cancel()
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
	stats, err := filepath.Glob("/proc/[0-9]*/cwd")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range stats {
		if where, err := os.Readlink(name); err == nil && strings.HasPrefix(where, e.config.TempDir) {
			t.Errorf("%s is still in the program's folder", name)
		}
	}
}

func TestASupervisorThatIsKilledFailsTheRun(t *testing.T) {
	var started []int
	err := shell(t, family+`kill -9 $PPID; wait`).Generate(t.Context(), engine.Request{}, func(o engine.Output) error {
		started = pids(t, o)
		return nil
	})
	if e, ok := errors.AsType[*engine.Error](err); !ok || e.Code != engine.CodeInternal || !strings.Contains(e.Message, "supervisor") {
		t.Errorf("ended with %v", err)
	}
	waitGone(t, started...) // all but those that hide
}

func TestAServerThatIsNoSupervisorGoesOn(t *testing.T) {
	for _, args := range [][]string{nil, {"svcd"}, {"svcd", "serve", "x"}, {supervisorName}, {supervisorName, "/bin/true"}} {
		if _, asked := Supervise(args); asked {
			t.Errorf("%q is taken for a supervisor", args)
		}
	}
}
