package modelproxy_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/engine/agent/modelproxy"
	"github.com/bundle-delivery/svc/internal/engine/llm"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	key   = "sk-the-real-key-0123456789"
	token = "run-token"
)

// desk is a relay with a provider behind it.
type desk struct {
	t       *testing.T
	handler *modelproxy.Handler
	url     string

	mu      sync.Mutex
	used    engine.Usage
	stopped error
	seen    []*http.Request
	bodies  []string
}

// open serves a run whose provider answers like this.
func open(t *testing.T, answer http.HandlerFunc, change ...func(*modelproxy.Config, *modelproxy.Run)) *desk {
	t.Helper()
	d := &desk{t: t}
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		d.mu.Lock()
		d.seen, d.bodies = append(d.seen, r), append(d.bodies, string(body))
		d.mu.Unlock()
		answer(w, r)
	}))
	t.Cleanup(provider.Close)
	config := modelproxy.Config{URL: provider.URL + "/v1/", Key: key, Model: "chosen", Stall: time.Minute, Client: provider.Client()}
	run := modelproxy.Run{
		Token: token, Alive: func() {}, Meter: llm.NewMeter(engine.Budget{}, llm.Price{Input: 1, Output: 10}, engine.Spent{}, time.Now),
		Used: func(u engine.Usage) {
			d.mu.Lock()
			defer d.mu.Unlock()
			d.used.InputTokens += u.InputTokens
			d.used.OutputTokens += u.OutputTokens
			d.used.CostUSD += u.CostUSD
		},
		Stop: func(err error) {
			d.mu.Lock()
			defer d.mu.Unlock()
			d.stopped = errors.Join(d.stopped, err)
		},
	}
	for _, f := range change {
		f(&config, &run)
	}
	p, err := modelproxy.New(config)
	if err != nil {
		t.Fatal(err)
	}
	d.handler = p.For(run)
	server := httptest.NewServer(d.handler)
	t.Cleanup(server.Close)
	d.url = server.URL
	return d
}

// ask asks with a token.
func (d *desk) ask(path, token, body string, header ...string) (status int, text string) {
	d.t.Helper()
	method := http.MethodPost
	if body == "" {
		method = http.MethodGet
	}
	r, err := http.NewRequestWithContext(d.t.Context(), method, d.url+path, strings.NewReader(body))
	if err != nil {
		d.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	for _, h := range header {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return 0, err.Error()
	}
	defer func() { _ = answer.Body.Close() }()
	content, err := io.ReadAll(answer.Body)
	if err != nil {
		return answer.StatusCode, string(content) + " CUT"
	}
	return answer.StatusCode, string(content)
}

func says(kind, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		_, _ = io.WriteString(w, text)
	}
}

const (
	stream = "text/event-stream"
	whole  = "application/json"
)

