package main

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestStatusFitsTheTerminal(t *testing.T) {
	var out strings.Builder
	term := newTerminal(Streams{Err: &out, Getenv: func(string) string { return "" }})
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
	paint := func(tty bool) shown {
		term := newTerminal(Streams{Getenv: func(name string) string { return env[name] }})
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
	a := newApp(Streams{Getenv: func(string) string { return "" }})
	a.term.outTTY = true
	got := colourDiff(a, "--- a/x\n+++ b/x\n@@ -1 +1 @@\n same\n-old\n+new\n\\ No newline at end of file\n")
	want := "\x1b[1m--- a/x\x1b[0m\n\x1b[1m+++ b/x\x1b[0m\n\x1b[36m@@ -1 +1 @@\x1b[0m\n same\n\x1b[31m-old\x1b[0m\n\x1b[32m+new\x1b[0m\n\\ No newline at end of file\n"
	if string(got) != want {
		t.Errorf("%q", got)
	}
}

func TestStepsFitTheTerminal(t *testing.T) {
	var out strings.Builder
	a := newApp(Streams{Err: &out, Getenv: func(string) string { return "" }})
	step := func(word, text string) string {
		out.Reset()
		a.step(green, word, text)
		return out.String()
	}
	if got := step("decided", "a = b (for a reason that takes more room than there is)"); got != "decided   a = b (for a reason that takes more room than there is)\n" {
		t.Errorf("in a pipe: %q", got)
	}
	a.term.errTTY, a.term.width = true, func() int { return 40 }
	for _, tt := range []struct{ word, text, want string }{
		{"plan", "", "\x1b[32mplan\x1b[0m\n"},
		{"decided", "a = b", "\x1b[32mdecided  \x1b[0m a = b\n"},
		{
			"decided", "a = b (for a reason that takes more room than there is)",
			"\x1b[32mdecided  \x1b[0m a = b (for a reason that\n          takes more room than there\n          is)\n",
		},
		{"generate", "a/" + strings.Repeat("x", 60), "\x1b[32mgenerate \x1b[0m a/" + strings.Repeat("x", 60) + "\n"},
		{"decided", "a\x1b[31mb", "\x1b[32mdecided  \x1b[0m a·[31mb\n"},
	} {
		if got := step(tt.word, tt.text); got != tt.want {
			t.Errorf("%q, %q: %q", tt.word, tt.text, got)
		}
	}
}
