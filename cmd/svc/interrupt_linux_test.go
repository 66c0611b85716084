package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
)

const (
	// patience is how long a test waits for what a slow machine may be long about.
	patience = time.Minute
	// atOnce is how long it waits for what follows Ctrl-C.
	atOnce = 10 * time.Second
)

// session is svc on a terminal of its own, as a shell starts it.
type session struct {
	t      *testing.T
	cmd    *exec.Cmd
	screen *os.File
	// terminal is open as long as the test is, so that nothing is lost at the end.
	terminal *os.File
	// due is when what follows Ctrl-C has to be there; zero where it was not pressed.
	due time.Time

	mu   sync.Mutex
	text bytes.Buffer
	more chan struct{} // something was shown
}

// startSession starts svc on a terminal. An input in place of the terminal's may be given.
func startSession(t *testing.T, env map[string]string, columns uint16, input *os.File, args ...string) *session {
	t.Helper()
	screen, terminal := openPlainTerminal(t, columns)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := &session{t: t, screen: screen, terminal: terminal, cmd: exec.CommandContext(t.Context(), self, args...), more: make(chan struct{}, 1)}
	s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr = terminal, terminal, terminal
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 1}
	if input != nil {
		s.cmd.Stdin = input
	}
	s.cmd.Env = []string{asProgram + "=1", "PATH=" + os.Getenv("PATH"), "TMPDIR=" + t.TempDir()}
	for name, value := range env {
		s.cmd.Env = append(s.cmd.Env, name+"="+value)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = errors.Join(terminal.Close(), screen.Close()) })
	go s.watch()
	return s
}

func (s *session) watch() {
	piece := make([]byte, 4096)
	for {
		n, err := s.screen.Read(piece)
		s.mu.Lock()
		s.text.Write(piece[:n])
		s.mu.Unlock()
		select {
		case s.more <- struct{}{}:
		default:
		}
		if err != nil { // the test has ended
			return
		}
	}
}

// shown is what the screen has shown so far, with the line ends of a file.
func (s *session) shown() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.ReplaceAll(s.text.String(), "\r\n", "\n")
}

// late tells when something should have come.
func (s *session) late() <-chan time.Time {
	if s.due.IsZero() {
		return time.After(patience)
	}
	return time.After(time.Until(s.due))
}

// expect waits until the screen shows a text.
func (s *session) expect(text string) {
	s.t.Helper()
	late := s.late()
	for !strings.Contains(s.shown(), text) {
		select {
		case <-s.more:
		case <-late:
			s.t.Fatalf("%q was not shown:\n%s", text, s.shown())
		}
	}
}

func (s *session) press(keys string) {
	s.t.Helper()
	if _, err := io.WriteString(s.screen, keys); err != nil {
		s.t.Fatal(err)
	}
}

// interrupt presses Ctrl-C.
func (s *session) interrupt() {
	s.t.Helper()
	s.due = time.Now().Add(atOnce)
	s.press("\x03")
}

// ends waits for the end of the program and gives its exit code.
func (s *session) ends() int {
	s.t.Helper()
	ended := make(chan error, 1)
	go func() { ended <- s.cmd.Wait() }()
	select {
	case err := <-ended:
		if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
			s.t.Fatal(err)
		}
	case <-s.late():
		s.t.Fatalf("it did not end:\n%s", s.shown())
	}
	s.due = time.Time{}
	const over = "\x04over"
	if _, err := io.WriteString(s.terminal, over); err != nil {
		s.t.Fatal(err)
	}
	s.expect(over)
	return s.cmd.ProcessState.ExitCode()
}

// homeArchive is a bundle that changes a file in the home folder.
func homeArchive(t *testing.T) []byte {
	t.Helper()
	state := bundlezip.State{ProjectID: hostileProject}
	state.Put(bundlezip.StateFile{
		Path: ".config/tool.json", Base: bundlezip.Home, DestinationType: bundlezip.GlobalConfig, MergeStrategy: bundlezip.CreateOnly, Content: bundlezip.Bytes([]byte("{}\n")),
	})
	var zip bytes.Buffer
	if _, err := bundlezip.Write(&zip, state); err != nil {
		t.Fatal(err)
	}
	return zip.Bytes()
}

