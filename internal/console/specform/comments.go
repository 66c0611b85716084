package specform

import "strings"

// withComments returns a text with the comments that an earlier one had on lines of
// their own, each before the line that it stood before. Those whose line is gone are
// at the end.
func withComments(text, earlier string) string {
	before := map[string][]string{}
	var order, comments []string
	first := true
	for line := range strings.SplitSeq(strings.TrimRight(earlier, "\n"), "\n") {
		if trimmed := strings.TrimSpace(line); trimmed == "" || trimmed[0] == '#' {
			comments = append(comments, line)
			continue
		}
		at := begins(line, first)
		before[at], order = append(before[at], comments...), append(order, at)
		first, comments = false, nil
	}
	var out []string
	first = true
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		at := begins(line, first)
		out = append(append(out, before[at]...), line)
		delete(before, at)
		first = false
	}
	for _, at := range order {
		out = append(out, before[at]...)
		delete(before, at)
	}
	return strings.Join(append(out, comments...), "\n") + "\n"
}

// begins returns what a line is found by: the noun, section or text that it is about.
func begins(line string, first bool) string {
	if first {
		return ""
	}
	name, _, _ := strings.Cut(line, ":")
	name, _, _ = strings.Cut(name, "(")
	return strings.ToLower(strings.TrimSpace(name))
}