// Every protocol is counted as its provider counts, streamed or not; what is not
// counted is guessed.
// Promise: agent-usage
func TestTokensAreCountedOnTheWire(t *testing.T) {
	long := strings.Repeat("word ", 80) // 400 bytes
	for name, tc := range map[string]struct {
		path, kind, text string
		input, output    int64
		cost             float64
	}{
		"chat":                             {"/v1/chat/completions", whole, `{"choices":[],"usage":{"prompt_tokens":100,"completion_tokens":20,"prompt_tokens_details":{"cached_tokens":60}}}`, 100, 20, 240e-6},
		"chat, streamed":                   {"/v1/chat/completions", stream, "data: {\"choices\":[{\"delta\":{\"content\":\"hi\"},\"finish_reason\":\"stop\"}]}\n\ndata: {\"choices\":[],\"usage\":{\"prompt_tokens\":100,\"completion_tokens\":20}}\n\ndata: [DONE]\n\n", 100, 20, 300e-6},
		"chat, not counted":                {"/v1/chat/completions", stream, "data: {\"choices\":[{\"delta\":{\"content\":\"" + long + "\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n", -1, 100, -1},
		"responses":                        {"/v1/responses", whole, `{"usage":{"input_tokens":100,"output_tokens":20,"input_tokens_details":{"cached_tokens":60}}}`, 100, 20, 240e-6},
		"responses, streamed":              {"/v1/responses", stream, "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"delta\":\"hi\"}\n\nevent: response.completed\ndata: {\"type\":\"response.completed\",\"response\":{\"usage\":{\"input_tokens\":100,\"output_tokens\":20}}}\n\n", 100, 20, 300e-6},
		"messages":                         {"/v1/messages", whole, `{"usage":{"input_tokens":40,"cache_read_input_tokens":60,"output_tokens":20}}`, 100, 20, 240e-6},
		"messages, streamed":               {"/v1/messages", stream, "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":100,\"output_tokens\":1}}}\n\nevent: message_delta\ndata: {\"type\":\"message_delta\",\"usage\":{\"output_tokens\":20}}\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n", 100, 20, 300e-6},
		"messages, broken off":             {"/v1/messages", stream, "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":100,\"output_tokens\":1}}}\n\nevent: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\",\"text\":\"" + long + "\"}}\n\n", 100, 100, -1},
		"messages, more told at the start": {"/v1/messages", stream, "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":100,\"output_tokens\":5}}}\n\nevent: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\",\"text\":\"" + long + "\"}}\n\n", 100, 100, -1},
		"chat, reasoning":                  {"/v1/chat/completions", stream, "data: {\"choices\":[{\"delta\":{\"reasoning\":\"" + long + "\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n", -1, 100, -1},
		"chat, the name of a tool":         {"/v1/chat/completions", stream, "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"function\":{\"name\":\"" + long + "\"}}]},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n", -1, 100, -1},
		"below zero":                       {"/v1/messages", whole, `{"usage":{"input_tokens":-40,"output_tokens":-20}}`, 0, -1, -1},
		"counting costs naught":            {"/v1/messages/count_tokens", whole, `{"input_tokens":40}`, 0, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			d := open(t, says(tc.kind, tc.text))
			status, text := d.ask(tc.path, token, `{"model":"dear","stream":true,"messages":[]}`)
			d.handler.Close()
			if status != 200 || !strings.HasPrefix(text, tc.text) {
				t.Errorf("%d %q", status, text)
			}
			if tc.input >= 0 && d.used.InputTokens != tc.input || tc.output >= 0 && d.used.OutputTokens != tc.output {
				t.Errorf("used %+v", d.used)
			}
			// The price of what is read from a cache is not known here: 0.
			if diff := d.used.CostUSD - tc.cost; tc.cost >= 0 && (diff > 1e-9 || diff < -1e-9) {
				t.Errorf("cost %v, want %v", d.used.CostUSD, tc.cost)
			}
		})
	}
}

// Promise: agent-token
func TestTheKeyTakesThePlaceOfTheToken(t *testing.T) {
	d := open(t, says(whole, `{}`))
	for path, header := range map[string]string{"/v1/chat/completions": "Authorization", "/v1/responses": "Authorization", "/v1/messages": "X-Api-Key"} {
		d.seen, d.bodies = nil, nil
		if status, text := d.ask(path, token, `{"model":"dear","stream":true,"metadata":"<b>"}`, "Cookie: a=b", "X-Forwarded-For: 1.2.3.4", "User-Agent: agent/1"); status != 200 {
			t.Fatalf("%d %s", status, text)
		}
		r := d.seen[0]
		if !strings.HasSuffix(r.Header.Get(header), key) || r.URL.Path != path || r.Header.Get("User-Agent") != "agent/1" {
			t.Errorf("%s was asked with %v", r.URL, r.Header)
		}
		if all := fmt.Sprint(r.Header); strings.Contains(all, token) || r.Header.Get("Cookie") != "" || r.Header.Get("X-Forwarded-For") != "" {
			t.Errorf("sent along: %v", r.Header)
		}
		if !strings.Contains(d.bodies[0], `"model":"chosen"`) || !strings.Contains(d.bodies[0], `"<b>"`) || (path == "/v1/chat/completions") != strings.Contains(d.bodies[0], `"include_usage":true`) {
			t.Errorf("asked: %s", d.bodies[0])
		}
	}
	if status, _ := d.ask("/v1/messages", "", `{}`, "X-Api-Key: "+token); status != 200 {
		t.Errorf("the token in the other header: %d", status)
	}
}

