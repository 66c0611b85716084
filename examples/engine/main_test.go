package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func answer(t *testing.T, text string) []say {
	t.Helper()
	var lines []say
	err := generate(json.NewDecoder(strings.NewReader(text)), func(s say) error {
		lines = append(lines, s)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

// Promise: exec-thirty-lines
func TestNotesGrow(t *testing.T) {
	var page, notes string
	for _, s := range answer(t, `{"prompt":"second <b>","files":[{"path":"notes.json","content":"[\"first\"]"}],"state":{"theme":"dark"}}`) {
		if s["type"] == "token" {
			page += fmt.Sprint(s["delta"])
		}
		if s["path"] == "notes.json" {
			notes = fmt.Sprint(s["content"])
		}
	}
	for _, want := range []string{"<li>first</li>", "<li>second &lt;b&gt;</li>", "color-scheme: dark"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s:\n%s", want, page)
		}
	}
	if !strings.Contains(notes, `"first",`) {
		t.Errorf("notes.json is %s", notes)
	}
}

// Promise: exec-thirty-lines
func TestConstraintThatCannotBeMet(t *testing.T) {
	lines := answer(t, `{"prompt":"x","constraints":{"theme":"plaid"}}`)
	if len(lines) != 1 || lines[0]["code"] != "CONSTRAINT_UNRESOLVABLE" || !strings.Contains(fmt.Sprint(lines[0]["message"]), "theme=light") {
		t.Errorf("answered %v", lines)
	}
}
