package merge

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// yamlFormat is YAML: one document of block and flow collections. Directives,
// explicit keys and other rarities are refused, so that what is read is read
// rightly.
var yamlFormat = format{name: "YAML", parse: parseYAML, edit: newYAMLEditor}

var errYAMLDocuments = errors.New("it holds more than one document, or a mark that ends one")

// yamlReader reads block structure. The position is always known together
// with the start of its line.
type yamlReader struct {
	src   string
	at    int
	bol   int    // start of the line that holds at
	done  bool   // end of the file or of the document
	note  string // comment behind the scalar read last
	depth int

	flowOuter int // column of the block container around the brackets

	anchors map[string]bool // seen so far
}

// parseYAML reads a whole file.
func parseYAML(src string) (*node, error) {
	if err := checkYAMLText(src); err != nil {
		return nil, err
	}
	r := &yamlReader{src: src, anchors: make(map[string]bool)}
	if err := r.next(); err != nil {
		return nil, err
	}
	if r.done && r.atMarker("---") {
		if r.at += 3; r.endLine() != nil {
			return nil, r.fail("there is content on the line of the document mark")
		}
		r.done = false
		if err := r.next(); err != nil {
			return nil, err
		}
	}
	if r.done && r.at >= len(src) {
		return &node{kind: dictKind, start: len(src), end: len(src), outer: -1}, nil
	}
	if r.done {
		return nil, errYAMLDocuments
	}
	root, err := r.blockNode(-1)
	if err != nil {
		return nil, err
	}
	if err := r.next(); err != nil {
		return nil, err
	}
	switch {
	case r.done && r.at < len(src):
		return nil, errYAMLDocuments
	case !r.done:
		return nil, r.fail("there is text after the end of the value")
	}
	return root, nil
}

// checkYAMLText refuses characters that YAML forbids, and those that only some
// parsers take for line endings.
func checkYAMLText(src string) error {
	for i := 0; i < len(src); i++ {
		c := src[i]
		switch {
		case c >= ' ' && c < 0x7f || c == '\n' || c == '\t':
			continue
		case c == '\r' && strings.HasPrefix(src[i:], "\r\n"):
			continue
		case c >= 0x80:
			r, size := utf8.DecodeRuneInString(src[i:])
			if r >= 0xa0 && r != '\u2028' && r != '\u2029' && r != '\ufeff' && r != '\ufffe' && r != '\uffff' {
				i += size - 1
				continue
			}
		}
		return fmt.Errorf("line %d: there is a control character", 1+strings.Count(src[:i], "\n"))
	}
	return nil
}

func (r *yamlReader) fail(msg string) error {
	return fmt.Errorf("line %d: %s", 1+strings.Count(r.src[:min(r.at, len(r.src))], "\n"), msg)
}

// atMarker reports whether a document mark stands at the position.
func (r *yamlReader) atMarker(mark string) bool {
	rest, ok := strings.CutPrefix(r.src[r.at:], mark)
	return ok && (rest == "" || strings.IndexByte(" \t\r\n", rest[0]) >= 0)
}

func (r *yamlReader) column() int { return r.at - r.bol }

// peek is the byte at an offset from the position, 0 behind the end. A line
// ending counts as a newline also when it begins with a carriage return.
func (r *yamlReader) peek(ahead int) byte {
	if r.at+ahead >= len(r.src) {
		return 0
	}
	if c := r.src[r.at+ahead]; c != '\r' {
		return c
	}
	return '\n'
}

// isBreak reports whether c separates a token from what follows.
func isBreak(c byte) bool { return c == 0 || c == ' ' || c == '\t' || c == '\n' }

// next goes to the next content: over the rest of a line that is blank or a
// comment, and over blank lines and comment lines.
func (r *yamlReader) next() error {
	leading := r.at == r.bol
	for r.at < len(r.src) {
		switch c := r.src[r.at]; c {
		case '\n':
			r.at++
			r.bol, leading = r.at, true
		case '\t':
			if leading {
				return r.fail("a tab is used to indent")
			}
			r.at++
		case ' ', '\r':
			r.at++
		case '#':
			r.at = lineEnd(r.src, r.at)
		default:
			r.done = r.at == r.bol && (r.atMarker("---") || r.atMarker("..."))
			if r.at == r.bol && c == '%' {
				return r.fail("directives are not supported")
			}
			return nil
		}
	}
	r.done = true
	return nil
}

// blanks skips spaces and tabs and reports whether a tab was among them.
func (r *yamlReader) blanks() (tab bool) {
	for r.at < len(r.src) && (r.src[r.at] == ' ' || r.src[r.at] == '\t') {
		tab = tab || r.src[r.at] == '\t'
		r.at++
	}
	return tab
}

// endLine expects nothing more on the line than a comment, which it notes.
func (r *yamlReader) endLine() error {
	before := r.at
	r.blanks()
	r.note = ""
	switch c := r.peek(0); {
	case c == 0 || c == '\n':
		return nil
	case c == '#' && r.at > before:
		end := lineEnd(r.src, r.at)
		r.note = strings.TrimRight(r.src[r.at:end], " \t")
		r.at = end
		return nil
	}
	return r.fail("there is text behind the end of a value")
}

