package merge

import (
	"strings"

	// Only the heart of the library: the package above it compiles a pattern
	// whenever a program that links it starts.
	"github.com/aymanbagabas/go-udiff/lcs"

	"github.com/bundle-delivery/svc/internal/text/diff"
)

// edit puts a text in the place of the bytes from start to end.
type edit struct {
	start, end int
	text       string
}

// diffLines is the difference of two texts in whole lines.
func diffLines(a, b string) []edit { return diffUnits(a, b, diff.SplitLines) }

// diffUnits is the difference of two texts in whole units of any kind.
func diffUnits(a, b string, units func(string) []string) []edit {
	left, right := units(a), units(b)
	offsets := make([]int, len(left)+1)
	for i, unit := range left {
		offsets[i+1] = offsets[i] + len(unit)
	}
	differences := lcs.DiffLines(left, right)
	edits := make([]edit, len(differences))
	for i, d := range differences {
		edits[i] = edit{start: offsets[d.Start], end: offsets[d.End], text: strings.Join(right[d.ReplStart:d.ReplEnd], "")}
	}
	return edits
}
