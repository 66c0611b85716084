package merge

import (
	"fmt"
	"strconv"
)

// maxExpanded bounds how many values the aliases of one file may stand for: a few
// lines with aliases of aliases can stand for billions.
const maxExpanded = 100_000

var errExpanded = fmt.Errorf("its aliases stand for more than %d values", maxExpanded)

// aliasMode is how a merge treats the anchors and aliases of YAML.
type aliasMode struct {
	write  bool // those of the bundle are written as they are, and not what they stand for
	follow bool // a value of the user's with an anchor may change, and its aliases with it
}

// aliasModes are tried in this order until one leads to the value that was meant.
var aliasModes = []aliasMode{{write: true, follow: true}, {follow: true}, {}}

// expand is a file's value with what every alias stands for in the alias's place,
// and with the keys that a merge key brings to a map among the map's own. The
// nodes are copies which know what is written in their place; a file without
// anchors and merge keys is itself.
func expand(root *node) (*node, error) {
	if !root.references {
		return root, nil
	}
	e := &expander{left: maxExpanded}
	n := e.value(root)
	if e.left < 0 {
		return nil, errExpanded
	}
	return n, nil
}

type expander struct {
	left  int // values that aliases may yet stand for
	depth int // aliases that the position is inside of
}

// value copies a value. Beyond the limit it is cut off.
func (e *expander) value(n *node) *node {
	if n.target != nil {
		e.depth++
		v := e.value(n.target)
		e.depth--
		v.written = n
		return v
	}
	v := *n
	v.written, v.anchor = n, ""
	v.items, v.fields, v.index = nil, nil, nil
	if e.depth > 0 {
		e.left--
	}
	if e.left < 0 {
		return &v
	}
	for _, item := range n.items {
		v.items = append(v.items, e.value(item))
	}
	var merge *field
	for i, f := range n.fields {
		if f.rawKey == "<<" && n.readOnly == "" {
			merge = &n.fields[i]
			continue
		}
		f.value = e.value(f.value)
		v.add(f)
	}
	if merge != nil {
		e.inherit(&v, merge.value)
	}
	return &v
}

// inherit adds the keys that a merge key brings: those which the map does not
// have, and of several maps the first that has them.
func (e *expander) inherit(dict, from *node) {
	dict.mergeKey = from
	source := e.value(from)
	sources := []*node{source}
	if source.kind == listKind {
		sources = source.items
	}
	for _, s := range sources {
		if s.kind != dictKind || s.readOnly != "" {
			dict.readOnly = "has a YAML merge key that stands for no map"
		}
		for _, f := range s.fields {
			if dict.find(f.key) < 0 {
				f.inherited = true
				dict.add(f)
			}
		}
	}
}

// source is what is written in the place of a value: for one that was expanded
// the original, an alias as such.
func (n *node) source() *node {
	if n == nil || n.written == nil {
		return n
	}
	return n.written
}

// isAlias reports whether an alias stands in the place of a value.
func (n *node) isAlias() bool { return n.source().target != nil }

// placeAnchors notes where the values with anchors are.
func (n *node) placeAnchors(path string) {
	if n.anchor != "" {
		n.anchorPath = path
	}
	for _, f := range n.fields {
		f.value.placeAnchors(path + "\x00" + f.key)
	}
	for i, item := range n.items {
		item.placeAnchors(path + "\x00" + strconv.Itoa(i))
	}
}

const readOnlyAnchor = "has an anchor, and other places refer to it"

// holdsReferred reports whether there are values in a container to which aliases
// refer.
func holdsReferred(n *node) bool {
	for _, v := range n.entries() {
		if v.referred || holdsReferred(v) {
			return true
		}
	}
	return false
}

// sameMergeKey reports whether two maps inherit from the same places.
func sameMergeKey(a, b *node) bool {
	return a.mergeKey != nil && b.mergeKey != nil && identical(a.mergeKey, b.mergeKey)
}

// alias merges where the user's file has an alias. It can be replaced but not
// changed: what it stands for is written elsewhere.
func (m *merger) alias(at string, cur, inc, base *node) *node {
	switch {
	case equal(cur, inc):
		return inc
	case m.follow && inc.isAlias() && identical(cur.source(), inc.source()), containsAll(cur, inc):
		return m.elsewhere(cur, inc, base)
	case cur.kind >= listKind && cur.kind == inc.kind:
		m.conflict(at, "your file cannot be changed safely here: it is an alias", Kept)
		return cur
	}
	return m.replace(at, cur, inc, base)
}

// elsewhere is what the merge of two values leads to that are written in another
// place of both files: there it is done, and what it has to say is said there.
func (m *merger) elsewhere(cur, inc, base *node) *node {
	other := merger{edit: noEditor{}, policy: m.policy, aliasMode: m.aliasMode}
	here := *cur
	here.written, here.referred = nil, false
	return other.value("", &here, inc, base)
}

// noEditor accepts every change and makes none.
type noEditor struct{}

func (noEditor) addFields(*node, []field, *node) ([]splice, error) { return nil, nil }
func (noEditor) addItems(*node, []*node, *node) ([]splice, error)  { return nil, nil }
func (noEditor) replace(*node, *node) ([]splice, error)            { return nil, nil }

// inherited merges a value that the user's map has by a merge key. An entry of
// the map's own would override it; whether one is needed is the second answer.
func (m *merger) inherited(at string, cur, inc, base *node) (want *node, override bool) {
	forced := base == nil || !equal(cur, base)
	switch {
	case equal(cur, inc):
		return inc, false
	case containsAll(cur, inc):
		return m.elsewhere(cur, inc, base), false
	case cur.kind >= listKind || inc.kind >= listKind:
		m.conflict(at, "your file cannot be changed safely here: it has the value by a YAML merge key", Kept)
		return cur, false
	case forced && m.policy != Theirs:
		m.conflict(at, conflictReason(cur, inc, base), Kept)
		return cur, false
	case forced:
		m.conflict(at, conflictReason(cur, inc, base), TakenTheirs)
	}
	return inc, true
}
