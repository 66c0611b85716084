package merge

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// blockDict reads the entries of a map, all at the column of the first.
func (r *yamlReader) blockDict(n *node, theirs *yaml.Node, at int) (err error) {
	n.kind, n.text = dictKind, ""
	floor := r.beginBlock(n, at)
	for i := 0; i < len(theirs.Content); i += 2 {
		if i > 0 {
			if at, err = r.gap(n.end); err != nil {
				return err
			}
		}
		f := field{headComment: commentsAbove(r.src, at, floor)}
		colon, err := r.key(&f, theirs.Content[i], at, false)
		if err != nil {
			return err
		}
		if f.value, err = r.value(theirs.Content[i+1], colon+1, n.column, false); err != nil {
			return err
		}
		f.value.valueAt = colon + 1
		f.lineComment = r.commentBehind(f.value)
		if !n.add(f) {
			n.readOnly = fmt.Sprintf("has the key %q twice", f.key)
		}
		n.end = f.value.end
		floor = lineEnd(r.src, n.end)
	}
	return nil
}

// beginBlock sets the column of a block container, and returns the offset down to which
// comments above its first entry belong to that.
func (r *yamlReader) beginBlock(n *node, at int) (floor int) {
	line := lineStart(r.src, at)
	n.column = at - line
	if firstOnLine(r.src, at) {
		return 0
	}
	return line
}

// blockList reads the items of a list, all at the column of the first dash.
func (r *yamlReader) blockList(n *node, theirs *yaml.Node, at int) (err error) {
	n.kind, n.text = listKind, ""
	floor := r.beginBlock(n, at)
	for i, item := range theirs.Content {
		if i > 0 {
			if at, err = r.gap(n.end); err != nil {
				return err
			}
		}
		if r.peek(at) != '-' || !isBreak(r.peek(at+1)) {
			return r.fail(at, "a list item is expected")
		}
		if blanks := r.src[at+1:]; strings.HasPrefix(strings.TrimLeft(blanks, " "), "\t") {
			return r.fail(at, "a tab is used to indent")
		}
		v, err := r.value(item, at+1, n.column, false)
		if err != nil {
			return err
		}
		v.valueAt = at + 1
		v.headComment = commentsAbove(r.src, at, floor)
		n.items = append(n.items, v)
		n.end = v.end
		floor = lineEnd(r.src, n.end)
	}
	return nil
}

// commentBehind returns the comment on the line on which a value ends, unless it
// belongs to what is inside of the value.
func (r *yamlReader) commentBehind(n *node) string {
	if n.block || n.raw == "" || n.kind >= listKind && !n.flow {
		return ""
	}
	text := strings.Trim(r.src[n.end:lineEnd(r.src, n.end)], " \t")
	if !strings.HasPrefix(text, "#") {
		return ""
	}
	return text
}

// longestKey is a little less than the longest key that parsers must accept.
const longestKey = 1000

// key reads a key, and returns where its colon stands. In braces there may be none:
// then it is where the key ends.
func (r *yamlReader) key(f *field, theirs *yaml.Node, at int, flow bool) (colon int, err error) {
	c := r.peek(at)
	switch {
	case c == '?' && (flow || isBreak(r.peek(at+1))):
		return 0, r.fail(at, "explicit keys are not supported")
	case strings.IndexByte("[{&*!", c) >= 0 || theirs.Kind != yaml.ScalarNode:
		return 0, r.fail(at, "keys with anchors, tags or aliases are not supported")
	}
	n := &node{start: at, flow: flow, outer: -1}
	if err := r.scalar(n, theirs, at); err != nil {
		return 0, err
	}
	if n.raw == "" || len(n.raw) > longestKey || strings.Contains(n.raw, "\n") {
		return 0, r.fail(at, "a key is too long or spans lines")
	}
	f.keyStart, f.keyEnd, f.rawKey, f.key = at, n.end, n.raw, theirs.Value
	isQuoted := isQuotedYAML(n.raw)
	if !isQuoted {
		f.key = keyText(n.raw)
	}
	r.mergeKeys = r.mergeKeys || f.rawKey == "<<"
	if colon, err = r.gap(n.end); err != nil {
		return 0, err
	}
	switch {
	case r.peek(colon) != ':' && flow:
		return n.end, nil
	case r.peek(colon) != ':' || !flow && hasNewline(r.src, n.end, colon):
		return 0, r.fail(at, "a key is expected")
	case hasNewline(r.src, n.end, colon):
		return 0, r.fail(colon, "a colon stands on another line than its key") // only some parsers look for it there
	case !isQuoted && !isBreak(r.peek(colon+1)):
		return 0, r.fail(colon, "a colon needs a space behind it")
	}
	return colon, nil
}

