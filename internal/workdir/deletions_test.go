package workdir

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
	"github.com/bundle-delivery/svc/internal/testkit/must"
)

// Promise: pull-deletes
func TestFilesThatTheBundleDropsGo(t *testing.T) {
	p := &pulls{fixture: newFixture(t)}
	p.pull(threeWay(t, tree{"a.go": "func F() {}\n", "dir/deep/c.go": "c", "dir/d.sh": executable + "d", "stay": "s"}))
	log := p.pull(threeWay(t, tree{"b.go": "func F() {}\n", "stay": "s"}))
	same(t, "project", files(p.tree()), tree{"b.go": "func F() {}\n", "stay": "s", LogName: p.tree()[LogName]})
	for _, folder := range []string{"dir/", "dir/deep/"} {
		if _, left := p.tree()[folder]; left {
			t.Errorf("the folder %s is left", folder)
		}
	}
	if diff := cmp.Diff([]string{"a.go", "dir/d.sh", "dir/deep/c.go"}, entriesOf(log, FileDeleted)); diff != "" {
		t.Error(diff)
	}
	for _, e := range log.Entries {
		if e.Type == FileDeleted && (e.Backup != ".svc/history/"+log.BundleID+"/files/"+e.Path || e.SHA256Before == "" || e.SHA256After != "") {
			t.Errorf("%+v", e)
		}
		if e.Type == FileDeleted && strings.TrimPrefix(p.tree()[e.Backup], executable) == "" {
			t.Errorf("%s is not kept", e.Path)
		}
	}
	p.rollBackAll()
}

// Promise: pull-deletes
func TestEditedFileThatTheBundleDrops(t *testing.T) {
	for policy, gone := range map[OnConflict]bool{ConflictKeep: false, ConflictTheirs: true, ConflictMarkers: false} {
		t.Run(string(policy), func(t *testing.T) {
			b := newFixture(t)
			b.pull(bundle1, threeWay(t, tree{"a": "theirs", "b": "b"}))
			b.put("a", "mine")
			before := b.tree().visible()
			var l Log
			must.Do(t, b.with(nil, func(f *Folder) (err error) {
				p, err := f.Plan(threeWay(t, tree{"b": "b"}), PlanOptions{BundleID: bundle2, OnConflict: policy})
				must.Do(t, err)
				if got := p.Conflicts(); len(got) != 1 || !strings.HasPrefix(got[0], "a: the bundle no longer has this file") {
					t.Errorf("conflicts: %q", got)
				}
				l, err = f.Apply(p)
				return err
			}))
			got := b.tree()
			if content, there := got["a"]; there == gone || there && content != "mine" {
				t.Errorf("a = %q, %v", content, there)
			}
			if len(entriesOf(l, ConflictEntry)) != 1 || (len(entriesOf(l, FileDeleted)) == 1) != gone {
				t.Errorf("entries %+v", l.Entries)
			}
			if gone && got[".svc/history/"+bundle2+"/files/a"] != "mine" {
				t.Error("the edit is not in the history")
			}
			// It is said once; then the file is the user's.
			again := b.pull(bundle3, threeWay(t, tree{"b": "b"}))
			if len(entriesOf(again, ConflictEntry)) != 0 {
				t.Errorf("entries %+v", again.Entries)
			}
			b.rollback(bundle3)
			b.rollback(bundle2)
			same(t, "project", b.tree().visible(), before)
		})
	}
	b := newFixture(t)
	b.pull(bundle1, threeWay(t, tree{"a": "theirs"}))
	b.put("a", "mine")
	before := b.tree()
	err := b.with(nil, func(f *Folder) error { _, err := pullInto(f, bundle2, threeWay(t, tree{}), ConflictAbort); return err })
	if !errors.Is(err, ErrConflicts) {
		t.Errorf("%v", err)
	}
	same(t, "project", b.tree(), before)
}