// Promise: agent-token
func TestWithoutTheTokenNobodyIsAsked(t *testing.T) {
	d := open(t, says(whole, `{}`))
	for _, tc := range []struct {
		path, token, body string
		status            int
	}{
		{"/v1/messages", "", `{}`, 401},
		{"/v1/messages", "run-other", `{}`, 401},
		{"/v1/messages", key, `{}`, 401},
		{"/v1/files", token, `{}`, 404},
		{"/v1/messages/batches", token, `{}`, 404},
		{"/v1/messages/../files", token, `{}`, 404},
		{"//evil.example/v1/messages", token, `{}`, 404},
		{"/v1/messages", token, `[1]`, 400},
		{"/v1/messages", token, `no`, 400},
		{"/v1/messages", token, ``, 404},
	} {
		if status, text := d.ask(tc.path, tc.token, tc.body); status != tc.status {
			t.Errorf("%s %q: %d %s", tc.path, tc.body, status, text)
		}
	}
	if len(d.seen) != 0 {
		t.Errorf("%d calls reached the provider", len(d.seen))
	}
	if status, _ := d.ask("/v1/models", token, ""); status != 200 {
		t.Errorf("the list of models: %d", status)
	}
	d.handler.Close()
	if status, _ := d.ask("/v1/messages", token, `{}`); status != 403 {
		t.Errorf("when the run is over: %d", status)
	}
}

// A server that repeats the key shows it to nobody, however it comes in pieces.
// Promise: agent-key-hidden
func TestAKeyThatIsRepeatedIsStruckOut(t *testing.T) {
	for name, answer := range map[string]http.HandlerFunc{
		"refused": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Your-Key", key)
			http.Error(w, `{"error":"not `+key+`"}`, http.StatusUnauthorized)
		},
		"whole": says(whole, `{"you":"`+key+`"}`),
		"in pieces": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", stream)
			for _, piece := range []string{"data: {\"choices\":[{\"finish_reason\":\"stop\"}],\"x\":\"", key[:3], key[3:], key[:5], key[:7], key[7:], "\"}\n\n"} {
				_, _ = io.WriteString(w, piece)
				_ = http.NewResponseController(w).Flush()
			}
		},
		"led elsewhere": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://evil.example/?key="+key, http.StatusTemporaryRedirect)
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := open(t, answer)
			status, text := d.ask("/v1/chat/completions", token, `{"stream":true}`)
			if strings.Contains(text, key) || strings.Contains(fmt.Sprint(d.handler.Failure()), key) {
				t.Errorf("%d %s (%v)", status, text, d.handler.Failure())
			}
			if name == "in pieces" && !strings.Contains(text, "***"+key[:5]+"***") {
				t.Errorf("what is no key is gone: %s", text)
			}
			if name == "led elsewhere" && status != http.StatusBadGateway {
				t.Errorf("status %d", status)
			}
			d.handler.Close()
		})
	}
}

// An answer is cut off in the moment in which it uses up the budget.
// Promise: agent-budgets
func TestABudgetCutsAnAnswerOff(t *testing.T) {
	gone := make(chan struct{})
	d := open(t, func(w http.ResponseWriter, r *http.Request) {
		defer close(gone)
		w.Header().Set("Content-Type", stream)
		for r.Context().Err() == nil {
			_, _ = io.WriteString(w, "data: {\"choices\":[{\"delta\":{\"content\":\"again and again and again\"}}]}\n\n")
			_ = http.NewResponseController(w).Flush()
		}
	}, func(_ *modelproxy.Config, r *modelproxy.Run) {
		r.Meter = llm.NewMeter(engine.Budget{Tokens: 500}, llm.Price{}, engine.Spent{}, time.Now)
	})
	if _, text := d.ask("/v1/chat/completions", token, `{"stream":true}`); !strings.HasSuffix(text, "CUT") || len(text) > 1<<20 {
		t.Errorf("%d bytes came, and %q last", len(text), text[max(0, len(text)-100):])
	}
	<-gone
	d.handler.Close()
	if _, ok := errors.AsType[*engine.Error](d.stopped); !ok || d.used.OutputTokens == 0 {
		t.Errorf("stopped with %v, used %+v", d.stopped, d.used)
	}
}

