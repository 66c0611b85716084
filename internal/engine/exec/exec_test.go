//go:build unix

package exec

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/bundle-delivery/svc/internal/engine"
)

func TestMain(m *testing.M) {
	if code, asked := Supervise(os.Args); asked {
		syscall.Exit(code) // os.Exit waits a second for the race detector
	}
	goleak.VerifyTestMain(m)
}

// shell makes an engine of a shell script.
func shell(t *testing.T, script string, change ...func(*Config)) *Engine {
	t.Helper()
	c := Config{Command: []string{"sh", "-c", script}, TempDir: t.TempDir(), Supervised: true}
	for _, f := range change {
		f(&c)
	}
	e, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		left, err := os.ReadDir(c.TempDir)
		if err != nil || len(left) != 0 {
			t.Errorf("%d folders are left behind (%v)", len(left), err)
		}
	})
	return e
}

func heard(ctx context.Context, e *Engine, req engine.Request) (outs []engine.Output, err error) {
	err = e.Generate(ctx, req, func(o engine.Output) error {
		outs = append(outs, o)
		return nil
	})
	return outs, err
}

func TestEveryKindOfLine(t *testing.T) {
	e := shell(t, `cat >/dev/null; cat <<'END'
{"type":"tool_status","action":"generate_file","file":"a.txt"}
{"type":"state_update","key":"language","value":"go","reason":"asked"}
{"type":"memory_update","content":"m"}

{"type":"token","file":"a.txt","delta":"x","later":true}
{"type":"file","path":"a.txt"}
{"type":"file","path":"b.txt","content":"","destination_type":"global_config","merge_strategy":"env_merge","base":"home","mode":"0755"}
{"type":"delete","path":"c.txt"}
{"type":"port","name":"web","port":3000,"uses":[{"path":".env","template":"PORT={port}"}]}
END
printf '{"type":"usage","model":"m","input_tokens":1,"output_tokens":2,"cost_usd":0.5}'`)
	got, err := heard(t.Context(), e, engine.Request{})
	if err != nil {
		t.Fatal(err)
	}
	want := []engine.Output{
		engine.ToolStatus{Action: "generate_file", File: "a.txt"},
		engine.StateUpdate{Key: "language", Value: "go", Reason: "asked"},
		engine.MemoryUpdate{Content: "m"},
		engine.Token{File: "a.txt", Delta: "x"},
		engine.File{Path: "a.txt"},
		engine.File{Path: "b.txt", Content: []byte{}, Place: engine.Placement{DestinationType: "global_config", MergeStrategy: "env_merge", Base: "home", Mode: "0755"}},
		engine.Delete{Path: "c.txt"},
		engine.Port{Name: "web", Port: 3000, Uses: []engine.PortUse{{Path: ".env", Template: "PORT={port}"}}},
		engine.Usage{Model: "m", InputTokens: 1, OutputTokens: 2, CostUSD: 0.5},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Promise: exec-bounded
func TestWhatEndsARun(t *testing.T) {
	for name, test := range map[string]struct {
		script string
		change func(*Config)
		code   string
		says   string
	}{
		"no JSON":            {script: `echo hello`, code: engine.CodeInternal, says: "cannot be understood"},
		"unknown type":       {script: `echo '{"type":"song"}'`, code: engine.CodeInternal, says: "cannot be understood"},
		"missing field":      {script: `echo '{"type":"token","file":"a"}'`, code: engine.CodeInternal, says: "cannot be understood"},
		"wrong kind":         {script: `echo '{"type":"token","file":"a","delta":3}'`, code: engine.CodeInternal, says: "cannot be understood"},
		"port out of range":  {script: `echo '{"type":"port","name":"a","port":70000}'`, code: engine.CodeInternal, says: "cannot be understood"},
		"not UTF-8":          {script: `printf '{"type":"token","file":"a","delta":"\377"}\n'`, code: engine.CodeInternal, says: "cannot be understood"},
		"half a character":   {script: `printf '%s\n' '{"type":"token","file":"a","delta":"x\ud83dy"}'`, code: engine.CodeInternal, says: "cannot be understood"},
		"exit status":        {script: `exit 3`, code: engine.CodeInternal, says: "exit status 3"},
		"killed":             {script: `kill -9 $$`, code: engine.CodeInternal, says: "killed"},
		"its own error":      {script: `echo '{"type":"error","code":"CONSTRAINT_UNRESOLVABLE","message":"no cobol"}'; sleep 60`, code: engine.CodeConstraintUnresolvable, says: "no cobol"},
		"an outage":          {script: `echo '{"type":"error","code":"UPSTREAM_OUTAGE","message":"down"}'`, code: engine.CodeUpstreamOutage, says: "down"},
		"an unknown error":   {script: `echo '{"type":"error","code":"CANCELLED"}'`, code: engine.CodeInternal, says: "without saying why"},
		"silence":            {script: `sleep 60`, change: func(c *Config) { c.IdleTimeout = 20 * time.Millisecond }, code: engine.CodeInternal, says: "said nothing"},
		"no end":             {script: `exec >&-; sleep 600`, change: func(c *Config) { c.ExitTimeout = 20 * time.Millisecond }, code: engine.CodeInternal, says: "did not end"},
		"endless output":     {script: `yes '{"type":"usage"}'`, change: func(c *Config) { c.MaxOutput = 100_000 }, code: engine.CodeInternal, says: "more than 100000 bytes"},
		"a line without end": {script: `yes | tr -d '\n'`, code: engine.CodeInternal, says: "a line of more than"},
	} {
		t.Run(name, func(t *testing.T) {
			change := test.change
			if change == nil {
				change = func(*Config) {}
			}
			_, err := heard(t.Context(), shell(t, test.script, change), engine.Request{})
			e, ok := errors.AsType[*engine.Error](err)
			if !ok || e.Code != test.code || !strings.Contains(e.Message, test.says) {
				t.Errorf("ended with %v, want %s: …%s…", err, test.code, test.says)
			}
		})
	}
}

func TestLongLinesPass(t *testing.T) {
	e := shell(t, `printf '{"type":"token","file":"a","delta":"'; yes | tr -d '\n' | head -c 16000000; printf '"}\n'`)
	got, err := heard(t.Context(), e, engine.Request{})
	if err != nil {
		t.Fatal(err)
	}
	want := engine.Token{File: "a", Delta: strings.Repeat("y", 16_000_000)}
	if len(got) != 1 || got[0] != engine.Output(want) {
		t.Errorf("heard %d outputs", len(got))
	}
}

func TestRequestAsTheProgramSeesIt(t *testing.T) {
	files := map[string]string{"a.txt": "one\n", "b.bin": "\xff\xfe", "c.txt": "<&>"}
	req := engine.Request{
		ProjectID: "proj_1", Prompt: "do it", Attempt: 2, Findings: []string{"wrong"},
		Constraints: map[string]string{"language": "go"},
		Project: engine.Project{
			Files: []engine.FileInfo{{Path: "a.txt"}, {Path: "b.bin"}, {Path: "c.txt"}},
			State: map[string]string{"k": "v"}, Memory: "m",
			Open: func(path string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(files[path])), nil },
		},
	}
	for name, test := range map[string]struct {
		req  engine.Request
		want string
	}{
		"full": {req, `{"prompt":"do it","constraints":{"language":"go"},"projectId":"proj_1","state":{"k":"v"},"memory":"m","attempt":2,"findings":["wrong"],
			"files":[{"path":"a.txt","content":"one\n"},{"path":"b.bin"},{"path":"c.txt","content":"<&>"}]}`},
		"empty": {engine.Request{}, `{"prompt":"","constraints":{},"projectId":"","state":{},"memory":"","attempt":0,"findings":[],"files":[]}`},
	} {
		t.Run(name, func(t *testing.T) {
			seen := filepath.Join(t.TempDir(), "seen")
			if _, err := heard(t.Context(), shell(t, `cat >"$0"`, func(c *Config) { c.Command = append(c.Command, seen) }), test.req); err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(seen)
			if err != nil {
				t.Fatal(err)
			}
			var got, want any
			if err := errors.Join(json.Unmarshal(text, &got), json.Unmarshal([]byte(test.want), &want)); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestProgramThatReadsNothingIsNotHeldUp(t *testing.T) {
	big := strings.Repeat("x", 1<<20)
	req := engine.Request{Project: engine.Project{
		Files: []engine.FileInfo{{Path: "a"}, {Path: "b"}},
		Open:  func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(big)), nil },
	}}
	if _, err := heard(t.Context(), shell(t, `echo '{"type":"usage"}'`), req); err != nil {
		t.Error(err)
	}
}

func TestEnvironmentIsPathAlone(t *testing.T) {
	t.Setenv("SVCD_SECRET", "hidden")
	// The shell adds a few variables of its own; env shows what it was given.
	e, err := New(Config{Command: []string{"env"}})
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	e.config.Log = slog.New(slog.NewTextHandler(&log, nil))
	_, err = heard(t.Context(), e, engine.Request{})
	if err == nil || !strings.Contains(err.Error(), "PATH=") {
		t.Errorf("the first line of env is not PATH: %v", err)
	}
	e = shell(t, `test -z "$SVCD_SECRET" && test -z "$HOME" && test "$(ls -A)" = ""`)
	if _, err := heard(t.Context(), e, engine.Request{}); err != nil {
		t.Errorf("the program sees more than PATH, or no empty folder: %v", err)
	}
}

func TestStandardErrorGoesToTheLogWithinBounds(t *testing.T) {
	var mu sync.Mutex
	var log bytes.Buffer
	e := shell(t, `echo oops >&2; yes complaint | head -c 2000000 >&2; printf 'last' >&2`, func(c *Config) {
		c.Log = slog.New(slog.NewTextHandler(&locked{mu: &mu, w: &log}, nil))
	})
	if _, err := heard(t.Context(), e, engine.Request{GenerationID: "gen_1"}); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	if !strings.Contains(log.String(), "stderr=oops") || !strings.Contains(log.String(), "run=gen_1") {
		t.Error("the log lacks what the program complained about")
	}
	if n := strings.Count(log.String(), "complaint"); n > maxStderr/len("complaint")+2 {
		t.Errorf("%d complaints are logged", n)
	}
}

// An engine that was given half of a project may make anything of it: the log says why.
func TestARequestThatIsNotWholeIsLogged(t *testing.T) {
	var mu sync.Mutex
	var log bytes.Buffer
	e := shell(t, `cat >/dev/null`, func(c *Config) {
		c.Log = slog.New(slog.NewTextHandler(&locked{mu: &mu, w: &log}, nil))
	})
	_, _ = heard(t.Context(), e, engine.Request{Project: engine.Project{
		Files: []engine.FileInfo{{Path: "a.txt", Size: 1}},
		Open:  func(string) (io.ReadCloser, error) { return nil, errors.New("disk on fire") },
	}}) // however it ends
	mu.Lock()
	defer mu.Unlock()
	if !strings.Contains(log.String(), "not given its whole request") || !strings.Contains(log.String(), "disk on fire") {
		t.Errorf("the log says %q", log.String())
	}
}

// A key that stands where a long line is cut is in the log neither whole nor in
// parts: what hides keys there sees a line at a time.
func TestLongComplaintsAreCutBeforeAWord(t *testing.T) {
	for _, at := range []int{maxStderrLine - 10, 4<<10 - 10, 8<<10 - 10} {
		var mu sync.Mutex
		var log bytes.Buffer
		e := shell(t, `printf '%0'"$0"'d secret_0123456789abcdef and on\nnext\n' 0 >&2`, func(c *Config) {
			c.Command = append(c.Command, strconv.Itoa(at))
			c.Log = slog.New(slog.NewTextHandler(&locked{mu: &mu, w: &log}, nil))
		})
		if _, err := heard(t.Context(), e, engine.Request{}); err != nil {
			t.Fatal(err)
		}
		mu.Lock()
		if s := log.String(); strings.Contains(s, "secret") || strings.Contains(s, "abcdef") || strings.Contains(s, "and on") || !strings.Contains(s, "stderr=next") {
			t.Errorf("a key at %d: the log says %.200q", at, s)
		}
		mu.Unlock()
	}
}

type locked struct {
	mu *sync.Mutex
	w  io.Writer
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}

// alive says whether a process exists and is no zombie.
func alive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err == nil {
		_, rest, _ := strings.Cut(string(stat), ") ")
		return !strings.HasPrefix(rest, "Z")
	}
	return syscall.Kill(pid, 0) == nil && !os.IsNotExist(err)
}

// waitGone waits for processes to end.
func waitGone(t *testing.T, pids ...int) {
	t.Helper()
	for _, pid := range pids {
		for alive(pid) {
			select {
			case <-t.Context().Done():
				t.Fatalf("process %d is still there", pid)
			case <-time.After(time.Millisecond):
			}
		}
	}
}

// Programs that start others and tell the numbers of all: one that stays in its
// group, and one whose processes leave group and session, the one as a child and
// the other as an orphan from the start.
const (
	family = `sleep 600 & echo '{"type":"memory_update","content":"'$$ $!'"}'; `
	hiding = `
hide='echo $$; exec sleep 600 </dev/null >/dev/null 2>&1'
child=$(setsid sh -c "$hide" &)
orphan=$(setsid sh -c "setsid sh -c '$hide' & exit 0")
echo '{"type":"memory_update","content":"'$$ $child $orphan'"}'
`
)

// spoken is the text of a memory update.
func spoken(o engine.Output) string {
	m, _ := o.(engine.MemoryUpdate)
	return m.Content
}

func pids(t *testing.T, o engine.Output) []int {
	t.Helper()
	var found []int
	for field := range strings.FieldsSeq(spoken(o)) {
		pid, err := strconv.Atoi(field)
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, pid)
	}
	return found
}

// Promise: exec-bounded
func TestAllProcessesEndWithTheRun(t *testing.T) {
	stopped := errors.New("enough")
	for name, test := range map[string]struct {
		script string
		emit   func(cancel func()) error
		want   error
	}{
		"cancelled":          {family + `wait`, func(cancel func()) error { cancel(); return nil }, context.Canceled},
		"emit refuses":       {family + `wait`, func(func()) error { return stopped }, stopped},
		"ends and leaves":    {family + `exit 0`, func(func()) error { return nil }, nil},
		"leaves in the back": {`(` + family + `sleep 600) & exit 0`, func(func()) error { return nil }, nil},
	} {
		for _, supervised := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, supervised %v", name, supervised), func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				var started []int
				e := shell(t, test.script, func(c *Config) { c.Supervised = supervised })
				err := e.Generate(ctx, engine.Request{}, func(o engine.Output) error {
					started = pids(t, o)
					return test.emit(cancel)
				})
				if !errors.Is(err, test.want) {
					t.Errorf("ended with %v, want %v", err, test.want)
				}
				waitGone(t, started...)
			})
		}
	}
}

