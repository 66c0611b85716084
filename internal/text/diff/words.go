package diff

import (
	"strings"

	"github.com/aymanbagabas/go-udiff/lcs"
)

// Part is a piece of a text; Changed says that the other text does not have it there.
type Part struct {
	Text    string
	Changed bool
}

// Words is the difference of two texts by words, as parts of each. Texts that have
// little in common are one changed part each: marks all over help nobody.
func Words(before, after string) (old, changed []Part) {
	left, right := SplitWords(before), SplitWords(after)
	differences := lcs.DiffLines(left, right)
	same, at, there := inked(left), 0, 0
	for _, d := range differences {
		same -= inked(left[d.Start:d.End])
	}
	if 4*same < min(inked(left), inked(right)) {
		return []Part{{before, true}}, []Part{{after, true}}
	}
	for _, d := range differences {
		old = appendPart(appendPart(old, left[at:d.Start], false), left[d.Start:d.End], true)
		changed = appendPart(appendPart(changed, right[there:d.ReplStart], false), right[d.ReplStart:d.ReplEnd], true)
		at, there = d.End, d.ReplEnd
	}
	return appendPart(old, left[at:], false), appendPart(changed, right[there:], false)
}

func appendPart(parts []Part, words []string, changed bool) []Part {
	if len(words) == 0 {
		return parts
	}
	return append(parts, Part{strings.Join(words, ""), changed})
}

// inked is the length of what is no space.
func inked(words []string) (n int) {
	for _, word := range words {
		n += len(strings.TrimSpace(word))
	}
	return n
}

// SplitWords cuts a text into words, runs of blanks, and single other
// characters.
func SplitWords(s string) []string {
	class := func(c byte) int {
		switch {
		case c == ' ' || c == '\t':
			return 1
		case c >= 0x80, c == '_', c == '-', c >= '0' && c <= '9', c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
			return 2
		}
		return 0
	}
	var words []string
	for start := 0; start < len(s); {
		end := start + 1
		for k := class(s[start]); k != 0 && end < len(s) && class(s[end]) == k; {
			end++
		}
		words = append(words, s[start:end])
		start = end
	}
	return words
}
