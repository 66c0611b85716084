//go:build linux && (amd64 || arm64)

package agent

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/sandbox"
)

// Promise: agent-folder
func TestTheFolderIsTheResult(t *testing.T) {
	t.Parallel()
	s := done(t, shell(t, `sed -i s/old/new/ edit.txt; rm gone.txt; mkdir made; mv from/name.txt made/name.txt
printf '\000\377\001' >logo.png; printf '#!/bin/sh\n' >run.sh; chmod 6755 run.sh; : >empty.txt; printf secret >closed.txt; chmod 000 closed.txt`), map[string]string{
		"keep.txt": "kept\n", "edit.txt": "old\n", "gone.txt": "gone\n", "from/name.txt": "named\n",
	})
	want := map[string]string{
		"edit.txt": "new\n", "made/name.txt": "named\n", "logo.png": "\x00\xff\x01", "run.sh": "#!/bin/sh\n", "empty.txt": "", "closed.txt": "secret",
	}
	if diff := cmp.Diff(want, s.files); diff != "" {
		t.Error(diff)
	}
	if !slices.Equal(s.deleted, []string{"from/name.txt", "gone.txt"}) {
		t.Errorf("deleted: %q", s.deleted)
	}
	if s.modes["run.sh"] != "0755" || s.modes["edit.txt"] != "0644" || !s.binary["logo.png"] || s.binary["edit.txt"] {
		t.Errorf("modes %v, binary %v", s.modes, s.binary)
	}
}

// Promise: agent-folder
func TestAThousandFiles(t *testing.T) {
	t.Parallel()
	s := done(t, shell(t, `i=0; while [ $i -lt 1000 ]; do mkdir -p d$((i % 10)); echo $i >d$((i % 10))/f$i; i=$((i + 1)); done`), nil)
	if len(s.files) != 1000 || s.files["d7/f997"] != "997\n" || len(s.deleted) != 0 {
		t.Errorf("%d files, %d deleted", len(s.files), len(s.deleted))
	}
}

// Promise: agent-left-out
func TestWhatABundleCannotHoldIsLeftOutAndNamed(t *testing.T) {
	t.Parallel()
	s := done(t, shell(t, `mkdir -p .git node_modules/x web/dist; echo x >.git/config; echo x >node_modules/x/index.js
printf '.env\n*.log\n' >.gitignore; echo dist >web/.gitignore; echo x >web/dist/out.js; echo x >web/page.html
mkdir -p py/__pycache__ .venv/bin; echo x >py/__pycache__/a.pyc; echo x >.venv/bin/python; echo x >run.log; echo 'PORT=3001' >.env; ln -s /etc/passwd link; ln -s / root; mkfifo pipe; truncate -s 26214401 large; truncate -s 26214400 fits
echo x >'back\slash'; d=.; i=0; while [ $i -lt 70 ]; do d=$d/deep; i=$((i + 1)); done; mkdir -p $d; echo x >$d/x; echo x >NUL; echo x >resolution_log.json; mkdir -p .ssh web/.AWS; echo x >.ssh/config; echo x >web/.AWS/credentials; echo x >.netrc`), map[string]string{".env": "PORT=3000\n"})
	var names []string
	for name := range s.files {
		names = append(names, name)
	}
	slices.Sort(names)
	if want := []string{".env", ".gitignore", "fits", "web/.gitignore", "web/page.html"}; !slices.Equal(names, want) {
		t.Errorf("taken: %q, want %q", names, want)
	}
	for _, name := range []string{".git/", "node_modules/", "run.log", "link", "root", "pipe", "large", `back\slash`, "NUL", "resolution_log.json", "web/dist/", "py/__pycache__/", ".venv/", strings.Repeat("deep/", 65), ".ssh/", "web/.AWS/", ".netrc"} {
		if !strings.Contains(s.state["left_out"], name) {
			t.Errorf("%s is not named in %q", name, s.state["left_out"])
		}
	}
}

