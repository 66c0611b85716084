package merge

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/bundle-delivery/svc/internal/text/diff"
)

// ErrCannotUnmerge says that the user's later changes and the merge cannot be told
// apart, so that the merge cannot be taken out of the file.
var ErrCannotUnmerge = errors.New("the file changed since, and what the pull added cannot be told from the changes; it is left as it is")

// Unmerge takes a merge out of a structured file that may have changed since.
// Before and after are the file around the merge (before is nil when there was
// none), current is the file as it is. If nothing changed the answer is before,
// byte for byte. Otherwise the change from before to after is undone in the
// text and the outcome compared with the value it should have: what the merge
// added and nobody touched goes, what it replaced comes back, and everything
// else stays. If the two differ, nothing is returned but [ErrCannotUnmerge].
func Unmerge(path string, before, after, current []byte) ([]byte, error) {
	if bytes.Equal(current, after) {
		return before, nil
	}
	f, ok := formatOf(path, string(current))
	if !ok || before == nil || max(len(before), len(after), len(current)) > MaxSize {
		return nil, ErrCannotUnmerge
	}
	if !isText(before) || !isText(after) || !isText(current) {
		return nil, ErrCannotUnmerge
	}
	bom, cur := splitBOM(current)
	_, old := splitBOM(before)
	_, merged := splitBOM(after)
	want, err := f.withoutMerge(old, merged, cur)
	if err != nil {
		return nil, fmt.Errorf("%w (%w)", ErrCannotUnmerge, err)
	}
	for _, units := range []func(string) []string{diff.SplitLines, diff.SplitWords} {
		out, ok := undo(merged, cur, old, units)
		if !ok {
			continue
		}
		if got, err := f.parse(out); err == nil && identical(got, want) && f.verify(out, got) == nil {
			return []byte(bom + out), nil
		}
	}
	return nil, ErrCannotUnmerge
}

// withoutMerge is the value that the file should have after the merge is taken
// out.
func (f format) withoutMerge(before, after, current string) (*node, error) {
	old, err := f.parse(before)
	if err != nil {
		return nil, err
	}
	merged, err := f.parse(after)
	if err != nil {
		return nil, err
	}
	cur, err := f.parse(current)
	if err != nil {
		return nil, err
	}
	if cur.duplicateKey || merged.duplicateKey || old.duplicateKey {
		return nil, errors.New("the map has a key twice")
	}
	return reverted(cur, merged, old), nil
}

// reverted is cur without what led from old to merged.
func reverted(cur, merged, old *node) *node {
	switch {
	case identical(merged, old):
		return cur
	case identical(cur, merged):
		return old
	case cur.kind == dictKind && merged.kind == dictKind && old.kind == dictKind:
		out := &node{kind: dictKind, anchor: cur.anchor, tag: cur.tag}
		for _, f := range cur.fields {
			was, before := merged.get(f.key), old.get(f.key)
			switch {
			case was == nil:
			case before != nil:
				f.value = reverted(f.value, was, before)
			case identical(f.value, was):
				continue
			}
			out.add(field{key: f.key, value: f.value})
		}
		return out
	case cur.isPlainList() && merged.isPlainList() && old.isPlainList():
		keep := make(map[string]bool)
		for _, item := range old.items {
			keep[scalarID(item)] = true
		}
		added := make(map[string]bool)
		for _, item := range merged.items {
			added[scalarID(item)] = !keep[scalarID(item)]
		}
		out := &node{kind: listKind, anchor: cur.anchor, tag: cur.tag}
		for _, item := range cur.items {
			if !added[scalarID(item)] {
				out.items = append(out.items, item)
			}
		}
		return out
	}
	return cur
}

// undo carries the change from merged back to old into cur, unit by unit.
func undo(merged, cur, old string, units func(string) []string) (string, bool) {
	var out strings.Builder
	at := 0
	for _, h := range diff3(merged, diffUnits(merged, cur, units), diffUnits(merged, old, units), false) {
		if h.conflict {
			return "", false
		}
		out.WriteString(merged[at:h.start])
		out.WriteString(h.merged)
		at = h.end
	}
	out.WriteString(merged[at:])
	return out.String(), true
}
