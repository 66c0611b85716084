package merge

import (
	"cmp"
	"fmt"
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
	r, references := deepMerge(in)
	// A change may take away an alias that stood in the way of another change.
	for round := 0; references && r.Changed && round < maxRounds; round++ {
		again := in
		again.Current = r.Content
		next, _ := deepMerge(again)
		if next.WholeConflict() {
			break
		}
		r.Content = next.Content
		r.Added, r.Updated = append(r.Added, next.Added...), append(r.Updated, next.Updated...)
		settled := slices.DeleteFunc(r.Conflicts, func(c Conflict) bool { return c.Outcome == Kept })
		r.Conflicts = append(settled, next.Conflicts...)
		if !next.Changed {
			break
		}
	}
	return r
}

// maxRounds is how often a merge is gone through at most.
const maxRounds = 4

// deepMerge goes through a merge once. References says whether YAML's anchors or
// merge keys had a part in it.
func deepMerge(in Input) (r Result, references bool) {
	if r, done := trivialResult(in); done {
		return r, false
	}
	f, ok := formatOf(in.Path, strings.TrimSpace(string(in.Current))+string(in.Incoming))
	if !ok {
		return fileConflict(in, "deep_merge knows JSON, YAML and TOML, and this file's name says none of them"), false
	}
	bom, src := splitBOM(in.Current)
	_, incoming := splitBOM(in.Incoming)
	if src == incoming { // only the byte order mark differs, and that is the user's
		return Result{Content: in.Current}, false
	}
	if strings.Trim(src, " \t\r\n") == "" { // a space of Unicode is a value in YAML
		if _, err := f.parse(incoming); err != nil {
			return fileConflict(in, fmt.Sprintf("the incoming file cannot be read as %s: %v", f.name, err)), false
		}
		return finish(in, Result{Content: []byte(bom + incoming), Added: []string{""}}), false
	}
	d := document{format: f, path: in.Path, src: src}
	var err error
	if d.cur, d.value, err = f.read(src); err != nil {
		return fileConflict(in, fmt.Sprintf("your file cannot be read as %s: %v", f.name, err)), false
	}
	_, inc, err := f.read(incoming)
	if err != nil {
		return fileConflict(in, fmt.Sprintf("the incoming file cannot be read as %s: %v", f.name, err)), false
	}
	if reason := ambiguity(inc); reason != "" {
		return fileConflict(in, "the incoming file "+reason), false
	}
	modes := aliasModes
	if references = d.cur.references || inc.written != nil; !references {
		modes = modes[:1]
	}
	for _, mode := range modes {
		m := &merger{policy: in.Policy, aliasMode: mode}
		var out string
		if out, err = d.merge(m, inc, f.base(in.Base)); err == nil {
			return finish(in, Result{Content: []byte(bom + out), Conflicts: m.conflicts, Added: m.added, Updated: m.updated}), references
		}
	}
	return fileConflict(in, err.Error()), false
}

// document is the user's file while something is merged into it.
type document struct {
	format
	path  string
	src   string
	cur   *node // as it is written
	value *node // the same, with what its aliases stand for
}

// read parses a text and follows its aliases.
func (f format) read(src string) (written, value *node, err error) {
	if written, err = f.parse(src); err != nil {
		return nil, nil, err
	}
	value, err = expand(written)
	return written, value, err
}

// merge makes the text of the merged file and checks it.
func (d document) merge(m *merger, inc, base *node) (string, error) {
	m.edit = d.edit(d.src, d.cur, d.path)
	want := m.value("", d.value, inc, base)
	if len(m.splices) == 0 && (!d.cur.references || matches(d.value, want)) {
		return d.src, nil
	}
	out, err := applySplices(d.src, m.splices)
	if err != nil {
		return "", fmt.Errorf("the file cannot be changed safely: %w", err)
	}
	written, got, err := d.read(out)
	if err != nil {
		return "", fmt.Errorf("the file cannot be changed safely: the result would not be %s any more (%w)", d.name, err)
	}
	if !matches(got, want) {
		return "", fmt.Errorf("the file cannot be changed safely: %s would not have the value that it should", difference("", got, want))
	}
	if err := d.verify(out, written); err != nil {
		return "", fmt.Errorf("the result cannot be trusted: %w", err)
	}
	return out, nil
}

// difference names a place in which a result is not what was meant.
func difference(at string, got, want *node) string {
	for _, f := range want.fields {
		if v := got.get(f.key); v == nil || !matches(v, f.value) {
			if at = keyPath(at, f.key); v == nil {
				return at
			}
			return difference(at, v, f.value)
		}
	}
	return cmp.Or(at, "it")
}

// base reads the file of the last pull; one that cannot be used is none.
func (f format) base(b []byte) *node {
	if b == nil || len(b) > MaxSize || !isText(b) {
		return nil
	}
	_, src := splitBOM(b)
	_, n, err := f.read(src)
	if err != nil || ambiguity(n) != "" {
		return nil
	}
	return n
}

// ambiguity says why a value read from a bundle cannot be merged; "" if it can.
func ambiguity(n *node) string {
	if n.kind == opaqueKind {
		return "has an alias of a value around it"
	}
	reason := n.readOnly
	for _, v := range n.entries() {
		if reason == "" {
			reason = ambiguity(v)
		}
	}
	return reason
}
