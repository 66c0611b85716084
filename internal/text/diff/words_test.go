package diff

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// marked writes parts with brackets around what changed.
func marked(parts []Part) string {
	var out strings.Builder
	for _, p := range parts {
		if p.Changed {
			out.WriteString("[" + p.Text + "]")
			continue
		}
		out.WriteString(p.Text)
	}
	return out.String()
}

// Promise: console-diff
func TestWordsMarkWhatChangedWithinLines(t *testing.T) {
	for _, test := range [][4]string{
		{"same\n", "same\n", "same\n", "same\n"},
		{"the old house\n", "the new house\n", "the [old] house\n", "the [new] house\n"},
		{"func read(a int) error {\n", "func read(a, b int) error {\n", "func read(a int) error {\n", "func read(a[, b] int) error {\n"},
		{"x := f_1(größe)\n", "x := f_2(größe)\n", "x := [f_1](größe)\n", "x := [f_2](größe)\n"},
		{"alpha beta\n", "one two three\n", "[alpha beta\n]", "[one two three\n]"},
		{"one\ntwo\n", "one\ntwo and a half\n", "one\ntwo\n", "one\ntwo[ and a half]\n"},
	} {
		old, changed := Words(test[0], test[1])
		if marked(old) != test[2] || marked(changed) != test[3] {
			t.Errorf("%q to %q: %q to %q", test[0], test[1], marked(old), marked(changed))
		}
	}
}

// TestWordsAreTheTexts: whatever is marked, the parts are the two texts.
// Promise: console-diff
func TestWordsAreTheTexts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, after := rapid.String().Draw(t, "before"), rapid.String().Draw(t, "after")
		joined := func(parts []Part) (text string) {
			for _, p := range parts {
				text += p.Text
			}
			return text
		}
		if old, changed := Words(before, after); joined(old) != before || joined(changed) != after {
			t.Fatalf("%q and %q became %q and %q", before, after, joined(old), joined(changed))
		}
	})
}
