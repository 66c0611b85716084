package workdir

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
	"github.com/bundle-delivery/svc/internal/testkit/must"
)

// The names that random trees and bundles share, so that they meet.
var names = []string{
	"a.txt", "b.txt", "dir/c.txt", "dir/deep/d.txt", "conf.json", "dir/conf.yaml", "conf.toml", ".env", ".gitignore", "Makefile", "x/y/z/run.sh",
}

var contents = rapid.OneOf(
	rapid.SampledFrom([]string{
		"", "one\n", "one\ntwo\nthree\n", "ONE\ntwo\nthree\n", "one\ntwo\nTHREE", "A=1\nB=2\n", "A=9\n", "{\"a\": 1}", "{\n  \"a\": 2,\n  \"b\": [1]\n}\n",
		"a: 1\nb:\n  - x\n", "a = 1\n[t]\nb = 2\n", "not { any [ format", "\x00\x01binary",
	}),
	rapid.StringMatching(`([a-zA-Z]{1,6}[:= ][a-z0-9]{0,4}\n){0,5}`),
)

func drawTree(t *rapid.T) tree {
	out := tree{}
	for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom(names), 0, 6, rapid.ID).Draw(t, "files") {
		content := contents.Draw(t, "content")
		if rapid.Bool().Draw(t, "executable") {
			content = executable + content
		}
		out[name] = content
	}
	if rapid.Bool().Draw(t, "backup") {
		out["conf.json"+BackupSuffix] = "an old backup"
	}
	return out
}

var strategies = []bundlezip.MergeStrategy{
	bundlezip.Overwrite, bundlezip.CreateOnly, bundlezip.DeepMerge, bundlezip.EnvMerge,
	bundlezip.AppendUnique, bundlezip.ManagedBlock, bundlezip.ThreeWay,
}

func drawBundle(tb testing.TB, t *rapid.T) *bundlezip.Archive {
	tb.Helper()
	var files []sf
	for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom(names), 0, 8, rapid.ID).Draw(t, "bundle") {
		files = append(files, sf{
			Path:            name,
			MergeStrategy:   rapid.SampledFrom(strategies).Draw(t, "strategy"),
			DestinationType: rapid.SampledFrom([]bundlezip.DestinationType{bundlezip.Project, bundlezip.GlobalConfig}).Draw(t, "destination"),
			Mode:            rapid.SampledFrom([]bundlezip.Mode{bundlezip.Plain, bundlezip.Executable}).Draw(t, "mode"),
			Content:         text(contents.Draw(t, "incoming")),
		})
	}
	return archive(tb, nil, files...)
}

var policies = rapid.SampledFrom([]OnConflict{"", ConflictKeep, ConflictTheirs, ConflictMarkers})

func numbered(n int) string { return fmt.Sprintf("01890a5d-ac96-774b-bcce-%012d", n) }

// TestPullThenRollbackIsTheIdentity holds for every tree and every bundle.
// Promise: rollback-inverse
func TestPullThenRollbackIsTheIdentity(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		b := newFixture(t)
		drawTree(r).write(t, b.dir)
		before := b.tree()
		a := drawBundle(t, r)
		must.Do(t, b.with(nil, func(f *Folder) error {
			_, err := pullInto(f, bundle1, a, policies.Draw(r, "policy"))
			return err
		}))
		b.rollback(bundle1)
		after := b.tree()
		delete(after, RollbackLogName)
		if fmt.Sprint(after) != fmt.Sprint(before) {
			r.Fatalf("before %v\nafter  %v", before, after)
		}
	})
}

