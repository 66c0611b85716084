package wiretest

import (
	"encoding/json"
	"regexp"
	"strings"
)

// Author answers as a model would that knows exactly one project.
type Author struct {
	// Read is the answer to which files it wants to read.
	Read []string
	// Plan is its plan: JSON text, or anything that can be written as JSON.
	Plan any
	// Files are what it writes, by path.
	Files map[string]string
	// Repaired are what it writes when told that a file is wrong.
	Repaired map[string]string
}

var fileAsked = regexp.MustCompile(`(?m)^Write the file (.+)$`)

// File is the path of the file that is asked for, if one is.
func (a Ask) File() string {
	for _, t := range a.Turns {
		if m := fileAsked.FindAllStringSubmatch(t.Text, -1); t.Role == "user" && m != nil {
			return m[len(m)-1][1]
		}
	}
	return ""
}

// Answer answers one request.
func (m Author) Answer(a Ask) Answer {
	if path := a.File(); path != "" {
		text, ok := m.Files[path]
		if strings.Contains(a.Last(), "found wrong") {
			if mended, known := m.Repaired[path]; known {
				text, ok = mended, true
			}
		}
		if !ok {
			return Answer{Text: "I do not know that file."}
		}
		return Answer{Text: Marked(text)}
	}
	if strings.Contains(a.Last(), `{"read":`) {
		return Answer{Text: asJSON(map[string]any{"read": append([]string{}, m.Read...)})}
	}
	return Answer{Text: asJSON(m.Plan)}
}

// Marked is a file's text as a model is asked to give it.
func Marked(text string) string { return "<file_content>\n" + text + "</file_content>" }

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
