package merge

import (
	"strings"
)

// jsonEditor writes in the style that the file already has.
type jsonEditor struct {
	brackets
	colon    string // what stands between a key and its value
	comments bool   // comments may be written
}

func newJSONEditor(src string, root *node, path string) editor {
	e := &jsonEditor{brackets: brackets{src: src, eol: eolOf(src), step: "  ", comma: ", "}, colon: ": "}
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
		if d := n.brackets; d.lastEnd > 0 && strings.ContainsRune(src[d.lastEnd:n.end], '/') {
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

func (e *jsonEditor) addFields(dict *node, fields []field, from *node) ([]splice, error) {
	if dict.twice {
		return nil, errDuplicateKeys
	}
	return e.insert(dict, from, len(fields), func(i int, indent string, spread bool) string {
		return e.entry(fields[i], indent, spread)
	}), nil
}

func (e *jsonEditor) addItems(list *node, items []*node, from *node) ([]splice, error) {
	return e.insert(list, from, len(items), func(i int, indent string, spread bool) string {
		return e.render(items[i], indent, spread)
	}), nil
}

func (e *jsonEditor) replace(old, value *node) ([]splice, error) {
	spread := e.lines && !onOneLine(old)
	return []splice{{old.start, old.end, e.render(value, indentAt(e.src, old.start), spread)}}, nil
}

// onOneLine reports whether a container with entries was kept on one line.
func onOneLine(n *node) bool { return n.inline && len(n.fields)+len(n.items) > 0 }

func (e *jsonEditor) entry(f field, indent string, spread bool) string {
	text := f.rawKey + e.colon + e.render(f.value, indent, spread)
	if !e.comments || !spread || len(f.comments().head) == 0 {
		return text
	}
	return strings.Join(f.comments().head, e.eol+indent) + e.eol + indent + text
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
	} else if n.brackets.padded && e.comma != "," {
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
