//go:build linux && (amd64 || arm64)

package sandbox

import (
	"bytes"
	"context"
	crand "crypto/rand"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/bundle-delivery/svc/internal/sandbox/proctree"
)

// python runs a program of Python in a box.
func python(t *testing.T, b *Box, program string, args ...string) Result {
	t.Helper()
	r, err := b.Run(t.Context(), Command{Args: append([]string{"/usr/bin/python3", "-c", program}, args...), Time: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// unique is a number of seconds that no other process sleeps for: others may run these
// tests on the same machine.
func unique() string { return fmt.Sprintf("6%02d.%d", rand.IntN(100), 1+rand.Int64N(1e12)) }

// The next box is as good as the first, and nothing of the last one lives. The marker
// stands in the command lines of this test alone.
func nothingIsLeft(t *testing.T, marker string) {
	t.Helper()
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range lines {
		text, err := os.ReadFile(name)
		if err == nil && bytes.Contains(text, []byte(marker)) && !strings.Contains(name, "/"+strconv.Itoa(os.Getpid())+"/") {
			t.Errorf("%s still runs: %q", name, text)
		}
	}
	if r := run(t, open(t, Spec{}), "echo fine"); string(r.Output) != "fine\n" {
		t.Errorf("the next box: %+v %q", r, r.Output)
	}
}

// Promise: sandbox-isolated
func TestNothingOfTheHostCanBeRead(t *testing.T) {
	t.Setenv("SVCD_SECRET", "do-not-show")
	data := shown(t) // nothing but the sandbox keeps anybody from it
	for name, content := range map[string]string{"svcd.db": "records", "home/.ssh/id_rsa": "key"} {
		name = filepath.Join(data, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(content), 0o644), os.Chmod(data, 0o755)); err != nil {
			t.Fatal(err)
		}
	}
	b := open(t, Spec{})
	for _, script := range []string{
		"cat " + data + "/svcd.db", "cat /etc/shadow", "cat " + data + "/home/.ssh/id_rsa", "cat /root/.ssh/* ~/.ssh/*", "ls /home /root /var /srv /run/secrets",
		fmt.Sprintf("cat /proc/%d/environ", os.Getpid()), "grep -z SVCD_SECRET /proc/[0-9]*/environ",
		"ls /proc/*/root/var", "cat /proc/1/environ | grep -q SVCD",
		": >/proc/sys/kernel/core_pattern", "echo x >/usr/bin/x", "echo x >/x", "echo x >/etc/x", "echo x >/dev/x",
		"unshare -U true", "unshare -n true", "mount -t tmpfs x /work/tmp", "mknod /work/src/null c 1 3",
	} {
		if r := run(t, b, script); r.Exit == 0 {
			t.Errorf("%s: succeeded, with %q", script, r.Output)
		}
	}
	if r := run(t, b, `cat /proc/[0-9]*/environ | tr '\0' '\n'; env`); bytes.Contains(r.Output, []byte("do-not-show")) {
		t.Errorf("a variable of the server is seen: %q", r.Output)
	}
}

// Promise: sandbox-isolated
func TestSystemCallsThatLeadOutAreRefused(t *testing.T) {
	b := open(t, Spec{})
	const program = `
import ctypes, errno, socket, sys
libc = ctypes.CDLL(None, use_errno=True)
def call(name, *args):
    r = libc.syscall(*args)
    print(name, "allowed" if r >= 0 else errno.errorcode[ctypes.get_errno()])
x86 = {"ptrace": 101, "keyctl": 250, "bpf": 321, "perf": 298, "io_uring": 425, "userfaultfd": 323, "memfd": 319, "shmget": 29, "clone3": 435, "setns": 308, "unshare": 272}
arm = {"ptrace": 117, "keyctl": 219, "bpf": 280, "perf": 241, "io_uring": 425, "userfaultfd": 282, "memfd": 279, "shmget": 194, "clone3": 435, "setns": 268, "unshare": 97}
import platform
for name, n in (x86 if platform.machine() == "x86_64" else arm).items():
    call(name, n, 16, 1, 0, 0, 0)
for name in ("AF_VSOCK", "AF_PACKET", "AF_ALG"):
    try:
        socket.socket(getattr(socket, name), socket.SOCK_STREAM); print(name, "allowed")
    except OSError as e:
        print(name, errno.errorcode[e.errno])
for name in ("AF_UNIX", "AF_INET", "AF_INET6"):
    socket.socket(getattr(socket, name), socket.SOCK_STREAM); print(name, "fine")
`
	r := python(t, b, program)
	want := `ptrace EPERM
keyctl EPERM
bpf EPERM
perf EPERM
io_uring ENOSYS
userfaultfd EPERM
memfd ENOSYS
shmget ENOSYS
clone3 ENOSYS
setns EPERM
unshare EPERM
AF_VSOCK EAFNOSUPPORT
AF_PACKET EAFNOSUPPORT
AF_ALG EAFNOSUPPORT
AF_UNIX fine
AF_INET fine
AF_INET6 fine
`
	if string(r.Output) != want {
		t.Errorf("said\n%s\nwant\n%s", r.Output, want)
	}
}

// What System V keeps in the kernel belongs to no process, so that no limit of a box
// sees it: 32,000 queues of 16 KiB, or a billion semaphores.
// Promise: sandbox-isolated
func TestSystemVIsRefused(t *testing.T) {
	const program = `
import ctypes, errno, platform
libc = ctypes.CDLL(None, use_errno=True)
names = ("shmget", "shmat", "shmdt", "shmctl", "msgget", "msgsnd", "msgrcv", "msgctl", "semget", "semop", "semtimedop", "semctl")
x86 = (29, 30, 67, 31, 68, 69, 70, 71, 64, 65, 220, 66)
arm = (194, 196, 197, 195, 186, 189, 188, 187, 190, 193, 192, 191)
for name, n in zip(names, x86 if platform.machine() == "x86_64" else arm):
    r = libc.syscall(n, 0, 1, 0o1600, 0, 0)
    print(name, "allowed" if r >= 0 else errno.errorcode[ctypes.get_errno()])
`
	r := python(t, open(t, Spec{}), program)
	var want strings.Builder
	for _, name := range strings.Fields("shmget shmat shmdt shmctl msgget msgsnd msgrcv msgctl semget semop semtimedop semctl") {
		want.WriteString(name + " ENOSYS\n")
	}
	if string(r.Output) != want.String() {
		t.Errorf("said\n%s\nwant\n%s", r.Output, want.String())
	}
	// Semaphores and shared memory of POSIX are files in memory of the box.
	const posix = `
import multiprocessing
with multiprocessing.Lock(), multiprocessing.Pool(2) as pool:
    print(sum(pool.map(abs, [-1, -2])))
`
	if r := python(t, open(t, Spec{}), posix); string(r.Output) != "3\n" {
		t.Errorf("multiprocessing: %+v %q", r, r.Output)
	}
}

// Promise: sandbox-isolated
func TestNobodyIsReachedFromABox(t *testing.T) {
	called := make(chan string, 10)
	listen := func(network, address string) net.Listener {
		l, err := net.Listen(network, address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = l.Close() })
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				called <- l.Addr().String()
				_ = c.Close()
			}
		}()
		return l
	}
	service, other := listen("tcp", "127.0.0.1:0"), listen("tcp", "127.0.0.2:0")
	abstract := fmt.Sprintf("@svc-sandbox-test-%d", os.Getpid())
	listen("unix", abstract)
	b := open(t, Spec{})
	r := python(t, b, `
import socket, sys
for address in sys.argv[1:3]:
    host, port = address.rsplit(":", 1)
    try:
        socket.create_connection((host, int(port)), 5); print(address, "reached")
    except OSError as e:
        print("refused")
try:
    socket.socket(socket.AF_UNIX).connect("\0" + sys.argv[3][1:]); print("abstract reached")
except OSError:
    print("refused")
try:
    socket.getaddrinfo("example.invalid", 80); print("resolved")
except OSError:
    print("refused")
`, service.Addr().String(), other.Addr().String(), abstract)
	if string(r.Output) != strings.Repeat("refused\n", 4) {
		t.Errorf("said %q", r.Output)
	}
	select {
	case who := <-called:
		t.Errorf("%s was called", who)
	default:
	}
}

