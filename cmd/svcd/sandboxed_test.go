//go:build linux

package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/bundle-delivery/svc/internal/testkit/needs"
)

// owner is as whom a service runs in the tests of sandboxes; an ordinary user is
// the one of the tests where they are not root's.
type owner struct {
	name string
	uid  int
}

var (
	ordinary = owner{"an ordinary user", 65534}
	root     = owner{"root", 0}
)

// as makes a command the owner's.
func (o owner) as(cmd *exec.Cmd) {
	if os.Geteuid() == 0 && o.uid != 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(o.uid), Gid: uint32(o.uid)}}
	}
}

// place is a folder that everybody can read, so that nothing but a sandbox keeps
// anybody from it, with a home and a key of SSH in it.
func (o owner) place(t *testing.T) string {
	t.Helper()
	if o.uid == 0 && os.Geteuid() != 0 {
		t.Skip("only root runs a service as root")
	}
	dir, err := os.MkdirTemp("/tmp", "svcd-sandboxed-*") //nolint:usetesting // for another user to read
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	binary, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{"home/.ssh", "tmp"} {
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	// A process that another test starts meanwhile would hold the program open for
	// writing, until it is another program itself: nobody could run this one.
	syscall.ForkLock.RLock()
	for name, content := range map[string][]byte{"svcd": binary, "home/.ssh/id_rsa": []byte("do-not-show")} {
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, name), content, 0o755))
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 {
		for _, folder := range []string{"", "home", "home/.ssh", "tmp"} {
			if err := os.Chown(filepath.Join(dir, folder), o.uid, o.uid); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}

// program is the server as the owner's process, with a secret in its variables.
func (o owner) program(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), filepath.Join(dir, "svcd"), args...)
	cmd.Dir = dir
	cmd.Env = []string{asProgram + "=1", "PATH=/usr/local/go/bin:/usr/local/bin:/usr/bin:/bin", "HOME=" + dir + "/home", "TMPDIR=" + dir + "/tmp", "AWS_SECRET_ACCESS_KEY=do-not-show"}
	o.as(cmd)
	return cmd
}

// promptEngine makes a project whose test is the prompt, a script of the shell.
const promptEngine = `#!/usr/bin/python3
import json, os, sys
request = json.load(sys.stdin)
seen = []
for place in (sys.argv[1] + "/data", "/proc/%d/environ" % os.getppid(), "/proc/self/environ"):
    try:
        seen.append(str(os.listdir(place)) if os.path.isdir(place) else open(place, "rb").read().decode())
    except OSError as e:
        seen.append(e.strerror)
for path, content in {
    "Makefile": "test:\n\tsh attack.sh\n", "attack.sh": request["prompt"] + "\n", "seen.txt": "\n".join(seen) + " uid %d" % os.getuid(),
}.items():
    print(json.dumps({"type": "file", "path": path, "content": content}))
`

// ownedService is a service as a process of somebody's.
type ownedService struct {
	*instance
	pid int
}

// serve runs a service with a program as its engine, and gives an account's key;
// one that has run before keeps its accounts.
func (o owner) serve(t *testing.T, dir, engine string) (i *ownedService, key string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "engine"), []byte(engine), 0o755); err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(dir, "data")
	cmd := o.program(t, dir, "serve", "--data-dir", data, "--listen", "127.0.0.1:0", "--engine", "exec", "--engine-command", filepath.Join(dir, "engine")+" "+dir,
		"--validate", "test", "--sandbox", "bwrap", "--sandbox-memory", "400MiB", "--sandbox-disk", "64MiB")
	i = &ownedService{instance: killable(t, cmd, data)}
	i.pid = cmd.Process.Pid
	operate := func(args ...string) string {
		cmd := o.program(t, dir, append(args, "--data-dir", data)...)
		var said bytes.Buffer
		cmd.Stderr = &said
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("svcd %v: %v\n%s", args, err, said.String())
		}
		return strings.TrimSpace(string(out))
	}
	if operate("account", "list") == "" {
		operate("account", "create", "--email", email, "--plan", "developer")
	}
	return i, operate("key", "create", "--account", email, "--name", "test")
}

// try runs a script as the test of a project and gives the record of the run.
func (i *ownedService) try(t *testing.T, key, script string) (status string, record reply) {
	t.Helper()
	queued := i.send("POST", "/generations", key, fmt.Sprintf(`{"prompt":%q}`, script))
	run := "/generations/" + queued.field(t, "generationId")
	i.follow(key, i.open("GET", run+"/stream", key, ""))
	record = i.want(200, "", "GET", run, key)
	return record.field(t, "status"), record
}

