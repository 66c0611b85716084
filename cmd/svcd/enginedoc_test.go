package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	engineexec "github.com/bundle-delivery/svc/internal/engine/exec"
	"github.com/bundle-delivery/svc/internal/engine/llm"
	"github.com/bundle-delivery/svc/internal/testkit/needs"
)

var codeBlocks = regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```$")

// engineDocs are the blocks of docs/engines.md, by language.
func engineDocs(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile("../../docs/engines.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := map[string][]string{}
	for _, m := range codeBlocks.FindAllStringSubmatch(string(text), -1) {
		blocks[m[1]] = append(blocks[m[1]], m[2])
	}
	return blocks
}

// Promise: llm-settings
func TestSettingsInTheDocumentOfEnginesExist(t *testing.T) {
	t.Parallel()
	tried := 0
	for _, block := range engineDocs(t)["sh"] {
		for line := range strings.Lines(block) {
			words, err := engineexec.Split(strings.TrimSpace(line))
			if err != nil || len(words) < 2 || words[0] != "svcd" {
				t.Fatalf("%q: %v", line, err)
			}
			if words[1] == "engine" {
				words = words[1:] // engine check has the same settings
			}
			if _, err := resolved(t, words[2:], nil); err != nil {
				t.Errorf("%s: %v", line, err)
			}
			tried++
		}
	}
	if tried < 6 {
		t.Errorf("only %d commands were found", tried)
	}
}

// Promise: exec-thirty-lines
func TestTheEngineInTheDocumentWorks(t *testing.T) {
	t.Parallel()
	needs.Program(t, "python3", "the example is in Python; install python3")
	program := engineDocs(t)["python"][0]
	if n := strings.Count(program, "\n"); n > 30 {
		t.Errorf("the example has %d lines, and 30 were promised", n)
	}
	name := filepath.Join(t.TempDir(), "notes.py")
	if err := os.WriteFile(name, []byte(program), 0o600); err != nil {
		t.Fatal(err)
	}
	i := start(t, "--engine", "exec", "--engine-command", "python3 '"+name+"'")
	key := i.account(email)
	events := i.follow(key, i.open("POST", "/generations", key, `{"prompt":"fish & chips"}`, "Accept: text/event-stream"))
	last := events[len(events)-1]
	if last.name != "bundle_ready" || !strings.Contains(rebuilt(events)["index.html"], "fish\n&amp;\nchips\n") {
		t.Errorf("the run ended with %+v\n%q", last, rebuilt(events))
	}
	events = i.follow(key, i.open("POST", "/generations", key, `{"prompt":"x","constraints":{"theme":"loud"}}`, "Accept: text/event-stream"))
	if last := events[len(events)-1]; last.data["code"] != "CONSTRAINT_UNRESOLVABLE" {
		t.Errorf("the run ended with %+v", last)
	}
}

// Promise: llm-cost
func TestThePricesInTheDocumentAreRead(t *testing.T) {
	t.Parallel()
	name := configFile(t, engineDocs(t)["toml"][0])
	prices, err := llm.ReadPrices(name)
	if err != nil {
		t.Fatal(err)
	}
	if !prices.Has("qwen3-coder") || prices.Cost("claude-sonnet-5-5", llm.Usage{Output: 1_000_000}) != 10 {
		t.Errorf("got %+v", prices)
	}
}
