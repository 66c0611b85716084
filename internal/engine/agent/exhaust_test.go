//go:build linux && (amd64 || arm64)

package agent

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/text/ignore"
)

// What an agent leaves may exhaust nothing of the server.

// Promise: agent-exhausts-nothing
func TestIgnoreFilesBeyondTheBoundsRefuseTheResult(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ script, says string }{
		"large":         {`(echo secret; head -c 65536 /dev/zero | tr '\0' '#') >.gitignore; echo x >secret`, ".gitignore has more than 65536 bytes"},
		"many":          {`mkdir web; (seq 600; echo secret) >.gitignore; seq 400 >web/.gitignore; echo x >secret`, "web/.gitignore exceeds 1000 patterns"},
		"long":          {`(echo secret; head -c 1025 /dev/zero | tr '\0' '*') >.gitignore; echo x >secret`, ".gitignore has a pattern in line 2"},
		"open brackets": {`(echo secret; echo '*[[:[:[:[:x]') >.gitignore; echo x >secret`, ".gitignore has a pattern in line 2"},
		"ports":         {`i=10000; while [ $i -lt 12000 ]; do echo "A${i}_PORT=$i"; i=$((i + 1)); done >.env`, "ports in more than 1000 places"},
		"one folder":    {`seq 50001 | xargs touch`, "too much to be looked through"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := ended(t, shell(t, tc.script), nil)
			if err.Code != engine.CodeValidationFailed || !strings.Contains(err.Message, tc.says) {
				t.Errorf("it ended with %v", err)
			}
			if _, told := s.files["secret"]; told {
				t.Error("a file that is ignored was told of")
			}
		})
	}
}

// A project whose .gitignore exceeds the bounds costs no call of a model.
// Promise: agent-exhausts-nothing
func TestAProjectBeyondTheBoundsStartsNoAgent(t *testing.T) {
	t.Parallel()
	s, err := ended(t, shell(t, `echo begun; echo x >x.txt`), map[string]string{".gitignore": strings.Repeat("a\n", ignore.MaxPatterns+1)})
	if err.Code != engine.CodeValidationFailed || !strings.Contains(err.Message, ".gitignore exceeds 1000 patterns") || s.did("begun") {
		t.Errorf("it ended with %v, and did %q", err, s.doing)
	}
}

// expensive moves files into the folder, and then as many patterns as there may be,
// none of which can be decided by the end of a name.
const expensive = `d=$(printf '%0200d' 0 | tr 0 a); d=many/$d/$d/$d/$d; mkdir -p $TMPDIR/$d; (cd $TMPDIR/$d; seq 20000 | xargs touch); mv $TMPDIR/many .
seq -f '*aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa%.0f?/' 1000 >$TMPDIR/patterns; mv $TMPDIR/patterns .gitignore; `

// Promise: agent-exhausts-nothing
func TestALookHasADeadline(t *testing.T) {
	t.Parallel()
	e := shell(t, expensive, func(c *Config) { c.LookTime = time.Second })
	if _, err := ended(t, e, nil); err.Code != engine.CodeValidationFailed || !strings.Contains(err.Message, "too long to be looked through") {
		t.Errorf("it ended with %v", err)
	}
}

// Promise: agent-exhausts-nothing
func TestACancelledRunEndsWhateverTheFolderHolds(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"patterns beyond the bounds": strings.Replace(expensive, "1000 >", "25000 >", 1),
		"patterns at the bounds":     expensive,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cause := errors.New("somebody cancelled it")
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			var cancelled time.Time
			// A look that began before the patterns were there has ended by then.
			err := shell(t, script+`i=0; while :; do sleep 0.1; i=$((i + 1)); echo $i; done`).Generate(ctx, engine.Request{Prompt: "x", Attempt: 1, Project: project(nil)}, func(o engine.Output) error {
				if s, ok := o.(engine.ToolStatus); ok && s.Detail == "30" {
					cancelled = time.Now()
					cancel(cause)
				}
				return nil
			})
			if took := time.Since(cancelled); !errors.Is(err, cause) || took > 20*time.Second { // the time was 46 s
				t.Errorf("it ended with %v, %v after it was cancelled", err, took)
			}
		})
	}
}

