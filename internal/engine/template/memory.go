package template

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Bounds on the history in the memory document: where it would grow beyond them
// the oldest entries go, but not the first, which says how it all began.
const (
	maxHistory      = 200
	maxHistoryBytes = 64 << 10
	maxEntry        = 2000 // characters
)

var historyEntry = regexp.MustCompile(`(?m)^\d+\. (.+)$`)

// memoryOf writes the memory document: what the project is now, and how it
// came to be. The history of the old document is kept. It is written from what
// was understood: a prompt may hold what nobody wants to find again.
func memoryOf(s spec, old, said string) string {
	var b strings.Builder
	b.WriteString(say("memory", &s))
	for i, entry := range history(old, said) {
		fmt.Fprintf(&b, "%d. %s\n", i+1, entry)
	}
	return b.String()
}

// history reads the entries of a memory document and adds one, unless it is the
// last already: then this is another attempt of the same run. It keeps the first
// entry, and of the others the last ones that fit.
func history(old, entry string) []string {
	_, section, _ := strings.Cut(old, "## History")
	section, _, _ = strings.Cut(section, "\n## ")
	var entries []string
	for _, m := range historyEntry.FindAllStringSubmatch(section, -1) {
		entries = append(entries, oneLine(m[1], maxEntry))
	}
	if entry = oneLine(entry, maxEntry); len(entries) == 0 || entries[len(entries)-1] != entry {
		entries = append(entries, entry)
	}
	const around = len("200. \n")
	size, from := len(entries[0])+around, len(entries)
	for from > 1 && len(entries)-from+1 < maxHistory && size+len(entries[from-1])+around <= maxHistoryBytes {
		from--
		size += len(entries[from]) + around
	}
	return slices.Delete(entries, 1, max(from, 1))
}
