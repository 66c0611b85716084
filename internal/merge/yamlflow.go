package merge

import (
	"fmt"
	"strings"
)

// flow reads a collection in brackets. The position is at the bracket.
func (r *yamlReader) flow() (*node, error) {
	if err := r.enter(); err != nil {
		return nil, err
	}
	defer r.leave()
	n := &node{kind: listKind, start: r.at, flow: true}
	closer := byte(']')
	if r.src[r.at] == '{' {
		n.kind, closer = dictKind, '}'
	}
	r.at++
	d := bracketDetail{lastEnd: r.at, contentEnd: r.at, padded: r.peek(0) == ' '}
	for {
		if err := r.flowGap(&d); err != nil {
			return nil, err
		}
		switch c := r.peek(0); {
		case c == 0:
			return nil, r.fail("a bracket is not closed")
		case c == closer:
			r.at++
			n.end = r.at
			n.inline, n.brackets = !hasNewline(r.src, n.start, n.end), d
			n.raw = r.src[n.start:n.end]
			return n, nil
		case c == ',':
			if d.trailingComma || n.size() == 0 {
				return nil, r.fail("a comma stands where a value is expected")
			}
			r.at++
			d.trailingComma, d.endsInLineComment, d.contentEnd = true, false, r.at
			continue
		}
		if n.size() > 0 && !d.trailingComma {
			return nil, r.fail("a comma is expected")
		}
		if err := r.flowEntry(n); err != nil {
			return nil, err
		}
		d.lastEnd, d.contentEnd, d.trailingComma, d.endsInLineComment = r.at, r.at, false, false
	}
}

// flowGap skips white space and comments inside of brackets.
func (r *yamlReader) flowGap(d *bracketDetail) error {
	for r.at < len(r.src) {
		switch c := r.src[r.at]; c {
		case '\n':
			r.at++
			r.line = r.at
			if r.atMarker("---") || r.atMarker("...") {
				return r.fail("a bracket is not closed")
			}
		case '\t':
			if r.column() <= r.flowOuter && r.column() == r.spaces() {
				return r.fail("a tab is used to indent")
			}
			r.at++
		case ' ', '\r':
			r.at++
		case '#':
			if !isBreak(r.src[r.at-1]) {
				return r.fail("a comment needs a space before it")
			}
			r.at = lineEnd(r.src, r.at)
			if d != nil {
				d.contentEnd, d.endsInLineComment = r.at, true
			}
		default:
			return nil
		}
	}
	return nil
}

// flowEntry reads one item or one key with its value.
func (r *yamlReader) flowEntry(n *node) error {
	if n.kind == listKind {
		item, err := r.flowValue()
		if err != nil {
			return err
		}
		end := *r
		if err := r.flowGap(nil); err != nil {
			return err
		}
		if r.peek(0) == ':' {
			return r.fail("pairs in a list are not supported")
		}
		*r = end
		n.items = append(n.items, item)
		return nil
	}
	f := field{keyStart: r.at}
	switch r.peek(0) {
	case '[', '{', '&', '*', '!', '?':
		return r.fail("a key of this kind is not supported")
	}
	isQuoted := r.peek(0) == '"' || r.peek(0) == '\''
	key, err := r.flowValue()
	if err != nil {
		return err
	}
	if hasNewline(r.src, key.start, key.end) || key.end-key.start > longestKey {
		return r.fail("a key is too long or spans lines")
	}
	f.rawKey, f.keyEnd = key.raw, key.end
	r.mergeKeys = r.mergeKeys || f.rawKey == "<<"
	if f.key = key.text; !isQuoted {
		f.key = keyText(key.raw)
	}
	end := *r
	if err := r.flowGap(nil); err != nil {
		return err
	}
	if r.peek(0) == ':' {
		if r.line != end.line {
			return r.fail("a colon stands on another line than its key") // only some parsers look for it there
		}
		r.at++
		if !isQuoted && !isBreak(r.peek(0)) {
			return r.fail("a colon needs a space behind it")
		}
		f.value, err = r.flowEntryValue()
	} else {
		*r = end
		f.value = &node{kind: nullKind, text: "null", start: r.at, end: r.at, flow: true}
		n.readOnly = "has a key without a value in brackets"
	}
	if err != nil {
		return err
	}
	if !n.add(f) {
		n.readOnly = fmt.Sprintf("has the key %q twice", f.key)
	}
	return nil
}

// flowEntryValue reads the value behind a colon inside of brackets.
func (r *yamlReader) flowEntryValue() (*node, error) {
	after := *r
	if err := r.flowGap(nil); err != nil {
		return nil, err
	}
	if c := r.peek(0); c == ',' || c == '}' {
		*r = after
		return &node{kind: nullKind, text: "null", start: r.at, end: r.at, valueAt: r.at, flow: true}, nil
	}
	n, err := r.flowValue()
	if n != nil {
		n.valueAt = after.at
	}
	return n, err
}

// flowValue reads a value inside of brackets.
func (r *yamlReader) flowValue() (*node, error) {
	start := r.at
	switch c := r.peek(0); c {
	case '[', '{':
		return r.flow()
	case '"', '\'':
		text, err := r.quoted(-1)
		if err != nil {
			return nil, err
		}
		return &node{kind: stringKind, text: text, raw: r.src[start:r.at], start: start, end: r.at, flow: true}, nil
	case '*':
		n, err := r.alias()
		if n != nil {
			n.flow = true
		}
		return n, err
	case '&', '!':
		p, err := r.properties()
		if err != nil {
			return nil, err
		}
		if c := r.peek(0); isBreak(c) || strings.IndexByte(",]}", c) >= 0 {
			return nil, r.fail("an anchor or a tag in brackets stands before nothing, or on another line than its value")
		}
		n, err := r.flowValue()
		if err != nil {
			return nil, err
		}
		return n, r.attach(n, p)
	}
	end := lineEnd(r.src, r.at)
	i := r.at
	for ; i < end; i++ {
		c := r.src[i]
		if strings.IndexByte(",[]{}", c) >= 0 || c == '#' && isBreak(r.src[i-1]) {
			break
		}
		if c == ':' && i+1 < end && strings.IndexByte(",[]{}", r.src[i+1]) >= 0 {
			r.at = i
			return nil, r.fail("a colon needs a space behind it")
		}
		if c == ':' && (i+1 >= end || isBreak(r.src[i+1])) {
			break
		}
	}
	raw := strings.TrimRight(r.src[r.at:i], " \t")
	if !isPlainStart(raw) || raw[0] == ':' || strings.Contains(raw, "?") {
		return nil, r.fail("a value in brackets is not understood")
	}
	r.at += len(raw)
	n := &node{raw: raw, start: start, end: r.at, flow: true}
	n.resolveYAML()
	end2 := *r
	if err := r.flowGap(nil); err != nil {
		return nil, err
	}
	if c := r.peek(0); strings.IndexByte(",]}:", c) < 0 || c == 0 {
		return nil, r.fail("a value in brackets spans lines or is not separated by a comma")
	}
	*r = end2
	return n, nil
}
