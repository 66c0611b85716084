package merge

import (
	"strings"
)

// jsonEditor writes in the style that the file already has.
type jsonEditor struct {
	src      string
	eol      string
	step     string // one level of indentation
	colon    string // what stands between a key and its value
	comma    string // what separates entries on one line
	lines    bool   // the file spreads over several lines
	comments bool   // comments may be written
}

func newJSONEditor(src string, root *node, path string) editor {
	e := &jsonEditor{src: src, eol: eolOf(src), step: "  ", colon: ": ", comma: ", "}
	e.lines = strings.Contains(strings.TrimSpace(src), "\n") || len(root.fields)+len(root.items) == 0
	e.comments = allowsJSONComments(path, src, root)
	if step, ok := jsonStep(src, root); ok {
		e.step = step
	}
	if f, ok := firstField(root); ok {
		if gap := src[f.keyEnd:f.value.start]; strings.Trim(gap, ": \t") == "" {
			e.colon = gap
		}
		if e.colon == ":" && !e.lines {
			e.comma = ","
		}
	}
	return e
}

// allowsJSONComments reports whether a comment of the bundle may be carried
// over: only where the user already has some or the name promises it.
func allowsJSONComments(path, src string, root *node) bool {
	if strings.HasSuffix(strings.ToLower(path), ".jsonc") {
		return true
	}
	if !strings.Contains(src, "//") && !strings.Contains(src, "/*") {
		return false
	}
	return jsonHasComment(src, root)
}

// jsonHasComment looks for a comment outside of strings.
func jsonHasComment(src string, root *node) bool {
	if strings.TrimSpace(src[:root.start]) != "" || strings.TrimSpace(src[root.end:]) != "" {
		return true
	}
	stack := []*node{root}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if d, ok := n.holder.(jsonDetail); ok && strings.ContainsRune(src[d.lastEnd:n.end], '/') {
			return true
		}
		at := n.start + 1
		for _, f := range n.fields {
			if strings.ContainsRune(src[at:f.keyStart], '/') || strings.ContainsRune(src[f.keyEnd:f.value.start], '/') {
				return true
			}
			at = f.value.end
			stack = append(stack, f.value)
		}
		for _, item := range n.items {
			if strings.ContainsRune(src[at:item.start], '/') {
				return true
			}
			at = item.end
			stack = append(stack, item)
		}
	}
	return false
}

// firstField is the first entry found on the way down.
func firstField(n *node) (field, bool) {
	for len(n.fields) == 0 && len(n.items) > 0 {
		n = n.items[0]
	}
	if len(n.fields) == 0 {
		return field{}, false
	}
	return n.fields[0], true
}

// jsonStep finds the indentation that an entry has beyond its container.
func jsonStep(src string, root *node) (string, bool) {
	type level struct {
		n    *node
		left int
	}
	queue := []level{{root, 8}}
	for len(queue) > 0 {
		n, left := queue[0].n, queue[0].left
		queue = queue[1:]
		outer := indentAt(src, n.start)
		for _, start := range entryStarts(n) {
			inner := indentAt(src, start)
			if firstOnLine(src, start) && len(inner) > len(outer) && strings.HasPrefix(inner, outer) {
				return inner[len(outer):], true
			}
			break
		}
		if left == 0 {
			continue
		}
		for _, f := range n.fields {
			if len(queue) < 256 && !f.value.isPlain() {
				queue = append(queue, level{f.value, left - 1})
			}
		}
		for _, item := range n.items {
			if len(queue) < 256 && !item.isPlain() {
				queue = append(queue, level{item, left - 1})
			}
		}
	}
	return "", false
}

// entryStarts are the offsets at which the entries of a container begin.
func entryStarts(n *node) []int {
	starts := make([]int, 0, len(n.fields)+len(n.items))
	for _, f := range n.fields {
		starts = append(starts, f.keyStart)
	}
	for _, item := range n.items {
		starts = append(starts, item.start)
	}
	return starts
}

func (e *jsonEditor) addFields(dict *node, fields []field) ([]splice, error) {
	if len(dict.index) != len(dict.fields) {
		return nil, errDuplicateKeys
	}
	return e.add(dict, len(fields), func(i int, indent string, spread bool) string {
		return e.entry(fields[i], indent, spread)
	}), nil
}

