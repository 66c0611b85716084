//go:build linux && (amd64 || arm64)

package sandbox

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bundle-delivery/svc/internal/testkit/needs"
)

func TestMain(m *testing.M) {
	if code, asked := Inside(os.Args); asked {
		os.Exit(code)
	}
	if os.Getenv(asOutlet) != "" {
		holdOutlet()
	}
	os.Exit(m.Run())
}

func open(t *testing.T, spec Spec) *Box {
	t.Helper()
	s, err := New(Config{})
	if err != nil {
		needs.Missing(t, "%v: install bubblewrap", err)
	}
	if spec.Limits == (Limits{}) {
		spec.Limits = DefaultLimits()
	}
	b, err := s.Open(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return b
}

func run(t *testing.T, b *Box, script string) Result {
	t.Helper()
	r, err := b.Run(t.Context(), Command{Args: []string{"sh", "-c", script}, Time: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func archive(t *testing.T, files map[string]string) *bytes.Buffer {
	t.Helper()
	var buf bytes.Buffer
	w := tar.NewWriter(&buf)
	for name, content := range files {
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(content))}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return &buf
}

func TestACommandRunsOnTheFilesAndTellsHowItEnded(t *testing.T) {
	b := open(t, Spec{})
	files := archive(t, map[string]string{"a.txt": "hello", "sub/b.txt": "world"})
	if err := b.Unpack(t.Context(), Source, files, int64(files.Len())); err != nil {
		t.Fatal(err)
	}
	r := run(t, b, `cat a.txt; echo " said" >&2; pwd; exit 7`)
	if want := "hello said\n/work/src\n"; r.Ending != Exited || r.Exit != 7 || string(r.Output) != want {
		t.Errorf("%+v, output %q, want %q", r, r.Output, want)
	}
	if r = run(t, b, `cat sub/b.txt; echo kept >made`); string(r.Output) != "world" || !r.OK() {
		t.Errorf("%+v, output %q", r, r.Output)
	}
	if r = run(t, b, `cat made`); string(r.Output) != "kept\n" {
		t.Errorf("what a command made is gone for the next: %q", r.Output)
	}
	if r = run(t, b, `kill -TERM $$`); r.Exit != 128+15 {
		t.Errorf("killed by SIGTERM, and the exit is %d", r.Exit)
	}
}

func TestWordsArriveAsTheyAre(t *testing.T) {
	b := open(t, Spec{Env: []string{"A=it's\n\"$x\""}})
	odd := "a'b\"c$d\\e\nf `g`"
	r, err := b.Run(t.Context(), Command{
		Args: []string{"sh", "-c", `printf '%s|%s|' "$1" "$A"; cat`, "sh", odd}, Time: time.Minute,
	})
	if want := odd + "|it's\n\"$x\"|"; err != nil || string(r.Output) != want {
		t.Errorf("%v: %q, want %q", err, r.Output, want)
	}
	r = run(t, b, `env -u A -u PWD -u OLDPWD -u _ -u SHLVL env | cut -d= -f1 | sort | tr '\n' ' '`)
	if want := "HOME LANG PATH TMPDIR "; string(r.Output) != want {
		t.Errorf("the variables are %q, want %q", r.Output, want)
	}
}

// A folder that is hidden is not seen, wherever it lies in what is shown.
// Promise: sandbox-isolated
func TestHiddenFoldersAreNotSeen(t *testing.T) {
	all := shown(t)
	data := filepath.Join(all, "data")
	for name, content := range map[string]string{filepath.Join(data, "svcd.db"): "records", filepath.Join(all, "tool"): "fine"} {
		if err := errors.Join(os.MkdirAll(data, 0o755), os.WriteFile(name, []byte(content), 0o644), os.Chmod(all, 0o755)); err != nil {
			t.Fatal(err)
		}
	}
	s, err := New(Config{Hidden: []string{data, filepath.Join(all, "gone"), "/usr/share"}})
	if err != nil {
		needs.Missing(t, "%v: install bubblewrap", err)
	}
	b, err := s.Open(t.Context(), Spec{Limits: DefaultLimits(), Show: []Mount{{From: all, To: all}, {From: all, To: "/elsewhere"}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	r := run(t, b, "cat "+all+"/tool /elsewhere/tool; ls "+data+" /elsewhere/data /usr/share; echo x >"+data+"/x")
	if text := string(r.Output); !strings.HasPrefix(text, "finefine/elsewhere/data:\n\n"+data+":\n\n/usr/share:\n") || strings.Contains(text, "svcd.db") || r.OK() || strings.Contains(text, "doc") {
		t.Errorf("%+v %q", r, text)
	}
}

// Promise: sandbox-own
func TestProbe(t *testing.T) {
	s, err := New(Config{})
	if err != nil {
		needs.Missing(t, "%v: install bubblewrap", err)
	}
	if err := s.Probe(t.Context()); err != nil {
		t.Error(err)
	}
}

// A sandbox of the operator's: anything that starts a shell with three pipes.
// Promise: sandbox-own
func TestACommandOfTheOperatorsIsASandboxToo(t *testing.T) {
	args := []string{"bwrap", "--unshare-all", "--die-with-parent", "--ro-bind", "/usr", "/usr", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/work"}
	for _, name := range []string{"bin", "lib", "lib64"} {
		args = append(args, "--symlink", "usr/"+name, "/"+name)
	}
	s, err := New(Config{Command: args})
	if err != nil {
		needs.Missing(t, "%v: install bubblewrap", err)
	}
	if err := s.Probe(t.Context()); err != nil {
		t.Fatal(err)
	}
	b, err := s.Open(t.Context(), Spec{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	if r := run(t, b, "pwd; exit 3"); string(r.Output) != Source+"\n" || r.Exit != 3 {
		t.Errorf("%+v %q", r, r.Output)
	}
	b.Close()
	// Its image knows where programs lie, and what ends the command that started it
	// may not end what it started: the command ends by itself.
	escaped := append([]string{"setsid", "--wait"}, slices.DeleteFunc(args, func(word string) bool { return word == "--die-with-parent" })...)
	if s, err = New(Config{Command: append(escaped, "--setenv", "PATH", "/image/bin:/usr/bin:/bin")}); err != nil {
		t.Fatal(err)
	}
	if b, err = s.Open(t.Context(), Spec{Path: []string{"/tools/bin"}}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	if r := run(t, b, "echo $PATH"); string(r.Output) != "/tools/bin:/image/bin:/usr/bin:/bin\n" {
		t.Errorf("%+v %q", r, r.Output)
	}
	long := unique()
	r, err := b.Run(t.Context(), Command{Args: []string{"sleep", long}, Time: 300 * time.Millisecond})
	if err != nil || r.Ending != OutOfTime || r.Elapsed >= dieTime {
		t.Errorf("%v: %+v", err, r)
	}
	b.Close()
	nothingIsLeft(t, "sleep\x00"+long)
	if s, err = New(Config{Command: []string{"false"}}); err == nil {
		err = s.Probe(t.Context())
	}
	if err == nil {
		t.Error("what starts no shell passes for a sandbox")
	}
}

// Why a box cannot be filled is told as it is: a run that was stopped has not failed.
func TestABoxThatIsStoppedWhileItIsFilledSaysSo(t *testing.T) {
	b := open(t, Spec{})
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := b.Unpack(ctx, Source, strings.NewReader(""), 0); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
	if err := b.Unpack(t.Context(), Source, strings.NewReader(""), 0); !errors.Is(err, ErrGone) {
		t.Errorf("after that: %v", err)
	}
}

// pair gives the two ends of a connection.
func pair(t *testing.T) (one, other net.Conn) {
	t.Helper()
	l, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	if one, err = net.Dial("unix", l.Addr().String()); err != nil {
		t.Fatal(err)
	}
	if other, err = l.Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = errors.Join(one.Close(), other.Close()) })
	return one, other
}

// Whoever has said all still hears the answer.
func TestTheEndOfOneHalfIsPassedOn(t *testing.T) {
	client, in := pair(t)
	out, server := pair(t)
	if _, err := client.Write([]byte("all of it")); err != nil {
		t.Fatal(err)
	}
	if err := client.Close(); err != nil {
		t.Fatal(err)
	}
	copyHalf(out, in)
	if err := server.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(server); err != nil || string(got) != "all of it" {
		t.Errorf("heard %q, %v", got, err)
	}
	if _, err := server.Write([]byte("an answer")); err != nil {
		t.Errorf("the other half is closed as well: %v", err)
	}
}
