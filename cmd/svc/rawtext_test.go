package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/bundle-delivery/svc/internal/workdir/pull"
)

// said is what a command wrote.
type said struct {
	code     int
	out, err string // on a terminal all of it is in out
}

// untilItWaits ends a command when it says that it waits.
type untilItWaits struct {
	bytes.Buffer
	end func()
}

func (w *untilItWaits) Write(p []byte) (int, error) {
	n, err := w.Buffer.Write(p)
	if bytes.Contains(w.Bytes(), []byte("rying again in")) {
		w.end()
	}
	return n, err
}

// speak runs a command, without a terminal or on one.
func speak(t *testing.T, env map[string]string, tty bool, args []string) said {
	t.Helper()
	ctx, end := context.WithCancel(t.Context())
	defer end()
	out, errs := untilItWaits{end: end}, untilItWaits{end: end}
	std := Streams{In: strings.NewReader(""), Out: &out, Err: &errs, Getenv: func(name string) string { return env[name] }}
	if !tty {
		code := Main(ctx, args, std)
		return said{code, out.String(), errs.String()}
	}
	screen, terminal := openTerminal(t, 100)
	std.Out, std.Err = terminal, terminal
	const over = "\x04over"
	var reading sync.WaitGroup
	reading.Go(func() {
		piece := make([]byte, 4096)
		for !bytes.HasSuffix(out.Bytes(), []byte(over)) {
			n, err := screen.Read(piece)
			_, _ = out.Write(piece[:n])
			if err != nil {
				return
			}
		}
	})
	code := Main(ctx, args, std)
	if _, err := io.WriteString(terminal, over); err != nil {
		t.Error(err)
	}
	reading.Wait()
	if err := errors.Join(terminal.Close(), screen.Close()); err != nil {
		t.Error(err)
	}
	return said{code: code, out: strings.TrimSuffix(out.String(), over)}
}

// own are the sequences with which svc itself steers a terminal.
var own = regexp.MustCompile(`\r\x1b\[K|\x1b\[(0|1|31|32|33|36|1;32)m`)

// raw says what in an output is not svc's own and more than text.
func raw(output string) error {
	if !utf8.ValidString(output) {
		return errors.New("bytes that are no characters")
	}
	for _, r := range output {
		if r == '\n' || r == '\t' {
			continue
		}
		if r < ' ' || r >= 0x7f && r <= 0x9f || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || strings.ContainsRune("\u061c\u200e\u200f\u2028\u2029", r) {
			return fmt.Errorf("the character %U", r)
		}
	}
	for line := range strings.Lines(output) {
		if strings.HasPrefix(line, linePlanted) {
			return errors.New("a line that svc did not write")
		}
	}
	return nil
}

// judge says what is wrong with what a command wrote, and whether something of
// what was planted is shown in it.
func judge(s said, tty, asJSON bool) (shown bool, err error) {
	out := s.out
	if tty {
		out = own.ReplaceAllString(out, "")
	}
	if asJSON && !tty {
		for decoder := json.NewDecoder(strings.NewReader(out)); ; {
			var v any
			if err := decoder.Decode(&v); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return false, fmt.Errorf("no JSON: %w", err)
			}
		}
	}
	return strings.Contains(out+s.err, "planted"), errors.Join(raw(out), raw(s.err))
}

