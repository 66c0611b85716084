// Package edit changes a text by blocks: an exact piece of the old text, and what
// takes its place.
//
// A block is applied only where its old text stands exactly once, so what lies
// outside of the blocks stays as it is, byte for byte. All blocks are looked for in
// the text as it was; those that cannot be applied change nothing, and are told with
// the reason and the nearest place, so that whoever wrote them can do better.
package edit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Block replaces one piece of a text.
type Block struct{ Old, New string }

// Problem says why a block was not applied.
type Problem struct {
	Block  int // counted from 0
	Reason string
}

// span is where a block stands in the old text.
type span struct {
	block      int
	start, end int
	text       string // what takes its place
}

// Apply gives the text with the blocks that can be applied, and the problems of the
// others in their order. A text whose lines all end with \r\n keeps that, also where
// a block has plain line ends.
func Apply(text string, blocks []Block) (string, []Problem) {
	var spans []span
	var problems []Problem
	windows := isWindows(text)
	for i, b := range blocks {
		s, reason := locate(text, b, windows)
		if s.block = i; reason == "" {
			reason = overlap(spans, s)
		}
		if reason != "" {
			problems = append(problems, Problem{i, reason})
			continue
		}
		spans = append(spans, s)
	}
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	var out strings.Builder
	from := 0
	for _, s := range spans {
		out.WriteString(text[from:s.start])
		out.WriteString(s.text)
		from = s.end
	}
	out.WriteString(text[from:])
	return out.String(), problems
}

// locate finds the one place of a block, or the reason why there is none.
func locate(text string, b Block, windows bool) (span, string) {
	if b.Old == "" {
		return span{}, "the old text is empty; name a piece of the file that stands there once"
	}
	if b.Old == b.New {
		return span{}, "old and new text are the same"
	}
	if windows && (!strings.HasPrefix(b.Old, "\n") || !strings.Contains(b.Old, "\r")) { // else it begins inside of a line's end
		b.Old, b.New = toWindows(b.Old), toWindows(b.New)
	}
	at := strings.Index(text, b.Old)
	if at < 0 {
		// A line at the end of a file may lack the end that every other line has.
		old, cut := strings.CutSuffix(b.Old, "\n")
		if old = strings.TrimSuffix(old, "\r"); cut && old != "" && strings.HasSuffix(text, old) && strings.Count(text, old) == 1 {
			return span{start: len(text) - len(old), end: len(text), text: strings.TrimSuffix(strings.TrimSuffix(b.New, "\n"), "\r")}, ""
		}
		return span{}, "the old text does not stand in the file; " + nearest(text, b.Old)
	}
	if again := strings.Index(text[at+1:], b.Old); again >= 0 {
		return span{}, fmt.Sprintf("the old text stands in the file %s; take more lines around it, so that it stands there once", places(text, b.Old))
	}
	return span{start: at, end: at + len(b.Old), text: b.New}, ""
}

// overlap says with which earlier block a span has bytes in common.
func overlap(spans []span, s span) string {
	for _, other := range spans {
		if s.start < other.end && other.start < s.end {
			return fmt.Sprintf("it overlaps with block %d, which was applied; make one block of both", other.block+1)
		}
	}
	return ""
}

// places says in which lines a text begins.
func places(text, old string) string {
	const shown = 5
	var lines []string
	count := 0
	for from, line := 0, 1; ; {
		at := strings.Index(text[from:], old)
		if at < 0 {
			break
		}
		line += strings.Count(text[from:from+at], "\n")
		if count++; count <= shown {
			lines = append(lines, fmt.Sprint(line))
		}
		if text[from+at] == '\n' {
			line++
		}
		from += at + 1
	}
	list := strings.Join(lines, ", ")
	if count > shown {
		list += ", …"
	}
	return fmt.Sprintf("%d times, in lines %s", count, list)
}

// isWindows says whether every line of a text ends with \r\n.
func isWindows(text string) bool {
	ends := strings.Count(text, "\n")
	return ends > 0 && strings.Count(text, "\r\n") == ends
}

func toWindows(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", "\r\n")
}
