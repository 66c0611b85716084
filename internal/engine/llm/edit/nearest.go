package edit

import (
	"fmt"
	"strings"
	"unicode"
)

const (
	// common is how often a line may stand in a file and still say where it is.
	common = 50
	// maxShown bounds what is shown of the nearest place.
	maxShownLines = 24
	maxShownBytes = 2 << 10
)

// nearest describes the place of a text that is most like the old text of a block.
func nearest(text, old string) string {
	lines := strings.SplitAfter(text, "\n")
	wanted := strings.Split(strings.Trim(old, "\n"), "\n")
	start, ok := alignLines(lines, wanted)
	if !ok {
		start, ok = similarLine(lines, wanted)
	}
	if !ok {
		return "no line of it does"
	}
	end := min(start+min(len(wanted), maxShownLines), len(lines))
	place := strings.Join(lines[start:end], "")
	if len(place) > maxShownBytes {
		place = strings.ToValidUTF8(place[:maxShownBytes], "")
	}
	return fmt.Sprintf("the nearest place is line %d, which reads exactly:\n%s", start+1, strings.TrimRight(place, "\r\n"))
}

// alignLines finds where most lines of the wanted text stand at the same distance
// from each other, whatever space is around them.
func alignLines(lines, wanted []string) (int, bool) {
	where := make(map[string][]int)
	for i, line := range lines {
		key := strings.TrimSpace(line)
		if at := where[key]; key != "" && len(at) <= common {
			where[key] = append(at, i)
		}
	}
	votes := make(map[int]int)
	best, most := 0, 0
	for i, line := range wanted {
		at := where[strings.TrimSpace(line)]
		if len(at) > common {
			continue
		}
		for _, j := range at {
			start := max(j-i, 0)
			if votes[start]++; votes[start] > most || votes[start] == most && start < best {
				best, most = start, votes[start]
			}
		}
	}
	return best, most > 0
}

// similarLine finds the line that shares most words with the longest wanted line, if
// that is at least half of them.
func similarLine(lines, wanted []string) (int, bool) {
	longest, offset := "", 0
	for i, line := range wanted {
		if len(line) > len(longest) {
			longest, offset = line, i
		}
	}
	asked := make(map[string]bool)
	for _, word := range wordsOf(longest) {
		asked[word] = true
	}
	best, most := 0, 0
	for i, line := range lines {
		seen := make(map[string]bool)
		for _, word := range wordsOf(line) {
			if asked[word] {
				seen[word] = true
			}
		}
		if len(seen) > most {
			best, most = i, len(seen)
		}
	}
	return max(best-offset, 0), most > 0 && 2*most >= len(asked)
}

func wordsOf(line string) []string {
	return strings.FieldsFunc(line, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' })
}