// Promise: sandbox-bounded
func TestAForkBombIsBounded(t *testing.T) {
	limits := Limits{Memory: 1 << 30, Disk: 64 << 20, Processes: 64, Output: 64 << 20}
	for name, bomb := range map[string][]string{
		// From a shell of its own: that may find no room for the second half of its pipe.
		"that comes and goes": {"sh", "-c", "bomb() { bomb | bomb & }; ( bomb ) & exec sleep 600 # " + crand.Text()},
		// Nobody ends, so that they can be counted: a look at a crowd takes longer than
		// the life of one who comes and goes.
		"that stays": {"/usr/bin/python3", "-c", "import os, time\nwhile True:\n  try: os.fork()\n  except OSError: time.sleep(0.01)\n# " + crand.Text()},
	} {
		t.Run(name, func(t *testing.T) {
			b := open(t, Spec{Limits: limits})
			most, stop := make(chan int, 1), make(chan struct{})
			go func() {
				n := 0
				for {
					select {
					case <-stop:
						most <- n
						return
					case <-time.After(20 * time.Millisecond):
						n = max(n, len(proctree.Descendants(b.cmd.Process.Pid)))
					}
				}
			}()
			r, err := b.Run(t.Context(), Command{Args: bomb, Time: 2 * time.Second})
			close(stop)
			if err != nil || r.Ending != OutOfTime {
				t.Errorf("%v: %+v %q", err, r, r.Output)
			}
			if n := <-most; name == "that stays" && n > limits.Processes+8 {
				t.Errorf("%d processes were there at a time", n)
			}
			if _, err := b.Run(t.Context(), Command{Args: []string{"true"}, Time: time.Second}); !errors.Is(err, ErrGone) {
				t.Errorf("a box that was killed is used on: %v", err)
			}
			b.Close()
			nothingIsLeft(t, bomb[len(bomb)-1])
		})
	}
}