// TestWhatIsNotTheBundlesStays: nothing goes that the user had before, that is
// shared with others, that another project brought, or in which there are lines
// of the user's.
// Promise: pull-deletes
func TestWhatIsNotTheBundlesStays(t *testing.T) {
	b := newFixture(t)
	tree{"mine.txt": "same", "kept.txt": "mine", ".gitignore": "/own\n", "own/": ""}.write(t, b.dir)
	first := append(plain(bundlezip.ThreeWay, tree{"mine.txt": "same", "own/x": "x"}),
		sf{Path: "kept.txt", MergeStrategy: bundlezip.CreateOnly, Content: text("theirs")},
		sf{Path: ".gitignore", MergeStrategy: bundlezip.AppendUnique, Content: text("/dist\n")},
		sf{Path: "package.json", MergeStrategy: bundlezip.DeepMerge, DestinationType: bundlezip.GlobalConfig, Content: text(`{"a":1}`)},
	)
	b.pull(bundle1, archive(t, nil, first...))
	other := bundlezip.State{ProjectID: "proj_other", Files: []sf{{Path: "other.txt", Content: text("other")}}}
	b.pull(bundle2, archiveOf(t, other))
	if got := b.tree(); got["own/x"] != "x" || got["mine.txt"] != "same" {
		t.Fatalf("another project's bundle took something: %v", got)
	}
	l := b.pull(bundle3, threeWay(t, tree{"z": "z"}))
	got := b.tree()
	for name, want := range (tree{
		"mine.txt": "same", "kept.txt": "mine", "other.txt": "other", ".gitignore": "/own\n/dist\n", "package.json": `{"a":1}`, "own/": "",
	}) {
		if content, there := got[name]; !there || content != want {
			t.Errorf("%s = %q, %v", name, content, there)
		}
	}
	if diff := cmp.Diff([]string{"own/x"}, entriesOf(l, FileDeleted)); diff != "" {
		t.Error(diff)
	}
	if c := entriesOf(l, ConflictEntry); len(c) != 0 {
		t.Errorf("conflicts about %v", c)
	}
}

// TestAFileThatTwoProjectsHave: it goes with neither while the other has it.
// Promise: pull-deletes
func TestAFileThatTwoProjectsHave(t *testing.T) {
	of := func(id string, files tree) *bundlezip.Archive {
		return archiveOf(t, bundlezip.State{ProjectID: id, Files: plain(bundlezip.ThreeWay, files)})
	}
	p := &pulls{fixture: newFixture(t)}
	p.pull(of("proj_a", tree{"LICENSE": "MIT\n", "README.md": "A\n", "a": "a"}))
	p.pull(of("proj_b", tree{"LICENSE": "MIT\n", "README.md": "B\n", "b": "b"}))
	p.pull(of("proj_a", tree{"LICENSE": "MIT\n", "README.md": "A\n", "a": "a"}))
	l := p.pull(of("proj_b", tree{"b": "b"}))
	if got := p.tree(); got["LICENSE"] != "MIT\n" || got["README.md"] != "A\n" || len(entriesOf(l, ConflictEntry)) != 0 {
		t.Errorf("%v, %+v", got, l.Entries)
	}
	l = p.pull(of("proj_a", tree{"a": "a"}))
	if diff := cmp.Diff([]string{"LICENSE", "README.md"}, entriesOf(l, FileDeleted)); diff != "" {
		t.Error(diff)
	}
	p.rollBackAll()
}

