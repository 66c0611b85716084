package diff

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func numbered(from, to int) string {
	var out strings.Builder
	for i := from; i <= to; i++ {
		fmt.Fprintf(&out, "line %d\n", i)
	}
	return out.String()
}

func TestUnified(t *testing.T) {
	const head = "--- a/x\n+++ b/x\n"
	tests := []struct{ name, before, after, want string }{
		{"the same", "a\n", "a\n", ""},
		{"from nothing", "", "a\nb\n", head + "@@ -0,0 +1,2 @@\n+a\n+b\n"},
		{"to nothing", "a\n", "", head + "@@ -1 +0,0 @@\n-a\n"},
		{"a last line without an end", "a\nb", "a\nc\n", head + "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n"},
		{
			"neighbours share their surroundings", numbered(1, 9), strings.NewReplacer("line 2\n", "2\n", "line 9\n", "9\n").Replace(numbered(1, 9)),
			head + "@@ -1,9 +1,9 @@\n line 1\n-line 2\n+2\n line 3\n line 4\n line 5\n line 6\n line 7\n line 8\n-line 9\n+9\n",
		},
		{
			"far ones do not, and are counted on", numbered(1, 20),
			strings.NewReplacer("line 2\n", "2\nand\n", "line 4\n", "4\n", "line 15\n", "15\n").Replace(numbered(1, 20)),
			head + "@@ -1,7 +1,8 @@\n line 1\n-line 2\n+2\n+and\n line 3\n-line 4\n+4\n line 5\n line 6\n line 7\n" +
				"@@ -12,7 +13,7 @@\n line 12\n line 13\n line 14\n-line 15\n+15\n line 16\n line 17\n line 18\n",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, Unified("a/x", "b/x", test.before, test.after)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestUnifiedLeadsFromOneTextToTheOther(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.Custom(func(t *rapid.T) string {
			lines := rapid.SliceOfN(rapid.SampledFrom([]string{"a\n", "b\n", "c\n", "\n", "@@ -1 +1 @@\n", "+\n", "-\n"}), 0, 60).Draw(t, "lines")
			return strings.Join(lines, "") + rapid.SampledFrom([]string{"", "", "end", " "}).Draw(t, "end")
		})
		before := text.Draw(t, "before")
		after := text.Draw(t, "after")
		if rapid.Bool().Draw(t, "alike") {
			after = numbered(1, 12) + before + numbered(20, 32) + after
			before = numbered(2, 12) + before + numbered(20, 32)
		}
		patch := Unified("old", "new", before, after)
		got, err := applyUnified(before, patch)
		if err != nil {
			t.Fatalf("%v in\n%s", err, patch)
		}
		if got != after {
			t.Fatal(cmp.Diff(after, got))
		}
	})
}

// applyUnified follows a patch to the letter: every number in it must be right.
func applyUnified(before, patch string) (string, error) {
	if patch == "" {
		return before, nil
	}
	old := SplitLines(before)
	rest, ok := strings.CutPrefix(patch, "--- old\n+++ new\n")
	if !ok {
		return "", errors.New("no head")
	}
	lines := SplitLines(rest)
	var out []string
	at := 0
	for len(lines) > 0 {
		var from, to span
		if err := readHead(lines[0], &from, &to); err != nil {
			return "", err
		}
		lines = lines[1:]
		out = append(out, old[at:from.start]...)
		at = from.start
		if len(out) != to.start {
			return "", fmt.Errorf("a hunk says that it begins after line %d of the new text, and it begins after %d", to.start, len(out))
		}
		for at < from.start+from.count || len(out) < to.start+to.count {
			line := lines[0]
			lines = lines[1:]
			mark, text := line[0], line[1:]
			if len(lines) > 0 && strings.HasPrefix(lines[0], `\`) {
				text = strings.TrimSuffix(text, "\n")
				lines = lines[1:]
			}
			if mark != '+' {
				if old[at] != text {
					return "", fmt.Errorf("line %d is %q, and the patch says %q", at+1, old[at], text)
				}
				at++
			}
			if mark != '-' {
				out = append(out, text)
			}
		}
	}
	return strings.Join(append(out, old[at:]...), ""), nil
}

// span is where lines begin, counted from 0, and how many they are.
type span struct{ start, count int }

func readHead(line string, from, to *span) error {
	var left, right string
	if _, err := fmt.Sscanf(line, "@@ -%s +%s @@\n", &left, &right); err != nil {
		return fmt.Errorf("%q: %w", line, err)
	}
	for text, s := range map[string]*span{left: from, "+" + right: to} {
		text = strings.TrimPrefix(text, "+")
		if _, err := fmt.Sscanf(text, "%d,%d", &s.start, &s.count); err != nil {
			s.count = 1
			if _, err := fmt.Sscanf(text, "%d", &s.start); err != nil {
				return fmt.Errorf("%q: %w", text, err)
			}
		}
		if s.count > 0 {
			s.start--
		}
	}
	return nil
}
