//go:build linux && (amd64 || arm64)

package agent

import (
	"encoding/base64"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/testkit/wiretest"
)

// asks is the beginning of an agent in Python that asks the model.
const asks = `
import json, os, urllib.request, urllib.error
def ask(path="/chat/completions", **more):
    body = {"model": "another", "messages": [{"role": "user", "content": "hello"}], "input": "hello", "stream": False}
    body.update(more)
    key = os.environ["MODEL_KEY"]
    r = urllib.request.Request(os.environ["OPENAI_BASE_URL"] + path, json.dumps(body).encode(), {"Content-Type": "application/json", "Authorization": "Bearer " + key})
    try:
        return urllib.request.urlopen(r, timeout=30).read().decode()
    except urllib.error.HTTPError as e:
        return "%d %s" % (e.code, e.read().decode())
    except Exception as e:
        return "broken " + repr(e)
`

func hello() *wiretest.Coder {
	return &wiretest.Coder{Steps: func(string) []wiretest.Step { return []wiretest.Step{{Text: "hello to you"}} }}
}

// Promise: agent-token
func TestAnAgentAsksTheModelWithTheTokenOfItsRun(t *testing.T) {
	t.Parallel()
	coder := hello()
	s := done(t, python(t, asks+`
answers = [ask(p, stream=streamed) for p in ("/chat/completions", "/responses", "/messages") for streamed in (False, True)]
open("answers.txt", "w").write("\n".join(answers))
`, asking(t, coder)), nil)
	if n := strings.Count(s.files["answers.txt"], "hello to you"); n < 6 {
		t.Errorf("the agent heard: %s", s.files["answers.txt"])
	}
	want := engine.Usage{Model: "tested", InputTokens: 6 * wiretest.CoderInput, OutputTokens: 6 * wiretest.CoderOutput, CostUSD: 6 * (wiretest.CoderInput + 10*wiretest.CoderOutput) / 1e6}
	if d := s.usage.CostUSD - want.CostUSD; d > 1e-9 || d < -1e-9 || s.usage.InputTokens != want.InputTokens || s.usage.OutputTokens != want.OutputTokens || s.usage.Model != "tested" {
		t.Errorf("used %+v, want %+v", s.usage, want)
	}
	for _, a := range coder.Asks() {
		if a.Model != "tested" {
			t.Errorf("the model that answered is %s", a.Model)
		}
	}
}

// The key is not in the sandbox, so nothing that an agent does can show it; and the
// token that it has is worth nothing when the run is over, and is struck out.
// Promise: agent-key-hidden
func TestNothingThatAnAgentWritesContainsTheKey(t *testing.T) {
	t.Parallel()
	var kept engine.Kept
	e := python(t, asks+`
import base64
key = os.environ["MODEL_KEY"]
everything = repr(sorted(os.environ.items())) + ask() + ask("/nowhere")
for folder, _, names in os.walk("/"):
    if folder.startswith(("/proc", "/usr", "/sys", "/dev")): continue
    for name in names:
        try: everything += open(os.path.join(folder, name), errors="replace").read(100000)
        except OSError: pass
for p in os.listdir("/proc"):
    for name in ("environ", "cmdline"):
        try: everything += open("/proc/%s/%s" % (p, name), errors="replace").read()
        except OSError: pass
open("plain.txt", "w").write(everything)
open("backwards.txt", "w").write(key[::-1])
open("base64.txt", "w").write(base64.b64encode(key.encode()).decode())
print("my key is " + key)
`, asking(t, hello()))
	s := newStory()
	if err := e.Generate(t.Context(), engine.Request{Prompt: "x", Attempt: 1, Kept: &kept, Project: project(nil)}, s.emit); err != nil {
		t.Fatal(err)
	}
	token := kept.Closer.(*session).token //nolint:forcetypeassert // a test that panics fails
	all := fmt.Sprint(s.files, s.doing, s.state, s.memory)
	for _, secret := range []string{wiretest.Key, backwards(wiretest.Key), base64.StdEncoding.EncodeToString([]byte(wiretest.Key)), token} {
		if strings.Contains(all, secret) {
			t.Errorf("%q was kept", secret)
		}
	}
	if s.files["backwards.txt"] != backwards(token) || !s.did("my key is ***") {
		t.Errorf("the agent had no token: %q", s.doing)
	}
	// In the next attempt nobody asks the model while the agent does not run.
	if kept.Closer.(*session).handler.Load() != nil { //nolint:forcetypeassert // a test that panics fails
		t.Error("the model can be asked when the agent has ended")
	}
	if err := kept.Close(); err != nil {
		t.Error(err)
	}
}

