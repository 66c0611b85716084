package workdir

import (
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/bundlezip"
)

// TestManagedBlockInANewFile: a file that a bundle makes has its block marked,
// so that the next bundle replaces it.
func TestManagedBlockInANewFile(t *testing.T) {
	b := newBed(t)
	bring := func(lines string) *bundlezip.Archive {
		return archive(t, nil, sf{Path: ".gitignore", MergeStrategy: bundlezip.ManagedBlock, Content: text(lines)})
	}
	log := b.pull(bundle1, bring("/dist\n"))
	if kind := log.Entries[len(log.Entries)-1].Type; kind != FileWritten {
		t.Errorf("the log has %s", kind)
	}
	if got := b.tree()[".gitignore"]; !strings.Contains(got, ">>> svc "+project) || !strings.Contains(got, "\n/dist\n") {
		t.Fatalf(".gitignore = %q", got)
	}
	b.pull(bundle2, bring("/dist\n/build\n"))
	got := b.tree()[".gitignore"]
	if strings.Count(got, "/dist") != 1 || strings.Count(got, "/build") != 1 || strings.Count(got, ">>> svc") != 1 {
		t.Errorf(".gitignore = %q", got)
	}
	b.rollback(bundle2)
	b.rollback(bundle1)
	same(t, "project", b.tree().visible(), tree{})
}
