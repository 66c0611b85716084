package merge

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// merger walks the user's value, the bundle's and the one of the last pull, and
// collects the splices that bring them together and what is to be said of them.
type merger struct {
	aliasMode
	edit      editor
	policy    Policy
	splices   []splice
	conflicts []Conflict
	added     []string
	updated   []string
}

func (m *merger) conflict(where, reason string, outcome Outcome) {
	m.conflicts = append(m.conflicts, Conflict{Where: where, Reason: reason, Outcome: outcome, Whole: where == ""})
}

// value merges one value and returns what is to stand there afterwards.
func (m *merger) value(at string, cur, inc, base *node) *node {
	switch {
	case cur.isAlias():
		return m.alias(at, cur, inc, base)
	case cur.kind == dictKind && inc.kind == dictKind && cur.tag == inc.tag:
		return m.dict(at, cur, inc, base)
	case cur.isPlainList() && inc.isPlainList() && cur.tag == inc.tag:
		return m.list(at, cur, inc)
	case equal(cur, inc):
		return inc
	}
	return m.replace(at, cur, inc, base)
}

// replace lets a value follow the bundle as a whole, if the user left it as it was.
func (m *merger) replace(at string, cur, inc, base *node) *node {
	forced := base == nil || !equal(cur, base)
	if forced && m.policy != Theirs {
		m.conflict(at, conflictReason(cur, inc, base), Kept)
		return cur
	}
	splices, err := m.replacement(cur, inc, base)
	if err != nil {
		m.conflict(at, err.Error(), Kept)
		return cur
	}
	m.splices = append(m.splices, splices...)
	if forced {
		m.conflict(at, conflictReason(cur, inc, base), TakenTheirs)
	}
	m.updated = append(m.updated, at)
	return inc
}

func (m *merger) replacement(cur, inc, base *node) ([]splice, error) {
	reason := m.whyReadOnly(cur)
	if reason == "" && !m.write && holdsReferred(cur.source()) {
		reason = readOnlyAnchor
	}
	if reason != "" {
		return nil, fmt.Errorf("the value cannot be replaced safely: it %s", reason)
	}
	if hasOwnComments(cur, base) {
		return nil, errors.New("the value cannot be replaced without losing a comment in it")
	}
	return m.edit.replace(cur.source(), m.toWrite(inc))
}

// toWrite is how a value of the bundle is to be written.
func (m *merger) toWrite(n *node) *node {
	if m.write {
		return n.source()
	}
	return n
}

// hasOwnComments reports whether a collection may hold comments that the
// bundle did not bring. A comment sign in a string counts too: caution costs
// little here. The words alone do not tell: YAML means another value by the same
// words where they are indented otherwise.
func hasOwnComments(cur, base *node) bool {
	raw := cur.source().raw
	if cur.kind < listKind || !strings.ContainsAny(raw, "#/") {
		return false
	}
	return base == nil || !equal(cur, base) || !slices.Equal(strings.Fields(raw), strings.Fields(base.source().raw))
}

// whyReadOnly says why a value of the user's must not be edited; "" if it may.
func (m *merger) whyReadOnly(n *node) string {
	switch {
	case n.readOnly != "":
		return n.readOnly
	case n.kind == opaqueKind:
		return "is an alias of a value around it"
	case !m.follow && n.source().referred:
		return readOnlyAnchor
	}
	return ""
}

// conflictReason explains a conflict of values. It shows no values: a
// configuration file may hold secrets.
func conflictReason(cur, inc, base *node) string {
	switch {
	case cur.kind != inc.kind:
		return fmt.Sprintf("your file has %s here, the bundle %s", cur.kind, inc.kind)
	case base == nil:
		return "your file already has another value"
	default:
		return "you changed this value since the last pull, and the bundle has another"
	}
}

// dict merges two maps.
func (m *merger) dict(at string, cur, inc, base *node) *node {
	if reason := m.whyReadOnly(cur); reason != "" {
		if !containsAll(cur, inc) {
			m.conflict(at, "your file cannot be changed safely here: it "+reason, Kept)
		}
		return cur
	}
	want := &node{kind: dictKind, tag: cur.tag, keepMergeKey: cur.mergeKey}
	var missing, overrides []field
	for _, f := range cur.fields {
		var override bool
		if f.value, override = m.entry(keyPath(at, f.key), cur, inc, base, f); override {
			overrides = append(overrides, inc.fields[inc.find(f.key)])
			continue
		}
		want.add(f)
	}
	for _, f := range inc.fields {
		switch {
		case cur.find(f.key) >= 0:
		case f.inherited && m.follow && sameMergeKey(cur, inc):
			want.add(field{key: f.key, value: f.value})
		default:
			missing = append(missing, f)
		}
	}
	m.addFields(at, want, cur, inc, missing, overrides)
	return want
}