func backwards(text string) string {
	b := []byte(text)
	slices.Reverse(b)
	return string(b)
}

// Promise: agent-budgets
func TestBudgetsAreKeptOnTheWire(t *testing.T) {
	t.Parallel()
	const loop = asks + `
open("x.txt", "w").write("x")
while True: ask(stream=True)
`
	for name, tc := range map[string]struct {
		change func(*Config)
		code   string
		says   string
		calls  int
	}{
		"calls":  {func(c *Config) { c.Calls = 7 }, engine.CodeConstraintUnresolvable, "budget of calls (7)", 7},
		"tokens": {func(c *Config) { c.Budget = engine.Budget{Tokens: 5 * (wiretest.CoderInput + wiretest.CoderOutput)} }, engine.CodeConstraintUnresolvable, "budget of tokens", 5},
		"money":  {func(c *Config) { c.Budget = engine.Budget{USD: 0.0044} }, engine.CodeConstraintUnresolvable, "budget of money", 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			coder := hello()
			s, err := ended(t, python(t, loop, asking(t, coder, tc.change)), nil)
			if err.Code != tc.code || !strings.Contains(err.Message, tc.says) {
				t.Error(err)
			}
			if n := len(coder.Asks()); n != tc.calls || s.usage.InputTokens != int64(n*wiretest.CoderInput) {
				t.Errorf("%d calls, told %+v", n, s.usage)
			}
		})
	}
}

// An agent that asks again and again after a cut stream or an error is stopped.
// Promise: agent-budgets
func TestAModelThatFailsEndsTheRun(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		step wiretest.Step
		says string
	}{
		"cut":        {wiretest.Step{Cut: true}, "broke off"},
		"fails":      {wiretest.Step{Status: 500}, "cannot be reached or fails"},
		"overloaded": {wiretest.Step{Status: 429}, "rate limit"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			coder := &wiretest.Coder{Steps: func(string) []wiretest.Step { return []wiretest.Step{tc.step} }}
			_, err := ended(t, python(t, asks+"while True: ask(stream=True)", asking(t, coder)), nil)
			if err.Code != engine.CodeUpstreamOutage || !strings.Contains(err.Message, tc.says) || len(coder.Asks()) != 20 {
				t.Errorf("%v after %d calls", err, len(coder.Asks()))
			}
		})
	}
}

// The relay knows the named hosts, and no others: not this machine, not by address.
// Promise: agent-network
func TestAnAgentReachesNamedHostsAlone(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	address, ok := listener.Addr().(*net.TCPAddr)
	if !ok {
		t.Fatal(listener.Addr())
	}
	w := &world{}
	s := done(t, python(t, fmt.Sprintf(`
import socket, urllib.request, urllib.error
proxy = urllib.request.build_opener(urllib.request.ProxyHandler({"http": "http://127.0.0.1:3128"}))
out = []
for host in ("known.example", "other.example", "127.0.0.1:%[1]d", "169.254.169.254", "localhost:%[1]d"):
    try: proxy.open("http://%%s/" %% host, timeout=30); out.append("open")
    except urllib.error.HTTPError as e: out.append(str(e.code))
try: socket.create_connection(("127.0.0.1", %[1]d), 5); out.append("direct")
except OSError: out.append("refused")
open("out.txt", "w").write(" ".join(out))
`, address.Port), w.relay(t, "known.example")), nil)
	if got := s.files["out.txt"]; got != "502 403 403 403 403 refused" {
		t.Errorf("the agent saw %q", got)
	}
	if !slices.Equal(w.called, []string{"93.184.216.34:80"}) {
		t.Errorf("called: %q", w.called)
	}
}
