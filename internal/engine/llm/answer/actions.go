package answer

import (
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The names of what a model may do, as tools and in words.
const (
	Read    = "read"
	Search  = "search"
	Replace = "replace"
	Write   = "write"
	Plan    = "plan"
	Done    = "done"
)

// Action is one thing that a model wants to do. Each has the fields that it needs.
type Action struct {
	Name    string `json:"-"`
	Wrong   string `json:"-"` // why it cannot be done, whatever else it says
	Path    string `json:"path"`
	From    int    `json:"from"`
	To      int    `json:"to"`
	Text    string `json:"text"`
	Old     string `json:"old"`
	New     string `json:"new"`
	Content string `json:"content"`
}

// needed are the texts without which a change would destroy what it should change:
// none of them is taken for empty because it was not given.
var needed = map[string][]string{Replace: {"old", "new"}, Write: {"content"}}

// Called reads what a call of a tool wants. One without a name is no tool that is
// known, or its input is no object.
func Called(name, input string) Action {
	if !slices.Contains([]string{Read, Search, Replace, Write, Plan, Done}, name) {
		return Action{}
	}
	a := Action{Name: name}
	err := json.Unmarshal([]byte(input), &a)
	if mismatch, ok := errors.AsType[*json.UnmarshalTypeError](err); err != nil && (!ok || mismatch.Field == "") {
		return Action{}
	}
	var members map[string]json.RawMessage
	_ = json.Unmarshal([]byte(input), &members) // it is an object
	isText := func(value json.RawMessage) bool { return strings.HasPrefix(string(value), `"`) }
	if path, given := members["path"]; given && needed[name] != nil && !isText(path) {
		a.Wrong = "path has to be a text"
	}
	for _, member := range needed[name] {
		if !isText(members[member]) {
			a.Wrong = member + " has to be a text"
		}
	}
	return a
}

// The lines of a block that changes a file.
const (
	blockOpen   = "<<<<<<< SEARCH"
	blockMiddle = "======="
	blockClose  = ">>>>>>> REPLACE"
)

var (
	tag = regexp.MustCompile(`^<(read|search|done)((?:\s+[a-z]+="[^"]*")*)\s*/?>(?:</(?:read|search|done)>)?$`)
	// misspelled knows lines that were meant to do something and are none of the above.
	misspelled = regexp.MustCompile(`^(?:<(?:read|search|done|replace|write|edit)\b|[\[{].*"(?:path|old|new|content)"\s*:)`)
	attribute  = regexp.MustCompile(`([a-z]+)="([^"]*)"`)
)

// Actions reads what a model without tools wants to do: <read path="…" from="…"
// to="…"/>, <search text="…" path="…"/>, <done/>, each in a line of its own, and
// blocks of <<<<<<< SEARCH path, =======, >>>>>>> REPLACE. Problems say, for the
// model, what could not be told apart.
func Actions(text string, mark Mark) (actions []Action, problems []string) {
	text, open := withoutThinking(text)
	var block *blockReader
	content, stray, after := false, false, "" // what was said after the last action
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		switch {
		case block != nil:
			if !block.take(line) {
				continue
			}
			if problem := block.problem(); problem != "" {
				problems = append(problems, problem)
			} else {
				actions, after = append(actions, block.action()), ""
			}
			block = nil
		case content:
			content = !mark.closes(line)
		case strings.HasPrefix(trimmed, blockOpen):
			block = &blockReader{path: strings.Trim(strings.TrimPrefix(trimmed, blockOpen), " :`\"")}
		default:
			if _, opens := mark.opens(line); opens {
				content = true
			} else if m := tag.FindStringSubmatch(trimmed); m != nil {
				actions, after = append(actions, tagged(m[1], m[2])), ""
			} else if misspelled.MatchString(trimmed) {
				problems = append(problems, fmt.Sprintf("the line %.80q, which looks like something to do", trimmed))
			} else {
				stray = stray || trimmed == blockClose
				after += trimmed
			}
		}
	}
	if block != nil {
		problems = append(problems, fmt.Sprintf("a block for %s is not closed by a line %s", block.path, blockClose))
	}
	if stray { // perhaps it ended a block too early: then what is new was cut
		problems = append(problems, fmt.Sprintf("a line %s stands outside of a block, so where the blocks end cannot be told and none was applied; choose pieces without such a line, or write the whole file", blockClose))
		actions = slices.DeleteFunc(actions, func(a Action) bool { return a.Name == Replace })
	}
	if open && after != "" && len(actions) > 0 {
		return nil, append(problems, "the thinking was not closed, so what belongs to it cannot be told and nothing was done")
	}
	return actions, problems
}