// Promise: sandbox-bounded
func TestMemoryIsBoundedOverAllProcesses(t *testing.T) {
	limits := Limits{Memory: 300 << 20, Disk: 64 << 20, Processes: 100, Output: 1 << 20}
	for name, program := range map[string]string{
		"in one": `x = [bytes(1)] # ` + crand.Text() + `
while True: x.append(bytearray(b"x" * (8 << 20)))`,
		"in fifty": `import os, time # ` + crand.Text() + `
for i in range(50):
    if os.fork() == 0:
        x = bytearray(b"x" * (10 << 20)); time.sleep(600)
time.sleep(600)`,
	} {
		t.Run(name, func(t *testing.T) {
			b := open(t, Spec{Limits: limits})
			r := python(t, b, program)
			if r.Ending != OutOfMemory || r.PeakMemory < limits.Memory {
				t.Errorf("ended %s with a peak of %d", r.Ending, r.PeakMemory)
			}
			b.Close()
			nothingIsLeft(t, program)
		})
	}
	t.Run("shared is counted once", func(t *testing.T) {
		b := open(t, Spec{Limits: limits})
		r := python(t, b, `import os, time, gc
gc.disable()
x = bytes(b"x" * (60 << 20))
for i in range(20):
    if os.fork() == 0: time.sleep(1); os._exit(0)
for i in range(20): os.wait()
print("fine")`)
		if !r.OK() {
			t.Errorf("%+v %q", r, r.Output)
		}
	})
}

