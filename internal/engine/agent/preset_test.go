//go:build linux && (amd64 || arm64)

package agent

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/sandbox"
	"github.com/bundle-delivery/svc/internal/testkit/needs"
	"github.com/bundle-delivery/svc/internal/testkit/wiretest"
)

// recorded is a script that prints what an agent printed when it did the same.
func recorded(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("lines", "testdata", name+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return "cat <<'END_OF_LINES'\n" + string(text) + "END_OF_LINES\n"
}

// The lines of known agents become what they do, decisions and cost.
// Promise: agent-output
func TestLinesOfKnownAgentsAreTold(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"opencode", "codex", "claude"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := done(t, shell(t, "echo a >a.txt; echo warning >&2; echo '{\"type\":\"never.seen\"}'\n"+recorded(t, name), preset(name), func(c *Config) { c.Model = "tested" }), nil)
			if !s.did("All is done.") || !s.did("ls; exit 3") || !s.did("never.seen") || s.did("warning") {
				t.Errorf("told: %q", s.doing)
			}
			if name != "codex" && !s.did("generate_file a.txt write") {
				t.Errorf("the file is not named: %q", s.doing)
			}
			if s.state["summary"] != "All is done." || s.state["agent"] != name || !strings.Contains(s.memory, "All is done.") {
				t.Errorf("decided %q, remembered %q", s.state, s.memory)
			}
			if s.usage.InputTokens != 3000 || s.usage.OutputTokens != 150 {
				t.Errorf("used %+v", s.usage)
			}
		})
	}
}

// What was counted on the wire is not counted again by what the agent says.
// Promise: agent-usage
func TestTheWireCountsWhereItCan(t *testing.T) {
	t.Parallel()
	const ask = `curl -s -H "Authorization: Bearer $MODEL_KEY" -d '{"messages":[{"role":"user","content":"hello"}]}' http://127.0.0.1:3128/v1/chat/completions >answer.json`
	needs.Program(t, "curl", "scripts/ensure-tools.sh installs it")
	s := done(t, shell(t, ask+"\n"+recorded(t, "opencode"), preset("opencode"), asking(t, hello())), nil)
	if s.usage.InputTokens != wiretest.CoderInput {
		t.Errorf("used %+v; the answer was %s", s.usage, s.files["answer.json"])
	}
}

// An agent that says that it failed has failed, whatever its exit says.
// Promise: agent-fails
func TestAFailureThatIsSaidCounts(t *testing.T) {
	t.Parallel()
	for name, line := range map[string]string{
		"opencode": `{"type":"error","error":{"name":"APIError","data":{"message":"no credit"}}}`,
		"codex":    `{"type":"turn.failed","error":{"message":"no credit"}}`,
		"claude":   `{"type":"result","subtype":"success","is_error":true,"result":"no credit"}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := ended(t, shell(t, "echo a >a.txt; echo '"+line+"'", preset(name)), nil)
			if err.Code != engine.CodeInternal || !strings.Contains(err.Message, "no credit") {
				t.Error(err)
			}
		})
	}
}

// Promise: agent-settings
func TestWhatAProgramNeedsIsShown(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	binary := filepath.Join(dir, "lib", "node_modules", "agent", "bin", "agent.js")
	if err := os.MkdirAll(filepath.Join(dir, "lib", "node_modules", ".bin"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(binary), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{binary, filepath.Join(dir, "plain")} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	link := filepath.Join(dir, "lib", "node_modules", ".bin", "agent")
	if err := os.Symlink("../agent/bin/agent.js", link); err != nil {
		t.Fatal(err)
	}
	modules := filepath.Join(dir, "lib", "node_modules")
	for name, tc := range map[string]struct{ command, want []string }{
		"npm":      {[]string{link, "--flag"}, []string{modules}},
		"a file":   {[]string{filepath.Join(dir, "plain")}, []string{filepath.Join(dir, "plain")}},
		"a script": {[]string{"/usr/bin/env", filepath.Join(dir, "plain"), "/no/such/file"}, []string{filepath.Join(dir, "plain")}},
		"system":   {[]string{"/usr/bin/env"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			all, err := shown(tc.command)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, m := range all {
				if m != (sandbox.Mount{From: m.To, To: m.From}) {
					t.Errorf("%+v", m)
				}
				got = append(got, m.From)
			}
			if !slices.Equal(got, tc.want) {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
	if _, err := New(Config{Preset: Presets()[Custom]}); err == nil {
		t.Error("a custom agent without a command")
	}
	if _, err := New(Config{Preset: Presets()[Custom], Command: []string{"no-such-program"}}); err == nil {
		t.Error("a program that is not there")
	}
}
