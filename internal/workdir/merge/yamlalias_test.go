package merge

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
)

// drawReferences makes up a YAML file with anchors, aliases, tags and merge keys.
func drawReferences(t *rapid.T) string {
	var out strings.Builder
	var dicts, others []string // anchors so far
	scalar := func() string {
		return rapid.SampledFrom([]string{"1", "2", "yes", "\"1\"", "two words", "!t 1", "!!str 2", "~"}).Draw(t, "scalar")
	}
	anchor := func(list *[]string, names ...string) string {
		if !rapid.Bool().Draw(t, "anchored") {
			return ""
		}
		name := rapid.SampledFrom(names).Draw(t, "anchor")
		*list = append(*list, name)
		return " &" + name
	}
	value := func(indent string) {
		choice := rapid.IntRange(0, 6).Draw(t, "value")
		switch {
		case choice == 0 && len(dicts) > 0:
			fmt.Fprintf(&out, " *%s\n", rapid.SampledFrom(dicts).Draw(t, "alias"))
		case choice == 1 && len(others) > 0:
			fmt.Fprintf(&out, " *%s\n", rapid.SampledFrom(others).Draw(t, "alias"))
		case choice == 2 && len(others) > 0:
			of := rapid.SampledFrom(others).Draw(t, "alias")
			fmt.Fprintf(&out, "%s [*%s, %s]\n", anchor(new([]string), "n"), of, scalar())
		case choice == 3:
			fmt.Fprintf(&out, "%s\n%s- %s\n", anchor(&others, "l", "m"), indent, scalar())
		case choice <= 5:
			fmt.Fprintf(&out, "%s %s\n", anchor(&others, "v", "w"), scalar())
		default:
			own := anchor(&dicts, "a", "b")
			before := slices.DeleteFunc(slices.Clone(dicts), func(name string) bool { return " &"+name == own })
			fmt.Fprintf(&out, "%s\n", own)
			keys := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"k", "l", "m"}), 1, 3, rapid.ID[string]).Draw(t, "keys")
			if len(before) > 0 && rapid.Bool().Draw(t, "merged") {
				name := rapid.SampledFrom(before).Draw(t, "from")
				fmt.Fprintf(&out, "%s<<: %s\n", indent, rapid.SampledFrom([]string{"*" + name, "[*" + name + "]"}).Draw(t, "merge key"))
			}
			for _, k := range keys {
				fmt.Fprintf(&out, "%s%s:%s %s\n", indent, k, anchor(&others, "v", "w"), scalar())
			}
		}
	}
	for _, key := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"x", "y", "z", "s"}), 1, 4, rapid.ID[string]).Draw(t, "roots") {
		out.WriteString(key + ":")
		if key != "s" {
			value("  ")
			continue
		}
		out.WriteString("\n")
		for _, inner := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"one", "two", "three"}), 1, 3, rapid.ID[string]).Draw(t, "inner") {
			out.WriteString("  " + inner + ":")
			value("    ")
		}
	}
	return out.String()
}

// TestAliasProperties merges files with references and holds the outcome against
// a merge of what the library makes of them, in which no reference is left.
// Promise: merge-yaml
func TestAliasProperties(t *testing.T) {
	drawn, merged := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		base := drawReferences(t)
		in := Input{Path: "x.yaml", Current: []byte(base), Incoming: []byte(drawReferences(t))}
		if rapid.Bool().Draw(t, "edited") {
			in.Current = []byte(drawReferences(t))
		}
		if rapid.Bool().Draw(t, "pulled before") {
			in.Base = []byte(base)
		}
		drawn++
		r := DeepMerge(in)
		checkInvariants(t, bundlezip.DeepMerge, in, r)
		forced := in
		forced.Policy = Theirs
		checkInvariants(t, bundlezip.DeepMerge, forced, DeepMerge(forced))
		if r.WholeConflict() {
			return
		}
		merged++
		conflicts := make(map[string]bool)
		for _, c := range r.Conflicts {
			conflicts[c.Where] = true
		}
		if diff := lacks("", decoded(t, r.Content), decoded(t, in.Current), decoded(t, in.Incoming), decoded(t, in.Base), conflicts); diff != "" {
			t.Fatalf("%s\ncurrent\n%s\nincoming\n%s\nbase\n%s\nresult\n%s\n%v", diff, in.Current, in.Incoming, in.Base, r.Content, r.Conflicts)
		}
	})
	if 10*merged < 9*drawn {
		t.Errorf("only %d of %d were merged", merged, drawn)
	}
}