// TestWhatTheUserDeletedStaysAway: a deletion is an edit like others. It stays, a
// bundle that has something new for the file is a conflict, and a push sends it.
// Promise: pull-user-deleted
func TestWhatTheUserDeletedStaysAway(t *testing.T) {
	for policy, want := range map[OnConflict]tree{
		ConflictKeep:    {"b.go" + NewSuffix: "2\n"},
		ConflictMarkers: {"b.go" + NewSuffix: "2\n"},
		ConflictTheirs:  {"b.go": "2\n"},
	} {
		t.Run(string(policy), func(t *testing.T) {
			b := newFixture(t)
			const made, over, config = bundlezip.CreateOnly, bundlezip.Overwrite, bundlezip.GlobalConfig
			bundle := func(v string) *bundlezip.Archive {
				return archive(t, nil, append(plain(bundlezip.ThreeWay, tree{"a.go": "1\n", "b.go": v, "k": v}),
					sf{Path: "once", MergeStrategy: made, Content: text(v)}, sf{Path: "always", MergeStrategy: over, Content: text("1\n")},
					sf{Path: ".env", MergeStrategy: bundlezip.EnvMerge, DestinationType: config, Content: text("A=1\n")})...)
			}
			b.pull(bundle1, bundle("1\n"))
			must.Do(t, os.Rename(filepath.Join(b.dir, "a.go"), filepath.Join(b.dir, "renamed.go")))
			for _, name := range []string{"b.go", "once", "always", ".env"} {
				must.Do(t, os.Remove(filepath.Join(b.dir, name)))
			}
			before := b.tree().visible()
			var l Log
			must.Do(t, b.with(nil, func(f *Folder) (err error) {
				p, err := f.Plan(bundle("2\n"), PlanOptions{BundleID: bundle2, OnConflict: policy, State: digestOf(nil)})
				must.Do(t, err)
				if got := p.Conflicts(); len(got) != 1 || !strings.HasPrefix(got[0], "b.go: you have deleted this file, and the bundle has changed it") {
					t.Errorf("conflicts: %q", got)
				}
				l, err = f.Apply(p)
				return err
			}))
			want := maps.Clone(want)
			maps.Copy(want, tree{"renamed.go": "1\n", "k": "2\n", "always": "1\n", ".env": "A=1\n", LogName: b.tree()[LogName]})
			same(t, "project", b.tree().visible(), want)
			said := 0
			for _, e := range l.Entries {
				if e.Type == FileKept && e.Detail == "you have deleted this file" {
					said++
				}
			}
			if said != 2 || !slices.Equal(entriesOf(l, ConflictEntry), []string{"b.go"}) {
				t.Errorf("%+v", l.Entries)
			}
			must.Do(t, b.with(nil, func(f *Folder) error {
				plan, err := f.PlanPush(nil)
				must.Do(t, err)
				deleted, open := []string{"a.go", "b.go", "once"}, []string{"b.go"}
				if policy == ConflictTheirs {
					deleted, open = []string{"a.go", "once"}, nil
				}
				if !slices.Equal(plan.Deleted, deleted) || !slices.Equal(plan.Unresolved, open) {
					t.Errorf("push: deleted %v, unresolved %v", plan.Deleted, plan.Unresolved)
				}
				return nil
			}))
			b.rollback(bundle2)
			same(t, "project", b.tree().visible(), before)
		})
	}
}

// TestRoomForFilesAndFolders: a file where a folder was and a folder where a file
// was, there and back.
// Promise: pull-deletes
func TestRoomForFilesAndFolders(t *testing.T) {
	p := &pulls{fixture: newFixture(t)}
	p.pull(threeWay(t, tree{"x": "file", "y/a": "a", "y/b/c": "c"}))
	p.pull(threeWay(t, tree{"x/in/it": "folder", "y": "file"}))
	if got := p.tree(); got["x/in/it"] != "folder" || got["y"] != "file" {
		t.Fatalf("%v", got)
	}
	p.pull(threeWay(t, tree{"x": "file", "y/a": "a", "y/b/c": "c"}))
	if got := p.tree(); got["x"] != "file" || got["y/b/c"] != "c" {
		t.Fatalf("%v", got)
	}
	p.rollBackAll()

	// Something of the user's in the new folder: nothing is half done.
	b := newFixture(t)
	b.pull(bundle1, threeWay(t, tree{"x": "file"}))
	b.pull(bundle2, threeWay(t, tree{"x/y": "folder"}))
	b.put("x/mine", "mine")
	before := b.tree()
	err := b.with(nil, func(f *Folder) error { _, _, err := f.Rollback(bundle2); return err })
	if !errors.Is(err, ErrUntrusted) || !strings.Contains(err.Error(), "x/mine") {
		t.Errorf("%v", err)
	}
	same(t, "project", b.tree(), before)
	must.Do(t, os.Remove(filepath.Join(b.dir, "x", "mine")))
	b.rollback(bundle2)
	if got := b.tree()["x"]; got != "file" {
		t.Errorf("x = %q", got)
	}
}

