package wiretest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// Responses is the newer protocol of OpenAI, which its own agent speaks.
const Responses = "responses"

// Coder is a model for coding agents: it answers with calls of the agents' own
// tools, in whichever protocol an agent speaks, streamed or not. Fields that it
// does not know are let pass: they are the agents' affair.
type Coder struct {
	// Steps says what the model does about a prompt, one step after the other.
	Steps func(prompt string) []Step

	mu   sync.Mutex
	asks []CoderAsk
}

// Step is one thing that the model does. With neither file nor command nor tool it says
// its text and is done.
type Step struct {
	File, Content string // writes a file
	Command       string // runs a command
	// Tool calls a tool that the agent offers by this name; Arguments makes what it is
	// called with, from what tools have answered so far.
	Tool      string
	Arguments func(results []string) map[string]any
	Text      string
	Status    int  // refuses with this status
	Cut       bool // breaks off in the middle
}

// CoderAsk is what an agent asked.
type CoderAsk struct {
	Protocol string
	Agent    string // as it calls itself: with its version
	Model    string
	Streamed bool
	Tools    []string // that it offers
	// Prompts are what the person has said, Results what the tools have answered
	// since the last of them.
	Prompts, Results []string
	// Called are the tools that the model has called since then.
	Called []string
}

// Asks are the requests so far, in the order in which they came.
func (c *Coder) Asks() []CoderAsk {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.asks)
}

// ServeHTTP answers one request.
func (c *Coder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "Bearer "+Key && r.Header.Get("X-Api-Key") != Key {
		http.Error(w, `{"error":{"message":"the key is wrong: `+r.Header.Get("Authorization")+r.Header.Get("X-Api-Key")+`"}}`, http.StatusUnauthorized)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	var ask CoderAsk
	switch r.URL.Path {
	case "/v1/chat/completions":
		ask, err = readCoderChat(body)
	case "/v1/responses":
		ask, err = readCoderResponses(body)
	case "/v1/messages":
		ask, err = readCoderMessages(body)
	default:
		http.NotFound(w, r)
		return
	}
	if err == nil && len(ask.Prompts) == 0 {
		err = errors.New("nobody has said anything")
	}
	if err != nil {
		http.Error(w, fmt.Sprintf(`{"error":{"message":%q}}`, err), http.StatusBadRequest)
		return
	}
	ask.Agent = r.Header.Get("User-Agent")
	c.mu.Lock()
	c.asks = append(c.asks, ask)
	number := len(c.asks)
	c.mu.Unlock()
	steps := c.Steps(ask.Prompts[len(ask.Prompts)-1])
	step := Step{Text: "It is done."}
	if n := len(ask.Results); n < len(steps) {
		step = steps[n]
	}
	if step.Status != 0 {
		http.Error(w, `{"error":{"message":"as the test wants it","type":"server_error"}}`, step.Status)
		return
	}
	a := &coderAnswer{w: w, ask: ask, step: step, id: number}
	a.send()
}

// tool gives the call of one of the agent's own tools that does a step.
func (a CoderAsk) tool(s Step) (name string, arguments map[string]any) {
	has := func(name string) bool { return slices.Contains(a.Tools, name) }
	const folder = "/work/src/"
	switch {
	case s.Tool != "":
		return s.Tool, s.Arguments(a.Results)
	case s.File != "" && has("write"): // opencode
		return "write", map[string]any{"filePath": folder + s.File, "content": s.Content}
	case s.File != "" && has("Write"): // Claude Code
		return "Write", map[string]any{"file_path": folder + s.File, "content": s.Content}
	}
	command := s.Command
	if s.File != "" {
		command = fmt.Sprintf("mkdir -p \"$(dirname %[1]s)\" && cat >%[1]s <<'END_OF_FILE'\n%[2]sEND_OF_FILE", s.File, s.Content)
	}
	switch {
	case has("bash"):
		return "bash", map[string]any{"command": command, "description": "does a step"}
	case has("Bash"):
		return "Bash", map[string]any{"command": command, "description": "does a step"}
	case has("exec_command"):
		return "exec_command", map[string]any{"cmd": command}
	case has("shell_command"):
		return "shell_command", map[string]any{"command": command}
	}
	return "shell", map[string]any{"command": []string{"sh", "-c", command}}
}

// text is what a content says: one text, or parts of which some are text.
func textOf(content json.RawMessage) string {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return text
	}
	var parts []struct {
		Text string `json:"text"`
	}
	_ = json.Unmarshal(content, &parts) // what has no text has none
	for _, p := range parts {
		text += p.Text
	}
	return text
}