// tagged is a scalar with a tag of its own.
type tagged struct{ tag, text string }

// decoded is a value without references.
func decoded(t *rapid.T, src []byte) any {
	if src == nil {
		return nil
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(src, &doc); err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	return plainValue(doc.Content[0])
}

func plainValue(n *yaml.Node) any {
	switch n.Kind {
	case yaml.AliasNode:
		return plainValue(n.Alias)
	case yaml.MappingNode:
		m := make(map[string]any)
		for i := 0; i < len(n.Content); i += 2 {
			if n.Content[i].Value != "<<" {
				m[n.Content[i].Value] = plainValue(n.Content[i+1])
				continue
			}
			sources := []*yaml.Node{n.Content[i+1]}
			if n.Content[i+1].Kind == yaml.SequenceNode {
				sources = n.Content[i+1].Content
			}
			for _, s := range sources {
				inherited, _ := plainValue(s).(map[string]any)
				for k, v := range inherited {
					if _, ok := m[k]; !ok && !slices.ContainsFunc(n.Content, func(key *yaml.Node) bool { return key.Value == k }) {
						m[k] = v
					}
				}
			}
		}
		return m
	case yaml.SequenceNode:
		var list []any
		for _, item := range n.Content {
			list = append(list, plainValue(item))
		}
		return list
	}
	return tagged{n.ShortTag(), n.Value}
}

// lacks says in which place a result is not what the merge of values without
// references leads to; "" if nowhere. Only places that the bundle has count.
func lacks(at string, got, cur, inc, base any, conflicts map[string]bool) string {
	if conflicts[at] {
		return ""
	}
	curMap, isMap := cur.(map[string]any)
	incMap, alsoMap := inc.(map[string]any)
	if isMap && alsoMap {
		gotMap, _ := got.(map[string]any)
		baseMap, _ := base.(map[string]any)
		for _, k := range slices.Sorted(maps.Keys(incMap)) {
			if _, ok := curMap[k]; !ok {
				if !conflicts[keyPath(at, k)] && !reflect.DeepEqual(gotMap[k], incMap[k]) {
					return fmt.Sprintf("%s: got %v, want %v", keyPath(at, k), gotMap[k], incMap[k])
				}
				continue
			}
			if diff := lacks(keyPath(at, k), gotMap[k], curMap[k], incMap[k], baseMap[k], conflicts); diff != "" {
				return diff
			}
		}
		return ""
	}
	want := cur
	curList, isList := plainList(cur)
	incList, alsoList := plainList(inc)
	switch {
	case isList && alsoList:
		size := len(curList)
		gotList, _ := plainList(got)
		for i, item := range incList {
			if !slices.Contains(gotList, item) {
				return fmt.Sprintf("%s: got %v, and %v should be there", at, got, item)
			}
			if !slices.Contains(curList, item) && !slices.Contains(incList[:i], item) {
				size++
			}
		}
		if len(gotList) != size {
			return fmt.Sprintf("%s: got %v of %v and %v", at, got, cur, inc)
		}
		return "" // what only the user has may follow what it refers to
	case !reflect.DeepEqual(cur, inc):
		switch {
		case len(conflicts) > 0 && reflect.DeepEqual(got, cur):
			return "" // the conflict is told where the value is written that the two places share
		case base == nil || !reflect.DeepEqual(cur, base):
			return at + ": there should be a conflict"
		}
		want = inc
	}
	if !reflect.DeepEqual(got, want) {
		return fmt.Sprintf("%s: got %v, want %v", at, got, want)
	}
	return ""
}

// plainList is a list of nothing but scalars.
func plainList(v any) ([]any, bool) {
	list, ok := v.([]any)
	return list, ok && !slices.ContainsFunc(list, func(item any) bool { _, isScalar := item.(tagged); return !isScalar })
}
