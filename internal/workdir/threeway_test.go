package workdir

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
	"github.com/bundle-delivery/svc/internal/testkit/must"
)

// TestThreeWayForEveryKindAndSize: what nobody has edited takes the new content;
// an edited text is merged; of what cannot be merged the user's stays.
// Promise: merge-three-way
func TestThreeWayForEveryKindAndSize(t *testing.T) {
	large := func(mark string) string { return strings.Repeat(mark+" line\n", 200_000) }
	lock := func(v string) string { return "{\n  \"v\": " + v + ",\n  \"a\": 1,\n  \"b\": 2\n}\n" }
	contents := map[string][3]string{ // path: first bundle, the user's edit, second bundle
		"large.txt":         {large("one"), large("mine"), large("two")},
		"logo.png":          {"\x89PNG\x00one", "\x89PNG\x00mine", "\x89PNG\x00two"},
		"package-lock.json": {lock("1"), strings.Replace(lock("1"), "\"b\": 2", "\"b\": 3", 1), lock("2")},
		"main.go":           {"a\nb\nc\nd\n", "a\nb\nc\nD\n", "A\nb\nc\nd\n"},
		"empty":             {"", "mine", "two"},
	}
	bring := func(n int) *bundlezip.Archive {
		all := tree{}
		for name, c := range contents {
			all[name] = c[n]
		}
		return threeWay(t, all)
	}
	unedited := newFixture(t)
	unedited.pull(bundle1, bring(0))
	if l := unedited.pull(bundle2, bring(2)); len(entriesOf(l, ConflictEntry)) != 0 {
		t.Errorf("conflicts about %v", entriesOf(l, ConflictEntry))
	}
	for name, c := range contents {
		if got := unedited.tree()[name]; got != c[2] {
			t.Errorf("%s did not take the new content", name)
		}
	}
	edited := newFixture(t)
	edited.pull(bundle1, bring(0))
	for name, c := range contents {
		edited.put(name, c[1])
	}
	l := edited.pull(bundle2, bring(2))
	got := edited.tree()
	for name, c := range contents {
		want := c[1]
		if name == "main.go" {
			want = "A\nb\nc\nD\n"
		} else if got[name+NewSuffix] != c[2] {
			t.Errorf("%s is not beside the user's", name+NewSuffix)
		}
		if got[name] != want {
			t.Errorf("%s has other content", name)
		}
	}
	conflicts := entriesOf(l, ConflictEntry)
	slices.Sort(conflicts)
	if diff := cmp.Diff([]string{"empty", "large.txt", "logo.png", "package-lock.json"}, conflicts); diff != "" {
		t.Error(diff)
	}
	// Taken back to the first content, the file follows again.
	edited.put("logo.png", contents["logo.png"][0])
	edited.pull(bundle3, bring(2))
	if got := edited.tree()["logo.png"]; got != contents["logo.png"][2] {
		t.Errorf("logo.png = %q", got)
	}
}

// TestThreeWayFollowsTheExecutableBit: where the bundle changes it, and only there.
// Promise: merge-three-way
func TestThreeWayFollowsTheExecutableBit(t *testing.T) {
	b := newFixture(t)
	b.pull(bundle1, threeWay(t, tree{"a": "a", "b": "b", "c": "1\n2\n3\n4\n"}))
	must.Do(t, os.Chmod(filepath.Join(b.dir, "b"), 0o755)) // the user's choice
	b.put("c", "1\n2\n3\nmine\n")
	b.pull(bundle2, threeWay(t, tree{"a": executable + "a", "b": "b2", "c": executable + "0\n2\n3\n4\n"}))
	got := b.tree()
	for name, want := range (tree{"a": executable + "a", "b": executable + "b2", "c": executable + "0\n2\n3\nmine\n"}) {
		if got[name] != want {
			t.Errorf("%s = %q, want %q", name, got[name], want)
		}
	}
}

// TestOverwriteNamesWhatItReplaces: edits that a bundle takes out are named with
// the place where they are; what a pull had written is not.
// Promise: overwritten-named
func TestOverwriteNamesWhatItReplaces(t *testing.T) {
	b := newFixture(t)
	b.put("mine", "from before")
	bring := func(v string) *bundlezip.Archive {
		return archive(t, nil, append(plain(bundlezip.Overwrite, tree{"mine": "m" + v, "edited": "e" + v, "alone": "a" + v}),
			sf{Path: "shared", DestinationType: bundlezip.GlobalConfig, Content: text("s" + v)})...)
	}
	kept := func(id string, a *bundlezip.Archive) tree {
		out := tree{}
		must.Do(t, b.with(nil, func(f *Folder) error {
			p, err := f.Plan(a, PlanOptions{BundleID: id})
			must.Do(t, err)
			for _, file := range p.Files {
				if file.EditsKept != "" {
					out[file.Name()] = file.EditsKept
				}
			}
			_, err = f.Apply(p)
			return err
		}))
		return out
	}
	files := func(id, name string) string { return historyDir + "/" + id + "/files/" + name }
	same(t, "first pull", kept(bundle1, bring("1")), tree{"mine": files(bundle1, "mine")})
	b.put("edited", "edit")
	b.put("shared", "edit")
	places := kept(bundle2, bring("2"))
	same(t, "second pull", places, tree{"edited": files(bundle2, "edited"), "shared": "shared" + BackupSuffix})
	for name, place := range places {
		if b.tree()[place] != "edit" {
			t.Errorf("%s is not at %s", name, place)
		}
	}
}
