package workdir

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
	"github.com/bundle-delivery/svc/internal/testkit/must"
)

// TestRollbackWithoutOneBackup: what cannot be restored stays and is named, and
// everything else is taken back.
func TestRollbackWithoutOneBackup(t *testing.T) {
	history := historyDir + "/" + bundle2
	bring := func(v string) *bundlezip.Archive {
		return archive(t, nil,
			sf{Path: "a.txt", Content: text("a " + v)}, sf{Path: "b.txt", Content: text("b " + v)}, sf{Path: "new " + v + ".txt", Content: text(v)},
			sf{Path: "g.txt", DestinationType: bundlezip.GlobalConfig, Content: text("g " + v)})
	}
	for name, test := range map[string]struct {
		backup string
		left   string            // the file that stays, if one does
		want   map[string]string // what else is where afterwards
	}{
		"kept file":      {backup: history + "/files/a.txt", left: "a.txt"},
		"beside":         {backup: "g.txt" + BackupSuffix, left: "g.txt", want: tree{"g.txt" + BackupSuffix: "g mine"}},
		"earlier backup": {backup: history + "/displaced/g.txt" + BackupSuffix},
		"earlier log":    {backup: history + "/" + LogName},
	} {
		for _, content := range []string{"", "changed"} {
			t.Run(name+" "+content, func(t *testing.T) {
				b := newFixture(t)
				tree{"a.txt": "a mine", "b.txt": "b mine", "g.txt": "g mine"}.write(t, b.dir)
				b.pull(bundle1, bring("one"))
				b.pull(bundle2, bring("two"))
				must.Do(t, os.Remove(filepath.Join(b.dir, filepath.FromSlash(test.backup))))
				if content != "" {
					b.put(test.backup, content)
				}
				l, notes := b.rollback(bundle2)
				want := tree{"a.txt": "a one", "b.txt": "b one", "g.txt": "g one"}
				if test.left != "" {
					want[test.left] = strings.Replace(want[test.left], "one", "two", 1)
				}
				for name, content := range test.want {
					want[name] = content
				}
				got := b.tree()
				for name, content := range want {
					if got[name] != content {
						t.Errorf("%s = %q, want %q", name, got[name], content)
					}
				}
				if _, there := got["new two.txt"]; there {
					t.Error("a file of the pull is still there")
				}
				if slices.Contains(l.Preserved, test.left) != (test.left != "") || len(notes) == 0 {
					t.Errorf("preserved %v, notes %v", l.Preserved, notes)
				}
				if kept := slices.Contains(slices.Collect(maps.Values(got)), content); content != "" && name != "earlier log" && !kept {
					t.Errorf("what stood in the backup's place is lost: %v", got)
				}
			})
		}
	}
}
