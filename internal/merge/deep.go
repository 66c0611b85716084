package merge

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
)

// format is one structured notation: how it is read and how it is edited.
type format struct {
	name  string
	parse func(src string) (*node, error)
	edit  func(src string, root *node, path string) editor
}

// editor turns changes of values into splices of one source. An error means
// that the change cannot be made safely; its text says why. What is added
// comes from the container from, whose layout an empty container takes over.
type editor interface {
	addFields(dict *node, fields []field, from *node) ([]splice, error)
	addItems(list *node, items []*node, from *node) ([]splice, error)
	replace(old, value *node) ([]splice, error)
}

// formatOf chooses the notation by the file's name; ok is false for a file
// that is not known to be structured.
func formatOf(name string) (f format, ok bool) {
	base := strings.ToLower(path.Base(strings.ReplaceAll(name, `\`, "/")))
	switch base {
	case ".prettierrc", ".eslintrc", ".babelrc", ".swcrc", ".jshintrc", ".lintstagedrc", ".stylelintrc", ".jscsrc",
		"composer.lock", "deno.lock", ".watchmanconfig", ".bowerrc", ".arcconfig":
		return jsonFormat, true
	case ".clang-format", ".clang-tidy", ".yamllint", ".clangd":
		return yamlFormat, true
	case "cargo.lock", "poetry.lock", "pipfile", "uv.lock":
		return tomlFormat, true
	}
	switch path.Ext(base) {
	case ".json", ".jsonc", ".json5", ".code-workspace", ".webmanifest", ".code-snippets", ".babelrc", ".geojson":
		return jsonFormat, true
	case ".yaml", ".yml":
		return yamlFormat, true
	case ".toml":
		return tomlFormat, true
	}
	return format{}, false
}

// DeepMerge brings the bundle's keys into the user's structured file. A key that
// is absent is inserted. A key that still has the value which the bundle before
// this one gave it follows the bundle. A key whose value the user chose keeps
// it, and the difference is reported as a conflict. To a list of scalars the
// absent ones are appended; any other list is compared whole. No key is ever
// taken out.
func DeepMerge(in Input) Result {
	f, ok := formatOf(in.Path)
	if !ok {
		if r, done := settled(in); done {
			return r
		}
		return whole(in, "deep_merge knows JSON, YAML and TOML, and this file's name says none of them")
	}
	return f.merge(in)
}

func (f format) merge(in Input) Result {
	if r, done := settled(in); done {
		return r
	}
	bom, src := splitBOM(in.Current)
	_, incoming := splitBOM(in.Incoming)
	if src == incoming { // only the byte order mark differs, and that is the user's
		return Result{Content: in.Current}
	}
	if strings.Trim(src, " \t\r\n") == "" { // a space of Unicode is a value in YAML
		if _, err := f.parse(incoming); err != nil {
			return whole(in, fmt.Sprintf("the incoming file cannot be read as %s: %v", f.name, err))
		}
		return finish(in, Result{Content: []byte(bom + incoming), Added: []string{""}})
	}
	var cur, inc, base *node
	var curErr, incErr error
	together(len(in.Current)+len(in.Incoming)+len(in.Base),
		func() { cur, curErr = f.parse(src) },
		func() { inc, incErr = f.parse(incoming) },
		func() { base = f.base(in.Base) })
	if curErr != nil {
		return whole(in, fmt.Sprintf("your file cannot be read as %s: %v", f.name, curErr))
	}
	if incErr != nil {
		return whole(in, fmt.Sprintf("the incoming file cannot be read as %s: %v", f.name, incErr))
	}
	if reason := ambiguity(inc); reason != "" {
		return whole(in, "the incoming file "+reason)
	}
	m := merger{edit: f.edit(src, cur, in.Path), policy: in.Policy}
	want := m.value("", cur, inc, base)
	if len(m.splices) == 0 {
		return Result{Content: in.Current, Conflicts: m.conflicts}
	}
	out, err := applySplices(src, m.splices)
	if err != nil {
		return whole(in, fmt.Sprintf("the file cannot be changed safely: %v", err))
	}
	got, err := f.parse(out)
	if err != nil || !identical(got, want) {
		return whole(in, "the file cannot be changed without risk to what is around the change")
	}
	return finish(in, Result{Content: []byte(bom + out), Conflicts: m.conflicts, Added: m.added, Updated: m.updated})
}

// together carries out tasks, side by side where there is enough to read.
func together(size int, tasks ...func()) {
	const worthIt = 64 << 10
	if size < worthIt {
		for _, task := range tasks {
			task()
		}
		return
	}
	var wg sync.WaitGroup
	for _, task := range tasks {
		wg.Go(task)
	}
	wg.Wait()
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
	switch {
	case n.detail().fixed != "":
		return n.detail().fixed
	case n.detail().props != "":
		return "has an anchor or a tag"
	case n.kind == opaqueKind:
		return "has an alias"
	}
	for _, item := range n.items {
		if reason := ambiguity(item); reason != "" {
			return reason
		}
	}
	for _, f := range n.fields {
		if reason := ambiguity(f.value); reason != "" {
			return reason
		}
	}
	return ""
}

// merger walks the three values and collects what is to be done.
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
		m.conflict(at, heldReason(cur, inc, base), Kept)
		return cur
	}
	splices, err := m.replacement(cur, inc, base)
	if err != nil {
		m.conflict(at, err.Error(), Kept)
		return cur
	}
	m.splices = append(m.splices, splices...)
	if forced {
		m.conflict(at, heldReason(cur, inc, base), TakenTheirs)
	}
	m.updated = append(m.updated, at)
	return inc
}

func (m *merger) replacement(cur, inc, base *node) ([]splice, error) {
	if reason := untouchable(cur); reason != "" {
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

// untouchable says why a value of the user's must not be edited.
func untouchable(n *node) string {
	switch {
	case n.detail().fixed != "":
		return n.detail().fixed
	case n.detail().props != "":
		return "has an anchor or a tag"
	case n.kind == opaqueKind:
		return "is an alias"
	}
	return ""
}

// heldReason explains a conflict of values. It shows no values: a
// configuration file may hold secrets.
func heldReason(cur, inc, base *node) string {
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
	if reason := untouchable(cur); reason != "" {
		if !covers(cur, inc) {
			m.conflict(at, "your file cannot be changed safely here: it "+reason, Kept)
		}
		return cur
	}
	want := m.entries(at, cur, inc, base)
	var missing []field
	for i := range inc.fields {
		if cur.find(inc.fields[i].key) < 0 {
			missing = append(missing, inc.fields[i])
		}
	}
	if len(missing) == 0 {
		return want
	}
	if want == cur {
		want = cur.shallow()
	}
	splices, err := m.edit.addFields(cur, missing, inc)
	if err == nil {
		m.addFields(at, want, missing, splices)
		return want
	}
	// One difficult entry must not keep the others out.
	var easy []field
	for _, f := range missing {
		if _, err := m.edit.addFields(cur, []field{f}, inc); err != nil {
			m.conflict(keyPath(at, f.key), err.Error(), Kept)
			continue
		}
		easy = append(easy, f)
	}
	if len(easy) == 0 {
		return want
	}
	if splices, err = m.edit.addFields(cur, easy, inc); err != nil {
		m.conflict(at, err.Error(), Kept)
		return want
	}
	m.addFields(at, want, easy, splices)
	return want
}

// entries merges what both maps have. The result is cur itself as long as
// nothing changed.
func (m *merger) entries(at string, cur, inc, base *node) *node {
	want := cur
	for i := range cur.fields {
		f := &cur.fields[i]
		incoming := inc.get(f.key)
		if incoming == nil || incoming.isPlain() && equal(f.value, incoming) {
			continue
		}
		v := m.value(keyPath(at, f.key), f.value, incoming, base.get(f.key))
		if v == f.value {
			continue
		}
		if want == cur {
			want = cur.shallow()
		}
		want.fields[i].value = v
	}
	return want
}

// shallow is a dict with the same keys and values that can be changed without
// changing the original.
func (n *node) shallow() *node {
	return &node{kind: n.kind, fields: slices.Clone(n.fields), index: maps.Clone(n.index)}
}

func (m *merger) addFields(at string, want *node, fields []field, splices []splice) {
	m.splices = append(m.splices, splices...)
	for _, f := range fields {
		want.add(field{key: f.key, value: f.value})
		m.added = append(m.added, keyPath(at, f.key))
	}
}

// covers reports whether everything of inc is already in cur.
func covers(cur, inc *node) bool {
	if cur.kind != dictKind || inc.kind != dictKind || cur.twice {
		return equal(cur, inc)
	}
	for _, f := range inc.fields {
		v := cur.get(f.key)
		if v == nil || !covers(v, f.value) {
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
	reason := untouchable(cur)
	if reason == "" {
		splices, err := m.edit.addItems(cur, missing, inc)
		if err == nil {
			m.splices = append(m.splices, splices...)
			m.added = append(m.added, at)
			return &node{kind: listKind, items: append(append([]*node{}, cur.items...), missing...)}
		}
		reason = "list cannot be extended safely: " + err.Error()
	}
	m.conflict(at, "your file cannot be changed safely here: its "+reason, Kept)
	return cur
}