// TestStacksOfPulls: any sequence of pulls, edits and rollbacks. A rollback
// brings every file that its pull touched to what it was before, leaves every
// other file alone, and no edit is ever lost.
// Promise: rollback-inverse
func TestStacksOfPulls(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		b := newFixture(t)
		drawTree(r).write(t, b.dir)
		type done struct {
			id      string
			before  tree
			touched []string
		}
		var stack []done
		edits := map[string]bool{}
		for i := range rapid.IntRange(1, 7).Draw(r, "steps") {
			switch action := rapid.SampledFrom([]string{"pull", "edit", "rollback"}).Draw(r, "action"); {
			case action == "pull":
				d := done{id: numbered(i), before: files(b.tree())}
				a := drawBundle(t, r)
				must.Do(t, b.with(nil, func(f *Folder) error {
					l, err := pullInto(f, d.id, a, policies.Draw(r, "policy"))
					for _, e := range l.Entries {
						if e.Type == FileWritten || e.Type == ConfigMerged || e.Type == FileDeleted {
							d.touched = append(d.touched, e.Path)
						}
						if e.Type == GlobalConfigBackup {
							d.touched = append(d.touched, e.Path+BackupSuffix)
						}
					}
					return err
				}))
				d.touched = append(d.touched, LogName)
				stack = append(stack, d)
			case action == "edit":
				name := rapid.SampledFrom(names).Draw(r, "edited")
				content := fmt.Sprintf("edit %d by hand", i)
				b.put(name, content)
				edits[content] = true
			case len(stack) > 0:
				d := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				want := files(b.tree())
				for _, name := range d.touched {
					if content, was := d.before[name]; was {
						want[name] = content
					} else {
						delete(want, name)
					}
				}
				b.rollback(d.id)
				if got := files(b.tree()); !maps.Equal(got, want) {
					r.Fatalf("after the rollback of %s\n got %v\nwant %v", d.id, got, want)
				}
			}
			// What a person wrote may have been edited again by the person, or
			// be kept in the history while a pull stands over it.
			everything := strings.Join(slices.Collect(maps.Values(b.tree())), "\n")
			for content := range edits {
				if !strings.Contains(everything, content) && !overwritten(edits, content) {
					r.Fatalf("%q is lost", content)
				}
			}
		}
	})
}

// overwritten forgives an edit that a later edit replaced: both were the user's.
func overwritten(edits map[string]bool, content string) bool {
	for later := range edits {
		if later > content {
			return true
		}
	}
	return false
}

// files leaves out folders and what the client keeps for itself.
func files(t tree) tree {
	out := t.visible()
	maps.DeleteFunc(out, func(name, _ string) bool { return strings.HasSuffix(name, "/") })
	return out
}

// TestCreatedFoldersGo: only folders that the pull made, and only empty ones.
// Promise: rollback-inverse
func TestCreatedFoldersGo(t *testing.T) {
	b := newFixture(t)
	b.put("mine/", "")
	a := archive(t, nil, sf{Path: "mine/x", Content: text("x")}, sf{Path: "theirs/deep/x", Content: text("x")}, sf{Path: "shared/x", Content: text("x")})
	b.pull(bundle1, a)
	b.put("shared/own", "mine")
	b.rollback(bundle1)
	same(t, "project", b.tree().visible(), tree{"mine/": "", "shared/": "", "shared/own": "mine"})
}

// TestNoHome: a folder without a home is served as well, by the log alone.
func TestNoHome(t *testing.T) {
	b := newFixture(t)
	must.Do(t, os.Remove(b.home))
	b.put("a.txt", "old")
	b.pull(bundle1, archive(t, nil, sf{Path: "a.txt", Content: text("new")}))
	if _, err := os.Stat(filepath.Join(b.home)); err == nil {
		t.Error("a home folder was made")
	}
	b.rollback(bundle1)
	same(t, "project", b.tree().visible(), tree{"a.txt": "old"})
}

// TestUnsealedJournalIsFinished: the same, after a death at every change.
// Promise: pull-atomic
func TestUnsealedJournalIsFinished(t *testing.T) {
	a := archive(t, nil, sf{Path: "a.txt", DestinationType: bundlezip.GlobalConfig, Content: text("new")}, sf{Path: "b/c.txt", Content: text("new")})
	pull := func(f *Folder) error { _, err := pullInto(f, bundle1, a, ""); return err }
	prepare := func() *fixture {
		b := newFixture(t)
		must.Do(t, os.Remove(b.home))
		b.put("a.txt", "old")
		b.put("a.txt.svc.backup", "older")
		return b
	}
	total := countChanges(prepare(), pull)
	for n := range total {
		b := prepare()
		old := b.tree()
		if err := b.with(cutAt(n), pull); err == nil {
			t.Fatal("nothing happened")
		}
		recoverIn(b)
		switch got := b.tree(); got["a.txt"] {
		case "old":
			same(t, "project", got, old)
		case "new":
			if got["b/c.txt"] != "new" || got["a.txt.svc.backup"] != "old" {
				t.Fatalf("half done: %v", got)
			}
			rollback := func(f *Folder) error { _, _, err := f.Rollback(bundle1); return err }
			steps := n % 7 // die in the rollback as well, at one place or another
			if err := b.with(cutAt(steps*5), rollback); err != nil {
				// It may have been done but for the tidying up.
				if err := b.with(nil, rollback); err != nil && !errors.Is(err, ErrNoLog) {
					t.Fatal(err)
				}
			}
			same(t, "project", b.tree().visible(), old)
		}
	}
}
