// Package lines reads what coding agents print about their work, one JSON object
// a line, each in its own words.
//
// Agents change what they print from version to version: a line that is not
// understood is no error, but something that the agent said.
package lines

import (
	"encoding/json"
	"strings"
	"unicode"
)

// Said is what one line says; the zero value says nothing.
type Said struct {
	// Doing is what the agent does, in a few words; File the file that it does it
	// to, as the agent names it.
	Doing string
	File  string
	// Message is what the agent says to the person.
	Message string
	// Session is by what name the conversation can be continued.
	Session string
	// Usage is what was used since the last line that told.
	Usage Usage
	// Failure is why the agent cannot go on; Recovered says that it went on after
	// all, whatever failed before.
	Failure   string
	Recovered bool
}

// Usage are tokens and their price as the agent counts them.
type Usage struct {
	Model                     string
	InputTokens, OutputTokens int64
	CostUSD                   float64
}

// Reader reads the lines of one agent. It remembers what was said, and is used by
// one goroutine.
type Reader interface {
	Read(line []byte) Said
}

// maxDoing is how much of what an agent does is told.
const maxDoing = 200

// Plain reads the lines of an agent that is not known here: all of it is what it
// does.
type Plain struct{}

// Read implements [Reader].
func (Plain) Read(line []byte) Said { return Said{Doing: short(string(line))} }

// decode reads a line as JSON. One that is none is what the agent does.
func decode(line []byte, to any) (Said, bool) {
	if err := json.Unmarshal(line, to); err != nil {
		return Plain{}.Read(line), false
	}
	return Said{}, true
}

// short makes one line of a text, of bounded length and without control
// characters.
func short(text string) string {
	text = strings.ToValidUTF8(text[:min(len(text), 4*maxDoing)], "")
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > maxDoing {
		text = strings.ToValidUTF8(text[:maxDoing], "") + "…"
	}
	return text
}

// doing puts a verb before what it is done to.
func doing(verb, what string) string { return short(strings.TrimSpace(verb + " " + what)) }