// TestDeletedAndMadeAnew: what a person puts where a deleted file was is kept when
// the file comes back, and has no ancestor when a bundle brings one again.
// Promise: pull-deletes
func TestDeletedAndMadeAnew(t *testing.T) {
	b := newFixture(t)
	b.pull(bundle1, threeWay(t, tree{"a": "1\n2\n3\n", "b": "b"}))
	b.pull(bundle2, threeWay(t, tree{"b": "b"}))
	b.put("a", "mine\n")
	l := b.pull(bundle3, threeWay(t, tree{"a": "1\n2\n3\n4\n", "b": "b"}))
	if got := b.tree(); got["a"] != "mine\n" || got["a"+NewSuffix] != "1\n2\n3\n4\n" || len(entriesOf(l, ConflictEntry)) != 1 {
		t.Errorf("%v", got)
	}
	b.rollback(bundle3)
	back, _ := b.rollback(bundle2)
	if got := b.tree(); got["a"] != "1\n2\n3\n" || got[trashDir+"/"+bundle2+"/a"] != "mine\n" {
		t.Errorf("%v", got)
	}
	if !slices.Contains(back.Restored, "a") || !slices.Contains(back.Preserved, trashDir+"/"+bundle2+"/a") {
		t.Errorf("%+v", back)
	}
}

// TestABundleWithoutFiles: it is the last pull like any other.
// Promise: pull-deletes
func TestABundleWithoutFiles(t *testing.T) {
	p := &pulls{fixture: newFixture(t)}
	p.pull(threeWay(t, tree{"a": "a", "b": "b"}))
	p.put("a", "mine")
	if l := p.pull(threeWay(t, tree{})); len(entriesOf(l, ConflictEntry)) != 1 || len(entriesOf(l, FileDeleted)) != 1 {
		t.Errorf("%+v", l.Entries)
	}
	if l := p.pull(threeWay(t, tree{})); len(entriesOf(l, ConflictEntry)) != 0 || len(entriesOf(l, FileDeleted)) != 0 {
		t.Errorf("%+v", l.Entries)
	}
	p.rollBackAll()
}

// TestUnsignedHistoryDeletesNothing: who could have written the list of files is
// not known.
// Promise: pull-deletes
func TestUnsignedHistoryDeletesNothing(t *testing.T) {
	b := newFixture(t)
	must.Do(t, os.Remove(b.home))
	b.pull(bundle1, threeWay(t, tree{"a": "a"}))
	b.pull(bundle2, threeWay(t, tree{"b": "b"}))
	if got := b.tree()["a"]; got != "a" {
		t.Errorf("a = %q", got)
	}
}

// Promise: pull-deletes
func TestDeletionsAreShownBeforehand(t *testing.T) {
	b := newFixture(t)
	b.pull(bundle1, threeWay(t, tree{"a": "a\n", "b": "b\n"}))
	before := b.tree()
	must.Do(t, b.with(nil, func(f *Folder) error {
		p, err := f.Plan(threeWay(t, tree{"b": "b\n"}), PlanOptions{BundleID: bundle2})
		must.Do(t, err)
		if len(p.Files) != 2 || p.Files[0].Action != Delete || p.Files[0].Name() != "a" {
			t.Errorf("%+v", p.Files)
		}
		changes := p.Changes()
		if len(changes) != 1 || !changes[0].Deleted {
			t.Fatalf("%+v", changes)
		}
		was, err := changes[0].Before()
		if err != nil || string(was) != "a\n" {
			t.Errorf("%q, %v", was, err)
		}
		// What changes between plan and pull is noticed.
		tree{"a": "edited"}.write(t, b.dir)
		_, err = f.Apply(p)
		if !errors.Is(err, ErrChanged) {
			t.Errorf("%v", err)
		}
		tree{"a": "a\n"}.write(t, b.dir)
		return nil
	}))
	same(t, "project", b.tree(), before)
}