// keyText is the canonical form of a plain key, so that 0x10 and 16 meet.
func keyText(raw string) string {
	n := &node{raw: raw}
	n.resolveYAML()
	if n.kind == numberKind || n.kind == floatKind {
		return n.text
	}
	return raw
}

// brackets reads a collection in brackets.
func (r *yamlReader) brackets(n *node, theirs *yaml.Node, at int) (err error) {
	n.kind, n.text = listKind, ""
	opener, closer, step := byte('['), byte(']'), 1
	if theirs.Kind == yaml.MappingNode {
		n.kind, opener, closer, step = dictKind, '{', '}', 2
	}
	if r.peek(at) != opener {
		return r.fail(at, "pairs in a list are not supported")
	}
	if !n.flow {
		defer func(before int) { r.tabsFrom = before }(r.tabsFrom)
		r.tabsFrom, n.flow = n.outer, true
	}
	body := at
	d := bracketDetail{padded: r.peek(at+1) == ' '}
	at++
	for i := 0; ; i += step {
		d.lastEnd, d.contentEnd, d.trailingComma, d.endsInLineComment = at, at, false, false
		if at, err = r.behindEntry(&d, at, i > 0); err != nil {
			return err
		}
		if i >= len(theirs.Content) {
			break
		}
		if at, err = r.flowEntry(n, theirs.Content[i:i+step], at); err != nil {
			return err
		}
	}
	if r.peek(at) != closer {
		return r.fail(at, "a bracket is not closed")
	}
	n.end = at + 1
	n.inline, n.brackets = !hasNewline(r.src, body, n.end), d
	return nil
}

// behindEntry goes over what stands between an entry in brackets, or the opening
// bracket, and the next token that is no comma.
func (r *yamlReader) behindEntry(d *bracketDetail, at int, mayHaveComma bool) (int, error) {
	for {
		next, err := r.gap(at)
		if err != nil {
			return 0, err
		}
		if r.comment > 0 {
			d.contentEnd, d.endsInLineComment = r.comment, true
		}
		if r.peek(next) != ',' || !mayHaveComma || d.trailingComma {
			return next, nil
		}
		at = next + 1
		d.trailingComma, d.contentEnd, d.endsInLineComment = true, at, false
	}
}

// flowEntry reads one item, or one key with its value, and returns where it ends.
func (r *yamlReader) flowEntry(n *node, theirs []*yaml.Node, at int) (int, error) {
	if n.kind == listKind {
		item, err := r.value(theirs[0], at, 0, true)
		if err != nil {
			return 0, err
		}
		n.items = append(n.items, item)
		return item.end, nil
	}
	var f field
	colon, err := r.key(&f, theirs[0], at, true)
	if err != nil {
		return 0, err
	}
	if r.peek(colon) == ':' {
		if f.value, err = r.value(theirs[1], colon+1, 0, true); err != nil {
			return 0, err
		}
		f.value.valueAt = colon + 1
	} else {
		f.value = &node{kind: nullKind, text: "null", start: colon, end: colon, flow: true}
		n.readOnly = "has a key without a value in brackets"
	}
	if !n.add(f) {
		n.readOnly = fmt.Sprintf("has the key %q twice", f.key)
	}
	return f.value.end, nil
}
