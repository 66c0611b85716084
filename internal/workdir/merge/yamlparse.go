package merge

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// yamlFormat is YAML: one document of block and flow collections. Directives,
// explicit keys and other rarities are refused, so that what is read is read
// rightly.
var yamlFormat = format{name: "YAML", parse: parseYAML, edit: newYAMLEditor, compare: compareYAML}

var errYAMLDocuments = errors.New("it holds more than one document, or a mark that ends one")

// yamlReader finds the places of values in a source. go.yaml.in/yaml says which
// values there are, in their order; where each ends its nodes do not know. What is
// read is what the library read: a value that is not found where the one before it
// ends makes the whole file unreadable.
type yamlReader struct {
	src       string
	depth     int
	anchored  map[*yaml.Node]*node // the values with anchors that are read
	mergeKeys bool                 // there is one
	comment   int                  // end of the last comment of the gap read last, or 0
	tabsFrom  int                  // a tab may stand behind this column at the beginning of a line
}

// parseYAML reads a whole file.
func parseYAML(src string) (*node, error) {
	if err := checkYAMLText(src); err != nil {
		return nil, err
	}
	r := &yamlReader{src: src, anchored: make(map[*yaml.Node]*node), tabsFrom: len(src)}
	at, err := r.begin()
	if err != nil {
		return nil, err
	}
	theirs, err := decodeYAML(src)
	if err != nil {
		return nil, err
	}
	root := &node{kind: dictKind, start: len(src), end: len(src), outer: -1}
	if theirs != nil && (!isEmptyYAML(theirs) || hasYAMLProperties(theirs)) {
		if root, err = r.value(theirs, at, -1, false); err != nil {
			return nil, err
		}
		if at, err = r.gap(root.end); err != nil {
			return nil, err
		}
	}
	switch {
	case at < len(src) && r.atMarker(at):
		return nil, errYAMLDocuments
	case at < len(src):
		return nil, r.fail(at, "there is text after the end of the value")
	}
	root.references = r.mergeKeys || len(r.anchored) > 0
	if len(r.anchored) > 0 {
		root.placeAnchors("")
	}
	return root, nil
}

// begin returns where the content of the document begins.
func (r *yamlReader) begin() (int, error) {
	at, err := r.gap(0)
	if err != nil || !strings.HasPrefix(r.src[at:], "---") || !r.atMarker(at) {
		return at, err
	}
	behind := strings.TrimLeft(r.src[at+3:lineEnd(r.src, at)], " \t")
	if behind != "" && behind[0] != '#' {
		return 0, r.fail(at, "there is content on the line of the document mark")
	}
	return r.gap(at + 3)
}

// decodeYAML returns the value of the only document, or nil if there is none.
func decodeYAML(src string) (n *yaml.Node, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the parser failed: %v", p)
		}
	}()
	d := yaml.NewDecoder(strings.NewReader(src))
	var doc yaml.Node
	if err := d.Decode(&doc); errors.Is(err, io.EOF) {
		return nil, nil
	} else if err != nil {
		return nil, yamlError(src, err)
	}
	switch err := d.Decode(new(yaml.Node)); {
	case err == nil:
		return nil, errYAMLDocuments
	case !errors.Is(err, io.EOF):
		return nil, yamlError(src, err)
	}
	return doc.Content[0], nil
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

func (r *yamlReader) fail(at int, msg string) error {
	return fmt.Errorf("line %d: %s", 1+strings.Count(r.src[:min(at, len(r.src))], "\n"), msg)
}

// atMarker reports whether a document mark stands at an offset.
func (r *yamlReader) atMarker(at int) bool {
	isMark := strings.HasPrefix(r.src[at:], "---") || strings.HasPrefix(r.src[at:], "...")
	return isMark && isBreak(r.peek(at+3)) && (at == 0 || r.src[at-1] == '\n')
}

