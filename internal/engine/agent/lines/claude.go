package lines

import (
	"cmp"
	"strings"
)

// Claude reads the lines of `claude -p --output-format stream-json --verbose`.
type Claude struct{ model string }

type claudeLine struct {
	Type      string `json:"type"`
	Subtype   string `json:"subtype"`
	SessionID string `json:"session_id"`
	Model     string `json:"model"`
	Message   struct {
		Content []struct {
			Type  string `json:"type"`
			Text  string `json:"text"`
			Name  string `json:"name"`
			Input struct {
				FilePath string `json:"file_path"`
				Command  string `json:"command"`
				Pattern  string `json:"pattern"`
			} `json:"input"`
		} `json:"content"`
	} `json:"message"`
	IsError bool    `json:"is_error"`
	Result  string  `json:"result"`
	Cost    float64 `json:"total_cost_usd"`
	Usage   struct {
		InputTokens  int64 `json:"input_tokens"`
		OutputTokens int64 `json:"output_tokens"`
		CacheRead    int64 `json:"cache_read_input_tokens"`
		CacheWrite   int64 `json:"cache_creation_input_tokens"`
	} `json:"usage"`
}

// Read implements [Reader].
func (c *Claude) Read(line []byte) Said {
	var l claudeLine
	if said, ok := decode(line, &l); !ok {
		// The content of a message may also be one text: nothing to tell.
		if strings.Contains(string(line), `"type":"user"`) {
			return Said{}
		}
		return said
	}
	said := Said{Session: l.SessionID}
	switch l.Type {
	case "system":
		c.model = cmp.Or(l.Model, c.model)
		said.Recovered = l.Subtype == "init"
	case "assistant":
		for _, block := range l.Message.Content {
			switch block.Type {
			case "text":
				said.Message, said.Doing = block.Text, short(block.Text)
			case "tool_use":
				if block.Name == "Write" || block.Name == "Edit" || block.Name == "MultiEdit" {
					said.File = block.Input.FilePath
				}
				said.Doing = doing(strings.ToLower(block.Name), cmp.Or(block.Input.Command, block.Input.FilePath, block.Input.Pattern))
			}
		}
	case "user": // what its tools answered
	case "result":
		u := l.Usage
		said.Usage = Usage{Model: c.model, InputTokens: u.InputTokens + u.CacheRead + u.CacheWrite, OutputTokens: u.OutputTokens, CostUSD: l.Cost}
		said.Message = l.Result
		if l.IsError || l.Subtype != "success" {
			said.Failure = short(cmp.Or(l.Result, strings.ReplaceAll(l.Subtype, "_", " "), "it did not say why"))
		}
	default:
		said.Doing = short(string(line))
	}
	return said
}
