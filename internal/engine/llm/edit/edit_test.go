package edit_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bundle-delivery/svc/internal/engine/llm/edit"
)

// lines makes a text of numbered lines of about so many bytes.
func lines(size int) string {
	var s strings.Builder
	for i := 0; s.Len() < size; i++ {
		fmt.Fprintf(&s, "\tline(%d, \"Grüße %d\")\n", i, i*i%997)
	}
	return s.String()
}

// Whatever is changed wherever, nothing but that place is another.
// Promise: llm-edit-blocks
func TestOnlyThePlaceChanges(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 21))
		text := lines(1 + random.IntN(20_000))
		if seed%3 == 0 {
			text = strings.ReplaceAll(text, "\n", "\r\n")
		}
		if seed%5 == 0 {
			text = strings.TrimRight(text, "\r\n")
		}
		start := random.IntN(len(text))
		end := start + 1 + random.IntN(min(len(text)-start, 400))
		old := text[start:end]
		fresh := fmt.Sprintf("<new %d>", seed)
		got, problems := edit.Apply(text, []edit.Block{{Old: old, New: fresh}})
		if strings.Count(text, old) != 1 {
			if got != text || len(problems) != 1 || !strings.Contains(problems[0].Reason, "times") {
				t.Fatalf("seed %d: %q stands more than once, and %v", seed, old, problems)
			}
			continue
		}
		if want := text[:start] + fresh + text[end:]; got != want || problems != nil {
			t.Fatalf("seed %d: %v\n%s", seed, problems, cmp.Diff(want, got))
		}
	}
}

// Several blocks at once, in any order, are as good as one after the other.
// Promise: llm-edit-blocks
func TestBlocksDoNotDisturbEachOther(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 22))
		all := strings.SplitAfter(lines(8000), "\n")
		want := append([]string(nil), all...)
		var blocks []edit.Block
		for _, i := range random.Perm(len(all) - 1)[:10] {
			want[i] = fmt.Sprintf("new %d\n", i)
			blocks = append(blocks, edit.Block{Old: all[i], New: want[i]})
		}
		got, problems := edit.Apply(strings.Join(all, ""), blocks)
		if got != strings.Join(want, "") || problems != nil {
			t.Fatalf("seed %d: %v", seed, problems)
		}
	}
}

// Promise: llm-bad-block
func TestBlocksThatDoNotApply(t *testing.T) {
	t.Parallel()
	const text = "package a\n\nfunc one() int {\n\treturn 1\n}\n\nfunc two() int {\n\treturn 2\n}\n\nfunc three() int {\n\treturn 1\n}\n"
	for name, tc := range map[string]struct {
		blocks []edit.Block
		want   string // text after it
		reason string
	}{
		"not there":             {[]edit.Block{{"nothing like it", "x"}}, text, "no line of it does"},
		"other space":           {[]edit.Block{{"func two() int {\n    return 2\n}\n", "x"}}, text, "line 7, which reads exactly:\nfunc two() int {\n\treturn 2\n}"},
		"a word is another":     {[]edit.Block{{"func two() int64 {", "x"}}, text, "line 7"},
		"twice":                 {[]edit.Block{{"\treturn 1\n", "\treturn 3\n"}}, text, "2 times, in lines 4, 12"},
		"empty":                 {[]edit.Block{{"", "x"}}, text, "empty"},
		"changes nothing":       {[]edit.Block{{"package a\n", "package a\n"}}, text, "the same"},
		"the same block again":  {[]edit.Block{{"package a", "package b"}, {"package a", "package b"}}, strings.Replace(text, "package a", "package b", 1), "overlaps with block 1"},
		"overlapping":           {[]edit.Block{{"func two() int {\n\treturn 2", "X"}, {"\treturn 2\n}", "Y"}}, strings.Replace(text, "func two() int {\n\treturn 2", "X", 1), "overlaps with block 1"},
		"the good one is taken": {[]edit.Block{{"nowhere", "x"}, {"package a", "package b"}}, strings.Replace(text, "package a", "package b", 1), "does not stand"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, problems := edit.Apply(text, tc.blocks)
			if got != tc.want {
				t.Error(cmp.Diff(tc.want, got))
			}
			if len(problems) != 1 || !strings.Contains(problems[0].Reason, tc.reason) {
				t.Errorf("told %v, want %q", problems, tc.reason)
			}
		})
	}
}

// Promise: llm-edit-blocks
func TestLineEndsOfTheFileStay(t *testing.T) {
	t.Parallel()
	got, problems := edit.Apply("a\r\nb\r\nc\r\n", []edit.Block{{"b\nc\n", "B\nnew\nc\n"}})
	if got != "a\r\nB\r\nnew\r\nc\r\n" || problems != nil {
		t.Errorf("%q, %v", got, problems)
	}
	got, problems = edit.Apply("a\nb", []edit.Block{{"b\n", "B\n"}})
	if got != "a\nB" || problems != nil {
		t.Errorf("%q, %v", got, problems)
	}
	for _, old := range []string{"b\n", "b\r\n", "b"} {
		got, problems = edit.Apply("a\r\nb", []edit.Block{{old, "B\nnew" + strings.TrimPrefix(old, "b")}})
		if got != "a\r\nB\r\nnew" || problems != nil {
			t.Errorf("%q: %q, %v", old, got, problems)
		}
	}
	got, problems = edit.Apply("a\r\nb\r\n", []edit.Block{{"b\r\n", "B\nnew\n"}})
	if got != "a\r\nB\r\nnew\r\n" || problems != nil {
		t.Errorf("%q, %v", got, problems)
	}
}