// Whoever runs the service: what a project tries to read, reach, write or leave
// behind is not there, what goes beyond a limit ends, and the next run is as if
// nothing had been.
// Promise: sandbox-users
func TestHostileProjectsAtAService(t *testing.T) {
	needs.Program(t, "bwrap", "install bubblewrap")
	for _, o := range []owner{ordinary, root} {
		t.Run(o.name, func(t *testing.T) {
			t.Parallel()
			dir := o.place(t)
			i, key := o.serve(t, dir, promptEngine)
			other, err := net.Listen("tcp", "127.0.0.2:0")
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = other.Close() }()
			abstract := fmt.Sprintf("svcd-test-%d-%d", os.Getpid(), o.uid)
			hidden, err := net.Listen("unix", "@"+abstract)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = hidden.Close() }()
			connect := func(address string) string {
				return `/usr/bin/python3 -c "import socket; socket.create_connection(tuple('` + address + `'.rsplit(':', 1)), 5)"`
			}
			for name, attack := range map[string]string{
				"the data":         "cat " + i.dir + "/svcd.db || ls " + i.dir,
				"passwords":        "cat /etc/shadow || grep root /etc/passwd",
				"a key of SSH":     "cat " + dir + "/home/.ssh/id_rsa ~/.ssh/id_rsa",
				"variables":        fmt.Sprintf("cat /proc/%d/environ || grep -az do-not-show /proc/[0-9]*/environ || env | grep do-not-show", i.pid),
				"core_pattern":     "echo x >/proc/sys/kernel/core_pattern",
				"the service":      connect(i.address),
				"loopback":         connect(other.Addr().String()),
				"abstract sockets": `/usr/bin/python3 -c "import socket; socket.socket(socket.AF_UNIX).connect('\0` + abstract + `')"`,
				"its own program":  "echo x >" + dir + "/svcd || echo x >/usr/bin/svcd-test",
				"links":            "ln -s " + dir + " out && ls out/data",
				"devices":          "mknod null c 1 3 || mount -t tmpfs x /work/tmp || unshare -U true",
			} {
				// The run succeeds when the attack does not.
				if status, record := i.try(t, key, "if ( "+attack+" ); then echo reached; exit 1; fi"); status != "succeeded" {
					t.Errorf("%s: %s", name, record.body)
				}
			}
			nap := oddTime()
			for name, script := range map[string]string{
				"set-uid":      "cp /bin/sh suid && chmod 6755 suid && ./suid -c true",
				"a daemon":     "(setsid sh -c 'trap \"\" TERM; sleep " + nap + "' >/dev/null 2>&1 &); true",
				"a fork bomb":  "bomb() { bomb | bomb & }; ( bomb ) 2>/dev/null & exit 0",
				"a full disk":  "head -c 1000000000 /dev/zero >big; [ $? != 0 ] && rm big",
				"the next run": "true",
			} {
				if status, record := i.try(t, key, script); status != "succeeded" {
					t.Errorf("%s: %s", name, record.body)
				}
			}
			if status, record := i.try(t, key, `exec /usr/bin/python3 -c "x = [bytearray(b'x' * (8 << 20)) for i in range(1000)]"`); status != "failed" || !strings.Contains(string(record.body), "out of memory") {
				t.Errorf("memory: %s", record.body)
			}
			if status, record := i.try(t, key, "true"); status != "succeeded" {
				t.Errorf("afterwards: %s", record.body)
			}
			if left := running(t, "sleep\x00"+nap); len(left) > 0 {
				t.Errorf("left behind: %q", left)
			}
		})
	}
}

// The program of the engine sees neither the data nor the variables of an ordinary
// user's server; where the server is root's it runs as root, and the log says so.
// Promise: sandbox-exec
func TestTheProgramOfTheEngineAtAService(t *testing.T) {
	needs.Program(t, "bwrap", "install bubblewrap")
	for _, o := range []owner{ordinary, root} {
		t.Run(o.name, func(t *testing.T) {
			t.Parallel()
			i, key := o.serve(t, o.place(t), promptEngine)
			status, record := i.try(t, key, "true")
			if status != "succeeded" {
				t.Fatalf("%s", record.body)
			}
			seen := unzip(t, i.want(200, "", "GET", "/bundles/"+record.field(t, "bundleId")+"/download", key).body)["seen.txt"]
			const warning = "svcd runs as root, and so does the program of the engine, without a sandbox"
			if o.uid == 0 {
				if !strings.Contains(i.log.String(), warning) || !strings.Contains(seen, "uid 0") {
					t.Errorf("it saw %q, and the log is\n%s", seen, i.log)
				}
				return
			}
			if strings.Contains(seen, "do-not-show") || strings.Contains(seen, "svcd.db") || strings.Contains(seen, "tls") || strings.Contains(i.log.String(), "without a sandbox") {
				t.Errorf("it saw %q, and the log is\n%s", seen, i.log)
			}
		})
	}
}

// A service that is killed while a project is tried leaves no process of it; the
// next process ends the run.
// Promise: sandbox-ends
func TestAServiceKilledWhileItTries(t *testing.T) {
	needs.Program(t, "bwrap", "install bubblewrap")
	for _, o := range []owner{ordinary, root} {
		t.Run(o.name, func(t *testing.T) {
			t.Parallel()
			dir := o.place(t)
			i, key := o.serve(t, dir, promptEngine)
			mark := "sleep\x00" + oddTime()
			queued := i.send("POST", "/generations", key, fmt.Sprintf(`{"prompt":"setsid %[1]s & trap '' TERM; %[1]s"}`, strings.ReplaceAll(mark, "\x00", " ")))
			run := "/generations/" + queued.field(t, "generationId")
			eventually(t, "the project is tried", func() bool { return len(running(t, mark)) == 2 })
			i.end()
			eventually(t, "nothing of it is left", func() bool { return len(running(t, mark)) == 0 })
			// The next attempt of the run is given a project that ends.
			quick := strings.Replace(promptEngine, `request["prompt"]`, `"true"`, 1)
			i, key = o.serve(t, dir, quick)
			eventually(t, "the run is ended", func() bool {
				return i.want(200, "", "GET", run, key).field(t, "status") == "succeeded"
			})
		})
	}
}

// oddTime is a number of seconds that nobody else on this machine sleeps for.
func oddTime() string { return fmt.Sprintf("8%03d.%d", rand.IntN(1000), 1+rand.Int64N(1e12)) }

// running finds processes by their command line.
func running(t *testing.T, mark string) (found []string) {
	t.Helper()
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range lines {
		if text, err := os.ReadFile(name); err == nil && strings.HasPrefix(string(text), mark) {
			found = append(found, string(text))
		}
	}
	return found
}
