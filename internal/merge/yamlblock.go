package merge

import (
	"errors"
	"fmt"
)

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
	floor := r.line
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
		r.lineComment = ""
		value, err := r.entryValue(n.column, valueAt)
		if err != nil {
			return nil, err
		}
		f.value = value
		f.headComment, f.lineComment = head, r.lineComment
		r.lineComment = ""
		if !n.add(f) {
			n.readOnly = fmt.Sprintf("has the key %q twice", f.key)
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
	saved := *r
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
		*r = saved
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
	floor := r.line
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
		r.lineComment = ""
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
