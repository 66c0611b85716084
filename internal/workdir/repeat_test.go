package workdir

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
)

// TestManagedBlockInANewFile: a file that a bundle makes has its block marked,
// so that the next bundle replaces it.
func TestManagedBlockInANewFile(t *testing.T) {
	b := newFixture(t)
	bring := func(lines string) *bundlezip.Archive {
		return archive(t, nil, sf{Path: ".gitignore", MergeStrategy: bundlezip.ManagedBlock, Content: text(lines)})
	}
	log := b.pull(bundle1, bring("/dist\n"))
	if kind := log.Entries[len(log.Entries)-1].Type; kind != FileWritten {
		t.Errorf("the log has %s", kind)
	}
	if got := b.tree()[".gitignore"]; !strings.Contains(got, ">>> svc "+project) || !strings.Contains(got, "\n/dist\n") {
		t.Fatalf(".gitignore = %q", got)
	}
	b.pull(bundle2, bring("/dist\n/build\n"))
	got := b.tree()[".gitignore"]
	if strings.Count(got, "/dist") != 1 || strings.Count(got, "/build") != 1 || strings.Count(got, ">>> svc") != 1 {
		t.Errorf(".gitignore = %q", got)
	}
	b.rollback(bundle2)
	b.rollback(bundle1)
	same(t, "project", b.tree().visible(), tree{})
}

// TestConflictKeepsTheAncestor: text that was never written is no ancestor of
// the user's file. What a bundle had added when it was refused comes again with
// the next bundle, as a conflict or merged, and is not taken for deleted.
func TestConflictKeepsTheAncestor(t *testing.T) {
	b := newFixture(t)
	lines := func(change map[int]string, more ...string) string {
		var out strings.Builder
		for n := 1; n <= 9; n++ {
			line, ok := change[n]
			if !ok {
				line = "line " + strconv.Itoa(n)
			}
			out.WriteString(line + "\n")
		}
		for _, line := range more {
			out.WriteString(line + "\n")
		}
		return out.String()
	}
	bring := func(s string) *bundlezip.Archive {
		return archive(t, nil, sf{Path: "a.txt", MergeStrategy: bundlezip.ThreeWay, Content: text(s)})
	}
	b.pull(bundle1, bring(lines(nil)))
	mine := lines(map[int]string{3: "my line 3"})
	b.put("a.txt", mine)
	second := lines(map[int]string{3: "their line 3"}, "SECURITY FIX")
	b.pull(bundle2, bring(second))
	if got := b.tree(); got["a.txt"] != mine || got["a.txt"+NewSuffix] != second {
		t.Fatalf("the conflict was not kept: %v", got)
	}
	third := lines(map[int]string{3: "their line 3", 7: "their line 7"}, "SECURITY FIX")
	log := b.pull(bundle3, bring(third))
	got := b.tree()
	if got["a.txt"] != mine || got["a.txt"+NewSuffix] != third {
		t.Errorf("the second conflict: %v", got)
	}
	if !slices.ContainsFunc(log.Entries, func(e Entry) bool { return e.Type == ConflictEntry && e.Path == "a.txt" }) {
		t.Errorf("the log has no conflict: %+v", log.Entries)
	}
	// Once the user has settled line 3, all the rest arrives.
	b.put("a.txt", lines(map[int]string{3: "their line 3"}))
	b.pull(numbered(4), bring(third))
	if got := b.tree()["a.txt"]; got != third {
		t.Errorf("a.txt = %q", got)
	}
}
