//go:build amd64 || arm64

package sandbox

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bundle-delivery/svc/internal/testkit/needs"
)

// asOutlet has this program make an outlet and wait to be killed.
const asOutlet = "SVC_TEST_OUTLET"

func holdOutlet() {
	s, err := New(Config{})
	if err == nil {
		_, err = s.NewOutlet()
	}
	fmt.Println(err)
	_, _ = io.Copy(io.Discard, os.Stdin)
	os.Exit(1) // without closing it
}

// outletProcess starts a process that has an outlet, and returns what kills it.
func outletProcess(t *testing.T) (kill func()) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "/proc/self/exe") // also where its folder is another user's
	cmd.Env = append(os.Environ(), asOutlet+"=1")
	in, inErr := cmd.StdinPipe()
	out, outErr := cmd.StdoutPipe()
	if err := errors.Join(inErr, outErr, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	kill = func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // killed
		_ = in.Close()
	}
	t.Cleanup(kill)
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "<nil>\n" {
		t.Fatalf("it says %q, %v", line, err)
	}
	return kill
}

// outlets lists what is in the temporary folder.
func outlets(t *testing.T) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(os.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// Promise: sandbox-ends
func TestOutletsOfKilledProcessesAreRemoved(t *testing.T) {
	s, err := New(Config{})
	if err != nil {
		needs.Missing(t, "%v: install bubblewrap", err)
	}
	outside := t.TempDir()
	t.Setenv("TMPDIR", t.TempDir())
	kill := outletProcess(t)
	outletProcess(t) // lives on
	both := outlets(t)
	if len(both) != 2 {
		t.Fatalf("there are %q", both)
	}
	kill()
	old := time.Now().Add(-2 * unlockedAge)
	in := func(name string) string { return filepath.Join(os.TempDir(), name) }
	// What only looks like one, or is another's.
	write := func(name string) error { return os.WriteFile(name, []byte("kept"), 0o600) }
	if err := errors.Join(
		os.Mkdir(in("svc-outlet-unlocked"), 0o700), write(in("svc-outlet-unlocked/kept")), os.Chtimes(in("svc-outlet-unlocked"), old, old),
		os.Mkdir(in("svc-outlet-empty"), 0o700), os.Chtimes(in("svc-outlet-empty"), old, old),
		os.Mkdir(in("svc-outlet-begun"), 0o700),
		write(filepath.Join(outside, "lock")), write(filepath.Join(outside, "kept")), os.Symlink(outside, in("svc-outlet-link")),
		os.Mkdir(in("svc-outlet-linked"), 0o700), os.Symlink(filepath.Join(outside, "lock"), in("svc-outlet-linked/lock")), write(in("svc-outlet-linked/kept")),
		os.Mkdir(in("other"), 0o700), write(in("other/lock")), write(in("svc-outlet-file")),
	); err != nil {
		t.Fatal(err)
	}
	kept := []string{"other", "svc-outlet-begun", "svc-outlet-file", "svc-outlet-link", "svc-outlet-linked", "svc-outlet-unlocked"}
	if os.Geteuid() == 0 {
		kept = append(kept, "svc-outlet-strange")
		if err := errors.Join(os.Mkdir(in("svc-outlet-strange"), 0o700), write(in("svc-outlet-strange/lock")), os.Chown(in("svc-outlet-strange"), 12345, -1)); err != nil {
			t.Fatal(err)
		}
	}
	o, err := s.NewOutlet()
	if err != nil {
		t.Fatal(err)
	}
	second, err := s.NewOutlet() // of the same process
	if err != nil {
		t.Fatal(err)
	}
	left := slices.DeleteFunc(outlets(t), func(name string) bool { return slices.Contains(kept, name) })
	living := slices.DeleteFunc(left, func(name string) bool { return in(name) == o.dir || in(name) == second.dir })
	if len(living) != 1 || !slices.Contains(both, living[0]) {
		t.Errorf("left beside those of this process: %q, of %q", living, both)
	}
	if err := errors.Join(o.Close(), o.Close(), second.Close()); err != nil {
		t.Error(err)
	}
	want := append(slices.Clone(kept), living...)
	slices.Sort(want)
	if got := outlets(t); !slices.Equal(got, want) {
		t.Errorf("there are %q, want %q", got, want)
	}
	for _, name := range []string{filepath.Join(outside, "kept"), filepath.Join(outside, "lock"), in("svc-outlet-linked/kept"), in("svc-outlet-unlocked/kept")} {
		if text, err := os.ReadFile(name); err != nil || strings.TrimSpace(string(text)) != "kept" {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
}

// Services that start at the same time remove nothing of each other's.
// Promise: sandbox-ends
func TestOutletsThatAreBeingMadeAreKept(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	ended := make(chan error)
	const makers = 8
	for range makers {
		go func() {
			ended <- func() error {
				for range 100 {
					dir, lock, err := makeOutletDir()
					if err == nil {
						err = errors.Join(removeDeadOutlets(), os.WriteFile(filepath.Join(dir, "svcd"), nil, 0o600), os.RemoveAll(dir), lock.Close())
					}
					if err != nil {
						return err
					}
				}
				return nil
			}()
		}()
	}
	for range makers {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}
