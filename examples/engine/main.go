// Command engine is an example of a program behind the exec engine.
//
// It keeps a web page of notes: each generation adds its prompt as a note. That
// is little, but every part of the boundary is in use: the request on standard
// input, one JSON object a line on standard output, complaints on standard
// error. What else may be said, how a run ends and the limits are in
// docs/engines.md. Start the server with it:
//
//	go build -o engine ./examples/engine
//	svcd serve --engine exec --engine-command "$PWD/engine"
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"html"
	"os"
	"strings"
)

// request is what the server writes to standard input.
type request struct {
	Prompt      string            `json:"prompt"`
	Constraints map[string]string `json:"constraints"`
	ProjectID   string            `json:"projectId"`
	Files       []struct {
		Path    string `json:"path"`
		Content string `json:"content"`
	} `json:"files"`
	State    map[string]string `json:"state"`
	Memory   string            `json:"memory"`
	Attempt  int               `json:"attempt"`
	Findings []string          `json:"findings"`
}

// say is one line of the answer.
type say map[string]any

// themes are the values of the one constraint that this engine knows.
var themes = map[string]string{
	"light": "color-scheme: light",
	"dark":  "color-scheme: dark",
}

func main() {
	out := bufio.NewWriter(os.Stdout)
	err := generate(json.NewDecoder(os.Stdin), func(s say) error {
		line, err := json.Marshal(s)
		if err != nil {
			return err
		}
		if _, err := out.Write(append(line, '\n')); err != nil {
			return err
		}
		return out.Flush() // viewers see it now
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, "engine:", err)
		os.Exit(1)
	}
}

func generate(in *json.Decoder, tell func(say) error) error {
	var req request
	if err := in.Decode(&req); err != nil {
		return fmt.Errorf("read the request: %w", err)
	}
	for _, finding := range req.Findings {
		fmt.Fprintln(os.Stderr, "the attempt before this one failed:", finding)
	}
	theme := req.State["theme"]
	for name, value := range req.Constraints {
		if name != "theme" || themes[value] == "" {
			return tell(say{
				"type": "error", "code": "CONSTRAINT_UNRESOLVABLE",
				"message": fmt.Sprintf("%s=%s cannot be met; the constraint here is theme=light or theme=dark.", name, value),
			})
		}
		theme = value
	}
	if theme == "" {
		theme = "light"
	}
	notes := append(earlier(req), req.Prompt)
	for _, s := range story(notes, theme, req) {
		if err := tell(s); err != nil {
			return err
		}
	}
	return nil
}

// earlier reads the notes of the project as it stands.
func earlier(req request) []string {
	for _, f := range req.Files {
		if f.Path == "notes.json" {
			var notes []string
			if err := json.Unmarshal([]byte(f.Content), &notes); err == nil {
				return notes
			}
			fmt.Fprintln(os.Stderr, "notes.json cannot be read; it begins anew")
		}
	}
	return nil
}

// story is the whole answer, in order.
func story(notes []string, theme string, req request) []say {
	list := strings.Join(quoted(notes), ",\n  ")
	lines := []say{
		{"type": "state_update", "key": "theme", "value": theme, "reason": "asked for, or as it was"},
		{"type": "tool_status", "action": "generate_file", "file": "index.html"},
	}
	// The page is told piece by piece, as a language model would.
	for _, piece := range strings.SplitAfter(page(notes, theme), "\n") {
		lines = append(lines, say{"type": "token", "file": "index.html", "delta": piece})
	}
	return append(lines,
		say{"type": "file", "path": "index.html"},
		say{"type": "file", "path": "notes.json", "content": "[\n  " + list + "\n]\n"},
		say{"type": "file", "path": ".env", "content": "PORT=8080\n", "destination_type": "global_config", "merge_strategy": "env_merge"},
		say{"type": "port", "name": "web", "port": 8080, "uses": []say{{"path": ".env", "template": "PORT={port}"}}},
		say{"type": "file", "path": "serve.sh", "content": "#!/bin/sh\n. ./.env\nexec python3 -m http.server \"$PORT\"\n", "mode": "0755"},
		say{"type": "memory_update", "content": fmt.Sprintf("A page with %d notes.", len(notes))},
		say{"type": "usage", "model": "example", "input_tokens": len(strings.Fields(req.Prompt)), "output_tokens": len(notes), "cost_usd": 0},
	)
}

// quoted writes notes as JSON strings. (%q is not the same: it escapes as Go does.)
func quoted(notes []string) []string {
	out := make([]string, len(notes))
	for i, n := range notes {
		text, err := json.Marshal(n)
		if err != nil {
			text = []byte(`""`) // a string can always be encoded
		}
		out[i] = string(text)
	}
	return out
}

func page(notes []string, theme string) string {
	var b strings.Builder
	b.WriteString("<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>Notes</title>\n")
	fmt.Fprintf(&b, "<style>:root { %s }</style>\n<h1>Notes</h1>\n<ol>\n", themes[theme])
	for _, n := range notes {
		fmt.Fprintf(&b, "<li>%s</li>\n", html.EscapeString(n))
	}
	b.WriteString("</ol>\n</html>\n")
	return b.String()
}
