package main

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestStatusFitsTheTerminal(t *testing.T) {
	var out strings.Builder
	term := newTerminal(Surroundings{Err: &out, Getenv: func(string) string { return "" }})
	term.status("nobody sees this")
	if out.Len() != 0 {
		t.Errorf("without a terminal: %q", out.String())
	}
	term.errTTY, term.width = true, func() int { return 40 }
	term.status("Downloading [%s] %s", strings.Repeat("#", 60), "a\nb")
	line, ok := strings.CutPrefix(out.String(), "\r\x1b[K")
	if !ok || utf8.RuneCountInString(line) != 39 || strings.Contains(line, "\n") || !strings.HasSuffix(line, "…") {
		t.Errorf("%q has %d columns", line, utf8.RuneCountInString(line))
	}
	out.Reset()
	term.clear()
	term.clear()
	if out.String() != "\r\x1b[K" {
		t.Errorf("cleared with %q", out.String())
	}
}

func TestColoursAreForTerminals(t *testing.T) {
	env := map[string]string{}
	paint := func(tty bool) string {
		term := newTerminal(Surroundings{Getenv: func(name string) string { return env[name] }})
		term.outTTY = tty
		return term.paint(red, "x")
	}
	if paint(false) != "x" || paint(true) != "\x1b[31mx\x1b[0m" {
		t.Errorf("%q, %q", paint(false), paint(true))
	}
	env["NO_COLOR"] = "1"
	if paint(true) != "x" {
		t.Error("NO_COLOR is ignored")
	}
	env = map[string]string{"TERM": "dumb"}
	if paint(true) != "x" {
		t.Error("a dumb terminal is coloured")
	}
}

func TestDiffsAreColoured(t *testing.T) {
	a := newApp(Surroundings{Getenv: func(string) string { return "" }})
	a.term.outTTY = true
	got := a.colourDiff("--- a/x\n+++ b/x\n@@ -1 +1 @@\n same\n-old\n+new\n\\ No newline at end of file\n")
	want := "\x1b[1m--- a/x\x1b[0m\n\x1b[1m+++ b/x\x1b[0m\n\x1b[36m@@ -1 +1 @@\x1b[0m\n same\n\x1b[31m-old\x1b[0m\n\x1b[32m+new\x1b[0m\n\\ No newline at end of file\n"
	if got != want {
		t.Errorf("%q", got)
	}
}
