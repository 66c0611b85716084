package lines

import "cmp"

// Codex reads the lines of `codex exec --json`.
type Codex struct{ before codexUsage }

type codexUsage struct {
	InputTokens  int64 `json:"input_tokens"`
	OutputTokens int64 `json:"output_tokens"`
}

type codexLine struct {
	Type     string     `json:"type"`
	ThreadID string     `json:"thread_id"`
	Message  string     `json:"message"`
	Usage    codexUsage `json:"usage"`
	Error    struct {
		Message string `json:"message"`
	} `json:"error"`
	Item struct {
		Type    string `json:"type"`
		Text    string `json:"text"`
		Message string `json:"message"`
		Command string `json:"command"`
		Status  string `json:"status"`
		Query   string `json:"query"`
		Tool    string `json:"tool"`
		Changes []struct {
			Path string `json:"path"`
			Kind string `json:"kind"`
		} `json:"changes"`
	} `json:"item"`
}

// Read implements [Reader].
func (c *Codex) Read(line []byte) Said {
	var l codexLine
	if said, ok := decode(line, &l); !ok {
		return said
	}
	switch l.Type {
	case "thread.started":
		return Said{Session: l.ThreadID}
	case "turn.started":
		return Said{Recovered: true}
	case "item.started", "item.updated", "item.completed":
		return codexItem(l)
	case "turn.completed":
		// It tells what was used so far, over all turns.
		used := Usage{InputTokens: max(l.Usage.InputTokens-c.before.InputTokens, 0), OutputTokens: max(l.Usage.OutputTokens-c.before.OutputTokens, 0)}
		c.before = l.Usage
		return Said{Usage: used, Recovered: true}
	case "turn.failed":
		return Said{Failure: short(cmp.Or(l.Error.Message, "it did not say why"))}
	case "error": // such as that it connects anew; a turn that fails says so itself
		return Said{Doing: doing("error:", l.Message)}
	}
	return Said{Doing: short(string(line))}
}

func codexItem(l codexLine) Said {
	item := l.Item
	begins, ends := l.Type == "item.started", l.Type == "item.completed"
	switch item.Type {
	case "file_change":
		if item.Status == "failed" {
			return Said{Doing: "a change of files failed"}
		}
		if len(item.Changes) == 0 || !ends {
			return Said{}
		}
		said := Said{Doing: doing("change", item.Changes[0].Path)}
		if item.Changes[0].Kind != "delete" {
			said.File = item.Changes[0].Path
		}
		return said
	case "command_execution":
		if begins {
			return Said{Doing: doing("run", item.Command)}
		}
		return Said{}
	case "agent_message":
		if ends {
			return Said{Message: item.Text, Doing: short(item.Text)}
		}
		return Said{}
	case "reasoning":
		return Said{Doing: short(item.Text)}
	case "error": // some of them are harmless
		return Said{Doing: doing("error:", item.Message)}
	}
	if !begins {
		return Said{}
	}
	return Said{Doing: doing(item.Type, cmp.Or(item.Query, item.Tool))}
}