// restIsBlank reports whether only a comment or nothing follows on the line.
func (r *yamlReader) restIsBlank() bool {
	c := r.peek(0)
	return c == 0 || c == '\n' || c == '#'
}

// enter and leave bound the nesting.
func (r *yamlReader) enter() error {
	if r.depth++; r.depth > maxDepth {
		return errTooDeep
	}
	return nil
}

func (r *yamlReader) leave() { r.depth-- }

// blockNode reads what begins at the position as first content of its line,
// or behind a dash. Outer is the column of the container around.
func (r *yamlReader) blockNode(outer int) (*node, error) {
	if err := r.enter(); err != nil {
		return nil, err
	}
	defer r.leave()
	switch c := r.peek(0); {
	case c == '-' && isBreak(r.peek(1)):
		return r.blockList(outer)
	case c == '?' && isBreak(r.peek(1)):
		return nil, r.fail("explicit keys are not supported")
	}
	isKey, err := r.keyAhead()
	if err != nil {
		return nil, err
	}
	if isKey {
		return r.blockDict(outer)
	}
	return r.inlineValue(outer)
}

// blockDict reads the entries of a map, all at the column of the first.
func (r *yamlReader) blockDict(outer int) (*node, error) {
	n := &node{kind: dictKind, start: r.at, column: r.column(), outer: outer}
	floor := r.bol
	if firstOnLine(r.src, r.at) {
		floor = 0
	}
	for {
		f := field{keyStart: r.at}
		head := commentsAbove(r.src, r.at, floor)
		if err := r.key(&f); err != nil {
			return nil, err
		}
		valueAt := r.at
		r.note = ""
		value, err := r.entryValue(n.column, valueAt)
		if err != nil {
			return nil, err
		}
		f.value = value
		f.headComment, f.lineComment = head, r.note
		r.note = ""
		if !n.add(f) {
			n.readOnly = fmt.Sprintf("has the key %q twice", f.key)
		} else if f.rawKey == "<<" && n.readOnly == "" {
			n.readOnly = "uses a YAML merge key"
		}
		n.end = value.end
		n.raw = r.src[n.start:n.end]
		floor = lineEnd(r.src, n.end)
		more, err := r.another(n.column)
		if err != nil || !more {
			return n, err
		}
		if isKey, err := r.keyAhead(); err != nil || !isKey {
			return nil, errors.Join(r.fail("a key is expected"), err)
		}
	}
}

// another goes to the next entry and reports whether it belongs to the
// container at the column.
func (r *yamlReader) another(column int) (bool, error) {
	if err := r.next(); err != nil {
		return false, err
	}
	if r.done || r.column() < column {
		return false, nil
	}
	if r.column() > column {
		return false, r.fail("the indentation does not fit")
	}
	return true, nil
}

// entryValue reads the value behind a colon.
func (r *yamlReader) entryValue(column, valueAt int) (*node, error) {
	r.blanks()
	if !r.restIsBlank() {
		n, err := r.inlineValue(column)
		if n != nil {
			n.valueAt = valueAt
		}
		return n, err
	}
	return r.valueBelow(column, valueAt, true)
}

// valueBelow reads a value that begins on a later line; without one it is
// null. A list may stand at the column of the key that holds it.
func (r *yamlReader) valueBelow(column, valueAt int, listMayAlign bool) (*node, error) {
	back := *r
	if err := r.endLine(); err != nil && r.peek(0) != '#' {
		return nil, err
	}
	if err := r.next(); err != nil {
		return nil, err
	}
	var n *node
	var err error
	switch {
	case !r.done && r.column() > column:
		n, err = r.blockNode(column)
	case !r.done && listMayAlign && r.column() == column && r.peek(0) == '-' && isBreak(r.peek(1)):
		if err = r.enter(); err == nil {
			n, err = r.blockList(column)
			r.leave()
		}
	default:
		*r = back
		n = &node{kind: nullKind, text: "null", start: valueAt, end: valueAt, outer: column}
	}
	if n != nil {
		n.valueAt = valueAt
	}
	return n, err
}

// blockList reads the items of a list, all at the column of the first dash.
func (r *yamlReader) blockList(outer int) (*node, error) {
	n := &node{kind: listKind, start: r.at, column: r.column(), outer: outer}
	floor := r.bol
	if firstOnLine(r.src, r.at) {
		floor = 0
	}
	for {
		head := commentsAbove(r.src, r.at, floor)
		r.at++
		valueAt := r.at
		if r.blanks() {
			return nil, r.fail("a tab is used to indent")
		}
		var item *node
		var err error
		if r.restIsBlank() {
			item, err = r.valueBelow(n.column, valueAt, false)
		} else {
			item, err = r.blockNode(n.column)
		}
		if err != nil {
			return nil, err
		}
		r.note = ""
		item.valueAt = valueAt
		if len(head) > 0 {
			item.headComment = head
		}
		n.items = append(n.items, item)
		n.end = item.end
		floor = lineEnd(r.src, n.end)
		n.raw = r.src[n.start:n.end]
		more, err := r.another(n.column)
		if err != nil || !more || r.peek(0) != '-' || !isBreak(r.peek(1)) {
			if err == nil && more && outer != n.column {
				err = r.fail("a list item is expected")
			}
			return n, err
		}
	}
}