// peek is the byte at an offset, 0 behind the end. A line ending counts as a newline
// also when it begins with a carriage return.
func (r *yamlReader) peek(at int) byte {
	if at >= len(r.src) {
		return 0
	}
	if c := r.src[at]; c != '\r' {
		return c
	}
	return '\n'
}

// isBreak reports whether c separates a token from what follows.
func isBreak(c byte) bool { return c == 0 || c == ' ' || c == '\t' || c == '\n' }

// gap returns where the next content is: behind white space and comments.
func (r *yamlReader) gap(at int) (int, error) {
	r.comment = 0
	indents, column := at == 0 || r.src[at-1] == '\n', 0
	for ; at < len(r.src); at++ {
		switch c := r.src[at]; c {
		case '\n':
			indents, column = true, 0
		case ' ':
			column++
		case '\t':
			if indents && column <= r.tabsFrom {
				return 0, r.fail(at, "a tab is used to indent")
			}
			indents = false
		case '\r':
		case '#':
			if at > 0 && !isBreak(r.src[at-1]) {
				return 0, r.fail(at, "there is text behind the end of a value")
			}
			r.comment = lineEnd(r.src, at)
			at = r.comment - 1
		default:
			if c == '%' && (at == 0 || r.src[at-1] == '\n') {
				return 0, r.fail(at, "directives are not supported")
			}
			return at, nil
		}
	}
	return at, nil
}

// value reads a value that begins at an offset or behind it. Outer is the column of
// the block container around.
func (r *yamlReader) value(theirs *yaml.Node, at, outer int, flow bool) (*node, error) {
	if r.depth++; r.depth > maxDepth {
		return nil, errTooDeep
	}
	defer func() { r.depth-- }()
	n := &node{kind: nullKind, text: "null", start: at, end: at, outer: outer, flow: flow}
	if isEmptyYAML(theirs) && !hasYAMLProperties(theirs) {
		return n, nil
	}
	body, err := r.properties(n, theirs, at)
	if err != nil {
		return nil, err
	}
	switch {
	case isEmptyYAML(theirs):
	case theirs.Kind == yaml.AliasNode:
		err = r.alias(n, theirs)
	case theirs.Kind == yaml.ScalarNode:
		err = r.scalar(n, theirs, body)
	case theirs.Style&yaml.FlowStyle != 0:
		err = r.brackets(n, theirs, body)
	case theirs.Kind == yaml.MappingNode:
		err = r.blockDict(n, theirs, body)
	case body > n.end && hasNewline(r.src, at, n.start) && body-lineStart(r.src, body) <= outer:
		err = r.fail(body, "the indentation does not fit") // others want the properties beside the key
	default:
		err = r.blockList(n, theirs, body)
	}
	if err != nil {
		return nil, err
	}
	n.raw = r.src[body:n.end]
	if n.tag != "" && n.kind < stringKind {
		n.kind, n.text = stringKind, n.raw // a tag says itself what a scalar is
	}
	if theirs.Anchor != "" {
		r.anchored[theirs] = n
	}
	return n, nil
}

// isEmptyYAML reports whether a value is null because nothing is written.
func isEmptyYAML(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.Style&^yaml.TaggedStyle == 0 && n.Value == ""
}

// hasYAMLProperties reports whether a value has an anchor or a tag.
func hasYAMLProperties(n *yaml.Node) bool {
	return n.Anchor != "" || n.Style&yaml.TaggedStyle != 0
}

