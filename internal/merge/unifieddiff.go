package merge

import (
	"strconv"
	"strings"

	"github.com/aymanbagabas/go-udiff/lcs"
)

// contextLines is how many unchanged lines are shown around a change.
const contextLines = 3

// Unified is the difference of two texts as diff -u shows it and patch reads it:
// nothing if they are the same.
func Unified(oldName, newName, before, after string) string {
	if before == after {
		return ""
	}
	var out strings.Builder
	out.WriteString("--- " + oldName + "\n+++ " + newName + "\n")
	left, right := splitLines(before), splitLines(after)
	for rest := lcs.DiffLines(left, right); len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].Start-rest[n-1].End <= 2*contextLines {
			n++ // what is shown around the two would meet
		}
		writeHunk(&out, left, right, rest[:n])
		rest = rest[n:]
	}
	return out.String()
}

// writeHunk writes neighbouring changes with the lines around and between them.
func writeHunk(out *strings.Builder, left, right []string, changes []lcs.Diff) {
	first, last := changes[0], changes[len(changes)-1]
	above, below := min(first.Start, contextLines), min(len(left)-last.End, contextLines)
	from, to := first.Start-above, last.End+below
	out.WriteString("@@ -" + lineRange(from, to) + " +" + lineRange(first.ReplStart-above, last.ReplEnd+below) + " @@\n")
	for _, c := range changes {
		writeLines(out, ' ', left[from:c.Start])
		writeLines(out, '-', left[c.Start:c.End])
		writeLines(out, '+', right[c.ReplStart:c.ReplEnd])
		from = c.End
	}
	writeLines(out, ' ', left[from:to])
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

func writeLines(out *strings.Builder, mark byte, lines []string) {
	for _, line := range lines {
		out.WriteByte(mark)
		out.WriteString(line)
		if !strings.HasSuffix(line, "\n") {
			out.WriteString("\n\\ No newline at end of file\n")
		}
	}
}
