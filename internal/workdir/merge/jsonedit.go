package merge

import "strings"

// jsonEditor writes in the style that the file already has.
type jsonEditor struct {
	brackets
	colon    string // what stands between a key and its value
	comments bool   // comments may be written
}

func newJSONEditor(src string, root *node, path string) editor {
	e := &jsonEditor{brackets: brackets{src: src, eol: eolOf(src), step: "  ", comma: ", "}, colon: ": "}
	e.multiline = strings.Contains(strings.TrimSpace(src), "\n") || root.size() == 0
	// Where the user has comments already, the program reads them.
	e.comments = root.hasComments || allowsJSONComments(path)
	if step, ok := indentStep(src, root); ok {
		e.step = step
	}
	if f, ok := firstField(root); ok {
		if gap := src[f.keyEnd:f.value.start]; strings.Trim(gap, ": \t") == "" {
			e.colon = gap
		}
		if e.colon == ":" && !e.multiline {
			e.comma = ","
		}
	}
	return e
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

func (e *jsonEditor) addFields(dict *node, fields []field, from *node) ([]splice, error) {
	return e.insert(dict, from, len(fields), func(i int, indent string, multiline bool) entryText {
		return e.entry(fields[i], indent, multiline)
	}), nil
}

func (e *jsonEditor) addItems(list *node, items []*node, from *node) ([]splice, error) {
	return e.insert(list, from, len(items), func(i int, indent string, multiline bool) entryText {
		return entryText{text: e.render(items[i], indent, multiline)}
	}), nil
}

func (e *jsonEditor) replace(old, value *node) ([]splice, error) {
	multiline := e.multiline && !onOneLine(old)
	return []splice{{old.start, old.end, e.render(value, indentAt(e.src, old.start), multiline)}}, nil
}

// onOneLine reports whether a container with entries was kept on one line.
func onOneLine(n *node) bool { return n.inline && n.size() > 0 }

// entry writes a key and its value, with their comments if there is a place.
func (e *jsonEditor) entry(f field, indent string, multiline bool) entryText {
	text := f.rawKey + e.colon + e.render(f.value, indent, multiline)
	if !e.comments || !multiline {
		return entryText{text: text}
	}
	var above strings.Builder
	for _, line := range f.headComment {
		above.WriteString(line + e.eol + indent)
	}
	return entryText{above.String() + text, f.lineComment}
}

// render writes a value of the bundle in this file's style. A container that
// the bundle keeps on one line stays on one line.
func (e *jsonEditor) render(n *node, indent string, multiline bool) string {
	opener, closer := "[", "]"
	switch n.kind {
	case dictKind:
		opener, closer = "{", "}"
	case listKind:
	default:
		return n.raw
	}
	if n.size() == 0 {
		return opener + closer
	}
	multiline = multiline && !n.inline
	inner, lead, between, end := indent, "", e.comma[1:], ""
	if multiline {
		inner = indent + e.step
		lead, between, end = e.eol+inner, e.eol+inner, e.eol+indent
	} else if n.brackets.padded && e.comma != "," {
		lead, end = " ", " "
	}
	parts := make([]entryText, 0, n.size())
	for _, f := range n.fields {
		parts = append(parts, e.entry(f, inner, multiline))
	}
	for _, item := range n.items {
		parts = append(parts, entryText{text: e.render(item, inner, multiline)})
	}
	return opener + lead + joinEntries(parts, between, false) + end + closer
}
