package merge

import (
	"iter"
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

// node is one value of a structured file together with its place in the source.
// The parsers of all three formats make nodes, the merge compares them, and the
// editors use their places to change the source.
type node struct {
	kind       kind
	text       string // canonical form of a scalar; source text of an opaque value
	raw        string // the source from start to end
	start, end int    // place in the source

	// Of containers.
	items        []*node        // of a list
	fields       []field        // of a dict, in the order of the source
	index        map[string]int // position of each key, of a dict with many fields
	duplicateKey bool           // a key is there twice
	readOnly     string         // why the container must not be edited; "" if it may
	flow         bool           // written in brackets; in YAML also what is inside of them
	inline       bool           // written in brackets on one line
	brackets     bracketDetail  // if written in brackets

	// Of JSON.
	hasComments bool // of the root: there is a comment somewhere

	// Of YAML.
	anchor      string   // its name
	tag         string   // with its sign
	anchorPath  string   // of a value with an anchor: the keys that lead to it
	referred    bool     // there is an alias of it
	target      *node    // what an alias stands for; nil if that is around the alias
	references  bool     // of the root: there is an anchor or a merge key somewhere
	block       bool     // a block scalar
	column      int      // of a block container
	outer       int      // column of the container around; -1 at the root
	valueAt     int      // offset right behind the colon or dash before the value
	headComment []string // the lines directly above a list item
	written     *node    // of a value that was expanded: what is written in its place
	mergeKey    *node    // of a map that was expanded: the value of its merge key

	// Of what a merge is to lead to.
	keep         *node // the value of the user's that stays, in place of all the rest
	keepMergeKey *node // the value of the user's merge key, which stays

	// Of TOML.
	table *tomlTable // of a table that is not written in braces
	doc   *tomlDoc   // of the root
}

// field is one entry of a dict, with the comments that belong to it.
type field struct {
	key         string // what the key says
	rawKey      string // how it is written
	keyStart    int
	keyEnd      int
	value       *node
	headComment []string // the lines directly above, without indentation
	lineComment string   // behind the value on its line
	inherited   bool     // the map has it by a merge key of YAML
}

// isPlain reports whether n is a scalar of which everything is known.
func (n *node) isPlain() bool { return n.kind < opaqueKind }

// isPlainList reports whether n is a list of nothing but plain values.
func (n *node) isPlainList() bool {
	if n.kind != listKind {
		return false
	}
	for _, item := range n.items {
		if !item.isPlain() {
			return false
		}
	}
	return true
}

// size is the number of entries of a container.
func (n *node) size() int { return len(n.fields) + len(n.items) }

// entries are the values of a container in order, each with the offset at which
// its entry begins: that of the key in a dict.
func (n *node) entries() iter.Seq2[int, *node] {
	return func(yield func(int, *node) bool) {
		for i := range n.fields {
			if !yield(n.fields[i].keyStart, n.fields[i].value) {
				return
			}
		}
		for _, item := range n.items {
			if !yield(item.start, item) {
				return
			}
		}
	}
}

// manyFields is the size from which a dict is worth an index.
const manyFields = 12

// add appends a field and reports whether its key is new.
func (n *node) add(f field) bool {
	isNew := n.find(f.key) < 0
	n.duplicateKey = n.duplicateKey || !isNew
	if n.fields == nil {
		n.fields = make([]field, 0, 4) // most have few
	}
	n.fields = append(n.fields, f)
	switch {
	case n.index != nil && isNew:
		n.index[f.key] = len(n.fields) - 1
	case n.index == nil && len(n.fields) >= manyFields:
		n.index = make(map[string]int, 2*manyFields)
		for i := len(n.fields) - 1; i >= 0; i-- {
			n.index[n.fields[i].key] = i
		}
	}
	return isNew
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

// equal reports whether two values mean the same. What is opaque or ambiguous is
// equal to nothing.
func equal(a, b *node) bool {
	return a.readOnly == "" && b.readOnly == "" && a.kind != opaqueKind && same(a, b, equal)
}

// identical reports whether two values are the same, opaque texts and anchors
// included. An alias also has to stand for a value in the same place.
func identical(a, b *node) bool {
	if a.target != nil && b.target != nil && a.target.anchorPath != b.target.anchorPath {
		return false
	}
	return a.anchor == b.anchor && same(a, b, identical)
}

// matches reports whether a result is the value that was meant. What does not
// concern the bundle is compared as it is written: there an alias may follow what
// it stands for.
func matches(got, want *node) bool {
	if want.keep != nil {
		return identical(got.source(), want.keep.source())
	}
	if want.keepMergeKey != nil && (got.mergeKey == nil || !identical(got.mergeKey, want.keepMergeKey)) {
		return false
	}
	return same(got, want, matches)
}

// keep is the expectation that a value of the user's stays as it is written.
func keep(n *node) *node { return &node{keep: n} }

func same(a, b *node, sub func(a, b *node) bool) bool {
	if a.kind != b.kind || a.tag != b.tag || a.text != b.text || len(a.items) != len(b.items) || len(a.fields) != len(b.fields) {
		return false
	}
	for i := range a.items {
		if !sub(a.items[i], b.items[i]) {
			return false
		}
	}
	for i := range a.fields {
		f, g := &a.fields[i], &b.fields[i]
		if f.key != g.key { // mostly the order is the same
			at := b.find(f.key)
			if at < 0 || a.duplicateKey {
				return false
			}
			g = &b.fields[at]
		}
		follows := f.inherited && g.inherited && g.value.keep != nil
		if !follows && !sub(f.value, g.value) {
			return false
		}
	}
	return true
}

// scalarID names a plain value so that equal ones have equal names.
func scalarID(n *node) string { return string(rune('0'+n.kind)) + n.tag + " " + n.text }

// decimal is the canonical form of a decimal number: 1, 1.0, 10e-1 and 0.1e1
// are all "1e0". A text that is no such number is its own canonical form.
func decimal(s string) string {
	sign, rest := "", strings.TrimPrefix(s, "+")
	if strings.HasPrefix(s, "-") {
		sign, rest = "-", s[1:]
	}
	mantissa, exponent := rest, int64(0)
	if i := strings.IndexAny(rest, "eE"); i >= 0 {
		var err error
		if exponent, err = strconv.ParseInt(rest[i+1:], 10, 48); err != nil {
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
