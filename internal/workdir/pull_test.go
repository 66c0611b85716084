package workdir

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
	"github.com/bundle-delivery/svc/internal/testkit/must"
)

// busyFolder has something for every kind of step that a pull knows.
var busyFolder = tree{
	"README.md":                "mine\n",
	"keep.txt":                 "mine\n",
	"settings.json":            "{\n  \"a\": 1\n}\n",
	"settings.json.svc.backup": "an older backup\n",
	"broken.json":              "{ this is no JSON",
	"tool.sh":                  "echo old\n",
	"same.txt":                 "same\n",
	"docs/guide.md":            "guide\n",
	".env":                     "SECRET=1\nPORT=4000\n",
	"empty/":                   "",
}

var busyHome = tree{
	".config/tool/conf.json": "{\n  \"mine\": true\n}\n",
}

func busyBundle(tb testing.TB, version string) *bundlezip.Archive {
	tb.Helper()
	// The second version has dropped files, and has folders where files were, and a
	// file where a folder was.
	only := map[string][]sf{
		"v1": append(plain(bundlezip.ThreeWay, tree{"swap": "a file\n", "edited": "a file\n", "hollow/deep/in.txt": "in\n"}), sf{Path: "old/deep/gone.txt", Content: text("gone\n")}),
		"v2": plain(bundlezip.ThreeWay, tree{"swap/inner.txt": "a folder\n", "edited/inner.txt": "a folder\n", "hollow": "a file\n"}),
	}
	return archive(tb,
		[]bundlezip.Port{
			{Name: "web", Port: 3000, Uses: []bundlezip.PortUse{{Path: ".env", Template: "PORT={port}"}, {Path: "compose.yaml", Template: "- \"{port}:80\""}}},
			{Name: "db", Port: 5432, Uses: []bundlezip.PortUse{{Path: "compose.yaml", Template: "- \"{port}:5432\""}}},
		},
		append(only[version], sf{Path: "README.md", Content: text("theirs " + version + "\n")},
			sf{Path: "keep.txt", MergeStrategy: bundlezip.CreateOnly, Content: text("theirs\n")},
			sf{Path: "settings.json", DestinationType: bundlezip.GlobalConfig, MergeStrategy: bundlezip.DeepMerge, Content: text(`{"b": "` + version + `"}`)},
			sf{Path: "broken.json", MergeStrategy: bundlezip.DeepMerge, Content: text(`{"c": 3}`)},
			sf{Path: "tool.sh", Mode: bundlezip.Executable, Content: text("echo old\n")},
			sf{Path: "same.txt", Content: text("same\n")},
			sf{Path: "src/deep/main.go", Content: text("package main // " + version + "\n")},
			sf{Path: "bin/run", Mode: bundlezip.Executable, Content: text("#!/bin/sh\n")},
			sf{Path: ".env", MergeStrategy: bundlezip.EnvMerge, Content: text("PORT=3000\nMODE=" + version + "\n")},
			sf{Path: "compose.yaml", Content: text("ports:\n  - \"3000:80\"\n  - \"5432:5432\"\n# " + version + "\n")},
			sf{Path: ".config/tool/conf.json", Base: bundlezip.Home, DestinationType: bundlezip.GlobalConfig, MergeStrategy: bundlezip.DeepMerge, Content: text(`{"svc": "` + version + `"}`)},
			sf{Path: ".config/tool/new.json", Base: bundlezip.Home, DestinationType: bundlezip.GlobalConfig, MergeStrategy: bundlezip.CreateOnly, Content: text(`{}`)},
		)...,
	)
}

func newBusyFixture(tb testing.TB) *fixture {
	tb.Helper()
	b := newFixture(tb)
	busyFolder.write(tb, b.dir)
	busyHome.write(tb, b.home)
	return b
}

