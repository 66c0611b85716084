//go:build amd64 || arm64

package sandbox

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// What a command writes to where the shell listens and speaks changes nothing: not
// how it ended, not when, not what runs next, and not the memory of this process.
// As an ordinary user, for whom the shell is a process of their own.
// Promise: sandbox-verdict
func TestACommandHasNoPartInWhatTheShellSays(t *testing.T) {
	const everywhere = `for f in /proc/1/fd/* /proc/[0-9]*/fd/*; do case $f in /proc/$$/*|/proc/self/*) ;; *) echo "$say" >"$f";; esac; done 2>/dev/null; `
	t.Run("an answer", func(t *testing.T) {
		b := open(t, Spec{})
		if r := run(t, b, `say='exit 0'; `+everywhere+`echo 'exit 0' >/proc/1/fd/2; exit 1`); r.Ending != Exited || r.Exit != 1 {
			t.Errorf("%+v", r)
		}
	})
	t.Run("an early answer", func(t *testing.T) {
		b := open(t, Spec{})
		r, err := b.Run(t.Context(), Command{Args: []string{"sh", "-c", `echo 'exit 0' >/proc/1/fd/2; exec sleep 25`}, Time: time.Second})
		if err != nil || r.Ending != OutOfTime || r.Elapsed > 20*time.Second {
			t.Errorf("%v: %+v", err, r)
		}
	})
	t.Run("a line", func(t *testing.T) {
		b := open(t, Spec{})
		r := run(t, b, `say='echo mine >/work/src/line'; `+everywhere+`echo 'prlimit() { shift; "$@"; }; echo mine >/work/src/line' >/proc/1/fd/0; true`)
		if r.Ending != Exited {
			t.Fatalf("%+v", r)
		}
		if r := run(t, b, `ls; ulimit -p 2>/dev/null || ulimit -u`); string(r.Output) != "512\n" {
			t.Errorf("%+v %q", r, r.Output)
		}
	})
	t.Run("its memory, its files, its limits", func(t *testing.T) {
		b := open(t, Spec{})
		for _, script := range []string{"ls /proc/1/fd", "head -c 1 /proc/1/mem", "cat /proc/1/maps", "cat /proc/1/environ", "mkdir /proc/1/fd"} {
			if r := run(t, b, script); r.OK() {
				t.Errorf("%s: %q", script, r.Output)
			}
		}
		if r := run(t, b, "cat /proc/self/oom_score_adj; ulimit -c"); string(r.Output) != "1000\n0\n" {
			t.Errorf("%q", r.Output)
		}
	})
	t.Run("nobody else is there", func(t *testing.T) {
		b := open(t, Spec{})
		r, err := b.Run(t.Context(), Command{
			Args: []string{"sh", "-c", `for p in /proc/[0-9]*; do [ $p = /proc/$$ ] || echo $p; done`}, Time: time.Minute,
		})
		if err != nil || string(r.Output) != "/proc/1\n" {
			t.Errorf("%v: %+v %q", err, r, r.Output)
		}
	})
}

// shellOf is a sandbox of an operator's, which is a script that is given the words
// of the shell.
func shellOf(t *testing.T, script string) *Sandbox {
	t.Helper()
	s, err := New(Config{Command: []string{"/bin/sh", "-c", script, "sandbox"}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Promise: sandbox-verdict
func TestWhatAShellSaysIsBounded(t *testing.T) {
	const noise = 64 << 20
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	// It ends before it answers: its folders are not for this machine.
	_, err := shellOf(t, "echo first >&2; head -c 67108864 /dev/zero >&2").Open(t.Context(), Spec{})
	runtime.ReadMemStats(&after)
	if err == nil || !strings.Contains(err.Error(), "first") || len(err.Error()) > 2*maxSaid*maxWords {
		t.Errorf("%.100v", err)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > noise/8 {
		t.Errorf("%d bytes were needed for %d", took, noise)
	}
}

// A shell that answers at once, and never ends its output: the time holds.
// Promise: sandbox-bounded
func TestTheLimitsHoldUntilTheOutputHasEnded(t *testing.T) {
	s := shellOf(t, `while IFS= read -r line; do line=${line% \$s*}; echo "${line##* } 0" >&2; done`)
	b, err := s.Open(t.Context(), Spec{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	r, err := b.Run(t.Context(), Command{Args: []string{"true"}, Time: 300 * time.Millisecond})
	if err != nil || r.Ending != OutOfTime {
		t.Errorf("%v: %+v", err, r)
	}
}

// What a command of the operator's leaves behind ends with it, and nobody waits.
// Promise: sandbox-ends
func TestWhatAnOperatorsCommandLeavesIsKilled(t *testing.T) {
	began, long := time.Now(), unique()
	if _, err := shellOf(t, "sleep "+long+" & exit 0").Open(t.Context(), Spec{}); err == nil || time.Since(began) > startTime/2 {
		t.Errorf("%v after %v", err, time.Since(began))
	}
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range lines {
		if text, err := os.ReadFile(name); err == nil && string(text) == "sleep\x00"+long+"\x00" {
			t.Errorf("%s still runs", name)
		}
	}
}

// A file that was open when this process began is not for boxes.
// Promise: sandbox-isolated
func TestNoOpenFileReachesABox(t *testing.T) {
	name := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(name, []byte("s3cr3t"), 0o600); err != nil {
		t.Fatal(err)
	}
	fd, err := syscall.Open(name, syscall.O_RDONLY, 0) // without O_CLOEXEC, as it is inherited
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Close(fd) }()
	b := open(t, Spec{})
	if r := python(t, b, `import os; print(sorted(os.listdir("/proc/self/fd")))`); string(bytes.TrimSpace(r.Output)) != "['0', '1', '2', '3']" {
		t.Errorf("%q", r.Output)
	}
}
