package workdir

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
	"github.com/bundle-delivery/svc/internal/testkit/must"
)

// Promise: plan-digest, mcp-digest
func TestADigestTellsEveryDifferenceOfAPull(t *testing.T) {
	files := func(a, b string, mode bundlezip.Mode) *bundlezip.Archive {
		return archive(t, nil, sf{Path: "a.txt", MergeStrategy: bundlezip.ThreeWay, Content: text(a)}, sf{Path: "b.sh", Mode: mode, Content: text(b)})
	}
	b := newFixture(t)
	digest := func(a *bundlezip.Archive, opts PlanOptions) (sum string) {
		t.Helper()
		opts.BundleID = bundle1
		must.Do(t, b.with(nil, func(f *Folder) error {
			p, err := f.Plan(a, opts)
			if err == nil {
				sum, err = p.Digest()
			}
			return err
		}))
		return sum
	}
	seen := map[string]string{}
	differs := func(name, sum string) {
		t.Helper()
		if same, ok := seen[sum]; ok {
			t.Errorf("%s has the digest of %s", name, same)
		}
		seen[sum] = name
	}
	differs("a bundle", digest(files("a", "b", bundlezip.Plain), PlanOptions{}))
	differs("another content", digest(files("a", "c", bundlezip.Plain), PlanOptions{}))
	differs("another mode", digest(files("a", "b", bundlezip.Executable), PlanOptions{}))
	differs("another archive", digest(files("a", "b", bundlezip.Plain), PlanOptions{State: digestOf(nil)}))
	b.put("a.txt", "mine\n")
	differs("a file there", digest(files("a", "b", bundlezip.Plain), PlanOptions{}))
	differs("another choice", digest(files("a", "b", bundlezip.Plain), PlanOptions{OnConflict: ConflictTheirs}))
	must.Do(t, os.Chmod(filepath.Join(b.dir, "a.txt"), 0o600))
	differs("another mode there", digest(files("a", "b", bundlezip.Plain), PlanOptions{OnConflict: ConflictTheirs}))

	// What an acknowledgement notes in the log of the pull before is no difference.
	b = newFixture(t)
	b.pull(bundle1, files("a", "b", bundlezip.Plain))
	before := digest(files("c", "b", bundlezip.Plain), PlanOptions{})
	must.Do(t, b.with(nil, func(f *Folder) error { return f.SetAck(bundle1, Ack{Status: AckPending}) }))
	if before != digest(files("c", "b", bundlezip.Plain), PlanOptions{}) {
		t.Error("an acknowledgement changes the digest")
	}
}

// Promise: plan-digest, mcp-digest
func TestARollbackDoesWhatWasShown(t *testing.T) {
	b := newFixture(t)
	b.put("a.txt", "mine\n")
	b.pull(bundle1, archive(t, nil,
		sf{Path: "a.txt", MergeStrategy: bundlezip.Overwrite, Content: text("theirs\n")}, sf{Path: "b.txt", Content: text("b\n")}))
	var shown RollbackPreview
	preview := func() RollbackPreview {
		t.Helper()
		must.Do(t, b.with(nil, func(f *Folder) (err error) {
			shown, err = f.PreviewRollback(bundle1)
			return err
		}))
		return shown
	}
	before := b.tree()
	digest := preview().Digest
	if len(shown.Restored) != 1 || shown.Restored[0] != "a.txt" || len(shown.Deleted) != 1 || shown.Deleted[0] != "b.txt" || len(shown.Edited)+len(shown.HomeFiles) > 0 {
		t.Errorf("shown: %+v", shown)
	}
	if digest != preview().Digest {
		t.Error("the digest changes with the clock")
	}
	b.put("b.txt", "edited\n")
	if got := preview(); got.Digest == digest || len(got.Edited) != 1 {
		t.Errorf("after an edit: %+v", got)
	}
	err := b.with(nil, func(f *Folder) error {
		_, _, err := f.RollbackAsShown(bundle1, digest)
		return err
	})
	if !errors.Is(err, ErrOtherRollback) || b.tree()["b.txt"] != "edited\n" {
		t.Errorf("a rollback that nobody has seen: %v", err)
	}
	b.put("b.txt", before["b.txt"])
	must.Do(t, b.with(nil, func(f *Folder) error {
		_, _, err := f.RollbackAsShown(bundle1, digest)
		return err
	}))
	if got := b.tree(); got["a.txt"] != "mine\n" || got["b.txt"] != "" {
		t.Errorf("what is left: %v", got)
	}
}