// A file of the project at whose place lies what cannot be taken is as it was; the
// run has not been told to delete it, nor to deliver a part of it.
// Promise: agent-left-out
func TestWhatCannotBeTakenStaysAsItWas(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("d/", 70) + "deep.txt"
	files := map[string]string{
		"link.txt": "linked\n", "grown.txt": "small\n", "folder/in.txt": "in\n", "pipe.txt": "piped\n", ".env": "PORT=3000\n",
		".ssh/config": "Host x\n", deep: "deep\n", "gone.txt": "gone\n", "swapped": "file\n", "begun.txt": "whole\n",
	}
	p := project(files)
	p.Ports = []engine.Port{{Name: "web", Port: 3000, Uses: []engine.PortUse{{Path: ".env", Template: "PORT={port}"}}}}
	signal := t.TempDir()
	for _, folder := range []string{signal, filepath.Dir(signal)} {
		if err := os.Chmod(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	e := shell(t, `printf half >begun.txt; while [ ! -e /signal/told ]; do sleep 0.01; done; rm begun.txt; ln -s elsewhere begun.txt
ln -sf new.txt link.txt; truncate -s 26214401 grown.txt; mv folder other; ln -s other folder; rm pipe.txt gone.txt swapped; mkfifo pipe.txt; mkdir swapped; echo x >swapped/x.txt
mv .env env; ln -s env .env; echo new >new.txt`, func(c *Config) {
		c.Outfit = func(context.Context) (sandbox.Spec, error) {
			return sandbox.Spec{Limits: sandbox.DefaultLimits(), Show: []sandbox.Mount{{From: signal, To: "/signal"}}}, nil
		}
	})
	s := newStory()
	s.each = func(o engine.Output) {
		if f, ok := o.(engine.File); ok && f.Path == "begun.txt" && string(f.Content) == "half" {
			if err := os.WriteFile(filepath.Join(signal, "told"), nil, 0o600); err != nil {
				t.Error(err)
			}
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := e.Generate(ctx, engine.Request{Prompt: "x", Attempt: 1, Project: p}, s.emit); err != nil {
		t.Fatal(err)
	}
	if want := []string{"gone.txt", "swapped"}; !slices.Equal(s.deleted, want) {
		t.Errorf("deleted: %q, want %q", s.deleted, want)
	}
	if diff := cmp.Diff(map[string]string{"begun.txt": "whole\n", "new.txt": "new\n", "env": "PORT=3000\n", "other/in.txt": "in\n", "swapped/x.txt": "x\n"}, s.files); diff != "" {
		t.Error(diff)
	}
	if len(s.ports) > 0 {
		t.Errorf("ports are told: %v", s.ports)
	}
	for _, name := range []string{"begun.txt", "link.txt", "grown.txt", "folder", "pipe.txt", ".env"} {
		if !strings.Contains(s.state["left_out"], name) {
			t.Errorf("%s is not named in %q", name, s.state["left_out"])
		}
	}
}

// A folder that cannot be read is no folder without files.
// Promise: agent-left-out
func TestALookTellsWhatItCouldNotRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "closed"), 0); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = root.Close() }()
	var found look
	var looking sync.WaitGroup
	looking.Go(func() {
		// Nothing is closed to root: this thread, which ends here, is another's.
		runtime.LockOSThread()
		if _, _, errno := syscall.RawSyscall(syscall.SYS_SETFSUID, 65534, 0, 0); errno != 0 {
			t.Error(errno)
		}
		found, err = lookAt(t.Context(), time.Minute, root, func(string, bool) bool { return false })
	})
	looking.Wait()
	if err != nil || !errors.Is(found.unread, fs.ErrPermission) {
		t.Errorf("%v, %v", found.unread, err)
	}
}

// Promise: agent-inside-folder
func TestNothingIsWrittenOutside(t *testing.T) {
	t.Parallel()
	outside := fmt.Sprintf("/tmp/svc-agent-escape-%d", os.Getpid())
	s := done(t, shell(t, fmt.Sprintf(`for f in /usr/x /etc/x /x /dev/x /proc/sys/kernel/x %s ../outside; do echo x 2>/dev/null >$f; done; echo in >in.txt`, outside)), nil)
	if diff := cmp.Diff(map[string]string{"in.txt": "in\n"}, s.files); diff != "" {
		t.Error(diff)
	}
	for _, path := range []string{outside, "/usr/x", "/etc/x", "/x", "/dev/x"} {
		if _, err := os.Lstat(path); err == nil {
			t.Errorf("%s was written", path)
		}
	}
}

