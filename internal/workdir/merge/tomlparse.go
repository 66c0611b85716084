package merge

import (
	"errors"
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// tomlFormat is TOML 1.0, read by go-toml's grammar. That parser leaves the
// meaning of keys and tables to its user: tomlReader knows it.
var tomlFormat = format{name: "TOML", parse: parseTOML, edit: newTOMLEditor, compare: compareTOML}

// tomlStyle is how a table came to be.
type tomlStyle uint8

const (
	tomlImplied tomlStyle = iota // only named on the way to another table
	tomlHeader                   // has a header, or is the root
	tomlDotted                   // made by dotted keys
)

// tomlTable is the detail of a table that is not written in braces.
type tomlTable struct {
	style   tomlStyle
	keys    []string // from the root
	path    []string // the same as they are spelled
	section int      // the section whose lines define it; negative in braces
	start   int      // dotted: start of its last entry
	last    int      // dotted: end of its last entry
	prefix  string   // dotted: the key up to here, as written in its section
	inArray bool     // an array of tables lies on the way
}

// tomlSection is a header with the lines below it; the first one has none.
type tomlSection struct {
	keys   []string // from the root
	start  int      // where the header begins
	first  int      // start of the first entry, or -1
	last   int      // end of the last entry, or of the header
	equals string   // how the last entry writes its equals sign
}

// tomlDoc is the detail of the root: all sections in order.
type tomlDoc struct {
	sections []tomlSection
}

// tomlReader gives meaning to the expressions of the parser one after the other.
type tomlReader struct {
	src      string
	p        unstable.Parser
	root     *node
	cur      *node // table of the current section
	sections []tomlSection
	prevEnd  int // end of the expression before
}

// parseTOML reads a whole file. A panic of the library is an error like any
// other: a file must never end the program.
func parseTOML(src string) (root *node, err error) {
	defer func() {
		if p := recover(); p != nil {
			root, err = nil, fmt.Errorf("the parser failed: %v", p)
		}
	}()
	r := &tomlReader{src: src, sections: []tomlSection{{first: -1}}}
	r.root = &node{kind: dictKind, end: len(src), table: &tomlTable{style: tomlHeader}}
	r.cur = r.root
	r.p.Reset([]byte(src))
	for r.p.NextExpression() {
		e := r.p.Expression()
		var err error
		switch e.Kind {
		case unstable.KeyValue:
			err = r.entry(e)
		case unstable.Table, unstable.ArrayTable:
			err = r.header(e)
		default:
			continue
		}
		if err != nil {
			return nil, err
		}
	}
	if err := r.p.Error(); err != nil {
		var at *unstable.ParserError
		if errors.As(err, &at) && len(at.Highlight) > 0 {
			return nil, r.fail(int(r.p.Range(at.Highlight).Offset), "%s", at.Message)
		}
		return nil, err
	}
	r.root.doc = &tomlDoc{sections: r.sections}
	return r.root, nil
}

// tomlKey is one part of a dotted key.
type tomlKey struct {
	key, raw   string
	start, end int
}

// keys reads a dotted key.
func (r *tomlReader) keys(it unstable.Iterator) ([]tomlKey, error) {
	var keys []tomlKey
	for it.Next() {
		n := it.Node()
		start := int(n.Raw.Offset)
		end := start + int(n.Raw.Length)
		keys = append(keys, tomlKey{string(n.Data), r.src[start:end], start, end})
		if len(keys) > maxDepth {
			return nil, errTooDeep
		}
	}
	return keys, nil
}

// floor is the end of the line on which the expression before ended.
func (r *tomlReader) floor() int {
	if r.prevEnd == 0 {
		return 0
	}
	return lineEnd(r.src, r.prevEnd)
}

func (r *tomlReader) fail(at int, format string, args ...any) error {
	return fmt.Errorf("line %d: %s", 1+strings.Count(r.src[:at], "\n"), fmt.Sprintf(format, args...))
}

// header begins a section.
func (r *tomlReader) header(e *unstable.Node) error {
	keys, err := r.keys(e.Key())
	if err != nil {
		return err
	}
	start := strings.LastIndexByte(r.src[:keys[0].start], '[')
	isArray := e.Kind == unstable.ArrayTable
	end := keys[len(keys)-1].end
	end += strings.IndexByte(r.src[end:], ']') + 1
	if isArray {
		start, end = start-1, end+1
	}
	names, spelled := make([]string, len(keys)), make([]string, len(keys))
	for i, k := range keys {
		names[i], spelled[i] = k.key, k.raw
	}
	at, inArray := r.root, false
	for i, k := range keys {
		here := &tomlTable{section: len(r.sections), keys: names[:i+1], path: spelled[:i+1], inArray: inArray}
		final := i == len(keys)-1
		next := at.get(k.key)
		if next == nil {
			next = &node{kind: dictKind, start: start, end: end, table: here}
			f := field{key: k.key, rawKey: k.raw, keyStart: k.start, value: next}
			if final {
				f.headComment = commentsAbove(r.src, start, r.floor())
			}
			if final && isArray {
				next.kind, next.table = listKind, nil
			}
			at.add(f)
		}
		inArray = inArray || next.kind == listKind
		if at, err = r.step(next, k, here, final, isArray); err != nil {
			return err
		}
	}
	r.cur = at
	r.sections = append(r.sections, tomlSection{keys: names, start: start, first: -1, last: end})
	r.prevEnd = end
	return nil
}

// step goes from a header's key to the table that it means.
func (r *tomlReader) step(next *node, k tomlKey, here *tomlTable, final, isArray bool) (*node, error) {
	if next.kind == listKind {
		if next.flow || len(next.items) == 0 && !(final && isArray) || final && !isArray {
			return nil, r.fail(k.start, "%s is used both as an array of tables and as something else", k.raw)
		}
		if final {
			here.style, here.inArray = tomlHeader, true
			next.items = append(next.items, &node{kind: dictKind, start: next.start, end: next.end, table: here})
		}
		return next.items[len(next.items)-1], nil
	}
	t := next.table
	if next.kind != dictKind || t == nil || final && isArray {
		return nil, r.fail(k.start, "%s already has a value", k.raw)
	}
	if final {
		if t.style != tomlImplied {
			return nil, r.fail(k.start, "the table %s is defined twice", k.raw)
		}
		t.style, t.section = tomlHeader, here.section
	}
	return next, nil
}

// entry reads a key and its value into the current section.
func (r *tomlReader) entry(e *unstable.Node) error {
	keys, err := r.keys(e.Key())
	if err != nil {
		return err
	}
	start := int(e.Raw.Offset)
	end := start + int(e.Raw.Length)
	s := &r.sections[len(r.sections)-1]
	head := commentsAbove(r.src, start, r.floor())
	if err := r.assign(r.cur, keys, e, end, len(r.sections)-1, head); err != nil {
		return err
	}
	if s.first < 0 {
		s.first = start
	}
	s.last, r.prevEnd = end, end
	s.equals = tomlEquals(r.src[keys[len(keys)-1].end:end])
	return nil
}

// tomlEquals keeps a narrow equals sign and straightens any other.
func tomlEquals(afterKey string) string {
	if strings.HasPrefix(afterKey, "=") && len(afterKey) > 1 && afterKey[1] != ' ' && afterKey[1] != '\t' {
		return "="
	}
	return " = "
}

// assign puts a value under a dotted key. Section is -1 inside of braces.
func (r *tomlReader) assign(at *node, keys []tomlKey, e *unstable.Node, end, section int, head []string) error {
	for i, k := range keys[:len(keys)-1] {
		next := at.get(k.key)
		if next == nil {
			t := &tomlTable{style: tomlDotted, section: section, prefix: r.src[keys[0].start:k.end]}
			if parent := at.table; parent != nil {
				t.inArray = parent.inArray
			}
			next = &node{kind: dictKind, start: k.start, end: end, table: t}
			f := field{key: k.key, rawKey: k.raw, keyStart: k.start, value: next}
			if i == 0 {
				f.headComment, f.lineComment = head, ""
				head = nil
			}
			at.add(f)
		}
		t := next.table
		if next.kind != dictKind || t == nil || t.style != tomlDotted || t.section != section {
			return r.fail(k.start, "%s is defined elsewhere and cannot be extended by a dotted key", k.raw)
		}
		t.start, t.last, next.end = keys[0].start, end, end
		at = next
	}
	k := keys[len(keys)-1]
	valueAt := k.end + strings.IndexByte(r.src[k.end:], '=') + 1
	value, err := r.value(e.Value(), valueAt, len(keys))
	if err != nil {
		return err
	}
	f := field{key: k.key, rawKey: k.raw, keyStart: k.start, keyEnd: k.end, value: value}
	tail := ""
	if section >= 0 {
		tail = strings.TrimSpace(r.src[value.end:lineEnd(r.src, value.end)])
	}
	f.headComment, f.lineComment = head, tail
	if !at.add(f) {
		return r.fail(k.start, "%s is defined twice", k.raw)
	}
	return nil
}
