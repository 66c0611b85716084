package workdir

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
)

// TestBackupsAreCopies: who writes through another name of a file that a pull
// replaced does not reach its backup.
func TestBackupsAreCopies(t *testing.T) {
	b := newFixture(t)
	tree{"g.txt": "mine", "p.txt": "mine"}.write(t, b.dir)
	for _, name := range []string{"g.txt", "p.txt"} {
		if err := os.Link(filepath.Join(b.dir, name), filepath.Join(b.home, name)); err != nil {
			t.Skipf("no hard links here: %v", err)
		}
	}
	b.pull(bundle1, archive(t, nil,
		sf{Path: "g.txt", DestinationType: bundlezip.GlobalConfig, Content: text("theirs")}, sf{Path: "p.txt", Content: text("theirs")}))
	tree{"g.txt": "written through the other name", "p.txt": "written through the other name"}.write(t, b.home)
	if got := b.tree()["g.txt"+BackupSuffix]; got != "mine" {
		t.Errorf("the backup is %q", got)
	}
	b.rollback(bundle1)
	same(t, "project", b.tree().visible(), tree{"g.txt": "mine", "p.txt": "mine"})
}
