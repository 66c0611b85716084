package workdir

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bundle-delivery/svc/internal/bundlezip"
)

// plain are files of the project with a strategy.
func plain(strategy bundlezip.MergeStrategy, contents tree) []sf {
	var out []sf
	for name, content := range contents {
		f := sf{Path: name, MergeStrategy: strategy, Mode: bundlezip.Plain, Content: text(content)}
		if rest, ok := strings.CutPrefix(content, executable); ok {
			f.Mode, f.Content = bundlezip.Executable, text(rest)
		}
		out = append(out, f)
	}
	return out
}

func threeWay(tb testing.TB, contents tree) *bundlezip.Archive {
	tb.Helper()
	return archive(tb, nil, plain(bundlezip.ThreeWay, contents)...)
}

// entriesOf are the paths that a log has for a type of entry.
func entriesOf(l Log, kind EntryType) (paths []string) {
	for _, e := range l.Entries {
		if e.Type == kind {
			paths = append(paths, e.Path)
		}
	}
	return paths
}

// pulls are pulls one after the other, with edits between them.
type pulls struct {
	*fixture
	ids           []string
	before, after []tree
}

func (p *pulls) pull(a *bundlezip.Archive) Log {
	p.tb.Helper()
	id := numbered(len(p.ids) + 1)
	p.ids, p.before = append(p.ids, id), append(p.before, p.tree().visible())
	l := p.fixture.pull(id, a)
	p.after = append(p.after, p.tree().visible())
	return l
}

// rollBackAll takes all pulls back, the last first. Each leads to the very tree
// that its pull began with, once the edits since that pull are undone.
func (p *pulls) rollBackAll() {
	p.tb.Helper()
	for i, id := range slices.Backward(p.ids) {
		for name := range p.tree().visible() {
			if _, was := p.after[i][name]; !was {
				must(p.tb, os.RemoveAll(filepath.Join(p.dir, name)))
			}
		}
		p.after[i].write(p.tb, p.dir)
		p.rollback(id)
		same(p.tb, "after the rollback of "+id, p.tree().visible(), p.before[i])
	}
}

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