// folder makes a folder as an agent may leave it.
func folder(t *testing.T) (dir string, root *os.Root) {
	t.Helper()
	dir = t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	return dir, root
}

func write(t *testing.T, content string, path ...string) {
	t.Helper()
	name := filepath.Join(path...)
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte(content), 0o600)); err != nil {
		t.Fatal(err)
	}
}

// Promise: agent-exhausts-nothing
func TestALookEndsWithItsContext(t *testing.T) {
	dir, root := folder(t)
	for i := range 100 {
		write(t, "", dir, fmt.Sprintf("f%d/x", i))
	}
	cause := errors.New("cancelled")
	ctx, cancel := context.WithCancelCause(t.Context())
	asked := 0
	_, err := lookAt(ctx, time.Minute, root, func(string, bool) bool {
		asked++
		cancel(cause)
		return false
	})
	if !errors.Is(err, cause) || asked != 1 {
		t.Errorf("%v after %d files", err, asked)
	}
}

// Eight files of a mebibyte cost 1.2 GiB when they were read.
// Promise: agent-exhausts-nothing
func TestALookCostsLittleMemory(t *testing.T) {
	dir, root := folder(t)
	for i := range 8 {
		write(t, strings.Repeat("a\n", 1<<19), dir, fmt.Sprintf("%d", i), ".gitignore")
	}
	for i := range 100 { // as many comments as there may be, which cost no pattern
		write(t, strings.Repeat("#\n", ignore.MaxFile/2), dir, fmt.Sprintf("0comments%d", i), ".gitignore")
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := lookAt(t.Context(), time.Minute, root, func(string, bool) bool { return false })
	runtime.ReadMemStats(&after)
	if _, ok := errors.AsType[*ignore.LimitError](err); !ok {
		t.Errorf("got %v", err)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 64<<20 {
		t.Errorf("it took %d bytes", used)
	}
}

// What is no plain file is not waited for, in the place of a .gitignore or of a
// folder that was one a moment before.
// Promise: agent-exhausts-nothing
func TestALookWaitsForNoPipe(t *testing.T) {
	dir, root := folder(t)
	write(t, "*\n", dir, "elsewhere")
	write(t, "x", dir, "link/x")
	write(t, "x", dir, "pipe/x")
	write(t, "x", dir, "swapped/x")
	if err := errors.Join(
		os.Symlink("../elsewhere", filepath.Join(dir, "link", ".gitignore")),
		syscall.Mkfifo(filepath.Join(dir, "pipe", ".gitignore"), 0o600),
	); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	var found look
	go func() {
		var err error
		found, err = lookAt(t.Context(), time.Minute, root, func(name string, _ bool) bool {
			if name == "swapped" {
				name = filepath.Join(dir, name)
				if err := errors.Join(os.RemoveAll(name), syscall.Mkfifo(name, 0o600)); err != nil {
					t.Error(err)
				}
			}
			return false
		})
		ended <- err
	}()
	select {
	case err := <-ended:
		if err != nil || found.unread == nil {
			t.Errorf("%v, %v", err, found.unread)
		}
	case <-time.After(20 * time.Second):
		// Whoever opens the pipe for writing lets the look go on.
		_ = os.WriteFile(filepath.Join(dir, "swapped"), nil, 0o600)
		t.Fatal("the look waits for a pipe")
	}
	for _, name := range []string{"link/x", "pipe/x"} {
		if _, ok := found.files[name]; !ok {
			t.Errorf("%s is left out", name)
		}
	}
	if left := strings.Join(found.left, " "); !strings.Contains(left, "link/.gitignore") || !strings.Contains(left, "pipe/.gitignore") {
		t.Errorf("left out: %q", left)
	}
}
