package workdir

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
	"github.com/bundle-delivery/svc/internal/testkit/must"
)

// TestPortsFollowTheBundle: a number that a pull gave is changed in every use
// when the bundle declares another; one that the user wrote stays.
// Promise: ports-declared
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
// Promise: ports-declared
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
	must.Do(t, b.with(nil, func(f *Folder) error {
		past, err := f.pastPulls()
		must.Do(t, err)
		r := past[0].record
		r.ProjectID, r.Declared, r.UserPorts, r.Files, r.Folders = "", nil, nil, nil, nil
		text, err := f.folderKey().sign(purposeRecord, r)
		must.Do(t, err)
		return os.WriteFile(filepath.Join(b.dir, past[0].folder, "record.json"), text, 0o600)
	}))
	b.taken = map[int]bool{}
	l := b.pull(bundle2, archive(t, port(3001), env("3001")...)) // what was given counts as declared: no change
	got := b.tree()
	if got[".env"] != "PORT=3001\n" || got["a.txt"] != "3001" || got["gone-3000"] != "3000" || len(entriesOf(l, ConflictEntry)) != 0 {
		t.Errorf("%v", got)
	}
}