// Promise: sandbox-bounded
func TestFilesOutputAndTimeAreBounded(t *testing.T) {
	limits := Limits{Memory: 1 << 30, Disk: 16 << 20, Processes: 100, Output: 8 << 20}
	t.Run("disk", func(t *testing.T) {
		b := open(t, Spec{Limits: limits})
		if r := run(t, b, "head -c 1000000000 /dev/zero >big"); r.Exit == 0 || !bytes.Contains(r.Output, []byte("No space")) {
			t.Errorf("%+v %q", r, r.Output)
		}
		if r := run(t, b, "rm big && head -c 1000000000 /dev/zero >/dev/shm/big"); r.Exit == 0 {
			t.Error("/dev/shm has no bound")
		}
		if r := run(t, b, "echo more >small && cat small"); string(r.Output) != "more\n" {
			t.Errorf("the box cannot be used on: %+v %q", r, r.Output)
		}
	})
	t.Run("output", func(t *testing.T) {
		b := open(t, Spec{Limits: limits})
		r := run(t, b, "echo first; yes | head -c 1000000000")
		if r.Ending != TooMuchOutput || len(r.Output) > 3*keep || !bytes.HasPrefix(r.Output, []byte("first\n")) {
			t.Errorf("ended %s with %d bytes", r.Ending, len(r.Output))
		}
	})
	t.Run("beginning and end", func(t *testing.T) {
		b := open(t, Spec{})
		r := run(t, b, "echo first; yes | head -c 1000000; echo last")
		if !r.OK() || !bytes.HasPrefix(r.Output, []byte("first\n")) || !bytes.HasSuffix(r.Output, []byte("y\nlast\n")) || len(r.Output) > 3*keep {
			t.Errorf("ended %s with %d bytes", r.Ending, len(r.Output))
		}
	})
	t.Run("time, whatever signals are ignored", func(t *testing.T) {
		b := open(t, Spec{Limits: limits})
		began := time.Now()
		r, err := b.Run(t.Context(), Command{Args: []string{"sh", "-c", "trap '' TERM INT HUP; while :; do sleep 1; done"}, Time: 300 * time.Millisecond})
		if err != nil || r.Ending != OutOfTime || time.Since(began) > 20*time.Second {
			t.Errorf("%v: %+v after %v", err, r, time.Since(began))
		}
	})
	t.Run("the caller", func(t *testing.T) {
		b := open(t, Spec{Limits: limits})
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		if _, err := b.Run(ctx, Command{Args: []string{"sleep", "600"}, Time: time.Minute}); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	})
}

// Promise: sandbox-ends
func TestADaemonDoesNotOutliveItsCommand(t *testing.T) {
	b := open(t, Spec{})
	daemon, holder := unique(), unique()
	r := run(t, b, `setsid sh -c 'trap "" TERM HUP; sleep `+daemon+` & sleep `+daemon+`' >/dev/null 2>&1 & sleep 0.2; echo started`)
	if string(r.Output) != "started\n" {
		t.Fatalf("%+v %q", r, r.Output)
	}
	if r = run(t, b, `grep -al '^sleep' /proc/[0-9]*/cmdline | grep -c .`); strings.TrimSpace(string(r.Output)) != "0" {
		t.Errorf("a daemon lives on into the next command: %q", r.Output)
	}
	// One that holds the output open is no reason to wait either.
	began := time.Now()
	if r = run(t, b, `setsid sleep `+holder+` & echo started`); string(r.Output) != "started\n" || time.Since(began) > 20*time.Second {
		t.Errorf("%+v %q after %v", r, r.Output, time.Since(began))
	}
	b.Close()
	nothingIsLeft(t, "sleep\x00"+daemon)
	nothingIsLeft(t, "sleep\x00"+holder)
}

