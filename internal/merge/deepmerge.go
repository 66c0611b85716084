package merge

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// DeepMerge brings the bundle's keys into the user's structured file. A key that
// is absent is inserted. A key that still has the value which the bundle before
// this one gave it follows the bundle. A key whose value the user chose keeps
// it, and the difference is reported as a conflict. To a list of scalars the
// absent ones are appended; any other list is compared whole. No key is ever
// taken out.
func DeepMerge(in Input) Result {
	if r, done := trivialResult(in); done {
		return r
	}
	f, ok := formatOf(in.Path)
	if !ok {
		return fileConflict(in, "deep_merge knows JSON, YAML and TOML, and this file's name says none of them")
	}
	bom, src := splitBOM(in.Current)
	_, incoming := splitBOM(in.Incoming)
	if src == incoming { // only the byte order mark differs, and that is the user's
		return Result{Content: in.Current}
	}
	if strings.Trim(src, " \t\r\n") == "" { // a space of Unicode is a value in YAML
		if _, err := f.parse(incoming); err != nil {
			return fileConflict(in, fmt.Sprintf("the incoming file cannot be read as %s: %v", f.name, err))
		}
		return finish(in, Result{Content: []byte(bom + incoming), Added: []string{""}})
	}
	cur, err := f.parse(src)
	if err != nil {
		return fileConflict(in, fmt.Sprintf("your file cannot be read as %s: %v", f.name, err))
	}
	inc, err := f.parse(incoming)
	if err != nil {
		return fileConflict(in, fmt.Sprintf("the incoming file cannot be read as %s: %v", f.name, err))
	}
	if reason := ambiguity(inc); reason != "" {
		return fileConflict(in, "the incoming file "+reason)
	}
	m := merger{edit: f.edit(src, cur, in.Path), policy: in.Policy}
	want := m.value("", cur, inc, f.base(in.Base))
	if len(m.splices) == 0 {
		return Result{Content: in.Current, Conflicts: m.conflicts}
	}
	out, err := applySplices(src, m.splices)
	if err != nil {
		return fileConflict(in, fmt.Sprintf("the file cannot be changed safely: %v", err))
	}
	got, err := f.parse(out)
	if err != nil || !identical(got, want) {
		return fileConflict(in, "the file cannot be changed without risk to what is around the change")
	}
	if err := f.verify(out, got); err != nil {
		return fileConflict(in, fmt.Sprintf("the result cannot be trusted: %v", err))
	}
	return finish(in, Result{Content: []byte(bom + out), Conflicts: m.conflicts, Added: m.added, Updated: m.updated})
}

// base reads the file of the last pull; one that cannot be used is none.
func (f format) base(b []byte) *node {
	if b == nil || len(b) > MaxSize || !isText(b) {
		return nil
	}
	_, src := splitBOM(b)
	n, err := f.parse(src)
	if err != nil || ambiguity(n) != "" {
		return nil
	}
	return n
}

// ambiguity says why a value read from a bundle cannot be merged; "" if it can.
func ambiguity(n *node) string {
	if n.kind == opaqueKind {
		return "has an alias"
	}
	reason := whyReadOnly(n)
	for _, v := range n.entries() {
		if reason == "" {
			reason = ambiguity(v)
		}
	}
	return reason
}

// merger walks the user's value, the bundle's and the one of the last pull, and
// collects the splices that bring them together and what is to be said of them.
type merger struct {
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

// value merges one value and returns what stands there afterwards.
func (m *merger) value(at string, cur, inc, base *node) *node {
	switch {
	case cur.kind == dictKind && inc.kind == dictKind:
		return m.dict(at, cur, inc, base)
	case cur.isPlainList() && inc.isPlainList():
		return m.list(at, cur, inc)
	case equal(cur, inc):
		return cur
	}
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
	if reason := whyReadOnly(cur); reason != "" {
		return nil, fmt.Errorf("the value cannot be replaced safely: it %s", reason)
	}
	if hasOwnComments(cur, base) {
		return nil, errors.New("the value cannot be replaced without losing a comment in it")
	}
	return m.edit.replace(cur, inc)
}

// hasOwnComments reports whether a collection may hold comments that the
// bundle did not bring. A comment sign in a string counts too: caution costs
// little here. The words alone do not tell: YAML means another value by the same
// words where they are indented otherwise.
func hasOwnComments(cur, base *node) bool {
	if cur.kind < listKind || !strings.ContainsAny(cur.raw, "#/") {
		return false
	}
	return base == nil || !equal(cur, base) || strings.Join(strings.Fields(cur.raw), " ") != strings.Join(strings.Fields(base.raw), " ")
}

// whyReadOnly says why a value of the user's must not be edited.
func whyReadOnly(n *node) string {
	switch {
	case n.readOnly != "":
		return n.readOnly
	case n.props != "":
		return "has an anchor or a tag"
	case n.kind == opaqueKind:
		return "is an alias"
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
	if reason := whyReadOnly(cur); reason != "" {
		if !containsAll(cur, inc) {
			m.conflict(at, "your file cannot be changed safely here: it "+reason, Kept)
		}
		return cur
	}
	want := &node{kind: dictKind, fields: slices.Clone(cur.fields), index: maps.Clone(cur.index)}
	for i, f := range cur.fields {
		if incoming := inc.get(f.key); incoming != nil {
			want.fields[i].value = m.value(keyPath(at, f.key), f.value, incoming, base.get(f.key))
		}
	}
	var missing []field
	for _, f := range inc.fields {
		if cur.find(f.key) < 0 {
			missing = append(missing, f)
		}
	}
	if len(missing) == 0 {
		return want
	}
	splices, err := m.edit.addFields(cur, missing, inc)
	m.splices = append(m.splices, splices...)
	for _, f := range missing {
		where := keyPath(at, f.key)
		if err != nil {
			m.conflict(where, err.Error(), Kept)
			continue
		}
		want.add(field{key: f.key, value: f.value})
		m.added = append(m.added, where)
	}
	return want
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
	have := make(map[string]bool, len(cur.items))
	for _, item := range cur.items {
		have[scalarID(item)] = true
	}
	var missing []*node
	for _, item := range inc.items {
		if id := scalarID(item); !have[id] {
			have[id] = true
			missing = append(missing, item)
		}
	}
	if len(missing) == 0 {
		return cur
	}
	reason := whyReadOnly(cur)
	if reason == "" {
		splices, err := m.edit.addItems(cur, missing, inc)
		if err == nil {
			m.splices = append(m.splices, splices...)
			m.added = append(m.added, at)
			return &node{kind: listKind, items: slices.Concat(cur.items, missing)}
		}
		reason = "list cannot be extended safely: " + err.Error()
	}
	m.conflict(at, "your file cannot be changed safely here: its "+reason, Kept)
	return cur
}