func (e *jsonEditor) addItems(list *node, items []*node) ([]splice, error) {
	return e.add(list, len(items), func(i int, indent string, spread bool) string {
		return e.render(items[i], indent, spread)
	}), nil
}

// add inserts entries behind the last one of a container.
func (e *jsonEditor) add(n *node, count int, text func(i int, indent string, spread bool) string) []splice {
	d, _ := n.holder.(jsonDetail)
	starts := entryStarts(n)
	outer := indentAt(e.src, n.start)
	indent := outer + e.step
	spread := e.lines
	closing := ""
	switch {
	case len(starts) > 0:
		last := starts[len(starts)-1]
		before := n.start
		if len(starts) > 1 {
			before = starts[len(starts)-2]
		}
		spread = hasNewline(e.src, before, last)
		if spread {
			indent = e.entryIndent(starts, indent)
		}
	case !hasNewline(e.src, n.start, n.end):
		if spread {
			closing = e.eol + outer
		}
	default:
		spread = true
		if closer := n.end - 1; firstOnLine(e.src, closer) {
			indent = indentAt(e.src, closer) + e.step
		}
	}
	if d.lineComment {
		spread = true // the comment would swallow what follows on its line
	}
	lead, between := "", e.comma
	switch {
	case spread:
		lead, between = e.eol+indent, ","+e.eol+indent
	case len(starts) > 0:
		lead = e.comma[1:]
	}
	var out strings.Builder
	out.WriteString(lead)
	for i := range count {
		if i > 0 {
			out.WriteString(between)
		}
		out.WriteString(text(i, indent, spread))
	}
	if d.trailingComma {
		out.WriteString(",")
	}
	out.WriteString(closing)
	splices := []splice{{d.contentEnd, d.contentEnd, out.String()}}
	if len(starts) > 0 && !d.trailingComma {
		splices = append([]splice{{d.lastEnd, d.lastEnd, ","}}, splices...)
	}
	return splices
}

// entryIndent is the indentation of the last entry that begins a line.
func (e *jsonEditor) entryIndent(starts []int, otherwise string) string {
	for i := len(starts) - 1; i >= 0 && i >= len(starts)-8; i-- {
		if firstOnLine(e.src, starts[i]) {
			return indentAt(e.src, starts[i])
		}
	}
	return otherwise
}

func (e *jsonEditor) replace(old, value *node) ([]splice, error) {
	spread := e.lines && !onOneLine(old)
	return []splice{{old.start, old.end, e.render(value, indentAt(e.src, old.start), spread)}}, nil
}

// onOneLine reports whether a container with entries was kept on one line.
func onOneLine(n *node) bool { return n.inline && len(n.fields)+len(n.items) > 0 }

func (e *jsonEditor) entry(f field, indent string, spread bool) string {
	text := f.rawKey + e.colon + e.render(f.value, indent, spread)
	if !e.comments || !spread || len(f.head) == 0 {
		return text
	}
	return strings.Join(f.head, e.eol+indent) + e.eol + indent + text
}

// render writes a value of the bundle in this file's style. A container that
// the bundle keeps on one line stays on one line.
func (e *jsonEditor) render(n *node, indent string, spread bool) string {
	opener, closer := "[", "]"
	switch n.kind {
	case dictKind:
		opener, closer = "{", "}"
	case listKind:
	default:
		return n.raw
	}
	count := len(n.fields) + len(n.items)
	if count == 0 {
		return opener + closer
	}
	spread = spread && !n.inline
	inner, lead, between, end := indent, "", e.comma, ""
	if spread {
		inner = indent + e.step
		lead, between, end = e.eol+inner, ","+e.eol+inner, e.eol+indent
	} else if d, ok := n.holder.(jsonDetail); ok && d.padded && e.comma != "," {
		lead, end = " ", " "
	}
	parts := make([]string, 0, count)
	for _, f := range n.fields {
		parts = append(parts, e.entry(f, inner, spread))
	}
	for _, item := range n.items {
		parts = append(parts, e.render(item, inner, spread))
	}
	return opener + lead + strings.Join(parts, between) + end + closer
}
