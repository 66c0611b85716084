// Package diff takes the difference of two texts for people: by lines with their
// surroundings, as diff -u shows it, and by words.
package diff

import (
	"strconv"
	"strings"

	"github.com/aymanbagabas/go-udiff/lcs"
)

// contextLines is how many unchanged lines are shown around a change.
const contextLines = 3

// Hunk is neighbouring changes of a text with the lines around and between them.
type Hunk struct {
	// Header names the lines of both texts, as diff -u does.
	Header string
	Lines  []Line
}

// Line is a line with the end that it has. Its mark is '-' for one that went, '+'
// for one that came, and a space for one that stayed.
type Line struct {
	Mark byte
	Text string
}

// Hunks is the difference of two texts by lines: nothing if they are the same.
func Hunks(before, after string) (hunks []Hunk) {
	left, right := SplitLines(before), SplitLines(after)
	for rest := lcs.DiffLines(left, right); len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].Start-rest[n-1].End <= 2*contextLines {
			n++ // what is shown around the two would meet
		}
		hunks = append(hunks, hunkOf(left, right, rest[:n]))
		rest = rest[n:]
	}
	return hunks
}

// hunkOf puts neighbouring changes together with the lines around and between them.
func hunkOf(left, right []string, changes []lcs.Diff) Hunk {
	first, last := changes[0], changes[len(changes)-1]
	above, below := min(first.Start, contextLines), min(len(left)-last.End, contextLines)
	from, to := first.Start-above, last.End+below
	h := Hunk{Header: "@@ -" + lineRange(from, to) + " +" + lineRange(first.ReplStart-above, last.ReplEnd+below) + " @@"}
	for _, c := range changes {
		h.add(' ', left[from:c.Start])
		h.add('-', left[c.Start:c.End])
		h.add('+', right[c.ReplStart:c.ReplEnd])
		from = c.End
	}
	h.add(' ', left[from:to])
	return h
}

func (h *Hunk) add(mark byte, lines []string) {
	for _, line := range lines {
		h.Lines = append(h.Lines, Line{mark, line})
	}
}

// lineRange names lines, of which the first has the number 1. A range without
// lines is named by the line before it.
func lineRange(from, to int) string {
	switch to - from {
	case 0:
		return strconv.Itoa(from) + ",0"
	case 1:
		return strconv.Itoa(from + 1)
	}
	return strconv.Itoa(from+1) + "," + strconv.Itoa(to-from)
}

// Unified is the difference of two texts as diff -u shows it and patch reads it:
// nothing if they are the same.
func Unified(oldName, newName, before, after string) string {
	if before == after {
		return ""
	}
	var out strings.Builder
	out.WriteString("--- " + oldName + "\n+++ " + newName + "\n")
	for _, h := range Hunks(before, after) {
		out.WriteString(h.Header + "\n")
		for _, line := range h.Lines {
			out.WriteByte(line.Mark)
			out.WriteString(line.Text)
			if !strings.HasSuffix(line.Text, "\n") {
				out.WriteString("\n\\ No newline at end of file\n")
			}
		}
	}
	return out.String()
}

// SplitLines cuts a text into lines that keep their line endings.
func SplitLines(s string) []string {
	lines := strings.SplitAfter(s, "\n")
	if n := len(lines); lines[n-1] == "" {
		lines = lines[:n-1]
	}
	return lines
}
