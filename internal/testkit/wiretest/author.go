package wiretest

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/llm/answer"
)

// Author answers as a model would that knows exactly one project.
type Author struct {
	// Read are the files that it reads before it plans to change a project.
	Read []string
	// Plan is its plan: JSON text, or anything that can be written as JSON.
	Plan any
	// Files are what it writes, by path; Edits, how it changes files that exist.
	Files map[string]string
	Edits map[string][]Edit
	// Repaired are what it writes when told that a file is wrong.
	Repaired map[string]string
}

// Edit replaces a piece of a file.
type Edit struct{ Old, New string }

// Replace is the call that makes an edit.
func Replace(path, before, after string) Call {
	return Call{Name: answer.Replace, Input: map[string]any{"path": path, "old": before, "new": after}}
}

// Done is the call that says that nothing is left.
func Done() Call { return Call{Name: answer.Done, Input: map[string]any{}} }

var (
	fileAsked = regexp.MustCompile(`(?m)^(Write|Change) the file (.+)$`)
	fileFound = regexp.MustCompile(`(?m)^- ([^ :]+): `)
)

const found = "This was found wrong:"

// File is the path of the file that is asked for, if one is.
func (a Ask) File() string {
	for _, t := range slices.Backward(a.Turns) {
		if m := fileAsked.FindAllStringSubmatch(t.Text, -1); t.Role == "user" && m != nil {
			return m[len(m)-1][2]
		}
	}
	return ""
}

// Repairs says whether a repair is asked for.
func (a Ask) Repairs() bool { return strings.Contains(a.Text(), found) }

// Answer answers one request.
func (m Author) Answer(a Ask) Answer {
	if a.Repairs() {
		return m.repair(a)
	}
	if path := a.File(); path != "" {
		if edits := m.Edits[path]; edits != nil {
			var calls []Call
			for _, e := range edits {
				calls = append(calls, Replace(path, e.Old, e.New))
			}
			return Answer{Calls: append(calls, Done())}
		}
		text, ok := m.Files[path]
		if !ok {
			return Answer{Text: "I do not know that file."}
		}
		return Answer{Text: a.Marked(text)}
	}
	if len(m.Read) > 0 && len(a.Turns) == 1 {
		var calls []Call
		for _, path := range m.Read {
			calls = append(calls, Call{Name: answer.Read, Input: map[string]any{"path": path, "from": 0, "to": 0}})
		}
		return Answer{Calls: calls}
	}
	return Answer{Calls: []Call{{Name: answer.Plan, Input: m.Plan}}}
}

// repair writes what is wrong again.
func (m Author) repair(a Ask) Answer {
	_, findings, _ := strings.Cut(a.Text(), found)
	var calls []Call
	if a.Turns[len(a.Turns)-1].Text != "" && strings.Contains(a.Last(), found) {
		var done []string
		for _, match := range fileFound.FindAllStringSubmatch(findings, -1) {
			path := match[1]
			if text, known := m.Repaired[path]; known && !slices.Contains(done, path) {
				calls = append(calls, Call{Name: answer.Write, Input: map[string]any{"path": path, "content": text}})
				done = append(done, path)
			}
		}
	}
	return Answer{Calls: append(calls, Done())}
}

// Marked is a file's text as a model is asked to give it.
func Marked(text string) string { return "<file_content>\n" + text + "</file_content>" }

var markAsked = regexp.MustCompile(`<(file_content\w*)> and a line`)

// Marked is a file's text between the marks that were asked for last.
func (a Ask) Marked(text string) string {
	mark := "file_content"
	for _, t := range a.Turns {
		if m := markAsked.FindAllStringSubmatch(t.Text, -1); m != nil {
			mark = m[len(m)-1][1]
		}
	}
	return strings.ReplaceAll(Marked(text), "file_content>", mark+">")
}

// inWords is an answer to a request without tools.
func (a Answer) inWords() Answer {
	for _, c := range a.Calls {
		action := answer.Called(c.Name, asJSON(c.Input))
		if c.Name == answer.Plan || action.Name == "" || action.Wrong != "" {
			a.Text += asJSON(c.Input) + "\n"
			continue
		}
		a.Text += action.InWords()
	}
	a.Calls = nil
	return a
}

// JSON is what stands in an answer for a value.
func JSON(v any) string { return asJSON(v) }

func asJSON(v any) string {
	if text, ok := v.(string); ok {
		return text
	}
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // whoever wrote the author made a mistake
	}
	return string(text)
}