// A program that has closed its output is stopped as any other.
// Promise: exec-bounded
func TestProgramThatHasSpokenCanBeStopped(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var started []int
	e := shell(t, family+`exec >&-; echo closed >&2; wait`, func(c *Config) {
		c.ExitTimeout = time.Hour
		c.Log = slog.New(slog.NewTextHandler(writerFunc(func(p []byte) (int, error) {
			if bytes.Contains(p, []byte("closed")) {
				cancel()
			}
			return len(p), nil
		}), nil))
	})
	err := e.Generate(ctx, engine.Request{}, func(o engine.Output) error {
		started = pids(t, o)
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
	waitGone(t, started...)
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// TestHelperServer is no test: it is the server that killServer kills.
func TestHelperServer(t *testing.T) {
	if len(os.Args) < 2 || os.Args[len(os.Args)-2] != "be-the-server" {
		t.Skip("only for tests that kill a server")
	}
	scripts := map[string]string{"supervised": family + `wait`, "in a group": family + `wait`, "hiding": hiding + `wait; sleep 600`}
	how := os.Args[len(os.Args)-1]
	e := shell(t, scripts[how], func(c *Config) { c.Supervised = how != "in a group" })
	_ = e.Generate(t.Context(), engine.Request{}, func(o engine.Output) error {
		_, err := fmt.Println("PIDS", spoken(o))
		return err
	})
}

// Promise: exec-bounded
func TestProcessesEndWithAServerThatIsKilled(t *testing.T) {
	for _, how := range []string{"supervised", "in a group"} {
		t.Run(how, func(t *testing.T) { killServer(t, how, 2) })
	}
}

// killServer starts a server whose program starts so many processes, kills it
// and waits for them to end.
func killServer(t *testing.T, how string, processes int) {
	t.Helper()
	cmd, out := serverProcess(t, how)
	var family []int
	for lines := bufio.NewScanner(out); lines.Scan(); {
		list, found := strings.CutPrefix(lines.Text(), "PIDS ")
		if !found {
			continue
		}
		for field := range strings.FieldsSeq(list) {
			if pid, err := strconv.Atoi(field); err == nil {
				family = append(family, pid)
			}
		}
		break
	}
	if len(family) != processes {
		t.Fatalf("the server started %v", family)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // killed
	waitGone(t, family...)
}

func TestSplit(t *testing.T) {
	for command, want := range map[string][]string{
		"":                         nil,
		"  a  b\tc\n":              {"a", "b", "c"},
		`a 'b c' "d e"`:            {"a", "b c", "d e"},
		`a\ b c`:                   {"a b", "c"},
		`'a'"b"c`:                  {"abc"},
		`a '' ""`:                  {"a", "", ""},
		`"a\"b" "c\\d" "e\f"`:      {`a"b`, `c\d`, `e\f`},
		`'a\b'`:                    {`a\b`},
		`echo $HOME * ; rm`:        {"echo", "$HOME", "*", ";", "rm"},
		"a \"b\\\nc\"":             {"a", "bc"},
		`python3 -c 'print("hé")'`: {"python3", "-c", `print("hé")`},
	} {
		got, err := Split(command)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%q (%v) (-want +got):\n%s", command, err, diff)
		}
	}
	for _, command := range []string{`a 'b`, `a "b`, `a \`} {
		if got, err := Split(command); err == nil {
			t.Errorf("%q is split into %q", command, got)
		}
	}
}

func TestNewNeedsAProgram(t *testing.T) {
	for _, command := range [][]string{nil, {"no-such-program-anywhere"}, {"./no-such-file"}} {
		if _, err := New(Config{Command: command}); err == nil {
			t.Errorf("%q is accepted", command)
		}
	}
}
