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
var yamlFormat = format{name: "YAML", parse: parseYAML, edit: newYAMLEditor, compare: compareYAML}

var errYAMLDocuments = errors.New("it holds more than one document, or a mark that ends one")

// yamlReader is a recursive-descent parser of one document that remembers places.
// A copy of it is a position to return to. The position is always known together
// with the start of its line.
type yamlReader struct {
	src         string
	at          int
	line        int    // start of the line that holds at
	done        bool   // end of the file or of the document
	lineComment string // behind the scalar read last
	depth       int

	flowOuter int // column of the block container around the brackets

	anchors map[string]*node // seen so far; nil until the value is read

	mergeKeys bool // there is one
}

// parseYAML reads a whole file.
func parseYAML(src string) (*node, error) {
	if err := checkYAMLText(src); err != nil {
		return nil, err
	}
	r := &yamlReader{src: src, anchors: make(map[string]*node)}
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
	root.references = r.mergeKeys || len(r.anchors) > 0
	if len(r.anchors) > 0 {
		root.placeAnchors("")
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

func (r *yamlReader) column() int { return r.at - r.line }

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
	leading := r.at == r.line
	for r.at < len(r.src) {
		switch c := r.src[r.at]; c {
		case '\n':
			r.at++
			r.line, leading = r.at, true
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
			r.done = r.at == r.line && (r.atMarker("---") || r.atMarker("..."))
			if r.at == r.line && c == '%' {
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
	r.lineComment = ""
	switch c := r.peek(0); {
	case c == 0 || c == '\n':
		return nil
	case c == '#' && r.at > before:
		end := lineEnd(r.src, r.at)
		r.lineComment = strings.TrimRight(r.src[r.at:end], " \t")
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
