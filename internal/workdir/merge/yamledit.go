package merge

import (
	"errors"
	"strings"

	"github.com/bundle-delivery/svc/internal/text/diff"
)

// yamlEditor writes into block and flow collections in the style of the file.
type yamlEditor struct {
	brackets
	step     int // indentation of a map in a map
	listStep int // indentation of a list in a map
	finalEOL bool
	endKept  bool // something may follow the end of the file without changing its last value
}

var (
	errYAMLRoot = errors.New("the value is the whole document")
	errYAMLKeep = errors.New("your file ends in a block text with the sign +, without a newline: nothing can follow it")
)

func newYAMLEditor(src string, root *node, _ string) editor {
	e := &yamlEditor{
		brackets: brackets{src: src, eol: eolOf(src), step: "  ", comma: ", "},
		finalEOL: strings.HasSuffix(src, "\n"),
		listStep: -1,
	}
	e.measure(root)
	if e.step == 0 {
		e.step = 2
	}
	if e.listStep < 0 {
		e.listStep = e.step
	}
	e.brackets.step = strings.Repeat(" ", e.step)
	return e
}

// measure finds how far the first map and the first list in a map are indented.
func (e *yamlEditor) measure(n *node) {
	for _, v := range n.entries() {
		if v.flow || e.step > 0 && e.listStep >= 0 {
			continue
		}
		switch deeper := v.column - n.column; {
		case n.kind != dictKind || v.size() == 0:
		case v.kind == dictKind && e.step == 0 && deeper > 0:
			e.step = deeper
		case v.kind == listKind && e.listStep < 0:
			e.listStep = deeper
		}
		e.measure(v)
	}
}

func (e *yamlEditor) addFields(dict *node, fields []field, from *node) ([]splice, error) {
	if dict.flow {
		return e.insert(dict, from, len(fields), func(i int, _ string, _ bool) entryText {
			return entryText{text: e.flowKey(fields[i]) + e.flowText(fields[i].value)}
		}), nil
	}
	var lines []string
	loose := e.isLoose(dict)
	for i, f := range fields {
		if loose && (isYAMLBlock(f.value) || i > 0 && isYAMLBlock(fields[i-1].value)) {
			lines = append(lines, "")
		}
		lines = append(lines, e.block(&node{kind: dictKind, fields: []field{f}})...)
	}
	return e.below(dict, lines)
}

// isLoose reports whether a blank line separates the last two entries of a
// map.
func (e *yamlEditor) isLoose(dict *node) bool {
	count := len(dict.fields)
	if count < 2 {
		return false
	}
	from, to := lineEnd(e.src, dict.fields[count-2].value.end), lineStart(e.src, dict.fields[count-1].keyStart)
	for _, line := range diff.SplitLines(e.src[min(from+len(lineBreak(e.src[from:])), to):to]) {
		if strings.TrimSpace(line) == "" {
			return true
		}
	}
	return false
}

func (e *yamlEditor) addItems(list *node, items []*node, from *node) ([]splice, error) {
	if list.flow {
		return e.insert(list, from, len(items), func(i int, _ string, _ bool) entryText {
			return entryText{text: e.flowText(items[i])}
		}), nil
	}
	return e.below(list, e.block(&node{kind: listKind, items: items}))
}

// below puts lines behind the last entry of a block collection.
func (e *yamlEditor) below(n *node, lines []string) ([]splice, error) {
	at := e.endOf(n)
	text := e.indented(lines, n.column)
	if n.size() == 0 && strings.HasSuffix(e.src, "\n") {
		return []splice{{at, at, text + e.eol}}, nil // a document of comments
	}
	splices := []splice{{at, at, e.eol + text}}
	if at < len(e.src) || e.endKept {
		return splices, nil
	}
	ended, err := e.endBlock(n)
	if err != nil {
		return nil, err
	}
	e.endKept = true
	return append(ended, splices...), nil
}