// said adds what a person says; it is what the model goes by from then on.
func (a *CoderAsk) said(text string) {
	if strings.TrimSpace(text) != "" {
		a.Prompts, a.Results, a.Called = append(a.Prompts, text), nil, nil
	}
}

func readCoderChat(body []byte) (CoderAsk, error) {
	var q struct {
		Model    string `json:"model"`
		Stream   bool   `json:"stream"`
		Messages []struct {
			Role      string          `json:"role"`
			Content   json.RawMessage `json:"content"`
			ToolCalls []struct {
				Function struct {
					Name string `json:"name"`
				} `json:"function"`
			} `json:"tool_calls"`
		} `json:"messages"`
		Tools []struct {
			Function struct {
				Name string `json:"name"`
			} `json:"function"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(body, &q); err != nil {
		return CoderAsk{}, err
	}
	a := CoderAsk{Protocol: OpenAI, Model: q.Model, Streamed: q.Stream}
	for _, t := range q.Tools {
		a.Tools = append(a.Tools, t.Function.Name)
	}
	for _, m := range q.Messages {
		switch m.Role {
		case "user":
			a.said(textOf(m.Content))
		case "assistant":
			for _, call := range m.ToolCalls {
				a.Called = append(a.Called, call.Function.Name)
			}
		case "tool":
			a.Results = append(a.Results, textOf(m.Content))
		}
	}
	return a, nil
}

// coderHead is what the requests of two protocols have in common.
type coderHead struct {
	Model  string `json:"model"`
	Stream bool   `json:"stream"`
	Tools  []struct {
		Name string `json:"name"`
	} `json:"tools"`
}

func (h coderHead) ask(protocol string) CoderAsk {
	a := CoderAsk{Protocol: protocol, Model: h.Model, Streamed: h.Stream}
	for _, t := range h.Tools {
		a.Tools = append(a.Tools, t.Name)
	}
	return a
}

func readCoderResponses(body []byte) (CoderAsk, error) {
	var q struct {
		coderHead
		Input json.RawMessage `json:"input"`
	}
	if err := json.Unmarshal(body, &q); err != nil {
		return CoderAsk{}, err
	}
	a := q.ask(Responses)
	var items []struct {
		Type    string          `json:"type"`
		Role    string          `json:"role"`
		Name    string          `json:"name"`
		Content json.RawMessage `json:"content"`
		Output  json.RawMessage `json:"output"`
	}
	if json.Unmarshal(q.Input, &items) != nil {
		a.said(textOf(q.Input)) // one text
	}
	for _, i := range items {
		switch {
		case i.Role == "user":
			a.said(textOf(i.Content))
		case strings.HasSuffix(i.Type, "_call_output"):
			a.Results = append(a.Results, textOf(i.Output))
		case strings.HasSuffix(i.Type, "_call"):
			a.Called = append(a.Called, i.Name)
		}
	}
	return a, nil
}

func readCoderMessages(body []byte) (CoderAsk, error) {
	var q struct {
		coderHead
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(body, &q); err != nil {
		return CoderAsk{}, err
	}
	a := q.ask(Anthropic)
	for _, m := range q.Messages {
		var blocks []struct {
			Type    string          `json:"type"`
			Name    string          `json:"name"`
			Content json.RawMessage `json:"content"`
		}
		_ = json.Unmarshal(m.Content, &blocks) // it may be one text
		results := 0
		for _, b := range blocks {
			switch b.Type {
			case "tool_use":
				a.Called = append(a.Called, b.Name)
			case "tool_result":
				a.Results = append(a.Results, textOf(b.Content))
				results++
			}
		}
		if m.Role == "user" && results == 0 {
			a.said(textOf(m.Content))
		}
	}
	return a, nil
}