// What is shown read-only stays as it is, whatever is done to it.
// Promise: sandbox-isolated
func TestACacheCannotBePoisoned(t *testing.T) {
	cache := shown(t)
	if err := os.WriteFile(filepath.Join(cache, "entry"), []byte("good"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Chmod(filepath.Join(cache, "entry"), 0o666), os.Chmod(cache, 0o777)); err != nil {
		t.Fatal(err)
	}
	b := open(t, Spec{Show: []Mount{{From: cache, To: "/cache"}}})
	if r := run(t, b, "cat /cache/entry"); string(r.Output) != "good" {
		t.Fatalf("%+v %q", r, r.Output)
	}
	r := run(t, b, "echo bad >/cache/entry; rm -f /cache/entry; mv /cache/entry /cache/x; echo bad >/cache/new; chmod 777 /cache; true")
	if left, err := os.ReadDir(cache); err != nil || len(left) != 1 {
		t.Errorf("%v: %d entries; %q", err, len(left), r.Output)
	}
	if text, err := os.ReadFile(filepath.Join(cache, "entry")); err != nil || string(text) != "good" {
		t.Errorf("%v: %q", err, text)
	}
}

// shown makes a folder that the user of a box can reach.
func shown(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "svc-sandbox-test-*") //nolint:usetesting // the test's own folder is for its owner alone
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// A process that holds boxes is killed: nothing of them is left.
// Promise: sandbox-ends
func TestBoxesDieWithTheServer(t *testing.T) {
	if os.Getenv("SANDBOX_TEST_HOLD") != "" {
		b := open(t, Spec{})
		fmt.Println("open")
		_, _ = b.Run(t.Context(), Command{Args: []string{"sh", "-c", "setsid sleep 615 & trap '' TERM; sleep 616"}, Time: time.Hour})
		return
	}
	cmd := exec.Command("/proc/self/exe", "-test.run", "^TestBoxesDieWithTheServer$", "-test.v")
	cmd.Env = append(os.Environ(), "SANDBOX_TEST_HOLD=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Wait() }() // killed
	defer func() { _ = cmd.Process.Kill() }()
	said := make([]byte, 1<<10)
	for text := ""; !strings.Contains(text, "open\n"); {
		n, err := out.Read(said)
		if err != nil {
			t.Fatal(err, text)
		}
		text += string(said[:n])
	}
	var inside []int
	for end := time.Now().Add(30 * time.Second); len(inside) < 4 && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		inside = proctree.Descendants(cmd.Process.Pid)
	}
	if len(inside) < 4 {
		t.Fatalf("%d processes run", len(inside))
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		alive := 0
		for _, pid := range inside {
			if stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err == nil && !bytes.Contains(stat, []byte(") Z ")) {
				alive++
			}
		}
		if alive == 0 {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%d processes outlive the server", alive)
		}
	}
}

// Everything again as somebody without rights, when the tests run as root: root
// gives its boxes to another user, others keep theirs.
// Promise: sandbox-users
func TestAsAnOrdinaryUser(t *testing.T) {
	if os.Geteuid() != 0 || os.Getenv("SANDBOX_TEST_HOLD") != "" {
		t.Skip("it is one")
	}
	limit := 10 * time.Minute
	if until, bounded := t.Deadline(); bounded {
		limit = time.Until(until) - 10*time.Second // to tell what was slow
	}
	cmd := exec.CommandContext(t.Context(), "/proc/self/exe", "-test.v", "-test.skip", "^TestAsAnOrdinaryUser$", "-test.timeout", limit.String())
	cmd.Dir = "/"
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=/nonexistent", "TMPDIR=/tmp"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	text, err := cmd.CombinedOutput()
	if err != nil || bytes.Contains(text, []byte("--- SKIP")) || !bytes.Contains(text, []byte("--- PASS: TestAForkBombIsBounded")) {
		t.Errorf("%v\n%s", err, text)
	}
}
