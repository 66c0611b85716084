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
// A large file has a hundred thousand of them, so what few have is kept apart.
type node struct {
	kind       kind
	inline     bool          // a container written on one line
	flow       bool          // a YAML or TOML container written with brackets
	block      bool          // a YAML block scalar
	twice      bool          // a dict that has a key twice
	brackets   bracketDetail // of a container in brackets
	text       string        // canonical form of a scalar; raw text of an opaque value
	raw        string        // the text from start to end, where it is one piece
	start, end int           // place in the source
	fields     []field
	items      []*node
	index      map[string]int // of a dict with many fields
	column     int            // column of a YAML block container
	outer      int            // column of the YAML container around; -1 at the root
	valueAt    int            // offset right behind the colon or dash before a YAML value
	rare       *rareDetail
}

// rareDetail is what only few nodes have.
type rareDetail struct {
	props string     // anchor and tag of a YAML value
	fixed string     // why the container must not be edited; "" if it may
	head  []string   // comment lines directly above a list item
	table *tomlTable // a TOML table that is not written in braces
	doc   *tomlDoc   // all sections, at the root of a TOML file
}

var noDetail rareDetail

// detail is for reading: a node without rare details has empty ones.
func (n *node) detail() *rareDetail {
	if n.rare == nil {
		return &noDetail
	}
	return n.rare
}

// own is for writing.
func (n *node) own() *rareDetail {
	if n.rare == nil {
		n.rare = &rareDetail{}
	}
	return n.rare
}

// field is one entry of a dict.
type field struct {
	key      string
	rawKey   string
	keyStart int
	keyEnd   int
	value    *node
	notes    *notes
}

// notes are the comments that belong to a field.
type notes struct {
	head []string // the lines directly above, without indentation
	tail string   // behind it on the same line
}

var noNotes notes

// comments is for reading: a field without notes has empty ones.
func (f *field) comments() *notes {
	if f.notes == nil {
		return &noNotes
	}
	return f.notes
}

func (n *node) isPlain() bool { return n.kind < opaqueKind && n.detail().props == "" }

// isPlainList reports whether n is a list of nothing but plain values.
func (n *node) isPlainList() bool {
	if n.kind != listKind || n.detail().props != "" {
		return false
	}
	for _, item := range n.items {
		if !item.isPlain() {
			return false
		}
	}
	return true
}

// manyFields is the size from which a dict is worth an index.
const manyFields = 12

// add appends a field and reports whether its key is new.
func (n *node) add(f field) bool {
	isNew := n.find(f.key) < 0
	n.twice = n.twice || !isNew
	n.push(f, isNew)
	return isNew
}

// push appends a field of whose key is known whether it is new.
func (n *node) push(f field, isNew bool) {
	n.fields = append(n.fields, f)
	switch {
	case n.index != nil:
		if isNew {
			n.index[f.key] = len(n.fields) - 1
		}
	case len(n.fields) >= manyFields:
		n.index = make(map[string]int, 2*manyFields)
		for i := len(n.fields) - 1; i >= 0; i-- {
			n.index[n.fields[i].key] = i
		}
	}
}

// expect makes room for so many fields, if that is many.
func (n *node) expect(fields int) {
	if fields >= manyFields {
		n.fields = make([]field, 0, fields)
		n.index = make(map[string]int, fields)
	}
}

// find is the position of the first field with a key, or -1.
func (n *node) find(key string) int {
	if n.index != nil {
		if i, ok := n.index[key]; ok {
			return i
		}
		return -1
	}
	for i := range n.fields {
		if n.fields[i].key == key {
			return i
		}
	}
	return -1
}

// get is the value under key, or nil.
func (n *node) get(key string) *node {
	if n == nil {
		return nil
	}
	if i := n.find(key); i >= 0 {
		return n.fields[i].value
	}
	return nil
}

// equal reports whether two values mean the same. What is opaque, marked by an
// anchor or a tag, or ambiguous is equal to nothing.
func equal(a, b *node) bool {
	if a.detail().fixed != "" || b.detail().fixed != "" || a.detail().props != "" || b.detail().props != "" {
		return false
	}
	return a.kind != opaqueKind && same(a, b, equal)
}

// identical reports whether two values are the same, opaque texts, anchors and
// tags included. It is how a result is held against the intention.
func identical(a, b *node) bool {
	return a.detail().props == b.detail().props && same(a, b, identical)
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
	for i := range a.fields {
		f, g := &a.fields[i], &b.fields[i]
		if f.key == g.key { // mostly the order is the same
			if !sub(f.value, g.value) {
				return false
			}
			continue
		}
		other := b.get(f.key)
		if other == nil || a.twice || !sub(f.value, other) {
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
	if s != "" && s[0] != '0' && leadingDigits(s) == len(s) { // as most are
		bare := strings.TrimRight(s, "0")
		return bare + "e" + strconv.Itoa(len(s)-len(bare))
	}
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