// Calls that come at the same time see each other.
// Promise: agent-budgets
func TestCallsAtOnceDoNotPassABudget(t *testing.T) {
	asked, over := make(chan struct{}), make(chan struct{})
	d := open(t, func(w http.ResponseWriter, r *http.Request) {
		close(asked)
		<-over
		says(whole, `{}`)(w, r)
	}, func(_ *modelproxy.Config, r *modelproxy.Run) {
		r.Meter = llm.NewMeter(engine.Budget{Tokens: 150}, llm.Price{}, engine.Spent{}, time.Now)
	})
	body := `{"input":"` + strings.Repeat("word ", 80) + `"}`
	var first sync.WaitGroup
	first.Go(func() { d.ask("/v1/responses", token, body) })
	<-asked
	status, text := d.ask("/v1/responses", token, body)
	close(over)
	first.Wait()
	d.handler.Close()
	if _, ok := errors.AsType[*engine.Error](d.stopped); status != 403 || len(d.seen) != 1 || !ok {
		t.Errorf("%d %s, %d calls, stopped with %v", status, text, len(d.seen), d.stopped)
	}
}

// A provider is asked to say no more than the budget allows, and nothing that is
// counted by nobody.
// Promise: agent-budgets
func TestAnAnswerIsBoundedByWhatIsLeft(t *testing.T) {
	for _, tc := range []struct {
		path, body, want string
		budget           int64
	}{
		{"/v1/messages", `{"max_tokens":32000}`, `{"max_tokens":995,"model":"chosen"}`, 1000},
		{"/v1/messages", `{"max_tokens":32000}`, `{"max_tokens":32000,"model":"chosen"}`, 0},
		{"/v1/messages", `{"max_tokens":32000,"thinking":{"budget_tokens":2000}}`, `{"max_tokens":32000,"model":"chosen","thinking":{"budget_tokens":2000}}`, 1000},
		{"/v1/chat/completions", `{"max_tokens":900}`, `{"max_tokens":495,"model":"chosen"}`, 500},
		{"/v1/chat/completions", `{}`, `{"max_completion_tokens":499,"model":"chosen"}`, 500},
		{"/v1/chat/completions", `{}`, `{"model":"chosen"}`, 1_000_000},
		{"/v1/messages", `{"max_tokens":0}`, `{"max_tokens":496,"model":"chosen"}`, 500},
		{"/v1/responses", `{"background":true,"max_output_tokens":900}`, `{"max_output_tokens":489,"model":"chosen"}`, 500},
	} {
		d := open(t, says(whole, `{}`), func(_ *modelproxy.Config, r *modelproxy.Run) {
			r.Meter = llm.NewMeter(engine.Budget{Tokens: tc.budget}, llm.Price{}, engine.Spent{}, time.Now)
		})
		if status, text := d.ask(tc.path, token, tc.body); status != 200 || strings.TrimSpace(d.bodies[0]) != tc.want {
			t.Errorf("%s %s of %d: %d %s, asked %q, want %s", tc.path, tc.body, tc.budget, status, text, d.bodies, tc.want)
		}
	}
}

func TestCallsAreCounted(t *testing.T) {
	d := open(t, says(whole, `{}`), func(_ *modelproxy.Config, r *modelproxy.Run) { r.Calls = 3 })
	for i := range 5 {
		if status, text := d.ask("/v1/messages", token, `{}`); (status == http.StatusOK) != (i < 3) {
			t.Errorf("call %d: %d %s", i+1, status, text)
		}
	}
	if len(d.seen) != 3 {
		t.Errorf("the provider was asked %d times", len(d.seen))
	}
}

func TestAModelThatFailsTwentyTimesInARowEndsTheRun(t *testing.T) {
	failing := true
	d := open(t, func(w http.ResponseWriter, r *http.Request) {
		if failing {
			http.Error(w, "out of order", http.StatusInternalServerError)
			return
		}
		says(whole, `{}`)(w, r)
	})
	ask := func(times int) {
		for range times {
			if status, text := d.ask("/v1/messages", token, `{}`); (status == http.StatusOK) == failing {
				t.Errorf("%d %s", status, text)
			}
		}
	}
	ask(19)
	failing = false
	ask(1)
	failing = true
	ask(19)
	if d.stopped != nil {
		t.Errorf("stopped by %v", d.stopped)
	}
	if ask(1); d.stopped == nil {
		t.Error("the run goes on")
	}
}