// TestWhatStandsInTheWayStays: a file of the user's where the bundle has a folder, and
// a folder where it has a file. What the bundle has lies beside it.
// Promise: pull-file-or-folder
func TestWhatStandsInTheWayStays(t *testing.T) {
	incoming := tree{"x/in": "2", "x/deep/in": "2", "y": "2", "k": "2"}
	for policy, want := range map[OnConflict]tree{
		ConflictKeep:    {"x": "mine", "x" + NewSuffix + "/in": "2", "x" + NewSuffix + "/deep/in": "2", "y/mine": "mine", "y" + NewSuffix: "2", "k": "2"},
		ConflictMarkers: {"x": "mine", "x" + NewSuffix + "/in": "2", "x" + NewSuffix + "/deep/in": "2", "y/mine": "mine", "y" + NewSuffix: "2", "k": "2"},
		ConflictTheirs:  {"x/in": "2", "x/deep/in": "2", "y/mine": "mine", "y" + NewSuffix: "2", "k": "2"},
		ConflictAbort:   nil,
	} {
		for name, edited := range map[string]bool{"edited": true, "own": false} {
			t.Run(string(policy)+" "+name, func(t *testing.T) {
				b := newFixture(t)
				if edited {
					b.pull(bundle1, threeWay(t, tree{"x": "1", "y/in": "1", "k": "1"}))
				}
				b.put("x", "mine")
				b.put("y/mine", "mine")
				before := b.tree().visible()
				var l Log
				err := b.with(nil, func(f *Folder) (err error) { l, err = pullInto(f, bundle2, threeWay(t, incoming), policy); return err })
				if policy == ConflictAbort {
					if !errors.Is(err, ErrConflicts) {
						t.Error(err)
					}
					same(t, "project", b.tree().visible(), before)
					return
				}
				must.Do(t, err)
				got := files(b.tree())
				delete(got, LogName)
				same(t, "project", got, want)
				if diff := cmp.Diff([]string{"x", "y"}, entriesOf(l, ConflictEntry)); diff != "" {
					t.Error(diff)
				}
				b.pull(bundle3, threeWay(t, incoming)) // no worse the second time
				got = files(b.tree())
				delete(got, LogName)
				same(t, "project", got, want)
				b.rollback(bundle3)
				b.rollback(bundle2)
				same(t, "project", b.tree().visible(), before)
			})
		}
	}
}

