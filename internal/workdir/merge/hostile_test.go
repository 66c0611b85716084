package merge

import (
	"fmt"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
)

// TestHostileInput feeds texts that are made to exhaust a parser. Each must end
// as a conflict of the whole file, or as a merge, and soon; the test's own
// time limit is the judge.
// Promise: merge-yaml
func TestHostileInput(t *testing.T) {
	const many = 200_000
	anchors := "a0: &a0 x\n"
	for i := 1; i < 60; i++ {
		anchors += fmt.Sprintf("a%d: &a%d [*a%d, *a%d, *a%d]\n", i, i, i-1, i-1, i-1)
	}
	tests := []struct {
		name, path, current string
		merges              bool
	}{
		{"json arrays", "x.json", strings.Repeat("[", many), false},
		{"json objects", "x.json", strings.Repeat(`{"a":`, many), false},
		{"json just too deep", "x.json", `{"a":` + strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth) + "}", false},
		{"json just deep enough", "x.json", `{"a":` + strings.Repeat("[", maxDepth-1) + strings.Repeat("]", maxDepth-1) + "}", true},
		{"json comments", "x.json", strings.Repeat("/**/", many) + "{}", true},
		{"json huge exponent", "x.json", `{"a": 1e99999999999999999999}`, true},
		{"json one long line", "x.json", `{"a": "` + strings.Repeat("x", 900_000) + `"}`, true},
		{"json many keys", "x.json", "{" + manyTimes(40_000, func(i int) string { return fmt.Sprintf("\"k%d\":1,", i) }) + "}", true},
		{"yaml flow", "x.yaml", strings.Repeat("[", many), false},
		{"yaml flow maps", "x.yaml", strings.Repeat("{a: ", many), false},
		{"yaml dashes", "x.yaml", strings.Repeat("- ", many), false},
		{"yaml steps", "x.yaml", manyTimes(600, func(i int) string { return strings.Repeat(" ", i) + "a:\n" }), false},
		{"yaml tags", "x.yaml", "a: " + strings.Repeat("!t\n ", many), false},
		{"yaml bomb", "x.yaml", anchors, false},
		{"yaml open quote", "x.yaml", "a: \"" + strings.Repeat("x\n ", many), false},
		{"yaml many quotes", "x.yaml", strings.Repeat("'", 500_001), false},
		{"yaml long plain", "x.yaml", "a: " + strings.Repeat("x\n  ", many), true},
		{"yaml blank lines", "x.yaml", "a: 1\n" + strings.Repeat("\n", 900_000) + "b: 1\n", true},
		{"yaml comments", "x.yaml", "a: 1\n" + strings.Repeat("# c\n", many) + "b: 1\n", true},
		{"yaml many open lines", "x.yaml", manyTimes(20_000, func(i int) string { return fmt.Sprintf("\"k%d: 1\n", i) }), false},
		{"toml arrays", "x.toml", "a = " + strings.Repeat("[", many), false},
		{"toml inline", "x.toml", "a = " + strings.Repeat("{a=", many), false},
		{"toml dotted", "x.toml", strings.Repeat("a.", many) + "a = 1", false},
		{"toml header", "x.toml", "[" + strings.Repeat("a.", many) + "a]", false},
		{"toml tables", "x.toml", manyTimes(40_000, func(i int) string { return fmt.Sprintf("[t%d]\n", i) }), true},
		{"toml array of tables", "x.toml", strings.Repeat("[[a]]\n", 100_000), true},
		{"toml comments", "x.toml", strings.Repeat("#\n", many) + "a = 1\n", true},
		{"binary", "x.json", "\x00\x01\x02", false},
		{"utf-16", "x.json", "\xff\xfe{\x00}\x00", false},
		{"old line endings", "x.yaml", "a: 1\rb: 2\r", false},
		{"too large", "x.json", "{" + strings.Repeat(" ", MaxSize) + "}", false},
	}
	incoming := map[string]string{"x.json": `{"new": 1}`, "x.yaml": "new: 1\n", "x.toml": "new = 1\n"}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := Input{Path: tt.path, Current: []byte(tt.current), Incoming: []byte(incoming[tt.path])}
			r := DeepMerge(in)
			if r.Changed != tt.merges || r.WholeConflict() == tt.merges {
				t.Errorf("changed %v, conflicts %.200v", r.Changed, r.Conflicts)
			}
			reversed := DeepMerge(Input{Path: tt.path, Current: in.Incoming, Incoming: in.Current})
			if reversed.WholeConflict() == tt.merges {
				t.Errorf("the other way round: changed %v, conflicts %.200v", reversed.Changed, reversed.Conflicts)
			}
		})
	}
}

func manyTimes(n int, text func(i int) string) string {
	var out strings.Builder
	for i := range n {
		out.WriteString(text(i))
	}
	return out.String()
}

// TestHostileLines does the same for the strategies that go by lines.
func TestHostileLines(t *testing.T) {
	texts := map[string]string{
		"many lines":      manyTimes(20_000, func(i int) string { return fmt.Sprintf("line%d=1\n", i) }),
		"the same lines":  strings.Repeat("a=1\n", 40_000),
		"open quotes":     manyTimes(10_000, func(i int) string { return fmt.Sprintf("k%d=\"x\n", i) }),
		"marks":           strings.Repeat("# >>> svc p: x >>>\n# <<< svc p <<<\n", 4_000),
		"blank":           strings.Repeat("\n", 100_000),
		"all differs":     manyTimes(20_000, func(i int) string { return fmt.Sprintf("%d\n", i*7919%100_003) }),
		"one line":        strings.Repeat("x", 900_000),
		"comments":        strings.Repeat("# c\n", 40_000) + "a=1\n",
		"carriage return": strings.Repeat("a\r\n", 40_000),
	}
	for _, strategy := range []bundlezip.MergeStrategy{bundlezip.EnvMerge, bundlezip.AppendUnique, bundlezip.ManagedBlock, bundlezip.ThreeWay} {
		for name, text := range texts {
			for other, incoming := range texts {
				in := Input{Path: ".env", Current: []byte(text), Incoming: []byte(incoming), Base: []byte(texts["many lines"]), Owner: "p"}
				if r := Merge(strategy, in); r.Content == nil {
					t.Errorf("%s of %s into %s gave nothing", strategy, other, name)
				}
			}
		}
	}
}

func TestTooDeepNamesTheLimit(t *testing.T) {
	if want := fmt.Sprintf("more than %d levels", maxDepth); !strings.Contains(errTooDeep.Error(), want) {
		t.Errorf("%q does not say %q", errTooDeep, want)
	}
}