// What a provider runs itself reaches hosts that the agent may not.
// Promise: agent-network
func TestToolsOfTheProviderAreNotPassedOn(t *testing.T) {
	for _, tc := range []struct{ path, body, want string }{
		{
			"/v1/messages", `{"mcp_servers":[{"url":"https://evil.example"}],"tools":[{"name":"edit"},{"type":"bash_20250124"},{"type":"web_fetch_20250910"},{"type":"web_search_20250305"},{"type":"mcp_toolset"},{"type":"code_execution_20250825"}]}`,
			`{"model":"chosen","tools":[{"name":"edit"},{"type":"bash_20250124"}]}`,
		},
		{
			"/v1/responses", `{"tool_choice":{"type":"mcp"},"tools":[{"type":"function","name":"f"},{"type":"custom"},{"type":"mcp","server_url":"https://evil.example"},{"type":"web_search"},{"type":7},{"type":"namespace","tools":[{"type":"function"},{"type":"mcp"}]}]}`,
			`{"model":"chosen","tools":[{"type":"function","name":"f"},{"type":"custom"},{"type":"namespace","tools":[{"type":"function"}]}]}`,
		},
		{"/v1/responses", `{"prompt":{"id":"p"},"tool_choice":"auto","tools":[{"type":"web_search"}]}`, `{"model":"chosen"}`},
		{"/v1/responses", `{"tools":{"type":"mcp"}}`, `{"model":"chosen"}`},
		{"/v1/chat/completions", `{"plugins":[{"id":"web"}],"web_search_options":{},"tool_choice":"auto","tools":[ {"type":"function"} ]}`, `{"model":"chosen","tool_choice":"auto","tools":[ {"type":"function"} ]}`},
	} {
		d := open(t, says(whole, `{}`))
		if status, text := d.ask(tc.path, token, tc.body); status != 200 || strings.TrimSpace(d.bodies[0]) != tc.want {
			t.Errorf("%s %s: %d %s, asked %q, want %s", tc.path, tc.body, status, text, d.bodies, tc.want)
		}
	}
}

// What an account has left is asked for before each call.
// Promise: agent-budgets
func TestAnAccountWithNothingLeftIsNotServed(t *testing.T) {
	d := open(t, says(whole, `{}`), func(_ *modelproxy.Config, r *modelproxy.Run) {
		meter := r.Meter
		r.Ask = func(context.Context) error {
			meter.SetAccount(engine.Budget{Spent: true})
			return nil
		}
	})
	if status, _ := d.ask("/v1/messages", token, `{}`); status != 403 || len(d.seen) != 0 || d.stopped == nil {
		t.Errorf("%d, %d calls, stopped with %v", status, len(d.seen), d.stopped)
	}
}

// A provider that says nothing is not waited for without end.
// Promise: agent-budgets
func TestASilentProviderIsGivenUp(t *testing.T) {
	d := open(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", stream)
		_, _ = io.WriteString(w, "data: {}\n\n")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}, func(c *modelproxy.Config, _ *modelproxy.Run) { c.Stall = 50 * time.Millisecond })
	if _, text := d.ask("/v1/chat/completions", token, `{"stream":true}`); !strings.HasSuffix(text, "CUT") {
		t.Errorf("%q", text)
	}
	d.handler.Close()
	if d.handler.Failure() == nil {
		t.Error("nobody noticed")
	}
}

// An agent that asks for much at once waits: what it sends is held in memory.
// Promise: agent-budgets
func TestFewCallsAreUnderWayAtATime(t *testing.T) {
	var mu sync.Mutex
	now, most := 0, 0
	full := make(chan struct{})
	d := open(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		if now++; now > most {
			if most = now; most == 8 {
				close(full)
			}
		}
		mu.Unlock()
		<-full
		mu.Lock()
		now--
		mu.Unlock()
		says(whole, `{}`)(w, r)
	})
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if status, text := d.ask("/v1/messages", token, `{}`); status != 200 {
				t.Errorf("%d %s", status, text)
			}
		})
	}
	all.Wait()
	if most != 8 {
		t.Errorf("%d calls at a time", most)
	}
}