// TestAFolderOfThePullsGivesWay: one that the user has emptied, with the permissions
// that it had when it comes back.
// Promise: pull-deletes
func TestAFolderOfThePullsGivesWay(t *testing.T) {
	b := newFixture(t)
	b.pull(bundle1, threeWay(t, tree{"x/in": "1", "d/e/f": "1", "k": "1"}))
	must.Do(t, os.Remove(filepath.Join(b.dir, "x", "in")))
	must.Do(t, os.Chmod(filepath.Join(b.dir, "d"), 0o700))
	before := b.tree().visible()
	b.pull(bundle2, threeWay(t, tree{"x": "2", "k": "1"}))
	if got := b.tree(); got["x"] != "2" {
		t.Errorf("%v", got)
	}
	b.rollback(bundle2)
	same(t, "project", b.tree().visible(), before)
	if info, err := os.Stat(filepath.Join(b.dir, "d")); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

// TestWhatWasOfferedGoes: beside a file that took it, or that the bundle has no longer,
// there is nothing to choose from.
// Promise: pull-deletes
func TestWhatWasOfferedGoes(t *testing.T) {
	p := &pulls{fixture: newFixture(t)}
	p.pull(threeWay(t, tree{"taken": "1\n", "followed": "1\n", "kept": "1\n", "own": "1\n"}))
	for _, name := range []string{"taken", "followed", "kept", "own"} {
		p.put(name, "mine\n")
	}
	p.pull(threeWay(t, tree{"taken": "2\n", "followed": "2\n", "kept": "2\n", "own": "2\n"}))
	p.put("taken", "2\n")
	p.put("followed", "2\n")
	p.put("own"+NewSuffix, "2 and mine\n")
	p.pull(threeWay(t, tree{"kept/in": "3\n", "followed": "3\n"}))
	got := files(p.tree())
	delete(got, LogName)
	same(t, "project", got, tree{"followed": "3\n", "kept": "mine\n", "kept" + NewSuffix + "/in": "3\n", "own": "mine\n", "own" + NewSuffix: "2 and mine\n"})
	p.rollBackAll()
}

// TestAFileOfTheUsersWhereOneWasDropped: it is not what the bundle once had there,
// whatever it holds.
// Promise: pull-deletes
func TestAFileOfTheUsersWhereOneWasDropped(t *testing.T) {
	b := newFixture(t)
	b.pull(bundle1, threeWay(t, tree{"a": "1\n2\n3\n", "k": "k"}))
	must.Do(t, os.Remove(filepath.Join(b.dir, "a")))
	b.pull(bundle2, threeWay(t, tree{"k": "k"}))
	b.put("a", "1\n2\n3\n")
	l := b.pull(bundle3, threeWay(t, tree{"a": "x\n", "k": "k"}))
	if got := b.tree(); got["a"] != "1\n2\n3\n" || got["a"+NewSuffix] != "x\n" || len(entriesOf(l, ConflictEntry)) != 1 {
		t.Errorf("%v", got)
	}
}

// TestTakingTheirsSaysWhereTheEditsAre, whatever takes them out.
// Promise: overwritten-named
func TestTakingTheirsSaysWhereTheEditsAre(t *testing.T) {
	b := newFixture(t)
	b.pull(bundle1, threeWay(t, tree{"a": "1\n", "bin": "\x00a", "gone": "1"}))
	for _, name := range []string{"a", "bin", "gone"} {
		b.put(name, "mine\x00\n")
	}
	must.Do(t, b.with(nil, func(f *Folder) error {
		p, err := f.Plan(threeWay(t, tree{"a": "2\n", "bin": "\x00b"}), PlanOptions{BundleID: bundle2, OnConflict: ConflictTheirs})
		must.Do(t, err)
		_, err = f.Apply(p)
		for _, file := range p.Files {
			if got := b.tree()[file.EditsKept]; got != "mine\x00\n" {
				t.Errorf("%s: %q has %q", file.Path, file.EditsKept, got)
			}
		}
		return err
	}))
}

// TestARenameThatOnlyChangesCase: where both names are one file, as links make them
// here, it is still what a pull brought.
// Promise: pull-deletes
func TestARenameThatOnlyChangesCase(t *testing.T) {
	b := newFixture(t)
	b.pull(bundle1, threeWay(t, tree{"README.md": "1\n2\n3\n", "Edited.md": "1\n2\n3\n"}))
	b.put("Edited.md", "1\n2\n3\nmine\n")
	for _, name := range []string{"README.md", "Edited.md"} {
		must.Do(t, os.Link(filepath.Join(b.dir, name), filepath.Join(b.dir, strings.ToLower(name))))
	}
	l := b.pull(bundle2, threeWay(t, tree{"readme.md": "x\n", "edited.md": "0\n2\n3\n"}))
	if got := b.tree(); got["readme.md"] != "x\n" || got["edited.md"] != "0\n2\n3\nmine\n" || len(entriesOf(l, ConflictEntry)) != 0 {
		t.Errorf("%v, %+v", got, l.Entries)
	}
	must.Do(t, os.Remove(filepath.Join(b.dir, "README.md")))
	if l := b.pull(bundle3, threeWay(t, tree{"edited.md": "0\n2\n3\n"})); !slices.Equal(entriesOf(l, FileDeleted), []string{"readme.md"}) {
		t.Errorf("%+v", l.Entries)
	}
}
