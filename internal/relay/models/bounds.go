package models

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
)

// inForeground has the answer come as that of the call: what is made in the
// background is fetched elsewhere, and counted by nobody.
func inForeground(fields map[string]json.RawMessage) { delete(fields, "background") }

// shortAnswer is what every model may be asked to say at most.
const shortAnswer = 4096

// bound has the provider stop by itself where the budget ends. left gives what may
// be said of as much as is asked for. An agent that names no limit is given one only
// when little is left: models refuse more than they can.
func (p *protocol) bound(fields map[string]json.RawMessage, left func(most int64) int64) {
	var thinking struct {
		Budget int64 `json:"budget_tokens"`
	}
	_ = json.Unmarshal(fields["thinking"], &thinking) // it may be missing
	named := false
	for _, limit := range p.limits {
		var asked int64
		if json.Unmarshal(fields[limit], &asked) != nil || asked <= 0 {
			continue
		}
		named = true
		// A provider refuses less than the thinking that is asked for.
		if most := left(asked); most < asked && most > thinking.Budget {
			fields[limit] = number(most)
		}
	}
	if most := left(math.MaxInt64); !named && most < shortAnswer && most > thinking.Budget {
		fields[p.limits[0]] = number(most)
	}
}

func number(n int64) json.RawMessage { return strconv.AppendInt(nil, n, 10) }

// elsewhere are the fields by which a provider is asked to reach others.
var elsewhere = []string{"mcp_servers", "web_search_options", "plugins", "prompt"}

// ownTools leaves a request the tools that the agent runs itself. Those that a
// provider runs (searching, fetching, servers of tools) lead past the hosts that an
// agent may reach.
func ownTools(fields map[string]json.RawMessage) {
	for _, name := range elsewhere {
		delete(fields, name)
	}
	tools, dropped := keepOwn(fields["tools"])
	if !dropped {
		return
	}
	fields["tools"] = tools
	var choice struct {
		Type string `json:"type"`
	}
	// A choice of what is not there would be refused. It may be a word.
	if json.Unmarshal(fields["tool_choice"], &choice) == nil && choice.Type != "function" && choice.Type != "custom" {
		delete(fields, "tool_choice")
	}
	if string(tools) == "[]" {
		delete(fields, "tools")
		delete(fields, "tool_choice")
	}
}

// keepOwn leaves out of a list of tools what a provider runs.
func keepOwn(list json.RawMessage) (kept json.RawMessage, dropped bool) {
	if len(list) == 0 || string(list) == "null" {
		return list, false
	}
	var tools []map[string]json.RawMessage
	if json.Unmarshal(list, &tools) != nil {
		return json.RawMessage("[]"), true
	}
	own := []map[string]json.RawMessage{}
	for _, tool := range tools {
		var kind string
		if raw, given := tool["type"]; given && json.Unmarshal(raw, &kind) != nil || !ownKind(kind) {
			dropped = true
			continue
		}
		if inner, some := keepOwn(tool["tools"]); some { // of a group
			tool["tools"], dropped = inner, true
		}
		own = append(own, tool)
	}
	if !dropped {
		return list, false
	}
	kept, err := json.Marshal(own)
	if err != nil {
		return json.RawMessage("[]"), true
	}
	return kept, true
}

// ownKind says whether the agent itself runs tools of a kind.
func ownKind(kind string) bool {
	return slices.Contains([]string{"", "function", "custom", "namespace", "local_shell", "apply_patch"}, kind) ||
		slices.ContainsFunc([]string{"bash_", "text_editor_", "memory_"}, func(own string) bool { return strings.HasPrefix(kind, own) })
}
