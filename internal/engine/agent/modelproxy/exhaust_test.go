package modelproxy_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/engine/agent/modelproxy"
	"github.com/bundle-delivery/svc/internal/engine/llm"
)

// allocated returns how many bytes everything in this process allocates during f.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// nested returns groups of tools inside each other, each with its own text.
func nested(levels int, text string) string {
	return strings.Repeat(`[{"type":"namespace","name":"n","description":"`+text+`","tools":`, levels) + "[]" + strings.Repeat("}]", levels)
}

// 1.08 MB of groups in groups took 1,780 MiB and 87 s when each level was decoded
// and copied by itself.
// Promise: agent-relay-bounded
func TestNestedToolsAreRefusedAtOnce(t *testing.T) {
	// The innermost level has a tool that would be taken out.
	text := strings.Repeat("x", 1020)
	tools := strings.Replace(nested(1000, text), `"tools":[]`, `"tools":[{"type":"web_search"}]`, 1)
	for name, body := range map[string]string{
		"tools":                 `{"tools":` + tools + `}`,
		"in the conversation":   `{"input":[{"type":"message"},{"type":"tool_search_output","tools":` + tools + `}]}`,
		"in a group of the way": `{"tools":[{"type":"namespace","tools":` + tools + `}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			d := open(t, says(whole, `{}`))
			var status int
			var said string
			used := allocated(func() { status, said = d.ask("/v1/responses", token, body) })
			if status != http.StatusBadRequest || !strings.Contains(said, "nested more than 2 levels") || len(d.seen) != 0 {
				t.Errorf("%d %.200s, %d calls", status, said, len(d.seen))
			}
			if most := uint64(16 << 20); used > most {
				t.Errorf("a body of %d bytes took %d, at most %d expected", len(body), used, most)
			}
		})
	}
}

// What a request costs is bounded by its size, whatever it is made of.
// Promise: agent-relay-bounded
func TestARequestCostsItsSize(t *testing.T) {
	const size = 8 << 20
	for name, body := range map[string]string{
		"text":     `{"input":"` + strings.Repeat("x", size) + `"}`,
		"brackets": `{"input":[` + strings.Repeat("[],", size/3) + `0]}`,
		"names":    `{"input":{` + strings.Repeat(`"a":0,`, size/6) + `"b":0}}`,
		"fields":   `{` + strings.Repeat(`"a":0,`, size/6) + `"b":0}`,
		"escapes":  `{"input":"` + strings.Repeat(`\u0041`, size/6) + `"}`,
	} {
		t.Run(name, func(t *testing.T) {
			provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				says(whole, `{}`)(w, r)
			}))
			defer provider.Close()
			d := open(t, nil, func(c *modelproxy.Config, _ *modelproxy.Run) { c.URL = provider.URL })
			var status int
			used := allocated(func() { status, _ = d.ask("/v1/responses", token, body) })
			if status != http.StatusOK {
				t.Errorf("status %d", status)
			}
			if most := uint64(5 * size / 2); used > most {
				t.Errorf("a body of %d bytes took %d, at most %d expected", len(body), used, most)
			}
		})
	}
}

// What the relay reads is what the provider reads: a request that two readers could
// take for two things is refused, as is one that is too much to read.
// Promise: agent-relay-bounded
func TestRequestsThatAreTooMuchOrAmbiguousAreRefused(t *testing.T) {
	function := `{"type":"function"}`
	tools := func(n int) string { return "[" + strings.TrimSuffix(strings.Repeat(function+",", n), ",") + "]" }
	for name, tc := range map[string]struct {
		body string
		want int
	}{
		"512 tools":                   {`{"tools":` + tools(512) + `}`, 200},
		"513 tools":                   {`{"tools":` + tools(513) + `}`, 400},
		"513 tools in two places":     {`{"tools":` + tools(300) + `,"input":[{"tools":` + tools(213) + `}]}`, 400},
		"513 tools in a group":        {`{"tools":[{"type":"namespace","tools":` + tools(512) + `}]}`, 400},
		"two levels":                  {`{"tools":[{"type":"namespace","tools":[` + function + `]}]}`, 200},
		"three levels":                {`{"tools":[{"type":"namespace","tools":[{"type":"namespace","tools":[` + function + `]}]}]}`, 400},
		"deep":                        {`{"input":` + strings.Repeat("[", 250) + strings.Repeat("]", 250) + `}`, 200},
		"too deep":                    {`{"input":` + strings.Repeat("[", 300) + strings.Repeat("]", 300) + `}`, 400},
		"too deep where nobody looks": {`{"unknown":` + strings.Repeat("[", 300) + strings.Repeat("]", 300) + `}`, 400},
		"tools twice":                 {`{"tools":[],"tools":[{"type":"mcp"}]}`, 400},
		"tools twice, escaped":        {`{"tools":[],"to\u006fls":[{"type":"mcp"}]}`, 400},
		"a model twice":               {`{"model":"a","model":"b"}`, 400},
		"a limit twice":               {`{"max_output_tokens":1,"max_output_tokens":100000}`, 400},
		"a limit that is a text":      {`{"max_output_tokens":"100000"}`, 400},
		"a type twice":                {`{"tools":[{"type":"function","type":"mcp"}]}`, 400},
		"a type twice, reversed":      {`{"tools":[{"type":"mcp","type":"function"}]}`, 400},
		"a type in another case":      {`{"tools":[{"type":"function","Type":"mcp"}]}`, 400},
		"a type in another alphabet":  {`{"tools":[{"type":"namespace","toolſ":[{"type":"mcp"}]}]}`, 400},
		"a choice twice":              {`{"tools":[{"type":"mcp"},` + function + `],"tool_choice":{"type":"function","type":"mcp"}}`, 400},
		"two values":                  {`{"input":"a"}{"model":"b"}`, 400},
		"an open object":              {`{"input":"a"`, 400},
		"names that are values":       {`{"input":"a",7:1}`, 400},
	} {
		t.Run(name, func(t *testing.T) {
			d := open(t, says(whole, `{}`))
			status, said := d.ask("/v1/responses", token, tc.body)
			if status != tc.want || (status == 200) != (len(d.seen) == 1) {
				t.Errorf("%d %.300s, %d calls, want %d", status, said, len(d.seen), tc.want)
			}
		})
	}
}

// Some providers read names in any case.
// Promise: agent-relay-bounded
func TestFieldsInAnotherCaseAreNotPassedOn(t *testing.T) {
	d := open(t, says(whole, `{}`))
	body := `{"Model":"dear","MODEL":"dear","Tools":[{"type":"mcp"}],"tool\u0073":[{"type":"mcp"},{"type":"custom"}],"Service_Tier":"priority","input":"hi"}`
	if status, said := d.ask("/v1/responses", token, body); status != 200 {
		t.Fatalf("%d %s", status, said)
	}
	if want := `{"input":"hi","model":"chosen","tools":[{"type":"custom"}]}`; d.bodies[0] != want {
		t.Errorf("asked %s, want %s", d.bodies[0], want)
	}
}

// several opens the relays of several runs of one provider.
func several(t *testing.T, runs int, answer http.HandlerFunc, change ...func(*modelproxy.Config)) (handlers []*modelproxy.Handler, addresses []string) {
	t.Helper()
	provider := httptest.NewServer(answer)
	t.Cleanup(provider.Close)
	config := modelproxy.Config{URL: provider.URL, Key: key, Model: "chosen", Stall: time.Minute, Client: provider.Client()}
	for _, f := range change {
		f(&config)
	}
	p, err := modelproxy.New(config)
	if err != nil {
		t.Fatal(err)
	}
	for range runs {
		h := p.For(modelproxy.Run{
			Token: token, Alive: func() {}, Used: func(engine.Usage) {}, Stop: func(error) {},
			Meter: llm.NewMeter(engine.Budget{}, llm.Price{}, engine.Spent{}, time.Now),
		})
		server := httptest.NewServer(h)
		t.Cleanup(server.Close)
		t.Cleanup(h.Close)
		handlers, addresses = append(handlers, h), append(addresses, server.Listener.Addr().String())
	}
	return handlers, addresses
}

// slow is an agent that says how large its request is, and waits until the relay reads it.
type slow struct {
	net.Conn
	from *bufio.Reader
}

func send(t *testing.T, address string, size int) slow {
	t.Helper()
	c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	_, err = fmt.Fprintf(c, "POST /v1/messages HTTP/1.1\r\nHost: relay\r\nAuthorization: Bearer %s\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n", token, size)
	if err != nil {
		t.Fatal(err)
	}
	return slow{c, bufio.NewReader(c)}
}

// isRead reports whether the relay begins to read the body within a time.
func (s slow) isRead(t *testing.T, within time.Duration) bool {
	t.Helper()
	if err := s.SetReadDeadline(time.Now().Add(within)); err != nil {
		t.Fatal(err)
	}
	line, err := s.from.ReadString('\n')
	return err == nil && strings.HasPrefix(line, "HTTP/1.1 100")
}

const (
	largest = 32 << 20
	soon    = 300 * time.Millisecond // for what should not happen
	late    = 20 * time.Second       // for what should
)

// One run fills its share of the memory for requests, and no more.
// Promise: agent-relay-bounded
func TestARunDoesNotFillTheMemoryOfOthers(t *testing.T) {
	handlers, at := several(t, 2, says(whole, `{}`))
	first, second := send(t, at[0], largest), send(t, at[0], largest)
	if !first.isRead(t, late) || !second.isRead(t, late) {
		t.Fatal("two large requests of a run are not read")
	}
	third := send(t, at[0], largest)
	if third.isRead(t, soon) {
		t.Fatal("a run may send three of the largest requests at a time")
	}
	if other := send(t, at[1], largest); !other.isRead(t, late) {
		t.Error("another run has to wait")
	}
	_ = first.Close()
	if !third.isRead(t, late) {
		t.Error("nothing is read when there is room again")
	}
	handlers[0].Close()
}

// All runs together have a bounded memory for requests.
// Promise: agent-relay-bounded
func TestRequestsOfAllRunsHaveABoundedMemory(t *testing.T) {
	handlers, at := several(t, 5, says(whole, `{}`))
	for run := range 4 {
		for range 2 {
			if s := send(t, at[run], largest); !s.isRead(t, late) {
				t.Fatalf("a request of run %d is not read", run)
			}
		}
	}
	fifth := send(t, at[4], largest)
	if fifth.isRead(t, soon) {
		t.Fatal("more than 256 MiB of requests are read at a time")
	}
	if !closes(handlers[4]) {
		t.Error("a run that waits for room does not end")
	}
	if !closes(handlers[0]) {
		t.Error("a run whose agent is slow does not end")
	}
}

// closes reports whether a run ends.
func closes(h *modelproxy.Handler) bool {
	done := make(chan struct{})
	go func() {
		h.Close()
		close(done)
	}()
	select {
	case <-done:
		return true
	case <-time.After(late):
		return false
	}
}

// A run ends whatever its agent does: it does not send what it announced, or does not
// read what it asked for.
// Promise: agent-relay-bounded
func TestARunWaitsForNoAgentAtItsEnd(t *testing.T) {
	t.Run("that does not send", func(t *testing.T) {
		handlers, at := several(t, 1, says(whole, `{}`))
		if s := send(t, at[0], 100); !s.isRead(t, late) {
			t.Fatal("the request is not read")
		}
		if !closes(handlers[0]) {
			t.Error("the run does not end")
		}
	})
	t.Run("that does not read", func(t *testing.T) {
		var written atomic.Int64
		handlers, at := several(t, 1, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", stream)
			for r.Context().Err() == nil {
				_, _ = io.WriteString(w, "data: \""+strings.Repeat("x", 1<<16)+"\"\n\n")
				written.Add(1)
			}
		})
		s := send(t, at[0], 2)
		if !s.isRead(t, late) {
			t.Fatal("the request is not read")
		}
		if _, err := io.WriteString(s, "{}"); err != nil {
			t.Fatal(err)
		}
		// Until nobody on the way takes anything any more.
		for before := int64(-1); written.Load() == 0 || written.Load() != before; {
			before = written.Load()
			select {
			case <-time.After(soon):
			case <-t.Context().Done():
				t.Fatal("the provider is never held up")
			}
		}
		if !closes(handlers[0]) {
			t.Error("the run does not end")
		}
	})
}

// An agent has no longer to send its request than the provider has to answer it.
// Promise: agent-relay-bounded
func TestASlowRequestIsGivenUp(t *testing.T) {
	_, at := several(t, 1, says(whole, `{}`), func(c *modelproxy.Config) { c.Stall = 50 * time.Millisecond })
	s := send(t, at[0], 100)
	if err := s.SetReadDeadline(time.Now().Add(late)); err != nil {
		t.Fatal(err)
	}
	all, _ := io.ReadAll(s.from) // how it ends does not matter
	if !strings.Contains(string(all), "HTTP/1.1 400") {
		t.Errorf("heard %q", all)
	}
}

// A request without a length is read like any other, up to the same size.
// Promise: agent-relay-bounded
func TestARequestWithoutALengthIsRead(t *testing.T) {
	for _, tc := range []struct{ size, status int }{{10, 200}, {200_000, 200}, {largest, 413}} {
		d := open(t, says(whole, `{}`))
		body := `{"input":"` + strings.Repeat("x", tc.size) + `"}`
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, d.url+"/v1/responses", io.MultiReader(strings.NewReader(body)))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-Api-Key", token)
		answer, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		if answer.StatusCode != tc.status || tc.status == 200 && len(d.bodies[0]) != len(body)+len(`,"model":"chosen"`) {
			t.Errorf("%d bytes: %d", tc.size, answer.StatusCode)
		}
	}
}
