package merge

import "strings"

// AppendUnique adds the lines of the bundle that the user's file lacks at its
// end, in the bundle's order. Lines are compared without their line ending and
// white space at their end. Blank lines count for nothing by themselves, and a
// comment is only added together with a line of its paragraph.
func AppendUnique(in Input) Result {
	if r, done := settled(in); done {
		return r
	}
	bom, src := splitBOM(in.Current)
	_, incoming := splitBOM(in.Incoming)
	have := make(map[string]bool)
	for _, line := range splitLines(src) {
		have[lineID(line)] = true
	}
	comment, hasComments := commentOf(in.Path)
	isComment := func(line string) bool {
		return hasComments && comment.close == "" && strings.HasPrefix(strings.TrimSpace(line), comment.open)
	}

	var out, pending, added []string
	gap := endsInSection(src, isComment)
	above := false // the line above is a comment
	for _, line := range splitLines(incoming) {
		id := lineID(line)
		switch {
		case id == "":
			gap, pending = true, nil
		case isComment(line):
			if !above {
				pending = nil // a new heading inside of the paragraph
			}
			if !have[id] {
				pending = append(pending, id)
			}
		case !have[id]:
			if gap && (len(out) > 0 || needsGap(src)) {
				out = append(out, "")
			}
			gap = false
			for _, c := range append(pending, id) {
				if !have[c] {
					have[c] = true
					out, added = append(out, c), append(added, c)
				}
			}
			pending = nil
		}
		above = isComment(line)
	}
	if len(added) == 0 {
		return Result{Content: in.Current}
	}
	content := bom + appendLines(src, out, eolOf(src))
	return finish(in, Result{Content: []byte(content), Added: added})
}

// endsInSection reports whether the last paragraph of a text has a heading,
// under which added lines would seem to belong.
func endsInSection(src string, isComment func(string) bool) bool {
	lines := splitLines(src)
	for i := len(lines) - 1; i >= 0; i-- {
		if lineID(lines[i]) == "" {
			return false
		}
		if isComment(lines[i]) {
			return true
		}
	}
	return false
}

// needsGap reports whether a text ends in a line that is not blank.
func needsGap(src string) bool {
	lines := splitLines(src)
	return len(lines) > 0 && lineID(lines[len(lines)-1]) != ""
}

// lineID is what two lines have in common when they count as the same.
func lineID(line string) string { return strings.TrimRight(line, " \t\r\n") }

// appendLines puts lines at the end of a text. A text without a final newline
// stays without one.
func appendLines(src string, lines []string, eol string) string {
	added := strings.Join(lines, eol)
	switch {
	case src == "":
		return added + eol
	case strings.HasSuffix(src, "\n"):
		return src + added + eol
	default:
		return src + eol + added
	}
}
