package workdir

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
	"github.com/bundle-delivery/svc/internal/testkit/must"
)

// TestAFileFollowsAgainOnceItsConflictIsSettled: by taking what was offered, or by a
// mix of both sides.
// Promise: conflict-settled
func TestAFileFollowsAgainOnceItsConflictIsSettled(t *testing.T) {
	for name, test := range map[string]struct{ settled, brings, want string }{
		"taken": {"1\nI\n3\n4\n5\n6\n", "1\nI v%d\n3\n4\n5\n6\n", "1\nI v%d\n3\n4\n5\n6\n"},
		"mixed": {"1\nU and I\n3\n4\n5\n6\n", "1\nI\n3\n4\n5\n6 v%d\n", "1\nU and I\n3\n4\n5\n6 v%d\n"},
	} {
		t.Run(name, func(t *testing.T) {
			p := &pulls{fixture: newFixture(t)}
			p.pull(threeWay(t, tree{"a": "1\nL\n3\n4\n5\n6\n"}))
			p.put("a", "1\nU\n3\n4\n5\n6\n")
			if l := p.pull(threeWay(t, tree{"a": "1\nI\n3\n4\n5\n6\n"})); len(entriesOf(l, ConflictEntry)) != 1 {
				t.Fatalf("%+v", l.Entries)
			}
			must.Do(t, os.Remove(filepath.Join(p.dir, "a"+NewSuffix)))
			p.put("a", test.settled)
			for i := 3; i < 6; i++ {
				l := p.pull(threeWay(t, tree{"a": fmt.Sprintf(test.brings, i)}))
				if got, want := p.tree()["a"], fmt.Sprintf(test.want, i); got != want || len(entriesOf(l, ConflictEntry)) != 0 {
					t.Errorf("pull %d: a = %q, want %q, conflicts %v", i, got, want, entriesOf(l, ConflictEntry))
				}
			}
			p.rollBackAll()
		})
	}
	// What was taken as it was offered is the bundle's, and goes with it.
	b := newFixture(t)
	b.pull(bundle1, threeWay(t, tree{"a": "\x001"}))
	b.put("a", "\x00mine")
	b.pull(bundle2, threeWay(t, tree{"a": "\x002"}))
	must.Do(t, os.Rename(filepath.Join(b.dir, "a"+NewSuffix), filepath.Join(b.dir, "a")))
	if l := b.pull(bundle3, threeWay(t, tree{"b": "b"})); !slices.Equal(entriesOf(l, FileDeleted), []string{"a"}) {
		t.Errorf("%+v", l.Entries)
	}
}

// TestAConflictThatIsNotSettledKeepsItsAncestor: against what was only offered, the
// user's lines would look like deletions of the bundle's.
// Promise: conflict-settled
func TestAConflictThatIsNotSettledKeepsItsAncestor(t *testing.T) {
	b := newFixture(t)
	b.pull(numbered(1), threeWay(t, tree{"a": "1\nL\n3\n4\n5\n6\n"}))
	b.put("a", "1\nU\n3\n4\n5\n6\n")
	b.pull(numbered(2), threeWay(t, tree{"a": "1\nI\n3\n4\n5\n6\n"}))
	b.put("a", "1\nU\n3\n4\n5\n6\nmore\n")
	for i := 3; i < 5; i++ {
		theirs := fmt.Sprintf("1\nI\n3 v%d\n4\n5\n6\n", i)
		l := b.pull(numbered(i), threeWay(t, tree{"a": theirs}))
		if got := b.tree(); got["a"] != "1\nU\n3\n4\n5\n6\nmore\n" || got["a"+NewSuffix] != theirs || len(entriesOf(l, ConflictEntry)) != 1 {
			t.Errorf("%v, %+v", got, l.Entries)
		}
	}
}