// endBlock keeps what a block scalar says that ends the file without a newline:
// once something follows it, its last line has one, which the sign "-" takes off.
func (e *yamlEditor) endBlock(n *node) ([]splice, error) {
	for n.size() > 0 {
		for _, last := range n.entries() {
			n = last
		}
	}
	if !n.block || !strings.Contains(n.raw, "\n") {
		return nil, nil
	}
	signs := strings.Fields(n.raw)[0]
	switch {
	case strings.Contains(signs, "-"):
		return nil, nil
	case strings.Contains(signs, "+"):
		return nil, errYAMLKeep
	}
	start := n.end - len(n.raw)
	return []splice{{start + 1, start + 1, "-"}}, nil
}

// indented joins lines at a column.
func (e *yamlEditor) indented(lines []string, column int) string {
	prefix := strings.Repeat(" ", column)
	var out strings.Builder
	for i, line := range lines {
		if i > 0 {
			out.WriteString(e.eol)
		}
		if line != "" {
			out.WriteString(prefix)
			out.WriteString(line)
		}
	}
	return out.String()
}

// endOf is where a block collection ends: behind its last entry and the
// comments that are indented like it or further.
func (e *yamlEditor) endOf(n *node) int {
	if n.size() == 0 {
		return len(e.src)
	}
	end := lineEnd(e.src, n.end)
	for at := end; at < len(e.src); {
		next := at + len(lineBreak(e.src[at:]))
		at = lineEnd(e.src, next)
		line := e.src[next:at]
		text := strings.TrimLeft(line, " ")
		if next >= len(e.src) || text != "" && (text[0] != '#' || len(line)-len(text) < n.column) {
			break
		}
		if text != "" {
			end = at
		}
	}
	return end
}

func (e *yamlEditor) replace(old, value *node) ([]splice, error) {
	if old.end == len(e.src) {
		e.endKept = true // what is written there ends without a newline and keeps its meaning with one
	}
	if old.anchor != "" {
		withAnchor := *value
		withAnchor.anchor = old.anchor // what refers to it stays
		value = &withAnchor
	}
	props := yamlProps(value)
	hasProps := props != "" || yamlProps(old) != ""
	isBlock := isYAMLBlock(value)
	oldBlock := old.kind >= listKind && !old.flow
	fits := oldBlock && isBlock && (old.kind == value.kind || old.column > old.outer)
	switch {
	case old.flow:
		return []splice{{old.start, old.end, e.afterColon(old, e.flowText(value))}}, nil
	case oldBlock && old.size() == 0:
		return nil, errYAMLRoot
	case fits && !hasProps:
		text := e.indented(e.block(value), old.column)
		return []splice{{old.start, old.end, text[old.column:]}}, nil
	case old.outer < 0:
		return nil, errYAMLRoot
	case fits:
		text := e.eol + e.indented(e.block(value), old.column)
		return []splice{{old.valueAt, old.end, before(props) + text}}, nil
	case isBlock && strings.TrimSpace(e.src[old.end:lineEnd(e.src, old.end)]) == "":
		step := e.step
		if value.kind == listKind {
			step = e.listStep
		}
		text := e.eol + e.indented(e.block(value), old.outer+step)
		return []splice{{old.valueAt, old.end, before(props) + text}}, nil
	case value.kind >= listKind:
		return []splice{{old.valueAt, old.end, " " + e.flowText(value)}}, nil
	}
	lines := e.scalar(value, old.end == len(e.src))
	text := before(spaced(props, lines[0]))
	if len(lines) > 1 {
		text += e.eol + e.indented(lines[1:], old.outer)
	}
	return []splice{{old.valueAt, old.end, text}}, nil
}

// before puts a space before a text that says something.
func before(text string) string {
	if text == "" {
		return ""
	}
	return " " + text
}

// afterColon puts a space before a text that takes the place of nothing.
func (e *yamlEditor) afterColon(old *node, text string) string {
	if old.start == old.end && old.start > 0 && e.src[old.start-1] == ':' {
		return " " + text
	}
	return text
}
