//go:build amd64 || arm64

package sandbox

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Promise: sandbox-exec
func TestTheWiderSandboxHidesTheDataAndTheProcesses(t *testing.T) {
	if os.Geteuid() == 0 {
		if _, err := NewWide(t.Context()); err == nil {
			t.Error("root has a wider sandbox, in which it would be root")
		}
		t.Skip("the rest is for ordinary users; TestAsAnOrdinaryUser runs it")
	}
	t.Run("without bubblewrap", func(t *testing.T) {
		t.Setenv("PATH", t.TempDir())
		if _, err := NewWide(t.Context()); err == nil || !strings.Contains(err.Error(), "not installed") {
			t.Errorf("it says %v", err)
		}
	})
	t.Setenv("SVCD_SECRET", "do-not-show")
	data := t.TempDir()
	if err := os.WriteFile(filepath.Join(data, "svcd.db"), []byte("records"), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(data, "scratch")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	w, err := NewWide(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	script := fmt.Sprintf(`
cat %[1]s/svcd.db && echo "the data is seen"
cat /proc/%[2]d/environ /proc/[0-9]*/environ | tr '\0' '\n' | grep -q do-not-show && echo "a variable is seen"
echo x >/usr/x && echo "the root is written to"
echo x >"$HOME/x" && echo "the home is written to"
echo made >made && echo x >/tmp/svc-wide-test-file && pwd
/usr/bin/python3 -c "import socket; socket.create_connection(('127.0.0.1', %[3]s)); print('the network is there')"
`, data, os.Getpid(), port)
	words := append(w.Around(dir, "/bin/sh"), "/bin/sh", "-c", script)
	cmd := exec.CommandContext(t.Context(), words[0], words[1:]...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME")}
	out, err := cmd.Output()
	if want := dir + "\nthe network is there\n"; err != nil || string(out) != want {
		t.Errorf("%v: %q, want %q", err, out, want)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "made")); err != nil || strings.TrimSpace(string(text)) != "made" {
		t.Errorf("%v: %q", err, text)
	}
	if _, err := os.Stat("/tmp/svc-wide-test-file"); err == nil {
		t.Error("/tmp is the host's")
	}
}
