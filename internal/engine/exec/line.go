package exec

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/bundle-delivery/svc/internal/engine"
)

// maxMessage is how many bytes of a program's own error are passed on.
const maxMessage = 4 << 10

// line is everything that one line of a program may say.
type line struct {
	Type   string  `json:"type"`
	Action string  `json:"action"`
	File   string  `json:"file"`
	Key    *string `json:"key"`
	Value  *string `json:"value"`
	Reason string  `json:"reason"`

	Content         *string `json:"content"`
	Delta           *string `json:"delta"`
	Path            string  `json:"path"`
	DestinationType string  `json:"destination_type"`
	MergeStrategy   string  `json:"merge_strategy"`
	Base            string  `json:"base"`
	Mode            string  `json:"mode"`

	Name string `json:"name"`
	Port int    `json:"port"`
	Uses []struct {
		Path     string `json:"path"`
		Template string `json:"template"`
	} `json:"uses"`

	Model        string  `json:"model"`
	InputTokens  int64   `json:"input_tokens"`
	OutputTokens int64   `json:"output_tokens"`
	CostUSD      float64 `json:"cost_usd"`

	Code    string `json:"code"`
	Message string `json:"message"`
}

// read makes an output of a line, or the error that the program reports. Fields
// that are not known are passed over: programs may be newer than the server.
func parseLine(text []byte) (engine.Output, error) {
	var l line
	if !utf8.Valid(text) {
		return nil, badLine(text, errors.New("it is not UTF-8"))
	}
	if err := json.Unmarshal(text, &l); err != nil {
		return nil, badLine(text, err)
	}
	// encoding/json reads an escape for half a character as another character.
	if bytes.Contains(text, []byte(`\u`)) && !jsontext.Value(text).IsValid(jsontext.AllowDuplicateNames(true)) {
		return nil, badLine(text, errors.New("it has half a character"))
	}
	out, err := l.output()
	if err != nil {
		if _, ok := errors.AsType[*engine.Error](err); ok {
			return nil, err
		}
		return nil, badLine(text, err)
	}
	return out, nil
}

// badLine ends a run. People are told that it happened, the log what was said.
func badLine(text []byte, why error) error {
	return &engine.Error{
		Code:    engine.CodeInternal,
		Message: "The engine said something that cannot be understood.",
		Err:     fmt.Errorf("line %.200q: %w", bytes.TrimSpace(text), why),
	}
}

func (l line) output() (engine.Output, error) {
	missing := func(field string) (engine.Output, error) { return nil, fmt.Errorf("a %s needs %s", l.Type, field) }
	switch l.Type {
	case "tool_status":
		if l.Action == "" {
			return missing("action")
		}
		return engine.ToolStatus{Action: l.Action, File: l.File}, nil
	case "state_update":
		if l.Key == nil || l.Value == nil {
			return missing("key and value")
		}
		return engine.StateUpdate{Key: *l.Key, Value: *l.Value, Reason: l.Reason}, nil
	case "memory_update":
		if l.Content == nil {
			return missing("content")
		}
		return engine.MemoryUpdate{Content: *l.Content}, nil
	case "token":
		if l.File == "" || l.Delta == nil {
			return missing("file and delta")
		}
		return engine.Token{File: l.File, Delta: *l.Delta}, nil
	case "file":
		return l.file()
	case "delete":
		if l.Path == "" {
			return missing("path")
		}
		return engine.Delete{Path: l.Path}, nil
	case "port":
		return l.port()
	case "usage":
		return engine.Usage{Model: l.Model, InputTokens: l.InputTokens, OutputTokens: l.OutputTokens, CostUSD: l.CostUSD}, nil
	case "error":
		return nil, l.failure()
	}
	return nil, fmt.Errorf("there is no type %q", l.Type)
}

func (l line) file() (engine.Output, error) {
	if l.Path == "" {
		return nil, errors.New("a file needs path")
	}
	f := engine.File{Path: l.Path, Place: engine.Placement{
		DestinationType: l.DestinationType, MergeStrategy: l.MergeStrategy, Base: l.Base, Mode: l.Mode,
	}}
	if l.Content != nil {
		f.Content = append([]byte{}, *l.Content...) // empty content is not none
	}
	return f, nil
}

func (l line) port() (engine.Output, error) {
	if l.Name == "" || l.Port <= 0 || l.Port > 65535 {
		return nil, errors.New("a port needs name and a port between 1 and 65535")
	}
	p := engine.Port{Name: l.Name, Port: l.Port}
	for _, u := range l.Uses {
		p.Uses = append(p.Uses, engine.PortUse{Path: u.Path, Template: u.Template})
	}
	return p, nil
}

// failure is what the program reports as its own end.
func (l line) failure() *engine.Error {
	e := &engine.Error{Code: l.Code, Message: l.Message}
	switch l.Code {
	case engine.CodeConstraintUnresolvable, engine.CodeValidationFailed:
	case engine.CodeUpstreamOutage:
		e.Retryable = true
	default:
		e.Code, e.Retryable = engine.CodeInternal, true
	}
	if len(e.Message) > maxMessage {
		e.Message = strings.ToValidUTF8(e.Message[:maxMessage], "") + "…"
	}
	if e.Message == "" {
		e.Message = "The engine gave up without saying why."
	}
	return e
}
