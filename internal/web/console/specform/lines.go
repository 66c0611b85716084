package specform

import (
	"regexp"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/spec"
)

// line is a line of a text that has more than a comment.
type line struct {
	above   []string // the blank lines and comments before it
	written string   // as it was typed
	// canonical is what [spec.Spec.String] writes for it. A first line can have records,
	// which are written as lines of their own.
	canonical []string
	comment   string // at its end, with the space before it
}

// rewrite returns an earlier text with the values of another one, which is canonical.
// Lines that mean the same stay as they were typed; of the others the comments stay.
func rewrite(earlier, text string) string {
	old, end := linesOf(earlier)
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if len(old) == 0 {
		return text
	}
	now := make([][]string, 0, len(lines))
	if n := len(old[0].canonical); n > 1 && n <= len(lines) && slices.Equal(old[0].canonical, lines[:n]) {
		now, lines = append(now, lines[:n]), lines[n:]
	}
	for each := range slices.Chunk(lines, 1) {
		now = append(now, each)
	}
	from := pair(old, now)
	var out []string
	kept := make([]bool, len(old))
	for _, i := range inOrder(now, from) {
		if from[i] < 0 {
			out = append(out, now[i]...)
			continue
		}
		l := old[from[i]]
		kept[from[i]] = true
		out = append(out, l.above...)
		if slices.Equal(l.canonical, now[i]) {
			out = append(out, l.written)
		} else {
			out = append(out, now[i][0]+l.comment)
		}
	}
	for i, l := range old {
		if !kept[i] {
			out = append(out, l.above...)
		}
	}
	return strings.Join(append(out, end...), "\n") + "\n"
}

// linesOf returns the lines of a text, and the comments after the last one.
func linesOf(text string) (lines []line, end []string) {
	kind := ""
	for written := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		if trimmed := strings.TrimSpace(written); trimmed == "" || trimmed[0] == '#' {
			end = append(end, written)
			continue
		}
		l := line{above: end, written: written, canonical: canonical(written, kind)}
		l.comment = l.endComment(kind)
		lines, end = append(lines, l), nil
		if len(lines) == 1 && l.canonical != nil {
			kind = kindOf(l.canonical[0])
		}
	}
	return lines, end
}

// ordinary replaces the characters that [spec.Parse] reads as spaces.
var ordinary = strings.NewReplacer("\t", " ", "\u00a0", " ", "\ufeff", "")

// canonical returns what a line reads as: the first of a text if kind is empty. It is nil
// if the line cannot be read.
func canonical(written, kind string) []string {
	s := spec.Spec{Kind: kind}
	if s.ReadLine(ordinary.Replace(written)) != nil {
		return nil
	}
	lines := strings.Split(strings.TrimRight(s.String(), "\n"), "\n")
	if kind != "" {
		lines = lines[1:]
	}
	return lines
}

var outsideQuotes = regexp.MustCompile(`^(?:[^"#]|"(?:[^"\\]|\\.)*")*`)

// endComment returns the comment at the end of a line. A number sign can also stand in
// quotes, and a quote in the text of a section, so each place where a comment can begin
// is tried: the line reads the same without it.
func (l line) endComment(kind string) string {
	for _, at := range []int{strings.IndexByte(l.written, '#'), len(outsideQuotes.FindString(l.written)), strings.LastIndexByte(l.written, '#')} {
		if at < 0 || at == len(l.written) || l.written[at] != '#' {
			continue
		}
		if rest := l.written[:at]; slices.Equal(canonical(rest, kind), l.canonical) {
			return l.written[len(strings.TrimRight(rest, " \t\u00a0")):]
		}
	}
	return ""
}

// pair finds for each line of now the old one that it was, or -1: the one that is equal,
// has the same name, or has the same behind the name. What is left was renamed and edited
// if as many lines are left of both.
func pair(old []line, now [][]string) []int {
	from, taken := slices.Repeat([]int{-1}, len(now)), make([]bool, len(old))
	from[0], taken[0] = 0, true
	if old[0].canonical == nil || kindOf(old[0].canonical[0]) != kindOf(now[0][0]) {
		return from
	}
	for _, key := range []func(string) string{func(l string) string { return l }, nameOf, bodyOf} {
		at := map[string][]int{}
		for i, l := range old {
			if !taken[i] && len(l.canonical) == 1 {
				at[key(l.canonical[0])] = append(at[key(l.canonical[0])], i)
			}
		}
		for i, l := range now {
			if same := at[key(l[0])]; from[i] < 0 && len(same) > 0 {
				from[i], taken[same[0]], at[key(l[0])] = same[0], true, same[1:]
			}
		}
	}
	var before, after []int
	for i, l := range old {
		if !taken[i] && len(l.canonical) == 1 && !isFact(l.canonical[0]) {
			before = append(before, i)
		}
	}
	for i, l := range now {
		if from[i] < 0 && !isFact(l[0]) {
			after = append(after, i)
		}
	}
	if len(before) == len(after) {
		for i := range after {
			from[after[i]] = before[i]
		}
	}
	return from
}

// inOrder returns the order of the lines: as they are, but the texts of a site, whose
// order means nothing, stay behind the lines that they stood behind.
func inOrder(now [][]string, from []int) (order []int) {
	byOld := make([]int, 0, len(now))
	for i := range now {
		if from[i] >= 0 {
			byOld = append(byOld, i)
		}
	}
	slices.SortFunc(byOld, func(a, b int) int { return from[a] - from[b] })
	behind, last := map[int][]int{}, 0
	for _, i := range byOld {
		if isFact(now[i][0]) {
			behind[last] = append(behind[last], i)
		} else {
			last = i
		}
	}
	var added []int
	for i, l := range now {
		switch {
		case !isFact(l[0]):
			order = append(append(order, i), behind[i]...)
		case from[i] < 0:
			added = append(added, i)
		}
	}
	return append(order, added...)
}

// kindOf returns the kind of a project, by its first line.
func kindOf(first string) string {
	kind, _, _ := strings.Cut(first, " ")
	return strings.TrimSuffix(kind, ",")
}

// isFact reports whether a line is a text of a site. No record begins so without a quote.
func isFact(line string) bool { return strings.HasPrefix(line, "text ") }

// nameOf returns the noun, section or text that a line is about.
func nameOf(line string) string {
	name, _, _ := strings.Cut(line, ":")
	name, _, _ = strings.Cut(name, "(")
	return strings.ToLower(strings.TrimSpace(name))
}

// bodyOf returns what a line has behind its name. Texts do not change their names.
func bodyOf(line string) string {
	if isFact(line) {
		return line
	}
	_, body, _ := strings.Cut(line, ":")
	return body
}