func TestEditedFileThatTheBundleDrops(t *testing.T) {
	for policy, gone := range map[OnConflict]bool{ConflictKeep: false, ConflictTheirs: true, ConflictMarkers: false} {
		t.Run(string(policy), func(t *testing.T) {
			b := newFixture(t)
			b.pull(bundle1, threeWay(t, tree{"a": "theirs", "b": "b"}))
			b.put("a", "mine")
			before := b.tree().visible()
			var l Log
			must(t, b.with(nil, func(f *Folder) (err error) {
				p, err := f.Plan(threeWay(t, tree{"b": "b"}), PlanOptions{BundleID: bundle2, OnConflict: policy})
				must(t, err)
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

// TestRoomForFilesAndFolders: a file where a folder was and a folder where a file
// was, there and back.
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
	must(t, os.Remove(filepath.Join(b.dir, "x", "mine")))
	b.rollback(bundle2)
	if got := b.tree()["x"]; got != "file" {
		t.Errorf("x = %q", got)
	}
}

// TestDeletedAndMadeAnew: what a person puts where a deleted file was is kept when
// the file comes back, and has no ancestor when a bundle brings one again.
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
func TestUnsignedHistoryDeletesNothing(t *testing.T) {
	b := newFixture(t)
	must(t, os.Remove(b.home))
	b.pull(bundle1, threeWay(t, tree{"a": "a"}))
	b.pull(bundle2, threeWay(t, tree{"b": "b"}))
	if got := b.tree()["a"]; got != "a" {
		t.Errorf("a = %q", got)
	}
}

func TestDeletionsAreShownBeforehand(t *testing.T) {
	b := newFixture(t)
	b.pull(bundle1, threeWay(t, tree{"a": "a\n", "b": "b\n"}))
	before := b.tree()
	must(t, b.with(nil, func(f *Folder) error {
		p, err := f.Plan(threeWay(t, tree{"b": "b\n"}), PlanOptions{BundleID: bundle2})
		must(t, err)
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

// TestThreeWayForEveryKindAndSize: what nobody has edited takes the new content;
// an edited text is merged; of what cannot be merged the user's stays.
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
func TestThreeWayFollowsTheExecutableBit(t *testing.T) {
	b := newFixture(t)
	b.pull(bundle1, threeWay(t, tree{"a": "a", "b": "b", "c": "1\n2\n3\n4\n"}))
	must(t, os.Chmod(filepath.Join(b.dir, "b"), 0o755)) // the user's choice
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
func TestOverwriteNamesWhatItReplaces(t *testing.T) {
	b := newFixture(t)
	b.put("mine", "from before")
	bring := func(v string) *bundlezip.Archive {
		return archive(t, nil, append(plain(bundlezip.Overwrite, tree{"mine": "m" + v, "edited": "e" + v, "alone": "a" + v}),
			sf{Path: "shared", DestinationType: bundlezip.GlobalConfig, Content: text("s" + v)})...)
	}
	kept := func(id string, a *bundlezip.Archive) tree {
		out := tree{}
		must(t, b.with(nil, func(f *Folder) error {
			p, err := f.Plan(a, PlanOptions{BundleID: id})
			must(t, err)
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

// TestPortsFollowTheBundle: a number that a pull gave is changed in every use
// when the bundle declares another; one that the user wrote stays.
func TestPortsFollowTheBundle(t *testing.T) {
	bring := func(number string, port int, more string) *bundlezip.Archive {
		uses := []bundlezip.PortUse{
			{Path: ".env", Template: "PORT={port}"},
			{Path: "compose.yaml", Template: `"{port}:80"`},
			{Path: "once.txt", Template: "at {port}!"},
			{Path: "main.go", Template: ":{port}\""},
		}
		return archive(t, []bundlezip.Port{{Name: "web", Port: port, Uses: uses}},
			sf{Path: ".env", MergeStrategy: bundlezip.EnvMerge, DestinationType: bundlezip.GlobalConfig, Content: text("PORT=" + number + "\n")},
			sf{Path: "compose.yaml", MergeStrategy: bundlezip.DeepMerge, DestinationType: bundlezip.GlobalConfig, Content: text("ports:\n  - \"" + number + ":80\"\n")},
			sf{Path: "once.txt", MergeStrategy: bundlezip.CreateOnly, Content: text("at " + number + "!\n")},
			sf{Path: "main.go", MergeStrategy: bundlezip.ThreeWay, Content: text("listen(\":" + number + "\")\n" + more)})
	}
	check := func(b *fixture, number string) {
		t.Helper()
		got := b.tree()
		for name, want := range (tree{
			"compose.yaml": "ports:\n  - \"" + number + ":80\"\n", "once.txt": "mine, at " + number + "!\n", "main.go": "listen(\":" + number + "\")\n// mine\n",
		}) {
			if got[name] != want {
				t.Errorf("%s = %q, want %q", name, got[name], want)
			}
		}
		if !strings.Contains(got[".env"], "\nPORT="+number+"\n") || !strings.Contains(got[".env"], "DB_PORT=9000\n") {
			t.Errorf(".env = %q", got[".env"])
		}
	}
	edit := func(b *fixture) {
		b.put(".env", "DB_PORT=9000\n"+b.tree()[".env"])
		b.put("once.txt", "mine, "+b.tree()["once.txt"])
		b.put("main.go", b.tree()["main.go"]+"// mine\n")
	}
	p := &pulls{fixture: newFixture(t)}
	p.pull(bring("9000", 9000, ""))
	edit(p.fixture)
	l := p.pull(bring("9100", 9100, ""))
	check(p.fixture, "9100")
	if e := l.Entries[0]; e.Type != PortConflictResolved || e.From != 9000 || e.To != 9100 {
		t.Errorf("%+v", e)
	}
	p.taken[9100], p.taken[9200] = true, true
	p.pull(bring("9100", 9100, "")) // what was given stays, unprobed
	check(p.fixture, "9100")
	p.pull(bring("9200", 9200, "")) // another one is probed
	check(p.fixture, "9201")
	p.pull(bring("9200", 9200, ""))
	check(p.fixture, "9201")
	p.put(".env", strings.Replace(p.tree()[".env"], "9201", "7000", 1)) // the user's word
	p.pull(bring("9300", 9300, ""))
	check(p.fixture, "7000")
	p.pull(bring("9400", 9400, ""))
	check(p.fixture, "7000")
	p.rollBackAll()

	// A file in which nothing but a port has changed is still the bundle's.
	b := newFixture(t)
	b.pull(bundle1, bring("9000", 9000, ""))
	b.pull(bundle2, bring("9100", 9100, ""))
	if l := b.pull(bundle3, threeWay(t, tree{})); len(entriesOf(l, ConflictEntry)) != 0 || len(entriesOf(l, FileDeleted)) != 2 {
		t.Errorf("%+v", l.Entries)
	}
}

// TestOlderHistoriesAreUnderstood: a record that lacks what was declared, and the
// files.
func TestOlderHistoriesAreUnderstood(t *testing.T) {
	b := newFixture(t)
	port := func(n int) []bundlezip.Port {
		return []bundlezip.Port{{Name: "web", Port: n, Uses: []bundlezip.PortUse{{Path: ".env", Template: "PORT={port}"}}}}
	}
	b.taken[3000] = true
	env := func(n string) []sf {
		return append(plain(bundlezip.ThreeWay, tree{"a.txt": n, "gone-" + n: n}), sf{Path: ".env", MergeStrategy: bundlezip.EnvMerge, Content: text("PORT=" + n + "\n")})
	}
	b.pull(bundle1, archive(t, port(3000), env("3000")...))
	must(t, b.with(nil, func(f *Folder) error {
		past, err := f.pastPulls()
		must(t, err)
		r := past[0].record
		r.ProjectID, r.Declared, r.UserPorts, r.Files, r.Folders = "", nil, nil, nil, nil
		text, err := f.folderKey().sign(purposeRecord, r)
		must(t, err)
		return os.WriteFile(filepath.Join(b.dir, past[0].folder, "record.json"), text, 0o600)
	}))
	b.taken = map[int]bool{}
	l := b.pull(bundle2, archive(t, port(3001), env("3001")...)) // what was given counts as declared: no change
	got := b.tree()
	if got[".env"] != "PORT=3001\n" || got["a.txt"] != "3001" || got["gone-3000"] != "3000" || len(entriesOf(l, ConflictEntry)) != 0 {
		t.Errorf("%v", got)
	}
}

func archiveOf(tb testing.TB, s bundlezip.State) *bundlezip.Archive {
	tb.Helper()
	var zip bytes.Buffer
	_, err := bundlezip.Write(&zip, s)
	must(tb, err)
	a, err := bundlezip.Check(bytes.NewReader(zip.Bytes()), int64(zip.Len()))
	must(tb, err)
	return a
}