// Promise: pull-global-backup, pull-placement, pull-log
func TestPullWritesWhatTheBundleSays(t *testing.T) {
	b := newBusyFixture(t)
	b.taken[5432] = true
	log := b.pull(bundle1, busyBundle(t, "v1"))
	got := b.tree()
	for name, want := range map[string]string{
		"README.md":                "theirs v1\n",
		"keep.txt":                 "mine\n",
		"settings.json.svc.backup": busyFolder["settings.json"],
		"broken.json":              busyFolder["broken.json"],
		"broken.json.svc.new":      `{"c": 3}`,
		"tool.sh":                  executable + "echo old\n",
		"src/deep/main.go":         "package main // v1\n",
		"bin/run":                  executable + "#!/bin/sh\n",
		"compose.yaml":             "ports:\n  - \"4000:80\"\n  - \"5433:5432\"\n# v1\n",
		".svc/.gitignore":          "*\n",
		".svc/history/" + bundle1 + "/files/README.md":                    "mine\n",
		".svc/history/" + bundle1 + "/displaced/settings.json.svc.backup": "an older backup\n",
	} {
		if got[name] != want {
			t.Errorf("%s = %q, want %q", name, got[name], want)
		}
	}
	if s := got["settings.json"]; !strings.Contains(s, `"a": 1`) || !strings.Contains(s, `"b": "v1"`) {
		t.Errorf("settings.json = %q", s)
	}
	if s := got[".env"]; !strings.HasPrefix(s, busyFolder[".env"]) || !strings.Contains(s, "MODE=v1") {
		t.Errorf(".env = %q", s)
	}
	home := b.homeTree()
	if s := home[".config/tool/conf.json"]; !strings.Contains(s, `"mine": true`) || !strings.Contains(s, `"svc": "v1"`) {
		t.Errorf("conf.json = %q", s)
	}
	if home[".config/tool/conf.json.svc.backup"] != busyHome[".config/tool/conf.json"] {
		t.Error("the home file has no backup beside it")
	}
	var onDisk Log
	must.Do(t, json.Unmarshal([]byte(got[LogName]), &onDisk))
	if diff := cmp.Diff(log, onDisk); diff != "" {
		t.Errorf("the log on the disk differs from the one returned:\n%s", diff)
	}
	kinds := map[EntryType]int{}
	for _, e := range log.Entries {
		kinds[e.Type]++
	}
	for _, kind := range []EntryType{GlobalConfigBackup, FileBackup, FileWritten, ConfigMerged, FileKept, ConflictEntry, PortConflictResolved, DirectoryCreated} {
		if kinds[kind] == 0 {
			t.Errorf("the log has no entry of type %s", kind)
		}
	}
	if got, want := len(log.Entries), len(onDisk.Entries); got != want || log.Ack.Status != AckNotSent {
		t.Errorf("entries %d, %d; ack %v", got, want, log.Ack)
	}
}

func TestRollbackIsTheIdentity(t *testing.T) {
	b := newBusyFixture(t)
	oldTree, oldHome := b.tree(), b.homeTree()
	b.pull(bundle1, busyBundle(t, "v1"))
	l, _ := b.rollback(bundle1)
	same(t, "project", b.tree().visible(), oldTree)
	if _, left := b.tree()[".svc/"]; left {
		t.Error(".svc is still there though nothing is kept in it")
	}
	home := b.homeTree()
	delete(home, ".svc/")
	delete(home, ".svc/folder.key")
	same(t, "home", home, oldHome)
	if len(l.Restored) == 0 || len(l.Deleted) == 0 || len(l.Preserved) != 0 {
		t.Errorf("rollback log: %+v", l)
	}
}

// Promise: rollback-inverse
func TestTimesOfRestoredFilesAreTheOldOnes(t *testing.T) {
	b := newFixture(t)
	b.put("a.txt", "old")
	before, err := os.Stat(filepath.Join(b.dir, "a.txt"))
	must.Do(t, err)
	b.pull(bundle1, archive(t, nil, sf{Path: "a.txt", Content: text("new")}))
	b.rollback(bundle1)
	after, err := os.Stat(filepath.Join(b.dir, "a.txt"))
	must.Do(t, err)
	if !after.ModTime().Equal(before.ModTime()) || after.Mode() != before.Mode() {
		t.Errorf("the restored file has %v, %v, want %v, %v", after.ModTime(), after.Mode(), before.ModTime(), before.Mode())
	}
}

func TestTheKeyIsTheUsersAlone(t *testing.T) {
	b := newFixture(t)
	b.pull(bundle1, archive(t, nil, sf{Path: "a.txt", Content: text("new")}))
	for name, want := range map[string]os.FileMode{stateDir: 0o700, keyName: 0o600} {
		info, err := os.Stat(filepath.Join(b.home, name))
		must.Do(t, err)
		if got := info.Mode().Perm(); got != want {
			t.Errorf("~/%s has mode %o, want %o", name, got, want)
		}
	}
}

