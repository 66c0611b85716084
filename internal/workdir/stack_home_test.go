package workdir

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
	"github.com/bundle-delivery/svc/internal/testkit/must"
)

// homeConf is a bundle that merges one value into a file of the home folder.
func homeConf(tb testing.TB, value string) *bundlezip.Archive {
	tb.Helper()
	return archive(tb, nil, sf{
		Path: "x.json", Base: bundlezip.Home, DestinationType: bundlezip.GlobalConfig,
		MergeStrategy: bundlezip.DeepMerge, Content: text(value),
	})
}

// TestOriginalHomeFileSurvivesAStack: whatever the user does to a home file
// after two pulls, the copy of what it was before the first one is never lost.
func TestOriginalHomeFileSurvivesAStack(t *testing.T) {
	const original = `{"mine": "original"}`
	backup := "x.json" + BackupSuffix
	for name, meddle := range map[string]func(t *testing.T, b *fixture){
		"entangled": func(t *testing.T, b *fixture) { tree{"x.json": "no JSON any more"}.write(t, b.home) },
		"deleted":   func(t *testing.T, b *fixture) { must.Do(t, os.Remove(filepath.Join(b.home, "x.json"))) },
		"replaced by a folder": func(t *testing.T, b *fixture) {
			must.Do(t, os.Remove(filepath.Join(b.home, "x.json")))
			tree{"x.json/": ""}.write(t, b.home)
		},
		"backup deleted": func(t *testing.T, b *fixture) { must.Do(t, os.Remove(filepath.Join(b.home, backup))) },
		"backup changed": func(t *testing.T, b *fixture) { tree{backup: "changed"}.write(t, b.home) },
	} {
		t.Run(name, func(t *testing.T) {
			b := newFixture(t)
			tree{"x.json": original}.write(t, b.home)
			b.pull(bundle1, homeConf(t, `{"a": 1}`))
			second := b.homeTree()["x.json"]
			b.pull(bundle2, homeConf(t, `{"b": 2}`))
			meddle(t, b)
			beside := b.homeTree()[backup]
			l, _ := b.rollback(bundle2)
			home := b.homeTree()
			if home[backup] != original {
				t.Fatalf("the backup of the first pull is %q", home[backup])
			}
			if len(l.Preserved) != 1 || l.Preserved[0] != "~/x.json" {
				t.Errorf("preserved %v", l.Preserved)
			}
			if kept := home[trashDir+"/"+bundle2+"/"+backup]; kept != beside {
				t.Errorf("the backup of the second pull, %q, is %q in the trash", second, kept)
			}
			b.rollback(bundle1)
			home = b.homeTree()
			if home[backup] != original && !strings.Contains(home["x.json"], `"mine": "original"`) {
				t.Errorf("the original is lost: %v", home)
			}
		})
	}
	t.Run("a folder in the backup's place", func(t *testing.T) {
		b := newFixture(t)
		tree{"x.json": original}.write(t, b.home)
		b.pull(bundle1, homeConf(t, `{"a": 1}`))
		b.pull(bundle2, homeConf(t, `{"b": 2}`))
		must.Do(t, os.Remove(filepath.Join(b.home, backup)))
		tree{backup + "/": ""}.write(t, b.home)
		_, notes := b.rollback(bundle2)
		if got := b.homeTree()[trashDir+"/"+bundle2+"/"+backup]; got != original {
			t.Errorf("the trash has %q", got)
		}
		if !strings.Contains(strings.Join(notes, "\n"), trashDir) {
			t.Errorf("nobody says where it went: %v", notes)
		}
	})
}
