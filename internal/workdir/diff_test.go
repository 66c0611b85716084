package workdir

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
	"github.com/bundle-delivery/svc/internal/testkit/must"
)

// diffs are the changes that Diff tells, by name.
func (b *fixture) diffs() map[string]string {
	b.tb.Helper()
	out := map[string]string{}
	must.Do(b.tb, b.with(nil, func(f *Folder) error {
		d, err := f.Diff()
		for _, file := range d.Files {
			text, err := file.Unified()
			must.Do(b.tb, err)
			out[file.Name] = text
		}
		return err
	}))
	return out
}

func (b *fixture) appendTo(dir, name, more string) {
	b.tb.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	content, err := os.ReadFile(path)
	must.Do(b.tb, err)
	must.Do(b.tb, os.WriteFile(path, append(content, more...), 0o644))
}

// Promise: diff-command
func TestDiffKnowsWhatEveryStrategyDelivered(t *testing.T) {
	b := newFixture(t)
	b.put("merged.json", "{\n  \"mine\": 1\n}\n")
	b.put("block.sh", "mine\n")
	b.put("own.txt", "mine\n")
	files := []sf{
		{Path: "block.sh", MergeStrategy: bundlezip.ManagedBlock, DestinationType: bundlezip.GlobalConfig, Content: text("theirs\n")},
		{Path: "code.go", MergeStrategy: bundlezip.ThreeWay, Content: text("package code\n")},
		{Path: "env", MergeStrategy: bundlezip.EnvMerge, DestinationType: bundlezip.GlobalConfig, Content: text("A=1\n")},
		{Path: "home.json", Base: bundlezip.Home, MergeStrategy: bundlezip.DeepMerge, DestinationType: bundlezip.GlobalConfig, Content: text("{\"a\": 1}\n")},
		{Path: "image.bin", MergeStrategy: bundlezip.ThreeWay, Content: text("\x00\x01")},
		{Path: "large.txt", MergeStrategy: bundlezip.Overwrite, Content: text(strings.Repeat("large\n", maxMerged/6+1))},
		{Path: "merged.json", MergeStrategy: bundlezip.DeepMerge, DestinationType: bundlezip.GlobalConfig, Content: text("{\"theirs\": 2}\n")},
		{Path: "own.txt", MergeStrategy: bundlezip.CreateOnly, Content: text("theirs\n")},
		{Path: "over.txt", MergeStrategy: bundlezip.Overwrite, Content: text("over\n")},
	}
	b.pull(bundle1, archive(t, nil, files...))
	if got := b.diffs(); len(got) > 0 {
		t.Fatalf("right after the pull: %v", got)
	}
	edit := func() {
		for _, name := range []string{"block.sh", "code.go", "env", "image.bin", "large.txt", "merged.json", "own.txt", "over.txt"} {
			b.appendTo(b.dir, name, "// edit\n")
		}
		b.appendTo(b.home, "home.json", "// edit\n")
	}
	edit()
	check := func(got map[string]string) {
		t.Helper()
		for _, name := range []string{"block.sh", "code.go", "env", "merged.json", "over.txt", "~/home.json"} {
			if !strings.Contains(got[name], "\n+// edit\n") || strings.Count(got[name], "\n+")+strings.Count(got[name], "\n-") != 2 {
				t.Errorf("%s: %q", name, got[name])
			}
		}
		if got["image.bin"] != "changed, and its delivered content is not kept: image.bin\n" || got["large.txt"] != "changed, and its delivered content is not kept: large.txt\n" {
			t.Errorf("%q, %q", got["image.bin"], got["large.txt"])
		}
		if _, ok := got["own.txt"]; ok || len(got) != 8 {
			t.Errorf("a file that is the user's own is among %v", got)
		}
	}
	check(b.diffs())

	// A second pull that leaves the merged files alone changes nothing of that.
	b.put("block.sh", strings.TrimSuffix(b.tree()["block.sh"], "// edit\n"))
	b.put("merged.json", strings.TrimSuffix(b.tree()["merged.json"], "// edit\n"))
	b.put("env", "A=1\n")
	b.put("over.txt", "over\n")
	b.pull(bundle2, archive(t, nil, files...))
	got := b.diffs()
	if _, ok := got["merged.json"]; ok {
		t.Errorf("not edited, and yet: %q", got["merged.json"])
	}
	b.appendTo(b.dir, "merged.json", "// edit\n")
	if got := b.diffs(); !strings.Contains(got["merged.json"], "\n+// edit\n") {
		t.Errorf("%v", got)
	}
}