// properties reads the anchor and the tag of a value, and returns where the value
// itself begins.
func (r *yamlReader) properties(n *node, theirs *yaml.Node, at int) (body int, err error) {
	if body, err = r.gap(at); err != nil {
		return 0, err
	}
	n.start, n.end = body, body
	for c := r.peek(body); c == '&' || c == '!'; c = r.peek(body) {
		if hasNewline(r.src, n.end, body) {
			return 0, r.fail(body, "a value has anchors or tags twice")
		}
		n.end = body + 1
		for !isBreak(r.peek(n.end)) && strings.IndexByte(",]}", r.src[n.end]) < 0 {
			n.end++
		}
		if c == '&' {
			n.anchor = r.src[body+1 : n.end]
		} else {
			n.tag = r.src[body:n.end]
		}
		if body, err = r.gap(n.end); err != nil {
			return 0, err
		}
	}
	tag := ""
	if theirs.Style&yaml.TaggedStyle != 0 {
		tag = theirs.Tag
	}
	switch {
	case n.anchor != theirs.Anchor || n.tag != tag || !isYAMLName(n.anchor, "") || !isYAMLName(n.tag, "!:./") || strings.LastIndexByte(n.tag, '!') > 1:
		return 0, r.fail(n.start, "the name of an anchor, an alias or a tag is not understood")
	case n.flow && n.end > n.start && (isEmptyYAML(theirs) || hasNewline(r.src, n.end, body)):
		return 0, r.fail(n.end, "an anchor or a tag in brackets stands before nothing, or on another line than its value")
	case isEmptyYAML(theirs):
		body = n.end
	}
	return body, nil
}

// isYAMLName reports whether every parser reads a name alike. more are the signs that
// it may have beside letters and digits.
func isYAMLName(name, more string) bool {
	return strings.Trim(name, more+"_-0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// alias reads an alias. One that stands for a value around it is not followed.
func (r *yamlReader) alias(n *node, theirs *yaml.Node) error {
	n.kind, n.text = opaqueKind, "*"+theirs.Value
	if !strings.HasPrefix(r.src[n.start:], n.text) || !isYAMLName(theirs.Value, "") {
		return r.fail(n.start, "the name of an anchor, an alias or a tag is not understood")
	}
	n.end = n.start + len(n.text)
	if n.target = r.anchored[theirs.Alias]; n.target != nil {
		n.target.referred = true
	}
	return nil
}

// yamlFaults are our words for what the library finds wrong. Where its parser finds it,
// and not its scanner, its line is that above the fault or that above the container
// with the fault.
var yamlFaults = []struct {
	theirs, ours string
	ofParser     bool
}{
	{"found character that cannot start any token", "a value begins with a character that has a meaning of its own", false},
	{"found a tab character", "a tab is used to indent", false},
	{"found unexpected end of stream", "a quoted text does not end", false},
	{"could not find expected ':'", "a key is expected", false},
	{"mapping values are not allowed", "the indentation does not fit", false},
	{"block sequence entries are not allowed", "a list item stands where none can be", false},
	{"unknown anchor", "an alias stands for no anchor", false},
	{"did not find expected <document start>", "there is text after the end of the value", true},
	{"did not find expected key", "here or below, a map goes on with what is no key of it", true},
	{"did not find expected '-' indicator", "here or below, a list goes on with what is no item of it", true},
	{"did not find expected node content", "here or below, a value is expected", true},
	{"did not find expected ','", "here or below, brackets are not closed or lack a comma", true},
}

// yamlError says why the library refuses a text.
func yamlError(src string, err error) error {
	line := 1
	fault := strings.TrimPrefix(err.Error(), "yaml: ")
	_, scanErr := fmt.Sscanf(fault, "line %d: ", &line)
	if scanErr == nil {
		_, fault, _ = strings.Cut(fault, ": ")
	}
	for _, f := range yamlFaults {
		if strings.HasPrefix(fault, f.theirs) {
			fault = f.ours
			if f.ofParser && scanErr == nil {
				line++
			}
			break
		}
	}
	lines := strings.Split(src, "\n")
	line = min(line, len(lines))
	if strings.HasPrefix(strings.TrimLeft(lines[line-1], " "), "\t") {
		fault = "a tab is used to indent"
	}
	return fmt.Errorf("line %d: %s", line, fault)
}