func tagged(name, attributes string) Action {
	a := Action{Name: name}
	for _, m := range attribute.FindAllStringSubmatch(attributes, -1) {
		value := html.UnescapeString(m[2])
		switch m[1] {
		case "path":
			a.Path = value
		case "text":
			a.Text = value
		case "from":
			a.From, _ = strconv.Atoi(value) // what is no number is the beginning
		case "to":
			a.To, _ = strconv.Atoi(value) // or the end
		}
	}
	return a
}

// blockReader collects the lines of one block.
type blockReader struct {
	path     string
	old, new strings.Builder
	middles  int
}

// take takes a line and says whether it was the last.
func (b *blockReader) take(line string) bool {
	switch strings.TrimRight(line, " \t\r\n") {
	case blockClose:
		return true
	case blockMiddle:
		if b.middles++; b.middles == 1 {
			return false
		}
	}
	if b.middles == 0 {
		b.old.WriteString(line)
	} else {
		b.new.WriteString(line)
	}
	return false
}

func (b *blockReader) problem() string {
	if b.middles == 1 {
		return ""
	}
	return fmt.Sprintf("a block for %s has %d lines %s instead of one, so old and new text cannot be told apart; choose a piece without such a line, or write the whole file", b.path, b.middles, blockMiddle)
}

func (b *blockReader) action() Action {
	return Action{Name: Replace, Path: b.path, Old: b.old.String(), New: b.new.String()}
}

// InWords is an action as a model without tools says it.
func (a Action) InWords() string {
	switch a.Name {
	case Read:
		return fmt.Sprintf("<read path=\"%s\" from=\"%d\" to=\"%d\"/>\n", html.EscapeString(a.Path), a.From, a.To)
	case Search:
		return fmt.Sprintf("<search text=\"%s\" path=\"%s\"/>\n", html.EscapeString(a.Text), html.EscapeString(a.Path))
	case Replace:
		return blockOpen + " " + a.Path + "\n" + endLine(a.Old) + blockMiddle + "\n" + endLine(a.New) + blockClose + "\n"
	case Write:
		return fmt.Sprintf("<file_content path=\"%s\">\n%s</file_content>\n", a.Path, endLine(a.Content))
	}
	return "<done/>\n"
}

func endLine(text string) string {
	if text == "" || strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}

// HalfObject says whether an answer broke off inside a JSON object.
func HalfObject(text string) bool {
	text, _ = withoutThinking(text)
	_, from, begun := strings.Cut(text, "{")
	if !begun {
		return false
	}
	var object json.RawMessage
	return json.NewDecoder(strings.NewReader("{"+from)).Decode(&object) != nil
}

// Object cuts the first JSON object out of whatever is around it, if it has one of
// the members that are looked for.
func Object(text string, members ...string) (json.RawMessage, bool) {
	const tries = 64
	text, _ = withoutThinking(text)
	for range tries {
		at := strings.IndexByte(text, '{')
		if at < 0 {
			break
		}
		text = text[at:]
		var object map[string]json.RawMessage
		decoder := json.NewDecoder(strings.NewReader(text))
		if err := decoder.Decode(&object); err == nil {
			for _, member := range members {
				if _, ok := object[member]; ok {
					return json.RawMessage(text[:decoder.InputOffset()]), true
				}
			}
		}
		text = text[1:]
	}
	return nil, false
}