// TestCtrlCEndsEveryQuestion: whatever is asked on a terminal, Ctrl-C ends the program
// at once with 130, and nothing is done.
// Promise: client-interrupt
func TestCtrlCEndsEveryQuestion(t *testing.T) {
	server := newHostileServer(t)
	ca := writeCA(t, server.Server)
	download := "/bundles/" + hostileBundle + "/download"
	for _, tt := range []struct {
		name    string
		args    []string
		answers map[string]answer
		pulled  bool   // in a folder with edits of what was pulled
		asks    string // what is shown when Ctrl-C is pressed
		then    string // what is shown when it is pressed again
		empty   bool   // no credentials are known
	}{
		{
			name: "pull with a home file", args: []string{"pull", hostileBundle}, asks: "Go on? [y/N]",
			answers: map[string]answer{download: {200, map[string]string{"ETag": `"x"`}, homeArchive(t)}},
		},
		{name: "auth with a key from the terminal", args: []string{"auth", "--api-key", "-", "--api-url", server.URL}, asks: "API key"},
		{name: "login asks for the address", args: []string{"login"}, asks: "Address of the service", empty: true},
		{name: "login asks for the key", args: []string{"login", "--api-url", server.URL}, asks: "API key", empty: true},
		{name: "generate with a prompt from the terminal", args: []string{"generate", "-"}, asks: "Type the prompt"},
		{name: "generate asks about edits", args: []string{"generate", "more"}, pulled: true, asks: "Send them along"},
		{name: "rollback without an id", args: []string{"rollback"}, pulled: true, asks: "Take back the pull of bundle " + hostileBundle},
		{
			name: "watch waits", args: []string{"pull", hostileBundle}, asks: "Trying again in",
			answers: map[string]answer{download: {429, map[string]string{"Retry-After": "60"}, document(errorJSON)}},
		},
		{
			name: "generate, and what becomes of the run", args: []string{"generate", "more"}, asks: "To watch it from elsewhere", then: "Cancel it? [y/N]",
			answers: map[string]answer{"/generations": {202, nil, document(queuedJSON)}, "/generations/" + hostileRun + "/stream": {hangs, nil, nil}},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			settle(t)
			env := hostileEnv(t, server.URL, ca)
			if tt.pulled {
				edit(t, server, env)
			}
			if tt.empty {
				delete(env, "SVC_TOKEN")
				delete(env, "SVC_API_URL")
			}
			server.say(tt.answers)
			before := folders(t, env["HOME"], ".")
			s := startSession(t, env, 100, nil, tt.args...)
			s.expect(tt.asks)
			s.interrupt()
			if tt.then != "" {
				s.expect(tt.then)
				s.interrupt()
			}
			if code := s.ends(); code != exitInterrupted || !strings.Contains(s.shown(), "svc: interrupted") {
				t.Errorf("exit %d:\n%s", code, s.shown())
			}
			if state, err := unix.IoctlGetTermios(int(s.terminal.Fd()), unix.TCGETS); err != nil || state.Lflag&unix.ECHO == 0 {
				t.Errorf("the terminal does not show any more what is typed: %v", err)
			}
			if after := folders(t, env["HOME"], "."); after != before {
				t.Errorf("before:\n%s\nafter:\n%s", before, after)
			}
			server.CloseClientConnections()
		})
	}
}

// TestLoginDoesNotShowTheKey: it is typed, and nothing of it is on the screen.
// Promise: login-command
func TestLoginDoesNotShowTheKey(t *testing.T) {
	settle(t)
	env := hostileEnv(t, "", "")
	key := env["SVC_TOKEN"]
	delete(env, "SVC_TOKEN")
	s := startSession(t, env, 100, nil, "login")
	s.expect("Address of the service")
	s.press("https://svc.example.com\n")
	s.expect("API key")
	s.press(key + "\n")
	if code := s.ends(); code != exitOK || strings.Contains(s.shown(), key) || !strings.Contains(s.shown(), "Stored key svc_abcdefgh_…") {
		t.Errorf("exit %d:\n%s", code, s.shown())
	}
}

// TestCtrlCEndsEveryReadOfAPipe: a pipe that gives nothing more is waited for no longer.
// Promise: client-interrupt
func TestCtrlCEndsEveryReadOfAPipe(t *testing.T) {
	for _, args := range [][]string{
		{"auth", "--api-key", "-", "--api-url", "https://svc.example.com"},
		{"login", "--api-key", "-", "--api-url", "https://svc.example.com"},
		{"generate", "-"},
	} {
		t.Run(strings.Join(args[:2], " "), func(t *testing.T) {
			settle(t)
			in, out, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer out.Close()
			if _, err := out.WriteString("half of it"); err != nil {
				t.Fatal(err)
			}
			s := startSession(t, hostileEnv(t, "https://127.0.0.1:1", ""), 100, in, args...)
			for late := time.Now().Add(patience); ; time.Sleep(time.Millisecond) { // nothing else tells that it has been read
				if waiting, err := unix.IoctlGetInt(int(in.Fd()), unix.TIOCINQ); err != nil || waiting == 0 {
					break
				}
				if time.Now().After(late) {
					t.Fatal("nothing was read")
				}
			}
			s.interrupt()
			if code := s.ends(); code != exitInterrupted {
				t.Errorf("exit %d:\n%s", code, s.shown())
			}
			if err := in.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// folders gives the names and contents in folders.
func folders(t *testing.T, dirs ...string) string {
	t.Helper()
	var out strings.Builder
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(name string, e os.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				out.WriteString(name + "/\n")
				return err
			}
			content, err := os.ReadFile(name)
			out.WriteString(name + ": " + string(content) + "\n")
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return out.String()
}