// addFields adds entries to a map, and such that override what it inherits.
func (m *merger) addFields(at string, want, cur, inc *node, missing, overrides []field) {
	added := slices.Concat(overrides, missing)
	if len(added) == 0 {
		return
	}
	splices, err := m.edit.addFields(cur.source(), m.fieldsToWrite(cur, inc, added), inc)
	if err != nil {
		for _, f := range added {
			m.conflict(keyPath(at, f.key), err.Error(), Kept)
		}
		for _, f := range overrides {
			want.add(field{key: f.key, value: cur.get(f.key), inherited: true})
		}
		return
	}
	m.splices = append(m.splices, splices...)
	for _, f := range added {
		want.add(field{key: f.key, value: f.value})
	}
	for _, f := range missing {
		m.added = append(m.added, keyPath(at, f.key))
	}
	for _, f := range overrides {
		m.updated = append(m.updated, keyPath(at, f.key))
	}
}

// entry merges an entry that the user's map has.
func (m *merger) entry(at string, cur, inc, base *node, f field) (want *node, override bool) {
	i := inc.find(f.key)
	if i < 0 {
		return keep(f.value), false
	}
	v := inc.fields[i].value
	switch {
	case !f.inherited:
		return m.value(at, f.value, v, base.get(f.key)), false
	case inc.fields[i].inherited && m.follow && sameMergeKey(cur, inc):
		return m.elsewhere(f.value, v, base.get(f.key)), false
	}
	return m.inherited(at, f.value, v, base.get(f.key))
}

// fieldsToWrite are the entries that bring what a map lacks. One that the
// bundle's map has by a merge key comes with that key, if it is to be written.
func (m *merger) fieldsToWrite(cur, inc *node, missing []field) []field {
	var fields []field
	hasMergeKey := !m.write || cur.mergeKey != nil || inc.mergeKey == nil
	for _, f := range missing {
		if f.inherited && !hasMergeKey {
			hasMergeKey = true
			fields = append(fields, field{key: "<<", rawKey: "<<", value: inc.mergeKey})
		}
		if f.inherited && m.write && cur.mergeKey == nil {
			continue
		}
		f.value = m.toWrite(f.value)
		fields = append(fields, f)
	}
	return fields
}

// containsAll reports whether everything of inc is already in cur.
func containsAll(cur, inc *node) bool {
	if cur.kind != dictKind || inc.kind != dictKind || cur.duplicateKey {
		return equal(cur, inc)
	}
	for _, f := range inc.fields {
		v := cur.get(f.key)
		if v == nil || !containsAll(v, f.value) {
			return false
		}
	}
	return true
}

// list adds to a list of plain values what it lacks.
func (m *merger) list(at string, cur, inc *node) *node {
	wanted := make(map[string]bool, len(inc.items))
	for _, item := range inc.items {
		wanted[scalarID(item)] = true
	}
	want := &node{kind: listKind, tag: cur.tag}
	have := make(map[string]bool, len(cur.items))
	for _, item := range cur.items {
		id := scalarID(item)
		have[id] = true
		if !wanted[id] {
			item = keep(item)
		}
		want.items = append(want.items, item)
	}
	var missing []*node
	for _, item := range inc.items {
		if id := scalarID(item); !have[id] {
			have[id] = true
			missing = append(missing, m.toWrite(item))
			want.items = append(want.items, item)
		}
	}
	if len(missing) == 0 {
		return want
	}
	reason := m.whyReadOnly(cur)
	if reason == "" {
		splices, err := m.edit.addItems(cur.source(), missing, inc)
		if err == nil {
			m.splices = append(m.splices, splices...)
			m.added = append(m.added, at)
			return want
		}
		reason = "has a list that cannot be extended: " + err.Error()
	}
	m.conflict(at, "your file cannot be changed safely here: it "+reason, Kept)
	return cur
}