// Promise: rollback
func TestStack(t *testing.T) {
	b := newBusyFixture(t)
	states := []tree{b.tree().visible()}
	for i, id := range []string{bundle1, bundle2, bundle3} {
		b.pull(id, busyBundle(t, string(rune('1'+i))))
		states = append(states, b.tree().visible())
	}
	err := b.with(nil, func(f *Folder) error { _, _, err := f.Rollback(bundle1); return err })
	if !errors.Is(err, ErrOtherBundle) {
		t.Fatalf("rollback of a bundle that is not the last: %v", err)
	}
	same(t, "after the refusal", b.tree().visible(), states[3])
	for i, id := range []string{bundle3, bundle2, bundle1} {
		b.rollback(id)
		same(t, "after rollback of "+id, b.tree().visible(), states[2-i])
	}
	err = b.with(nil, func(f *Folder) error { _, _, err := f.Rollback(bundle1); return err })
	if !errors.Is(err, ErrNoLog) {
		t.Errorf("one rollback too many: %v", err)
	}
}

// Promise: merge-base
func TestSameBundleTwiceChangesNothingMore(t *testing.T) {
	b := newBusyFixture(t)
	b.pull(bundle1, busyBundle(t, "v1"))
	once := b.tree().visible()
	log := b.pull(bundle1, busyBundle(t, "v1"))
	twice := b.tree().visible()
	delete(once, LogName)
	delete(twice, LogName)
	same(t, "second pull", twice, once)
	for _, e := range log.Entries {
		if e.Type == FileWritten || e.Type == ConfigMerged {
			t.Errorf("the second pull wrote %s", e.Path)
		}
	}
}

// Promise: rollback-edits
func TestEditsAfterThePullAreKept(t *testing.T) {
	b := newBusyFixture(t)
	oldTree := b.tree()
	b.pull(bundle1, busyBundle(t, "v1"))
	b.put("README.md", "my notes\n")
	b.put("src/deep/main.go", "my code\n")
	b.put("src/deep/other.go", "mine too\n")
	must.Do(t, os.Remove(filepath.Join(b.dir, "bin/run")))
	l, notes := b.rollback(bundle1)
	got := b.tree()
	trash := ".svc/trash/" + bundle1 + "/"
	if got[trash+"README.md"] != "my notes\n" || got[trash+"src/deep/main.go"] != "my code\n" {
		t.Errorf("the trash lacks something: %v", got)
	}
	want := tree{"src/": "", "src/deep/": "", "src/deep/other.go": "mine too\n"}
	for name, content := range oldTree {
		want[name] = content
	}
	visible := got.visible()
	delete(visible, ".svc/")
	same(t, "project", visible, want)
	if len(l.Preserved) != 2 || len(notes) != 2 {
		t.Errorf("preserved %v, notes %v", l.Preserved, notes)
	}
}

// Promise: rollback-edits
func TestHomeFileChangedSince(t *testing.T) {
	conf := ".config/tool/conf.json"
	t.Run("what the pull added is taken out", func(t *testing.T) {
		b := newBusyFixture(t)
		b.pull(bundle1, busyBundle(t, "v1"))
		now := b.homeTree()[conf]
		tree{conf: strings.Replace(now, `"mine": true`, `"mine": false`, 1)}.write(t, b.home)
		b.rollback(bundle1)
		got := b.homeTree()[conf]
		if strings.Contains(got, "svc") || !strings.Contains(got, `"mine": false`) {
			t.Errorf("conf.json = %q", got)
		}
	})
	t.Run("or it is left alone", func(t *testing.T) {
		b := newBusyFixture(t)
		b.pull(bundle1, busyBundle(t, "v1"))
		tree{conf: "not JSON any more"}.write(t, b.home)
		l, notes := b.rollback(bundle1)
		if got := b.homeTree()[conf]; got != "not JSON any more" {
			t.Errorf("conf.json = %q", got)
		}
		if len(l.Preserved) != 1 || len(notes) != 1 {
			t.Errorf("preserved %v, notes %v", l.Preserved, notes)
		}
	})
}

