package lines

import "cmp"

// Opencode reads the lines of `opencode run --format json`.
type Opencode struct{}

type opencodeLine struct {
	Type      string `json:"type"`
	SessionID string `json:"sessionID"`
	Part      struct {
		Tool  string `json:"tool"`
		Text  string `json:"text"`
		State struct {
			Status string `json:"status"`
			Title  string `json:"title"`
			Error  string `json:"error"`
			Input  struct {
				FilePath string `json:"filePath"`
				Command  string `json:"command"`
				Pattern  string `json:"pattern"`
				Path     string `json:"path"`
			} `json:"input"`
			Metadata struct {
				FilePath string `json:"filepath"`
			} `json:"metadata"`
		} `json:"state"`
		Reason string  `json:"reason"`
		Cost   float64 `json:"cost"`
		Tokens struct {
			Input     int64 `json:"input"`
			Output    int64 `json:"output"`
			Reasoning int64 `json:"reasoning"`
			Cache     struct {
				Read  int64 `json:"read"`
				Write int64 `json:"write"`
			} `json:"cache"`
		} `json:"tokens"`
	} `json:"part"`
	Error struct {
		Name string `json:"name"`
		Data struct {
			Message string `json:"message"`
		} `json:"data"`
	} `json:"error"`
}

// Read implements [Reader].
func (*Opencode) Read(line []byte) Said {
	var l opencodeLine
	if said, ok := decode(line, &l); !ok {
		return said
	}
	said := Said{Session: l.SessionID}
	switch l.Type {
	case "step_start":
		said.Recovered = true
	case "tool_use":
		in := l.Part.State.Input
		if l.Part.Tool == "write" || l.Part.Tool == "edit" || l.Part.Tool == "patch" || l.Part.Tool == "apply_patch" {
			said.File = cmp.Or(l.Part.State.Metadata.FilePath, in.FilePath)
		}
		said.Doing = doing(l.Part.Tool, cmp.Or(in.Command, said.File, in.FilePath, in.Pattern, in.Path, l.Part.State.Title))
		if l.Part.State.Status == "error" {
			said.File, said.Doing = "", doing(l.Part.Tool+" failed:", l.Part.State.Error)
		}
	case "text":
		said.Message, said.Doing = l.Part.Text, short(l.Part.Text)
	case "step_finish":
		t := l.Part.Tokens
		said.Usage = Usage{InputTokens: t.Input + t.Cache.Read + t.Cache.Write, OutputTokens: t.Output + t.Reasoning, CostUSD: l.Part.Cost}
	case "error":
		said.Failure = short(cmp.Or(l.Error.Data.Message, l.Error.Name, "it did not say why"))
	default:
		said.Doing = short(string(line))
	}
	return said
}
