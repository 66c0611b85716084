package merge

import (
	"strconv"
	"strings"
)

// kind is what sort of value a node holds.
type kind uint8

const (
	nullKind kind = iota
	boolKind
	numberKind // in YAML and TOML integers only
	floatKind
	stringKind
	timeKind
	opaqueKind // known only as text, such as a YAML alias
	listKind
	dictKind
)

func (k kind) String() string {
	return [...]string{
		"null", "a boolean", "a number", "a number with a fraction", "a string",
		"a date or time", "a reference", "a list", "a map",
	}[k]
}

// node is a value together with its place in the source that it was read from.
type node struct {
	kind       kind
	text       string // canonical form of a scalar; raw text of an opaque value
	raw        string // the text from start to end, where it is one piece
	props      string // anchor and tag of a YAML value
	start, end int    // place in the source
	fields     []field
	items      []*node
	index      map[string]int
	head       []string // comment lines directly above a list item
	inline     bool     // a container written on one line
	flow       bool     // a YAML or TOML container written with brackets
	fixed      string   // why the container must not be edited; "" if it may
	column     int      // column of a YAML block container
	outer      int      // column of the YAML container around; -1 at the root
	valueAt    int      // offset right behind the colon or dash before a YAML value
	block      bool     // a YAML block scalar
	holder     any      // format specific detail
}

// field is one entry of a dict.
type field struct {
	key      string
	rawKey   string
	keyStart int
	keyEnd   int
	value    *node
	head     []string // comment lines directly above, without indentation
	tail     string   // comment on the same line
}

func (n *node) isPlain() bool { return n.kind < opaqueKind && n.props == "" }

// isPlainList reports whether n is a list of nothing but plain values.
func (n *node) isPlainList() bool {
	if n.kind != listKind || n.props != "" {
		return false
	}
	for _, item := range n.items {
		if !item.isPlain() {
			return false
		}
	}
	return true
}

// add appends a field and reports whether its key is new.
func (n *node) add(f field) bool {
	if n.index == nil {
		n.index = make(map[string]int)
	}
	_, seen := n.index[f.key]
	if !seen {
		n.index[f.key] = len(n.fields)
	}
	n.fields = append(n.fields, f)
	return !seen
}

// get is the value under key, or nil.
func (n *node) get(key string) *node {
	if n == nil {
		return nil
	}
	if i, ok := n.index[key]; ok {
		return n.fields[i].value
	}
	return nil
}

// equal reports whether two values mean the same. What is opaque, marked by an
// anchor or a tag, or ambiguous is equal to nothing.
func equal(a, b *node) bool {
	if a.fixed != "" || b.fixed != "" || a.props != "" || b.props != "" {
		return false
	}
	return a.kind != opaqueKind && same(a, b, equal)
}

// identical reports whether two values are the same, opaque texts, anchors and
// tags included. It is how a result is held against the intention.
func identical(a, b *node) bool {
	return a.props == b.props && same(a, b, identical)
}

func same(a, b *node, sub func(a, b *node) bool) bool {
	if a.kind != b.kind || a.text != b.text || len(a.items) != len(b.items) || len(a.fields) != len(b.fields) {
		return false
	}
	for i := range a.items {
		if !sub(a.items[i], b.items[i]) {
			return false
		}
	}
	ambiguous := len(a.index) != len(a.fields)
	for i, f := range a.fields {
		if ambiguous {
			if g := b.fields[i]; f.key != g.key || !sub(f.value, g.value) {
				return false
			}
			continue
		}
		other := b.get(f.key)
		if other == nil || !sub(f.value, other) {
			return false
		}
	}
	return true
}

// scalarID names a plain value so that equal ones have equal names.
func scalarID(n *node) string { return string(rune('0'+n.kind)) + n.text }

// decimal is the canonical form of a decimal number: 1, 1.0, 10e-1 and 0.1e1
// are all "1e0". A text that is no such number is its own canonical form.
func decimal(s string) string {
	sign, rest := "", s
	switch {
	case strings.HasPrefix(rest, "-"):
		sign, rest = "-", rest[1:]
	case strings.HasPrefix(rest, "+"):
		rest = rest[1:]
	}
	mantissa, exponent := rest, int64(0)
	if i := strings.IndexAny(rest, "eE"); i >= 0 {
		var err error
		if exponent, err = strconv.ParseInt(strings.TrimPrefix(rest[i+1:], "+"), 10, 48); err != nil {
			return s
		}
		mantissa = rest[:i]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := whole + fraction
	exponent -= int64(len(fraction))
	if strings.Trim(digits, "0123456789") != "" || digits == "" {
		return s
	}
	digits = strings.TrimLeft(digits, "0")
	trimmed := strings.TrimRight(digits, "0")
	exponent += int64(len(digits) - len(trimmed))
	if trimmed == "" {
		return "0e0"
	}
	return sign + trimmed + "e" + strconv.FormatInt(exponent, 10)
}

// keyPath extends a path for people by one key.
func keyPath(path, key string) string {
	if key == "" || strings.ContainsAny(key, ".\"\\ \t\r\n") {
		key = strconv.Quote(key)
	}
	if path == "" {
		return key
	}
	return path + "." + key
}