// Promise: merge-base
func TestBaseIsRolledBackWithTheHistory(t *testing.T) {
	b := newFixture(t)
	bring := func(v string) *bundlezip.Archive {
		return archive(t, nil, sf{Path: "c.json", MergeStrategy: bundlezip.DeepMerge, Content: text(`{"v": "` + v + `"}`)})
	}
	b.put("c.json", `{"mine": 1}`)
	b.pull(bundle1, bring("one"))
	b.pull(bundle2, bring("two"))
	if got := b.tree()["c.json"]; !strings.Contains(got, `"two"`) {
		t.Fatalf("a value left as delivered does not follow the bundle: %s", got)
	}
	b.rollback(bundle2)
	log := b.pull(bundle3, bring("three"))
	if got := b.tree()["c.json"]; !strings.Contains(got, `"three"`) {
		t.Errorf("after the rollback the base is not that of the first pull: %s (%v)", got, log.Entries)
	}
}

func TestSizesAtTheEdge(t *testing.T) {
	large := strings.Repeat("x", maxMerged+1)
	for name, test := range map[string]struct{ mine, theirs string }{
		"empty incoming": {"mine\n", ""}, "empty here": {"", "theirs\n"}, "both empty": {"", ""},
		"large incoming": {"mine\n", large}, "large here": {large, "theirs\n"}, "both large": {large, large + "y"}, "both the same": {large, large},
	} {
		for _, strategy := range strategies {
			for _, on := range []OnConflict{ConflictKeep, ConflictTheirs, ConflictMarkers} {
				b := newFixture(t)
				b.put("a.txt", test.mine)
				a := archive(t, nil, sf{Path: "a.txt", MergeStrategy: strategy, DestinationType: bundlezip.GlobalConfig, Content: text(test.theirs)})
				must.Do(t, b.with(nil, func(f *Folder) error { _, err := pullInto(f, bundle1, a, on); return err }))
				beside, isBeside := b.tree()["a.txt"+NewSuffix]
				if isBeside && beside != test.theirs {
					t.Errorf("%s, %s, %s: what is put beside is not what came", name, strategy, on)
				}
				whole := strategy == bundlezip.Overwrite || on == ConflictTheirs && max(len(test.mine), len(test.theirs)) > maxMerged && strategy != bundlezip.CreateOnly
				if got := b.tree()["a.txt"]; whole && got != test.theirs {
					t.Errorf("%s, %s, %s: %d bytes, want theirs", name, strategy, on, len(got))
				}
				b.rollback(bundle1)
				same(t, name, b.tree().visible(), tree{"a.txt": test.mine})
			}
		}
	}
}

// Promise: ports-move
func TestPlanErrorsLeaveNothing(t *testing.T) {
	home := sf{Path: ".ssh2/x.json", Base: bundlezip.Home, DestinationType: bundlezip.GlobalConfig, MergeStrategy: bundlezip.CreateOnly, Content: text("{}")}
	tests := map[string]struct {
		prepare func(b *fixture)
		ports   []bundlezip.Port
		file    sf
		on      OnConflict
		want    error
	}{
		"symbolic link as file": {
			prepare: func(b *fixture) { must.Do(t, os.Symlink("other", filepath.Join(b.dir, "a"))) },
			file:    sf{Path: "a", Content: text("x")}, want: ErrNotPlain,
		},
		"symbolic link as folder": {
			prepare: func(b *fixture) {
				must.Do(t, os.Mkdir(filepath.Join(b.dir, ".git"), 0o755))
				must.Do(t, os.Symlink(".git", filepath.Join(b.dir, "a")))
			},
			file: sf{Path: "a/hooks", Content: text("x")}, want: ErrNotPlain,
		},
		"no free port": {
			prepare: func(b *fixture) {
				for n := range 11 {
					b.taken[3000+n] = true
				}
			},
			ports: []bundlezip.Port{{Name: "web", Port: 3000, Uses: []bundlezip.PortUse{{Path: "a", Template: "p={port}"}}}},
			file:  sf{Path: "a", Content: text("p=3000")}, want: ErrNoPort,
		},
		"conflict and abort": {
			prepare: func(b *fixture) { b.put("a.json", `{"k": 1}`) },
			file:    sf{Path: "a.json", MergeStrategy: bundlezip.DeepMerge, Content: text(`{"k": 2}`)},
			on:      ConflictAbort, want: ErrConflicts,
		},
		"link in the home folder": {
			prepare: func(b *fixture) { must.Do(t, os.Symlink(".ssh", filepath.Join(b.home, ".ssh2"))) },
			file:    home, want: ErrNotPlain,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			b := newFixture(t)
			test.prepare(b)
			old, oldHome := b.tree(), b.homeTree()
			err := b.with(nil, func(f *Folder) error {
				_, err := pullInto(f, bundle1, archive(t, test.ports, test.file), test.on)
				return err
			})
			if !errors.Is(err, test.want) {
				t.Errorf("error %v, want %v", err, test.want)
			}
			same(t, "project", b.tree(), old)
			same(t, "home", b.homeTree(), oldHome)
		})
	}
}