// A file is told while the agent works: pieces of it as it grows, and anew when it
// is written anew.
// Promise: agent-files-live
func TestFilesAreToldWhileTheAgentWorks(t *testing.T) {
	t.Parallel()
	signal := t.TempDir()
	for _, folder := range []string{signal, filepath.Dir(signal)} {
		if err := os.Chmod(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	e := shell(t, `wait_for() { while [ ! -e "/signal/$1" ]; do sleep 0.01; done; }
printf one >a.txt; echo wrote; wait_for 1; printf ' two' >>a.txt; wait_for 2; printf three >a.txt; wait_for 3; rm a.txt; echo kept >b.txt; wait_for 4`, func(c *Config) {
		c.Outfit = func(context.Context) (sandbox.Spec, error) {
			return sandbox.Spec{Limits: sandbox.DefaultLimits(), Show: []sandbox.Mount{{From: signal, To: "/signal"}}}, nil
		}
	})
	s := newStory()
	var wrote time.Time
	step := 0
	next := func() {
		step++
		if err := os.WriteFile(filepath.Join(signal, fmt.Sprint(step)), nil, 0o600); err != nil {
			t.Error(err)
		}
	}
	s.each = func(o engine.Output) {
		switch o := o.(type) {
		case engine.ToolStatus:
			if o.Detail == "wrote" {
				wrote = time.Now()
			}
		case engine.Token:
			if step == 0 && o == (engine.Token{File: "a.txt", Delta: "one"}) {
				t.Logf("told after %v", time.Since(wrote))
				next()
			} else if step == 1 && o == (engine.Token{File: "a.txt", Delta: " two"}) {
				next()
			}
		case engine.File:
			if step == 2 && string(o.Content) == "three" {
				next()
			}
		case engine.Delete:
			if step == 3 && o.Path == "a.txt" {
				next()
			}
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	err := e.Generate(ctx, engine.Request{Prompt: "x", Attempt: 1, Project: project(nil)}, s.emit)
	if err != nil || step != 4 {
		t.Errorf("%v after %d steps: %v", err, step, s.told)
	}
	if diff := cmp.Diff(map[string]string{"b.txt": "kept\n"}, s.files); diff != "" {
		t.Error(diff)
	}
}

// Promise: agent-fails
func TestAnAgentThatChangesNothingIsNotDone(t *testing.T) {
	t.Parallel()
	_, err := ended(t, shell(t, `echo thinking`), map[string]string{"a.txt": "a"})
	if err.Code != engine.CodeConstraintUnresolvable || !strings.Contains(err.Message, "without changing a file") {
		t.Error(err)
	}
}

// Promise: agent-ports
func TestPortsOfTheResultAreDeclared(t *testing.T) {
	t.Parallel()
	e := shell(t, `printf 'PORT=3100\n' >.env; printf 'services:\n  web:\n    ports:\n      - "8081:80"\n' >compose.yaml`)
	s := newStory()
	p := project(map[string]string{".env": "PORT=3000\nOLD_PORT=9000\n", "readme.md": "http://localhost:3000/\n"})
	p.Ports = []engine.Port{
		{Name: "site", Port: 3000, Uses: []engine.PortUse{{Path: ".env", Template: "PORT={port}"}}},
		{Name: "old", Port: 9000, Uses: []engine.PortUse{{Path: ".env", Template: "OLD_PORT={port}"}}},
	}
	if err := e.Generate(t.Context(), engine.Request{Prompt: "x", Attempt: 1, Project: p}, s.emit); err != nil {
		t.Fatal(err)
	}
	want := map[string]engine.Port{
		"site":      {Name: "site", Port: 3100, Uses: []engine.PortUse{{Path: ".env", Template: "PORT={port}"}}},
		"old":       {Name: "old"},
		"port-8081": {Name: "port-8081", Port: 8081, Uses: []engine.PortUse{{Path: "compose.yaml", Template: `"{port}:80"`}}},
	}
	if diff := cmp.Diff(want, s.ports); diff != "" {
		t.Error(diff)
	}
}

var errTest = errors.New("the run cannot store this")

// An error of whoever listens stops the agent at once.
// Promise: agent-cancel
func TestAnErrorOfTheRunStopsTheAgent(t *testing.T) {
	t.Parallel()
	e := shell(t, `echo x >a.txt; exec sleep 1000`)
	err := e.Generate(t.Context(), engine.Request{Prompt: "x", Attempt: 1, Project: project(nil)}, func(o engine.Output) error {
		if _, ok := o.(engine.Token); ok {
			return errTest
		}
		return nil
	})
	if !errors.Is(err, errTest) {
		t.Error(err)
	}
}

// An agent may unpack more than a project may hold, as long as it does not leave it.
func TestWhatAnAgentRemovesAgainDoesNotCount(t *testing.T) {
	t.Parallel()
	told := map[string]bool{}
	s := newStory()
	s.each = func(o engine.Output) {
		switch o := o.(type) {
		case engine.Token:
			told[o.File] = true
		case engine.Delete:
			delete(told, o.Path)
		}
		if len(told) > maxFilesLive {
			t.Errorf("%d files are told", len(told))
		}
	}
	e := shell(t, `mkdir many; i=0; while [ $i -lt 2500 ]; do echo $i >many/$i; i=$((i + 1)); done; rm -r many; echo x >x.txt`)
	if err := e.Generate(t.Context(), engine.Request{Prompt: "x", Attempt: 1, Project: project(nil)}, s.emit); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"x.txt": "x\n"}, s.files); diff != "" {
		t.Error(diff)
	}
}
