package lines_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bundle-delivery/svc/internal/engine/agent/lines"
)

func readers() map[string]func() lines.Reader {
	return map[string]func() lines.Reader{
		"opencode": func() lines.Reader { return &lines.Opencode{} },
		"codex":    func() lines.Reader { return &lines.Codex{} },
		"claude":   func() lines.Reader { return &lines.Claude{} },
	}
}

// The lines of opencode 1.18.33, codex 0.166.0 and Claude Code 2.1.325 were recorded.
// Promise: agent-output
func TestRecordedLines(t *testing.T) {
	for name, want := range map[string]struct {
		session, message string
		files, doing     []string
		usage            lines.Usage
	}{
		"opencode": {
			"ses_e1c4ab6b1ffeZ0jZqqsnB9CgdL", "All is done.",
			[]string{"/work/src/a.txt"},
			[]string{"write /work/src/a.txt", "bash ls; exit 3", "All is done."},
			lines.Usage{InputTokens: 3000, OutputTokens: 150},
		},
		"codex": {
			"01a1e3b5-9964-74c3-9228-96517c1f9bfc", "All is done.", nil,
			[]string{
				"error: Model metadata for `tested` not found. Defaulting to fallback metadata; this can degrade performance and cause issues.",
				`run /bin/sh -lc 'mkdir -p "$(dirname a.txt)" && cat >a.txt <<'"'END_OF_FILE' a END_OF_FILE"`, "run /bin/sh -lc 'ls; exit 3'", "All is done.",
			},
			lines.Usage{InputTokens: 3000, OutputTokens: 150},
		},
		"claude": {
			"132e5137-231b-4cf1-806d-40b91bb9fa1f", "All is done.",
			[]string{"/work/src/a.txt"},
			[]string{"write /work/src/a.txt", "bash ls; exit 3", "All is done."},
			lines.Usage{Model: "claude-sonnet-5-5", InputTokens: 3000, OutputTokens: 150, CostUSD: 0.0075},
		},
	} {
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join("testdata", name+".jsonl"))
			if err != nil {
				t.Fatal(err)
			}
			got := want
			got.session, got.message, got.files, got.doing, got.usage = "", "", nil, nil, lines.Usage{}
			r := readers()[name]()
			for line := range strings.Lines(string(text)) {
				s := r.Read([]byte(line))
				if s.Failure != "" {
					t.Errorf("%s failed with %s", line, s.Failure)
				}
				if s.Session != "" {
					got.session = s.Session
				}
				if s.Message != "" {
					got.message = s.Message
				}
				if s.File != "" {
					got.files = append(got.files, s.File)
				}
				if s.Doing != "" {
					got.doing = append(got.doing, s.Doing)
				}
				got.usage.Model = s.Usage.Model
				got.usage.InputTokens += s.Usage.InputTokens
				got.usage.OutputTokens += s.Usage.OutputTokens
				got.usage.CostUSD += s.Usage.CostUSD
			}
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(want)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// What is not understood is what the agent does: never an error, never much.
// Promise: agent-output
func TestLinesThatAreNotKnownAreProgress(t *testing.T) {
	for name, reader := range readers() {
		for _, line := range []string{"hello", `{"type":"brand.new","x":1}`, `{"type":`, `[1,2]`, `{"type":7}`, "\x1b[31mred\x00", strings.Repeat("x", 10_000)} {
			s := reader().Read([]byte(line))
			if s.Doing == "" || s.Failure != "" || len(s.Doing) > 210 || strings.ContainsAny(s.Doing, "\x00\x1b\n") {
				t.Errorf("%s: %.40q is %+v", name, line, s)
			}
		}
	}
	if s := (lines.Plain{}).Read([]byte(`{"type":"error"}`)); s.Doing != `{"type":"error"}` {
		t.Errorf("%+v", s)
	}
}

// Promise: agent-fails
func TestFailuresAreTold(t *testing.T) {
	for line, want := range map[string]string{
		`opencode {"type":"error","sessionID":"s","error":{"name":"APIError","data":{"message":"no credit"}}}`: "no credit",
		`opencode {"type":"error","error":{"name":"UnknownError"}}`:                                            "UnknownError",
		`codex {"type":"turn.failed","error":{"message":"stream disconnected"}}`:                               "stream disconnected",
		`codex {"type":"error","message":"Reconnecting... 1/2"}`:                                               "",
		`codex {"type":"item.completed","item":{"type":"error","message":"harmless"}}`:                         "",
		`codex {"type":"item.completed","item":{"type":"file_change","status":"failed","changes":[]}}`:         "",
		`claude {"type":"result","subtype":"error_max_turns","is_error":false}`:                                "error max turns",
		`claude {"type":"result","subtype":"success","is_error":true,"result":"Invalid API key"}`:              "Invalid API key",
	} {
		name, text, _ := strings.Cut(line, " ")
		s := readers()[name]().Read([]byte(text))
		if s.Failure != want || want == "" && s.Doing == "" {
			t.Errorf("%s: %+v", line, s)
		}
	}
	s := (&lines.Codex{}).Read([]byte(`{"type":"item.completed","item":{"type":"file_change","status":"completed","changes":[{"path":"/work/src/b.txt","kind":"update"}]}}`))
	if s.File != "/work/src/b.txt" || s.Doing != "change /work/src/b.txt" {
		t.Errorf("%+v", s)
	}
}

// Codex tells what was used so far.
// Promise: agent-output
func TestCodexAddsUp(t *testing.T) {
	var c lines.Codex
	for _, want := range []int64{100, 50, 0} {
		total := map[int64]string{100: "100", 50: "150", 0: "150"}[want]
		if s := c.Read([]byte(`{"type":"turn.completed","usage":{"input_tokens":` + total + `,"output_tokens":1}}`)); s.Usage.InputTokens != want {
			t.Errorf("%+v, want %d", s.Usage, want)
		}
	}
}

// A failure that an agent got over is none.
func TestAgentsRecover(t *testing.T) {
	for name, line := range map[string]string{
		"opencode": `{"type":"step_start"}`, "codex": `{"type":"turn.started"}`, "claude": `{"type":"system","subtype":"init"}`,
	} {
		if s := readers()[name]().Read([]byte(line)); !s.Recovered || s.Failure != "" {
			t.Errorf("%s: %+v", name, s)
		}
		if s := readers()[name]().Read([]byte(`{"type":"error","message":"x"}`)); s.Recovered {
			t.Errorf("%s recovers by an error: %+v", name, s)
		}
	}
}