// Promise: home-folder
func TestProjectRootInTheHomeFolder(t *testing.T) {
	b := newFixture(t)
	for _, test := range []struct{ dir, path string }{
		{b.home, ".bashrc"}, {b.home, ".ssh/config"}, {filepath.Join(b.home, ".config"), "git/config"},
	} {
		must.Do(t, os.MkdirAll(test.dir, 0o755))
		b.dir = test.dir
		err := b.with(nil, func(f *Folder) error {
			_, err := pullInto(f, bundle1, archive(t, nil, sf{Path: test.path, Content: text("x")}), "")
			return err
		})
		if _, ok := errors.AsType[*bundlezip.PathError](err); !ok {
			t.Errorf("%s in %s: %v", test.path, test.dir, err)
		}
	}
}

// Promise: pull-preview
func TestFolderChangedBetweenPlanAndApply(t *testing.T) {
	for name, change := range map[string]func(b *fixture){
		"edited":  func(b *fixture) { b.put("README.md", "edited meanwhile\n") },
		"deleted": func(b *fixture) { must.Do(b.tb, os.Remove(filepath.Join(b.dir, "README.md"))) },
		"created": func(b *fixture) { b.put("src/deep/main.go", "mine\n") },
		"pulled":  func(b *fixture) { b.pull(bundle2, archive(b.tb, nil, sf{Path: "z", Content: text("z")})) },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBusyFixture(t)
			err := b.with(nil, func(f *Folder) error {
				p, err := f.Plan(busyBundle(t, "v1"), PlanOptions{BundleID: bundle1})
				must.Do(t, err)
				change(b)
				before := b.tree()
				_, err = f.Apply(p)
				same(t, "project", b.tree(), before)
				return err
			})
			if !errors.Is(err, ErrChanged) {
				t.Errorf("error %v, want %v", err, ErrChanged)
			}
		})
	}
}

// Promise: pull-lock
func TestOnePullAtATime(t *testing.T) {
	b := newFixture(t)
	must.Do(t, b.with(nil, func(f *Folder) error {
		unlock, err := f.lock()
		must.Do(t, err)
		err = b.with(nil, func(g *Folder) error {
			_, err := pullInto(g, bundle1, archive(t, nil, sf{Path: "a", Content: text("x")}), "")
			return err
		})
		if !errors.Is(err, ErrBusy) {
			t.Errorf("error %v, want %v", err, ErrBusy)
		}
		return unlock()
	}))
}

// Promise: ports-move
func TestPortsStay(t *testing.T) {
	port := []bundlezip.Port{{Name: "web", Port: 3000, Uses: []bundlezip.PortUse{{Path: "a", Template: "p={port};"}}}}
	b := newFixture(t)
	b.taken[3000], b.taken[3001] = true, true
	log := b.pull(bundle1, archive(t, port, sf{Path: "a", Content: text("p=3000;")}))
	if got := b.tree()["a"]; got != "p=3002;" {
		t.Fatalf("a = %q", got)
	}
	if e := log.Entries[0]; e.Type != PortConflictResolved || e.From != 3000 || e.To != 3002 || *e.Attempts != 2 || e.Name != "web" {
		t.Errorf("entry %+v", e)
	}
	// The number given once stays, though now something listens on it and the
	// declared one is free.
	b.taken = map[int]bool{3002: true}
	b.pull(bundle2, archive(t, port, sf{Path: "a", Content: text("p=3000; # new")}))
	if got := b.tree()["a"]; got != "p=3002; # new" {
		t.Errorf("a = %q", got)
	}
}