// TestNothingAServerSaysIsPrintedRaw: every command, against a server that puts
// control characters, bytes that are none, bidirectional overrides and forged lines
// into each field and header of each answer, one after the other.
// Promise: terminal-safe, client-ids
func TestNothingAServerSaysIsPrintedRaw(t *testing.T) {
	defer func(was []time.Duration) { pull.AckDelays = was }(pull.AckDelays)
	pull.AckDelays = []time.Duration{0, 0, 0}
	server := newHostileServer(t)
	ca := writeCA(t, server.Server)
	tried := []string{"auth", "completion", "diff", "help", "history", "licenses", "login", "logout", "mcp", "rollback", "verify"} // have no server, or a test of their own
	for _, s := range scenarios() {
		t.Run(s.name, func(t *testing.T) {
			tried = append(tried, s.args[0])
			seen, runs := 0, 0
			for name, answers := range s.variants() {
				for _, tty := range terminals() {
					settle(t)
					env := hostileEnv(t, server.URL, ca)
					if s.edited {
						edit(t, server, env)
					}
					server.say(answers)
					got := speak(t, env, tty, s.args)
					server.CloseClientConnections()
					shown, err := judge(got, tty, slices.Contains(s.args, "--json"))
					if err != nil {
						t.Errorf("%s, terminal %v: %v in %q %q", name, tty, err, got.out, got.err)
					}
					if shown {
						seen++
					}
					runs++
					wrongID := strings.HasSuffix(name, "Id]") && !strings.HasSuffix(name, "requestId]") && !strings.HasSuffix(name, "keyId]") && !strings.Contains(name, "/ack ")
					if wrongID && s.args[0] != "doctor" && (got.code != exitNetwork || !strings.Contains(got.out+got.err, "is no id")) {
						t.Errorf("%s, terminal %v: exit %d: %q %q", name, tty, got.code, got.out, got.err)
					}
				}
			}
			if seen == 0 && !s.mute {
				t.Errorf("none of %d outputs shows what was planted", runs)
			}
		})
	}
	for _, name := range commands {
		if !slices.Contains(tried, name) {
			t.Errorf("svc %s is not tried", name)
		}
	}
}

// TestNothingACertificateSaysIsPrintedRaw: names in certificates come from the
// other side as well.
// Promise: terminal-safe
func TestNothingACertificateSaysIsPrintedRaw(t *testing.T) {
	for name, test := range map[string]struct {
		host    string
		command []string
	}{
		"of an issuer":    {"127.0.0.1", []string{"doctor"}},
		"of another host": {"localhost", []string{"status", hostileBundle}},
	} {
		for _, tty := range terminals() {
			server, ca := newServerWithNames(t, textPlanted)
			settle(t)
			_, port, _ := strings.Cut(server.Listener.Addr().String(), ":")
			got := speak(t, hostileEnv(t, "https://"+test.host+":"+port, ca), tty, test.command)
			shown, err := judge(got, tty, false)
			if err != nil || !shown {
				t.Errorf("%s, terminal %v: %v: %q %q", name, tty, err, got.out, got.err)
			}
		}
	}
}

// TestNoNameInABundleBeginsALine: a file can be called as a line of svc is.
// Promise: terminal-safe
func TestNoNameInABundleBeginsALine(t *testing.T) {
	server := newHostileServer(t)
	env := hostileEnv(t, server.URL, writeCA(t, server.Server))
	for _, tty := range terminals() {
		settle(t)
		edit(t, server, env)
		if err := os.WriteFile(linePlanted, []byte("mine"), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"verify"}, {"diff"}, {"push", "--dry-run"}, {"rollback", hostileBundle}} {
			got := speak(t, env, tty, args)
			if shown, err := judge(got, tty, false); err != nil || !shown {
				t.Errorf("%v, terminal %v: %v: %q %q", args, tty, err, got.out, got.err)
			}
		}
	}
}

func hostileEnv(t *testing.T, url, ca string) map[string]string {
	t.Helper()
	return map[string]string{"SVC_API_URL": url, "SVC_CA_FILE": ca, "SVC_TOKEN": "svc_abcdefgh_0123456789abcdef0123456789abcdef", "HOME": t.TempDir()}
}

// settle makes the folder that a command is run in: it holds a file that the
// bundle is in conflict with.
func settle(t *testing.T) {
	t.Helper()
	key, err := json.Marshal(textPlanted)
	dir := t.TempDir()
	err = errors.Join(err, os.WriteFile(filepath.Join(dir, "settings.json"), fmt.Appendf(nil, "{%s: \"mine\"}\n", key), 0o600))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
}

// edit pulls a bundle into the folder and edits a file of it.
func edit(t *testing.T, server *hostileServer, env map[string]string) {
	t.Helper()
	server.say(map[string]answer{
		"/bundles/" + hostileBundle + "/download": {200, map[string]string{"ETag": `"x"`, "Content-Type": "application/zip"}, hostileArchive()},
		"/bundles/" + hostileBundle + "/ack":      {200, nil, document(`{"bundleId":"` + hostileBundle + `","status":"downloaded","downloadedAt":"2026-01-01T00:00:00.000Z"}`)},
	})
	if got := speak(t, env, false, []string{"pull", hostileBundle}); got.code != exitOK {
		t.Fatalf("%+v", got)
	}
	if err := os.WriteFile("text.txt", []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
}
