// Package history keeps what was done to a project: a numbered list at the end of
// a Markdown document, which grows by one entry with each run and stays in bounds.
package history

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/plaintext"
)

// Bounds on the history: where it would grow beyond them the oldest entries go,
// but not the first, which says how it all began.
const (
	MaxEntries = 200
	MaxBytes   = 64 << 10
	maxEntry   = 2000 // characters
)

// Heading stands above the history.
const Heading = "## History"

var numbered = regexp.MustCompile(`(?m)^\d+\. (.+)$`)

// Add writes the history of an old document with one entry more, unless that is
// its last already: then this is another attempt of the same run.
func Add(document, entry string) string {
	_, section, _ := strings.Cut(document, Heading)
	section, _, _ = strings.Cut(section, "\n## ")
	var entries []string
	for _, m := range numbered.FindAllStringSubmatch(section, -1) {
		entries = append(entries, plaintext.Line(m[1], maxEntry))
	}
	if entry = plaintext.Line(entry, maxEntry); len(entries) == 0 || entries[len(entries)-1] != entry {
		entries = append(entries, entry)
	}
	const around = len("200. \n")
	size, from := len(entries[0])+around, len(entries)
	for from > 1 && len(entries)-from+1 < MaxEntries && size+len(entries[from-1])+around <= MaxBytes {
		from--
		size += len(entries[from]) + around
	}
	var b strings.Builder
	b.WriteString(Heading + "\n\n")
	for i, kept := range slices.Delete(entries, 1, max(from, 1)) {
		fmt.Fprintf(&b, "%d. %s\n", i+1, kept)
	}
	return b.String()
}