// TestADeclinedChangeOfADeletedFileIsSaidOnce: until the bundle has yet another.
// Promise: pull-user-deleted
func TestADeclinedChangeOfADeletedFileIsSaidOnce(t *testing.T) {
	b := newFixture(t)
	b.pull(numbered(1), threeWay(t, tree{"a": "1\n", "k": "1"}))
	must.Do(t, os.Remove(filepath.Join(b.dir, "a")))
	for i, test := range []struct {
		theirs    string
		conflicts int
	}{{"2\n", 1}, {"2\n", 0}, {"3\n", 1}} {
		l := b.pull(numbered(i+2), threeWay(t, tree{"a": test.theirs, "k": fmt.Sprint(i)}))
		if _, there := b.tree()["a"]; there || len(entriesOf(l, ConflictEntry)) != test.conflicts {
			t.Errorf("pull %d: %+v", i+2, l.Entries)
		}
		if err := os.Remove(filepath.Join(b.dir, "a"+NewSuffix)); (err == nil) != (test.conflicts == 1) {
			t.Errorf("pull %d: %v", i+2, err)
		}
	}
}

// TestMergedFilesThatNobodyEditedGo: what merges made of a file is not an edit.
// Promise: merge-no-edit
func TestMergedFilesThatNobodyEditedGo(t *testing.T) {
	bring := func(v string) *bundlezip.Archive {
		return archive(t, nil,
			sf{Path: ".fooignore", MergeStrategy: bundlezip.AppendUnique, Content: text("/a" + v + "\n")},
			sf{Path: "m.sh", MergeStrategy: bundlezip.ManagedBlock, Content: text("echo " + v + "\n")},
			sf{Path: "edited", MergeStrategy: bundlezip.AppendUnique, Content: text("/a" + v + "\n")},
			sf{Path: "c.json", MergeStrategy: bundlezip.DeepMerge, Content: text(`{"v":` + v + `,"k` + v + `":1}`)})
	}
	p := &pulls{fixture: newFixture(t)}
	p.pull(bring("1"))
	p.put("edited", "/a1\nmine\n")
	p.pull(bring("2"))
	p.pull(bring("3"))
	l := p.pull(threeWay(t, tree{"k": "k"}))
	if diff := cmp.Diff([]string{".fooignore", "c.json", "m.sh"}, entriesOf(l, FileDeleted)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"edited"}, entriesOf(l, ConflictEntry)); diff != "" {
		t.Error(diff)
	}
	p.rollBackAll()
}

// add pushes files that the project does not have yet.
func (s *service) add(b *fixture, names ...string) {
	b.tb.Helper()
	must.Do(b.tb, b.with(nil, func(f *Folder) error {
		plan, err := f.PlanPush(names)
		if err != nil {
			return err
		}
		note, err := json.Marshal(map[string]any{"changes_version": 1, "base": plan.Base, "deleted": plan.Deleted})
		must.Do(b.tb, err)
		p, err := f.Push(plan, "https://svc.example", newPullID(), note)
		if err != nil {
			return err
		}
		state, at, refused := s.take(p.Archive)
		must.Do(b.tb, refused)
		return p.Answered(state, at)
	}))
}

// TestWhatWasPushedGoesWithTheBundle: a file that the user added and pushed is the
// project's from then on, unless it was edited since.
// Promise: merge-no-edit
func TestWhatWasPushedGoesWithTheBundle(t *testing.T) {
	for name, listed := range map[string]bool{"at once": false, "listed first": true} {
		t.Run(name, func(t *testing.T) {
			s := newService(t, nil, sf{Path: "a.go", Content: text("a\n")})
			b := newFixture(t)
			s.pull(b)
			b.put("mine.go", "func F() {}\n")
			b.put("edited.go", "func G() {}\n")
			s.add(b, "mine.go", "edited.go")
			if listed {
				s.state.Put(sf{Path: "a.go", Content: text("a2\n")})
				s.pull(b)
			}
			b.put("edited.go", "func G() { mine() }\n")
			for _, name := range []string{"mine.go", "edited.go"} {
				s.state.Remove("", name)
			}
			s.state.Put(sf{Path: "better.go", Content: text("func F() {}\n")})
			before := b.tree().visible()
			l := s.pull(b)
			if !slices.Equal(entriesOf(l, FileDeleted), []string{"mine.go"}) || !slices.Equal(entriesOf(l, ConflictEntry), []string{"edited.go"}) {
				t.Errorf("%+v", l.Entries)
			}
			b.rollback(l.BundleID)
			same(t, "project", b.tree().visible(), before)
		})
	}
}
