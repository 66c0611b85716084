package workdir

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
	"github.com/bundle-delivery/svc/internal/testkit/must"
)

// keptBase reads the ancestor of a project file that a pull has kept.
func (b *fixture) keptBase(bundleID, name string) string {
	b.tb.Helper()
	var content []byte
	must.Do(b.tb, b.with(nil, func(f *Folder) (err error) {
		var r baseReader
		content, err = r.read(f.project, historyDir+"/"+bundleID, bundlezip.ProjectRoot, name)
		must.Do(b.tb, r.close())
		return err
	}))
	return string(content)
}

// Promise: merge-base
func TestAPullKeepsTheAncestorsOfTheNextMerge(t *testing.T) {
	b := newBusyFixture(t)
	b.taken[5432] = true
	b.pull(bundle1, busyBundle(t, "v1"))
	if got := b.keptBase(bundle1, "settings.json"); got != `{"b": "v1"}` {
		t.Errorf("the ancestor is %q", got)
	}
}

// A file in which a port was settled is kept as it was written.
// Promise: merge-base
func TestTheAncestorHasThePortsThatWereGiven(t *testing.T) {
	b := newFixture(t)
	b.taken[5432] = true
	a := archive(t, []bundlezip.Port{{Name: "DB", Port: 5432, Uses: []bundlezip.PortUse{{Path: "c.txt", Template: "db:{port}"}}}},
		sf{Path: "c.txt", MergeStrategy: bundlezip.ThreeWay, Content: text("db:5432\n")})
	b.pull(bundle1, a)
	if got := b.keptBase(bundle1, "c.txt"); got != b.tree()["c.txt"] || got == "db:5432\n" {
		t.Errorf("the ancestor is %q", got)
	}
}

// Earlier versions kept each ancestor in a file of its own.
// Promise: merge-base
func TestAncestorsOfAnEarlierVersionAreFound(t *testing.T) {
	b := newFixture(t)
	bring := func(v string) *bundlezip.Archive {
		return archive(t, nil, sf{Path: "c.json", MergeStrategy: bundlezip.DeepMerge, Content: text(`{"v": "` + v + `"}`)})
	}
	b.put("c.json", `{"mine": 1}`)
	b.pull(bundle1, bring("one"))
	folder := filepath.Join(b.dir, historyDir, bundle1)
	must.Do(t, os.Remove(filepath.Join(folder, basesName)))
	must.Do(t, os.Mkdir(filepath.Join(folder, "base"), 0o700))
	must.Do(t, os.WriteFile(filepath.Join(folder, "base", "c.json"), []byte(`{"v": "one"}`), 0o600))
	b.pull(bundle2, bring("two"))
	if got := b.tree()["c.json"]; !strings.Contains(got, `"two"`) || !strings.Contains(got, `"mine"`) {
		t.Errorf("a value left as delivered does not follow the bundle: %s", got)
	}
}

// What does not have the digest of the record is no ancestor, whatever it says.
// Promise: merge-base
func TestAnAncestorThatWasChangedIsNone(t *testing.T) {
	b := newFixture(t)
	bring := func(v string) *bundlezip.Archive {
		return archive(t, nil, sf{Path: "a.txt", MergeStrategy: bundlezip.ThreeWay, Content: text(v)})
	}
	b.pull(bundle1, bring("one\ntwo\n"))
	b.put("a.txt", "one\ntwo\nmine\n")
	forged := filepath.Join(b.dir, historyDir, bundle1, basesName)
	pack, err := os.Create(forged)
	must.Do(t, err)
	_, err = bundlezip.Write(pack, bundlezip.State{ProjectID: project, Files: []sf{{Path: "a.txt", Content: text("one\ntwo\nmine\n")}}})
	must.Do(t, err)
	must.Do(t, pack.Close())
	b.pull(bundle2, bring("one\nTWO\n"))
	if got := b.tree()["a.txt"]; !strings.Contains(got, "mine\n") {
		t.Errorf("with a forged ancestor the user's line is gone: %q", got)
	}
}
