package workdir

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/bundle-delivery/svc/internal/bundlezip"
)

// drawFollower draws a bundle of the project whose files come and go, and in
// which a file may stand where another bundle has a folder.
func drawFollower(tb testing.TB, t *rapid.T) *bundlezip.Archive {
	tb.Helper()
	pool := append(slices.Clone(names), rapid.SampledFrom([]string{"swap", "swap/in"}).Draw(t, "swap"))
	var files []sf
	for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom(pool), 0, 6, rapid.ID).Draw(t, "bundle") {
		f := sf{Path: name, Content: text(contents.Draw(t, "incoming")), MergeStrategy: bundlezip.ThreeWay}
		if rapid.Bool().Draw(t, "strategy is another") {
			f.MergeStrategy = rapid.SampledFrom(strategies).Draw(t, "strategy")
			f.DestinationType = rapid.SampledFrom([]bundlezip.DestinationType{bundlezip.Project, bundlezip.GlobalConfig}).Draw(t, "destination")
		}
		files = append(files, f)
	}
	return archive(tb, nil, files...)
}

// TestNothingAPersonWroteIsLost: whatever a person does between pulls and
// rollbacks, what a pull takes out of a file is, to the byte, where its log says,
// what a rollback takes out is the pull's or where the rollback's log says, and
// what is in the trash stays there.
func TestNothingAPersonWroteIsLost(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		b := newFixture(t)
		drawTree(r).write(t, b.dir)
		var pulled []string
		trash := tree{}
		for i := range rapid.IntRange(2, 9).Draw(r, "steps") {
			before := b.tree()
			switch action := rapid.SampledFrom([]string{"pull", "pull", "edit", "edit", "delete", "rollback"}).Draw(r, "action"); {
			case action == "edit":
				name := rapid.SampledFrom(append(slices.Clone(names), "swap/own", "dir/own")).Draw(r, "edited")
				full := filepath.Join(b.dir, name)
				if os.MkdirAll(filepath.Dir(full), 0o755) == nil {
					must(t, os.WriteFile(full, fmt.Appendf(nil, "edit %d by hand\n%s", i, contents.Draw(r, "edit")), 0o600))
				}
			case action == "delete":
				if own := slices.Sorted(maps.Keys(files(before))); len(own) > 0 {
					must(t, os.Remove(filepath.Join(b.dir, rapid.SampledFrom(own).Draw(r, "deleted"))))
				}
			case action == "pull":
				a, policy := drawFollower(t, r), policies.Draw(r, "policy")
				var l Log
				err := b.with(nil, func(f *Folder) (err error) { l, err = pullInto(f, numbered(i), a, policy); return err })
				if err != nil {
					unchangedTree(r, before, b.tree(), err)
					continue
				}
				pulled = append(pulled, numbered(i))
				checkTakenOut(r, l, before, b.tree())
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
					if after[name] == content || was[name] == digestOf([]byte(plainContent(content))) || name == LogName {
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
				if len(name) > len(trashDir) && name[:len(trashDir)+1] == trashDir+"/" && name[len(name)-1] != '/' {
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
	must(b.tb, b.with(nil, func(f *Folder) error {
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
