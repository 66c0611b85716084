package workdir

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/bundle-delivery/svc/internal/testkit/must"
)

// TestFileEditedWhileThePullDeletesIt: a file that the bundle has no longer and that
// somebody saved after the commit is kept, in the log as well, also when the pull dies
// and is finished later; and a rollback loses neither the edit nor what was there
// before.
// Promise: pull-deletes-raced
func TestFileEditedWhileThePullDeletesIt(t *testing.T) {
	for name, dies := range map[string]bool{"at once": false, "later": true} {
		t.Run(name, func(t *testing.T) {
			b := newFixture(t)
			b.pull(bundle1, threeWay(t, tree{"a.txt": "theirs", "b.txt": "theirs", "stay": "s"}))
			committed := false
			edit := func(c Change) error {
				if committed && dies {
					return errCut
				}
				// The folder is synced as the last part of the commit.
				if _, err := os.Lstat(filepath.Join(b.dir, filepath.FromSlash(journalName))); err == nil && !committed && c.Op == "sync" && c.Path == stateDir {
					b.put("a.txt", "precious")
					committed = true
				}
				return nil
			}
			var l Log
			var planned []FilePlan
			err := b.with(edit, func(f *Folder) error {
				p, err := f.Plan(threeWay(t, tree{"stay": "s"}), PlanOptions{BundleID: bundle2})
				if err != nil {
					return err
				}
				l, err = f.Apply(p)
				planned = p.Files
				return err
			})
			if dies {
				if !errors.Is(err, errCut) {
					t.Fatal(err)
				}
				must.Do(t, b.with(nil, func(f *Folder) (err error) {
					if _, err = f.Recover(); err == nil {
						l, err = f.ReadLog()
					}
					return err
				}))
			} else {
				must.Do(t, err)
				if i := slices.IndexFunc(planned, func(p FilePlan) bool { return p.Path == "a.txt" }); planned[i].Action != Keep {
					t.Errorf("the plan says %s", planned[i].Action)
				}
			}
			if got := b.tree()["a.txt"]; got != "precious" {
				t.Fatalf("a.txt = %q", got)
			}
			must.Do(t, b.with(nil, func(f *Folder) error {
				written, err := f.ReadLog()
				for _, l := range []Log{l, written} {
					if !slices.Equal(entriesOf(l, FileDeleted), []string{"b.txt"}) || !slices.Contains(entriesOf(l, FileKept), "a.txt") {
						t.Errorf("the log has %+v", l.Entries)
					}
				}
				if v, err := f.Verify(); err != nil || !v.Signed {
					t.Errorf("the log is no longer this client's: %+v (%v)", v, err)
				}
				return err
			}))
			back, _ := b.rollback(bundle2)
			got := b.tree()
			if got["a.txt"] != "theirs" || got["b.txt"] != "theirs" || len(back.Preserved) != 1 || got[back.Preserved[0]] != "precious" {
				t.Errorf("the rollback left %v, preserved %v", files(got), back.Preserved)
			}
		})
	}
}
