package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// Wide is a wider sandbox, for a program that the operator chose: it sees the
// whole system read-only and the network as it is, but not the folders that are
// hidden from it, nor the processes of the host with their variables. It is for
// ordinary users alone: root would still be root in it.
type Wide struct {
	bubblewrap string
	hidden     []string
}

// NewWide finds what a wider sandbox needs and tries it. An error says in one line
// what is missing.
func NewWide(ctx context.Context, hidden ...string) (*Wide, error) {
	if os.Geteuid() == 0 {
		return nil, errors.New("it would run as root")
	}
	program, err := exec.LookPath("bwrap")
	if err != nil {
		return nil, errors.New("bubblewrap is not installed (the program bwrap)")
	}
	keepFiles() // once: what is opened from here on is kept anyway
	w := &Wide{bubblewrap: program}
	for _, folder := range hidden {
		folder, err := filepath.Abs(folder)
		if err == nil {
			folder, err = filepath.EvalSymlinks(folder)
		}
		if err != nil {
			return nil, fmt.Errorf("hide a folder: %w", err)
		}
		w.hidden = append(w.hidden, folder)
	}
	dir, err := os.MkdirTemp("", "svc-wide-*")
	if err != nil {
		return nil, fmt.Errorf("try the sandbox: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }() // it is empty
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	words := append(w.Around(dir, "/bin/sh"), "/bin/sh", "-c", `[ "$(ls -d /proc/[0-9]* | wc -l)" -lt 10 ]`)
	tried := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // and never unlocked: it has no rights any more
		dropRights()
		out, err := exec.CommandContext(ctx, words[0], words[1:]...).CombinedOutput() //nolint:gosec // its arguments are ours
		if err != nil {
			err = fmt.Errorf("%w: %s", err, strings.Join(strings.Fields(string(out)), " "))
		}
		tried <- err
	}()
	if err := <-tried; err != nil {
		return nil, err
	}
	return w, nil
}

// Around gives the words that run a program in a folder, the only one that it can
// write to beside a /tmp of its own.
func (w *Wide) Around(dir, program string) []string {
	words := []string{
		w.bubblewrap, "--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try",
		"--die-with-parent", "--new-session", "--cap-drop", "ALL",
		"--ro-bind", "/", "/", "--dev-bind", "/dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp",
	}
	for _, folder := range w.hidden {
		words = append(words, "--tmpfs", folder)
	}
	if resolved, err := filepath.EvalSymlinks(dir); err == nil {
		dir = resolved
	}
	words = append(words, "--bind", dir, dir)
	if w.isHidden(program) {
		words = append(words, "--ro-bind", program, program)
	}
	return append(words, "--chdir", dir, "--")
}

// isHidden says that a program lies where nothing of the host is seen.
func (w *Wide) isHidden(program string) bool {
	for _, folder := range append([]string{"/tmp"}, w.hidden...) {
		if strings.HasPrefix(program, folder+"/") {
			return true
		}
	}
	return false
}