// A log that somebody else wrote tells what differs, and no lines.
// Promise: diff-command
func TestDiffWithoutAHistory(t *testing.T) {
	b := newFixture(t)
	b.pull(bundle1, archive(t, nil, sf{Path: "a.txt", MergeStrategy: bundlezip.ThreeWay, Content: text("a\n")}, sf{Path: "b.txt", Content: text("b\n")}))
	must.Do(t, os.RemoveAll(filepath.Join(b.dir, stateDir)))
	b.appendTo(b.dir, "a.txt", "mine\n")
	must.Do(t, os.Remove(filepath.Join(b.dir, "b.txt")))
	want := map[string]string{
		"a.txt": "changed, and its delivered content is not kept: a.txt\n",
		"b.txt": "changed, and its delivered content is not kept: b.txt\n",
	}
	if diff := cmp.Diff(want, b.diffs()); diff != "" {
		t.Error(diff)
	}
}

// Promise: history-command
func TestHistoryIsWhatCanBeTakenBack(t *testing.T) {
	b := newFixture(t)
	history := func() (ids []string) {
		must.Do(t, b.with(nil, func(f *Folder) error {
			pulls, err := f.History()
			for _, p := range pulls {
				ids = append(ids, p.BundleID)
				if !p.Signed || p.ProjectID != project || p.At == "" {
					t.Errorf("%+v", p)
				}
			}
			return err
		}))
		return ids
	}
	last := func() (id string) {
		must.Do(t, b.with(nil, func(f *Folder) (err error) {
			id, err = f.LastBundle()
			return err
		}))
		return id
	}
	if got := history(); got != nil {
		t.Errorf("before the first pull: %v", got)
	}
	for n, id := range []string{bundle1, bundle2, bundle1} {
		b.pull(id, archive(t, nil, sf{Path: "a.txt", Content: text(strings.Repeat("x", n+1))}))
	}
	want := []string{bundle1, bundle2, bundle1}
	for len(want) > 0 {
		if diff := cmp.Diff(want, history()); diff != "" || last() != want[0] {
			t.Errorf("%s, last %s", diff, last())
		}
		b.rollback(want[0])
		want = want[1:]
	}
	if got := history(); got != nil {
		t.Errorf("after the last rollback: %v", got)
	}
	if err := b.with(nil, func(f *Folder) error { _, err := f.LastBundle(); return err }); err == nil || !strings.Contains(err.Error(), "nothing to take back") {
		t.Errorf("error %v", err)
	}
}

// A forged chain of logs that leads in a circle ends.
// Promise: history-command
func TestHistoryDoesNotGoInCircles(t *testing.T) {
	b := newFixture(t)
	b.pull(bundle1, archive(t, nil, sf{Path: "a.txt", Content: text("1")}))
	b.pull(bundle1, archive(t, nil, sf{Path: "a.txt", Content: text("2")}))
	must.Do(t, b.with(nil, func(f *Folder) error {
		l, err := f.ReadLog()
		must.Do(t, err)
		before, ok := logBefore(l)
		if !ok {
			t.Fatal("no log before")
		}
		for i, e := range l.Entries {
			if e.Path == LogName {
				l.Entries[i].SHA256Before = digestOf([]byte("x"))
			}
		}
		text, err := encodeDocument(l)
		must.Do(t, err)
		must.Do(t, os.WriteFile(filepath.Join(b.dir, filepath.FromSlash(before.Backup)), text, 0o644))
		pulls, err := f.History()
		if len(pulls) == 0 || len(pulls) > 2 {
			t.Errorf("%+v", pulls)
		}
		return err
	}))
}

// Promise: plan-digest
func TestTheSamePlanHasTheSameDigest(t *testing.T) {
	b := newFixture(t)
	a := archive(t, nil, sf{Path: "a.txt", Content: text("a\n")})
	digest := func() (sum string) {
		must.Do(t, b.with(nil, func(f *Folder) error {
			p, err := f.Plan(a, PlanOptions{BundleID: bundle1})
			if err == nil {
				sum, err = p.Digest()
			}
			return err
		}))
		return sum
	}
	first := digest()
	if first != digest() {
		t.Error("the digest changes with the clock")
	}
	b.put("a.txt", "mine\n")
	if first == digest() {
		t.Error("the digest does not tell another folder")
	}
}

// Promise: folder-private
func TestProjectOfTheLastPull(t *testing.T) {
	b := newFixture(t)
	projectOf := func() (id string) {
		must.Do(t, b.with(nil, func(f *Folder) (err error) {
			id, err = f.Project()
			return err
		}))
		return id
	}
	if got := projectOf(); got != "" {
		t.Errorf("before a pull: %q", got)
	}
	b.pull(bundle1, archive(t, nil, sf{Path: "a.txt", Content: text("a")}))
	if got := projectOf(); got != project {
		t.Errorf("after a pull: %q", got)
	}
	must.Do(t, os.Remove(filepath.Join(b.home, stateDir, "folder.key")))
	if got := projectOf(); got != "" {
		t.Errorf("from a folder of somebody else: %q", got)
	}
}
