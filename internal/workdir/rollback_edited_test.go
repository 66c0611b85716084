package workdir

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
	"github.com/bundle-delivery/svc/internal/testkit/must"
)

// TestFileEditedWhileTheRollbackRuns: a file that is left, because somebody
// saved it after the commit, is preserved and not deleted, in the log as well,
// also when the rollback dies and is finished later.
func TestFileEditedWhileTheRollbackRuns(t *testing.T) {
	for name, test := range map[string]struct {
		edited string // as the log has it
		dies   bool
	}{
		"project": {edited: "a.txt"}, "home": {edited: "~/h.json"},
		"project, later": {edited: "a.txt", dies: true}, "home, later": {edited: "~/h.json", dies: true},
	} {
		t.Run(name, func(t *testing.T) {
			b := newFixture(t)
			b.pull(bundle1, archive(t, nil,
				sf{Path: "a.txt", Content: text("theirs")}, sf{Path: "b.txt", Content: text("theirs")},
				sf{Path: "h.json", Base: bundlezip.Home, DestinationType: bundlezip.GlobalConfig, MergeStrategy: bundlezip.CreateOnly, Content: text("{}")}))
			full := filepath.Join(b.dir, test.edited)
			if test.edited == "~/h.json" {
				full = filepath.Join(b.home, "h.json")
			}
			committed := false
			edit := func(c Change) error {
				if committed && test.dies {
					return errCut
				}
				// The folder is synced as the last part of the commit.
				if _, err := os.Lstat(filepath.Join(b.dir, filepath.FromSlash(journalName))); err == nil && !committed && c.Op == "sync" && c.Path == stateDir {
					must.Do(t, os.WriteFile(full, []byte("precious"), 0o600))
					committed = true
				}
				return nil
			}
			var l RollbackLog
			err := b.with(edit, func(f *Folder) (err error) { l, _, err = f.Rollback(bundle1); return err })
			if test.dies {
				if !errors.Is(err, errCut) {
					t.Fatal(err)
				}
				l, _ = b.rollback(bundle1)
			} else {
				must.Do(t, err)
			}
			content, err := os.ReadFile(full)
			must.Do(t, err)
			if string(content) != "precious" {
				t.Fatalf("%s = %q", test.edited, content)
			}
			must.Do(t, b.with(nil, func(f *Folder) error {
				written, err := f.readRollbackLog()
				for _, l := range []RollbackLog{l, written} {
					if slices.Contains(l.Deleted, test.edited) || !slices.Contains(l.Preserved, test.edited) {
						t.Errorf("deleted %v, preserved %v", l.Deleted, l.Preserved)
					}
					if !slices.Contains(l.Deleted, "b.txt") {
						t.Errorf("deleted %v", l.Deleted)
					}
				}
				return err
			}))
		})
	}
}
