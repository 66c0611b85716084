package merge

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestUnmerge(t *testing.T) {
	const (
		before = "{\n  \"a\": 1,\n  \"list\": [\"x\"]\n}\n"
		after  = "{\n  \"a\": 2,\n  \"list\": [\"x\", \"y\"],\n  \"b\": {\n    \"c\": true\n  }\n}\n"
	)
	tests := []struct {
		name          string
		path          string
		before, after string
		current, want string // want is "" for a refusal
	}{
		{"nothing changed", "s.json", before, after, after, before},
		{
			"a key was added", "s.json", before, after,
			"{\n  \"a\": 2,\n  \"list\": [\"x\", \"y\"],\n  \"b\": {\n    \"c\": true\n  },\n  \"mine\": 1\n}\n",
			"{\n  \"a\": 1,\n  \"list\": [\"x\"],\n  \"mine\": 1\n}\n",
		},
		{
			"a key was added on top, with a comment", "s.json", before, after,
			"{\n  // mine\n  \"mine\": 1,\n  \"a\": 2,\n  \"list\": [\"x\", \"y\"],\n  \"b\": {\n    \"c\": true\n  }\n}\n",
			"{\n  // mine\n  \"mine\": 1,\n  \"a\": 1,\n  \"list\": [\"x\"]\n}\n",
		},
		{
			"the user went on to change a merged value", "s.json", before, after,
			"{\n  \"a\": 3,\n  \"list\": [\"x\", \"y\"],\n  \"b\": {\n    \"c\": true\n  }\n}\n",
			"",
		},
		{
			"the neighbour of an added key changed", "s.json",
			"{\"a\": 1}", "{\"a\": 1, \"b\": 2}", "{\"a\": 5, \"b\": 2}", "{\"a\": 5}",
		},
		{
			"an added key was changed", "s.json",
			"{\n  \"a\": 1\n}\n", "{\n  \"a\": 1,\n  \"b\": 2\n}\n", "{\n  \"a\": 1,\n  \"b\": 3\n}\n",
			"",
		},
		{
			"an added key was removed by hand", "s.json",
			"{\n  \"a\": 1\n}\n", "{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3\n}\n", "{\n  \"a\": 1,\n  \"c\": 3\n}\n",
			"{\n  \"a\": 1\n}\n",
		},
		{
			"yaml", "s.yaml",
			"a: 1\n", "a: 1\nb:\n  c: 2\n", "# mine\na: 1\nb:\n  c: 2\nz: 3 # too\n", "# mine\na: 1\nz: 3 # too\n",
		},
		{
			"toml", "s.toml",
			"a = 1\n", "a = 1\n\n[b]\nc = 2\n", "a = 1\nmine = true\n\n[b]\nc = 2\n\n[z]\ny = 1\n", "a = 1\nmine = true\n\n[z]\ny = 1\n",
		},
		{"the file can no longer be read", "s.json", before, after, "{ oops", ""},
		{"no structured file", "s.txt", "a\n", "a\nb\n", "a\nb\nc\n", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Unmerge(tt.path, []byte(tt.before), []byte(tt.after), []byte(tt.current))
			if tt.want == "" {
				if !errors.Is(err, ErrCannotUnmerge) || got != nil {
					t.Fatalf("got %q, %v; want a refusal", got, err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestUnmergeOfACreatedFile(t *testing.T) {
	made := []byte("{\"a\": 1}\n")
	if got, err := Unmerge("s.json", nil, made, made); err != nil || got != nil {
		t.Errorf("an untouched file that the pull made: got %q, %v; want nothing left", got, err)
	}
	if _, err := Unmerge("s.json", nil, made, []byte("{\"a\": 1, \"b\": 2}\n")); !errors.Is(err, ErrCannotUnmerge) {
		t.Errorf("a changed file that the pull made: got %v, want a refusal", err)
	}
}

// TestUnmergeProperties merges twice, with the second merge in the part of the
// user, and takes the first out again.
func TestUnmergeProperties(t *testing.T) {
	for _, n := range notations {
		drawn, undoneCount := 0, 0
		t.Run(n.path, rapid.MakeCheck(func(t *rapid.T) {
			drawn++
			s := drawStyle(t)
			before := s.finish(n.write(s, drawDict(t, 0)))
			pull := DeepMerge(Input{Path: n.path, Current: before, Incoming: s.finish(n.write(s, drawDict(t, 0)))})
			mine := strings.ReplaceAll(n.write(s, drawDict(t, 0)), "note", "mine")
			edited := DeepMerge(Input{Path: n.path, Current: pull.Content, Incoming: s.finish(mine)})
			got, err := Unmerge(n.path, before, pull.Content, edited.Content)
			if err != nil {
				return // a refusal is always allowed
			}
			f, _ := formatOf(n.path, "")
			after, undone := mustParse(t, f, pull.Content), mustParse(t, f, got)
			if !identical(reverted(mustParse(t, f, edited.Content), after, mustParse(t, f, before)), undone) {
				t.Fatalf("before\n%s\npulled\n%s\nedited\n%s\nundone\n%s", before, pull.Content, edited.Content, got)
			}
			for line := range strings.Lines(string(edited.Content)) {
				if i := strings.Index(line, n.sign+" mine "); i >= 0 && !strings.Contains(string(got), strings.TrimSpace(line[i:])) {
					t.Fatalf("the comment %q is lost\nbefore\n%s\npulled\n%s\nedited\n%s\nundone\n%s", line[i:], before, pull.Content, edited.Content, got)
				}
			}
			undoneCount++
		}))
		if 2*undoneCount < drawn {
			t.Errorf("%s: only %d of %d could be undone", n.path, undoneCount, drawn)
		}
	}
}
