package ignore_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/bundle-delivery/svc/internal/text/ignore"
)

func match(t *testing.T, r *ignore.Rules, name string, folder bool) bool {
	t.Helper()
	ignored, err := r.Match(t.Context(), name, folder)
	if err != nil {
		t.Fatal(err)
	}
	return ignored
}

func TestTheLastPatternDecides(t *testing.T) {
	var r ignore.Rules
	var many strings.Builder
	many.WriteString("# a comment\n\n*.log\r\n!kept.log\n/only-top\nout/\n[Bb]in\n")
	for i := range 20 { // more than one group
		fmt.Fprintf(&many, "other%d\n", i)
	}
	if err := errors.Join(r.Add([]byte(many.String()), "", "a"), r.Add([]byte("!again.log\nown\n[[:digit:]]x\n"), "in", "b")); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{
		"x.log": true, "in/x.log": true, "kept.log": false, "in/again.log": false, "again.log": true, "only-top": true, "in/only-top": false,
		"own": false, "in/own": true, "inner/own": false, "in/deep/own": true, "Bin": true, "bin": true, "other19": true, "in/7x": true, "7x": false,
	} {
		if got := match(t, &r, name, false); got != want {
			t.Errorf("%s: ignored %v, want %v", name, got, want)
		}
	}
	if !match(t, &r, "out", true) || match(t, &r, "out", false) {
		t.Error("a pattern for folders is one for all, or for none")
	}
}

// Promise: agent-exhausts-nothing
func TestBoundsAreErrorsThatNameTheFile(t *testing.T) {
	lines := func(n int) string { return strings.Repeat("a\n", n) }
	for name, test := range map[string]struct{ before, text, reason string }{
		"size":         {"", strings.Repeat("#", ignore.MaxFile+1), "more than 65536 bytes"},
		"patterns":     {"", lines(ignore.MaxPatterns + 1), "1000 patterns"},
		"in all":       {lines(ignore.MaxPatterns), "b\n", "1000 patterns"},
		"length":       {"", "x\n" + strings.Repeat("a", 1025), "line 2"},
		"open bracket": {"", "*[[[[", "open bracket"},
		"open class":   {"", "*[[:[:[:x]", "open bracket"},
	} {
		t.Run(name, func(t *testing.T) {
			var r ignore.Rules
			if err := r.Add([]byte(test.before), "", "before"); err != nil {
				t.Fatal(err)
			}
			err := r.Add([]byte(test.text), "web", "web/.gitignore")
			limit, ok := errors.AsType[*ignore.LimitError](err)
			if !ok || limit.File != "web/.gitignore" || !strings.Contains(err.Error(), test.reason) {
				t.Errorf("%v", err)
			}
			if match(t, &r, "web/b", false) {
				t.Error("patterns of a file that is refused hold")
			}
		})
	}
	var r ignore.Rules
	if err := r.Add([]byte(lines(ignore.MaxPatterns)+strings.Repeat("#", 1000)), "", "a"); err != nil {
		t.Errorf("as many as there may be: %v", err)
	}
	// Brackets as people write them.
	for _, pattern := range []string{"[Dd]ebug/", "[!a-z]", "[]]", "[^]x]", `\[draft`, `a\`, "[[:alpha:][:digit:]_]*", `[\]]`, "**/[a-z]/**"} {
		if err := new(ignore.Rules).Add([]byte(pattern), "", "a"); err != nil {
			t.Errorf("%s: %v", pattern, err)
		}
	}
}

// The most expensive shapes that are left cost little for one path, and matching
// ends with its context.
// Promise: agent-exhausts-nothing
func TestMatchingIsBounded(t *testing.T) {
	name := strings.TrimSuffix(strings.Repeat(strings.Repeat("a", 15)+"/", 63), "/") // 63 folders
	for shape, pattern := range map[string]string{
		"stars":         strings.Repeat("*a", 500) + "b",
		"double stars":  strings.Repeat("**/a*/", 160) + "b/",
		"brackets":      "*" + strings.Repeat("[a]", 300) + "b",
		"large bracket": "*[" + strings.Repeat("b-z", 300) + "]",
		"empty first":   "*" + strings.Repeat("[]", 500),
		"nested":        "*" + strings.Repeat("[[", 400) + "]",
	} {
		t.Run(shape, func(t *testing.T) {
			var r ignore.Rules
			if err := r.Add([]byte(pattern), "", "a"); err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			match(t, &r, name, true)
			if took := time.Since(began); took > 2*time.Second { // milliseconds, where nothing else runs
				t.Errorf("one pattern and one path take %v", took)
			}
		})
	}
	var r ignore.Rules
	if err := r.Add([]byte("a"), "", "a"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("cancelled")
	cancel(cause)
	if _, err := r.Match(ctx, "b", false); !errors.Is(err, cause) {
		t.Errorf("got %v", err)
	}
}
