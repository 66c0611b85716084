package merge

import (
	"errors"
	"slices"
	"strings"
)

const byteOrderMark = "\ufeff"

// splitBOM takes a leading byte order mark off a text.
func splitBOM(b []byte) (bom, text string) {
	s := string(b)
	if rest, ok := strings.CutPrefix(s, byteOrderMark); ok {
		return byteOrderMark, rest
	}
	return "", s
}

// eolOf is the line ending of a text, taken from its first line.
func eolOf(s string) string {
	if i := strings.IndexByte(s, '\n'); i > 0 && s[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// withEOL gives s the line ending eol throughout.
func withEOL(s, eol string) string {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	if eol == "\n" {
		return s
	}
	return strings.ReplaceAll(s, "\n", eol)
}

// splice replaces the bytes [at, end) of a source by text.
type splice struct {
	at, end int
	text    string
}

var errOverlap = errors.New("two changes touch the same place")

// applySplices carries the splices out on src. Insertions at one place keep
// the order in which they are given.
func applySplices(src string, all []splice) (string, error) {
	sorted := slices.Clone(all)
	slices.SortStableFunc(sorted, func(a, b splice) int { return a.at - b.at })
	var out strings.Builder
	at := 0
	for _, s := range sorted {
		if s.at < at || s.end < s.at || s.end > len(src) {
			return "", errOverlap
		}
		out.WriteString(src[at:s.at])
		out.WriteString(s.text)
		at = s.end
	}
	out.WriteString(src[at:])
	return out.String(), nil
}

// lineStart is the offset of the first byte of the line that holds at.
func lineStart(src string, at int) int {
	return strings.LastIndexByte(src[:at], '\n') + 1
}

// lineEnd is the offset at which the line that holds at ends, before its line
// ending.
func lineEnd(src string, at int) int {
	i := strings.IndexByte(src[at:], '\n')
	switch {
	case i < 0:
		return len(src)
	case i > 0 && src[at+i-1] == '\r':
		return at + i - 1
	}
	return at + i
}

// indentAt is the white space with which the line that holds at begins.
func indentAt(src string, at int) string {
	start := lineStart(src, at)
	end := start
	for end < len(src) && (src[end] == ' ' || src[end] == '\t') {
		end++
	}
	return src[start:end]
}

// firstOnLine reports whether only white space precedes at on its line.
func firstOnLine(src string, at int) bool {
	return strings.TrimLeft(src[lineStart(src, at):at], " \t") == ""
}

// hasNewline reports whether src breaks a line between two offsets.
func hasNewline(src string, from, to int) bool {
	return from < to && strings.IndexByte(src[from:to], '\n') >= 0
}

// commentsAbove are the lines directly above the one that holds at, down to
// the offset floor, that begin with a hash.
func commentsAbove(src string, at, floor int) []string {
	var lines []string
	for start := lineStart(src, at); start > floor; {
		above := lineStart(src, start-1)
		line := strings.TrimSpace(src[max(above, floor):start])
		if !strings.HasPrefix(line, "#") {
			break
		}
		lines = append(lines, line)
		start = above
	}
	slices.Reverse(lines)
	return lines
}
