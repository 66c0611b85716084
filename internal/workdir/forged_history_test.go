package workdir

import (
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
	"github.com/bundle-delivery/svc/internal/testkit/must"
)

// strangersHistory is a history folder with a record that nobody here sealed.
func strangersHistory(tb testing.TB, r record, files tree) tree {
	tb.Helper()
	r.Version, r.PullID, r.BundleID, r.Facts = 1, strings.Repeat("0", 32), bundle3, something
	text, err := key(strings.Repeat("k", 32)).sign(purposeRecord, r)
	must.Do(tb, err)
	folder := historyDir + "/" + bundle3
	out := tree{folder + "/record.json": string(text)}
	for name, content := range files {
		out[folder+"/"+name] = content
	}
	return out
}

// TestForgedHistory: a record that came with a stranger's folder neither keeps
// the user's own pulls from being sealed nor speaks for them.
func TestForgedHistory(t *testing.T) {
	t.Run("a number that leaves none free", func(t *testing.T) {
		b := newVictim(t)
		strangersHistory(t, record{Sequence: 1 << 30}, nil).write(t, b.dir)
		b.pull(bundle1, archive(t, nil, sf{Path: "a.txt", Content: text("new")}))
		must.Do(t, b.with(nil, func(f *Folder) error {
			v, err := f.Verify()
			if !v.Signed {
				t.Error("the pull is not sealed")
			}
			return err
		}))
	})
	t.Run("ancestor", func(t *testing.T) {
		b := newVictim(t)
		b.put("a.txt", "mine\nshared\n")
		strangersHistory(t, record{Sequence: 7, Bases: map[string]string{"a.txt": digestOf([]byte("mine\nshared\n"))}},
			tree{"base/a.txt": "mine\nshared\n"}).write(t, b.dir)
		b.pull(bundle1, archive(t, nil, sf{Path: "a.txt", MergeStrategy: bundlezip.ThreeWay, Content: text("shared\n")}))
		if got := b.tree()["a.txt"]; got != "mine\nshared\n" {
			t.Errorf("a.txt = %q: a forged ancestor took a line of the user's away", got)
		}
	})
	t.Run("port", func(t *testing.T) {
		b := newVictim(t)
		strangersHistory(t, record{Sequence: 7, Ports: map[string]int{"web": 6666}}, nil).write(t, b.dir)
		port := []bundlezip.Port{{Name: "web", Port: 3000, Uses: []bundlezip.PortUse{{Path: "a", Template: "p={port};"}}}}
		b.pull(bundle1, archive(t, port, sf{Path: "a", Content: text("p=3000;")}))
		if got := b.tree()["a"]; got != "p=3000;" {
			t.Errorf("a = %q", got)
		}
	})
}
