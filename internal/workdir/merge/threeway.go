package merge

import (
	"fmt"
	"slices"
	"strings"
)

// ThreeWay merges text line by line against the file of the last pull. Without
// one, or where both sides changed the same lines, it is a conflict of the
// whole file: the user's stays. With [Theirs] the bundle's lines win in those
// places only; with [Markers] both sides stand there between markers.
func ThreeWay(in Input) Result {
	if r, done := trivialResult(in); done {
		return r
	}
	bom, cur := splitBOM(in.Current)
	_, inc := splitBOM(in.Incoming)
	eol := eolOf(cur)
	inc = withEOL(inc, eol)
	if inc == cur {
		return Result{Content: in.Current}
	}
	if in.Base == nil || len(in.Base) > MaxSize || !isText(in.Base) {
		if in.Policy != Markers {
			return fileConflict(in, "your file differs from the bundle's, and no earlier pull left a common ancestor")
		}
		return twoWay(in, bom, cur, inc, eol)
	}
	_, base := splitBOM(in.Base)
	base = withEOL(base, eol)
	hunks := diff3(base, diffLines(base, cur), diffLines(base, inc), true)
	return resolve(in, hunks, bom, base, eol)
}

// twoWay marks every difference of two texts that have no ancestor.
func twoWay(in Input, bom, cur, inc, eol string) Result {
	hunks := diff3(cur, nil, diffLines(cur, inc), true)
	for i := range hunks {
		hunks[i].conflict = true
		hunks[i].noBase = true
	}
	return resolve(in, hunks, bom, cur, eol)
}

// resolve writes the merged text as the policy wants it. A conflict is named
// by its line in the user's file, or in the result if marks are written there.
func resolve(in Input, hunks []hunk, bom, base, eol string) Result {
	var out strings.Builder
	var conflicts []Conflict
	at, line := 0, 1
	for _, h := range hunks {
		out.WriteString(base[at:h.start])
		line += strings.Count(base[at:h.start], "\n")
		if h.conflict {
			conflicts = append(conflicts, h.describe(in.Policy, line))
		}
		switch {
		case !h.conflict:
			out.WriteString(h.merged)
		case in.Policy == Theirs:
			out.WriteString(h.theirs)
		case in.Policy == Markers:
			h.ours = markConflict(h, base[h.start:h.end], eol)
			out.WriteString(h.ours)
		}
		line += strings.Count(h.ours, "\n")
		at = h.end
	}
	out.WriteString(base[at:])
	if len(conflicts) > 0 && in.Policy != Theirs && in.Policy != Markers {
		return Result{Content: in.Current, Conflicts: conflicts}
	}
	return finish(in, Result{Content: []byte(bom + out.String()), Conflicts: conflicts})
}

func (h hunk) describe(policy Policy, line int) Conflict {
	c := Conflict{Where: fmt.Sprintf("line %d", line), Reason: "you and the bundle changed the same lines", Whole: true, Outcome: Kept}
	if h.noBase {
		c.Reason = "your file differs from the bundle's here, and there is no common ancestor"
	}
	switch policy {
	case Theirs:
		c.Outcome = TakenTheirs
	case Markers:
		c.Outcome = Marked
	case Keep, "":
	}
	return c
}

// hunk is one stretch of the ancestor that at least one side changed.
type hunk struct {
	start, end   int // in the ancestor
	merged       string
	ours, theirs string
	conflict     bool
	noBase       bool
}

// diff3 brings two lists of edits of one ancestor together. Edits that overlap
// are one hunk; a hunk that only one side changed, or both in the same way, is
// no conflict. If strict is set, edits that only touch count as overlapping
// too; if not, two deletions may overlap.
func diff3(base string, ours, theirs []edit, strict bool) []hunk {
	var hunks []hunk
	for len(ours) > 0 || len(theirs) > 0 {
		i, j := 0, 0
		var first edit
		if len(theirs) == 0 || len(ours) > 0 && startsBefore(ours[0], theirs[0]) {
			first, i = ours[0], 1
		} else {
			first, j = theirs[0], 1
		}
		h := hunk{start: first.start, end: first.end}
		for grown := true; grown; {
			grown = false
			for i < len(ours) && h.takes(ours[i], strict) {
				h.end, grown = max(h.end, ours[i].end), true
				i++
			}
			for j < len(theirs) && h.takes(theirs[j], strict) {
				h.end, grown = max(h.end, theirs[j].end), true
				j++
			}
		}
		h.ours, h.theirs = rewrite(base, ours[:i], h.start, h.end), rewrite(base, theirs[:j], h.start, h.end)
		switch {
		case j == 0 || h.ours == h.theirs:
			h.merged = h.ours
		case i == 0:
			h.merged = h.theirs
		case !strict && onlyDeletes(ours[:i]) && onlyDeletes(theirs[:j]):
			h.merged = deleteBoth(base, ours[:i], theirs[:j], h.start, h.end)
		default:
			h.conflict = true
		}
		hunks = append(hunks, h)
		ours, theirs = ours[i:], theirs[j:]
	}
	return hunks
}

func startsBefore(a, b edit) bool {
	return a.start < b.start || a.start == b.start && a.end <= b.end
}

// takes reports whether an edit belongs to the hunk.
func (h hunk) takes(e edit, strict bool) bool {
	if strict || h.start == h.end && e.start == e.end {
		return e.start <= h.end
	}
	return e.start < h.end
}

func onlyDeletes(edits []edit) bool {
	return !slices.ContainsFunc(edits, func(e edit) bool { return e.text != "" })
}

// deleteBoth leaves what neither side deleted.
func deleteBoth(base string, ours, theirs []edit, start, end int) string {
	all := slices.Concat(ours, theirs)
	slices.SortFunc(all, func(a, b edit) int { return a.start - b.start })
	var out strings.Builder
	at := start
	for _, e := range all {
		if e.start > at {
			out.WriteString(base[at:e.start])
		}
		at = max(at, e.end)
	}
	out.WriteString(base[at:end])
	return out.String()
}

// rewrite applies edits to a stretch of the ancestor.
func rewrite(base string, edits []edit, start, end int) string {
	var out strings.Builder
	at := start
	for _, e := range edits {
		out.WriteString(base[at:e.start])
		out.WriteString(e.text)
		at = e.end
	}
	out.WriteString(base[at:end])
	return out.String()
}

// markConflict writes both sides of a hunk, with the ancestor between them.
func markConflict(h hunk, base, eol string) string {
	var out strings.Builder
	part := func(mark, text string) {
		out.WriteString(mark)
		out.WriteString(eol)
		out.WriteString(text)
		if text != "" && !strings.HasSuffix(text, "\n") {
			out.WriteString(eol)
		}
	}
	part("<<<<<<< yours", h.ours)
	if !h.noBase {
		part("||||||| last pull", base)
	}
	part("=======", h.theirs)
	part(">>>>>>> bundle", "")
	return out.String()
}
