package workdir

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
	"github.com/bundle-delivery/svc/internal/testkit/must"
)

// places are names at which files and folders take turns.
var places = append(slices.Clone(names), "swap", "swap/in", "dir", "x/y", "A.txt")

// drawFollower draws a bundle of one of two projects, whose files come and go, and in
// which a file may stand where another bundle has a folder.
func drawFollower(tb testing.TB, t *rapid.T) *bundlezip.Archive {
	tb.Helper()
	s := bundlezip.State{ProjectID: rapid.SampledFrom([]string{project, project, "proj_other"}).Draw(t, "project")}
	for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom(places), 0, 6, rapid.ID).Draw(t, "bundle") {
		if slices.ContainsFunc(s.Files, func(f sf) bool {
			return strings.EqualFold(f.Path, name) || strings.HasPrefix(f.Path, name+"/") || strings.HasPrefix(name, f.Path+"/")
		}) {
			continue
		}
		f := sf{
			Path: name, Content: text(contents.Draw(t, "incoming")), MergeStrategy: bundlezip.ThreeWay,
			Mode: rapid.SampledFrom([]bundlezip.Mode{bundlezip.Plain, bundlezip.Executable}).Draw(t, "mode"),
		}
		if rapid.Bool().Draw(t, "strategy is another") {
			f.MergeStrategy = rapid.SampledFrom(strategies).Draw(t, "strategy")
			f.DestinationType = rapid.SampledFrom([]bundlezip.DestinationType{bundlezip.Project, bundlezip.GlobalConfig}).Draw(t, "destination")
		}
		s.Put(f)
	}
	return archiveOf(tb, s)
}

// person does something to a folder, if it can be done.
func person(r *rapid.T, dir string, step int) {
	full := filepath.Join(dir, rapid.SampledFrom(append(slices.Clone(places), "swap/own", "dir/own")).Draw(r, "name"))
	above := os.MkdirAll(filepath.Dir(full), 0o755) == nil
	switch action := rapid.SampledFrom([]string{"edit", "edit", "rename", "folder", "link", "mode", "delete", "delete all"}).Draw(r, "person"); {
	case action == "edit" && above:
		_ = os.WriteFile(full, fmt.Appendf(nil, "edit %d by hand\n%s", step, contents.Draw(r, "edit")), 0o600)
	case action == "rename":
		to := filepath.Join(dir, rapid.SampledFrom(places).Draw(r, "to"))
		_, err := os.Lstat(to)
		if os.MkdirAll(filepath.Dir(to), 0o755) == nil && err != nil {
			_ = os.Rename(full, to)
		}
	case action == "folder" && os.Remove(full) == nil:
		_ = os.Mkdir(full, 0o755)
	case action == "link" && os.Remove(full) == nil:
		_ = os.Symlink("a.txt", full)
	case action == "mode":
		_ = os.Chmod(full, rapid.SampledFrom([]os.FileMode{0o755, 0o644, 0o444}).Draw(r, "mode"))
	case action == "delete":
		_ = os.Remove(full)
	case action == "delete all":
		_ = os.RemoveAll(full)
	}
}

// TestNothingAPersonWroteIsLost: whatever a person does between pulls and
// rollbacks, what a pull takes out of a file is, to the byte, where its log says,
// what a rollback takes out is the pull's or where the rollback's log says, and
// what is in the trash stays there. A rollback at once leads back exactly.
// Promise: nothing-lost
func TestNothingAPersonWroteIsLost(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		b := newFixture(t)
		drawTree(r).write(t, b.dir)
		var pulled []string
		trash := tree{}
		for i := range rapid.IntRange(2, 12).Draw(r, "steps") {
			before := b.tree()
			switch action := rapid.SampledFrom([]string{"pull", "pull", "pull", "there and back", "person", "person", "person", "person", "rollback"}).Draw(r, "action"); {
			case action == "person":
				person(r, b.dir, i)
			case action == "pull" || action == "there and back":
				a, policy := drawFollower(t, r), policies.Draw(r, "policy")
				var l Log
				err := b.with(nil, func(f *Folder) (err error) { l, err = pullInto(f, numbered(i), a, policy); return err })
				if err != nil {
					unchangedTree(r, before, b.tree(), err)
					continue
				}
				checkTakenOut(r, l, before, b.tree())
				if action == "pull" {
					pulled = append(pulled, numbered(i))
					break
				}
				b.rollback(numbered(i))
				unchangedTree(r, before, b.tree(), errors.New("there and back"))
			case len(pulled) > 0:
				id := pulled[len(pulled)-1]
				var back RollbackLog
				was := written(b)
				err := b.with(nil, func(f *Folder) (err error) { back, _, err = f.Rollback(id); return err })
				if err != nil {
					unchangedTree(r, before, b.tree(), err)
					continue
				}
				pulled = pulled[:len(pulled)-1]
				after := b.tree()
				for name, content := range files(before) {
					if plainContent(after[name]) == plainContent(content) || was[name] == digestOf([]byte(plainContent(content))) || name == LogName || strings.HasPrefix(content, "-> ") {
						continue
					}
					if !slices.ContainsFunc(back.Preserved, func(place string) bool { return plainContent(after[place]) == plainContent(content) }) {
						r.Fatalf("%q of %s went with the rollback, and its log %+v does not say where", content, name, back)
					}
				}
			}
			now := b.tree()
			for name, content := range trash {
				if now[name] != content {
					r.Fatalf("%s is not in the trash any more", name)
				}
			}
			for name, content := range now {
				if strings.HasPrefix(name, trashDir+"/") && !strings.HasSuffix(name, "/") {
					trash[name] = content
				}
			}
		}
	})
}

// unchangedTree says that a command that failed has changed nothing.
func unchangedTree(r *rapid.T, before, after tree, err error) {
	if !maps.Equal(before.visible(), after.visible()) {
		r.Fatalf("failed with %v, and the folder is another:\n%v\n%v", err, before, after)
	}
}

// checkTakenOut holds a pull's log against what has changed.
func checkTakenOut(r *rapid.T, l Log, before, after tree) {
	for name, content := range files(before) {
		if after[name] == content || name == LogName {
			continue
		}
		if now, there := after[name]; there && plainContent(now) == plainContent(content) {
			continue // only its mode
		}
		said := slices.ContainsFunc(l.Entries, func(e Entry) bool {
			kept := e.Backup != "" && plainContent(after[e.Backup]) == plainContent(content)
			return e.Path == name && kept && e.SHA256Before == digestOf([]byte(plainContent(content)))
		})
		if !said {
			r.Fatalf("%q of %s is gone, and the log does not say where: %+v", content, name, l.Entries)
		}
	}
}

// written are the digests that the last pull left files with.
func written(b *fixture) map[string]string {
	out := map[string]string{}
	must.Do(b.tb, b.with(nil, func(f *Folder) error {
		l, err := f.ReadLog()
		for _, e := range l.Entries {
			switch {
			case e.Type == FileWritten || e.Type == ConfigMerged:
				out[e.Path] = e.SHA256After
			case e.Type == GlobalConfigBackup: // its own backup
				out[e.Backup] = e.SHA256Before
			}
		}
		if err != nil {
			out = map[string]string{} // the log was deleted by hand
		}
		return nil
	}))
	return out
}

// plainContent leaves out the mark of executable files.
func plainContent(content string) string {
	if len(content) >= len(executable) && content[:len(executable)] == executable {
		return content[len(executable):]
	}
	return content
}
