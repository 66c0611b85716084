package workdir

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
	"github.com/bundle-delivery/svc/internal/workdir/merge"
)

// deletion is one file of the project that the bundle has no longer.
type deletion struct {
	path, before, backup string
}

// planDeletions finds the files that the last pull of this project left here and
// that the bundle does not list any more. One that is still what a bundle brought
// goes; one that somebody has edited stays, and is a conflict. It comes before
// the bundle's own files are planned, for these may need the room.
func (pl *planner) planDeletions() error {
	listed := map[string]bool{}
	folded := map[string]string{}
	for _, f := range pl.manifest.Files {
		if f.Base == bundlezip.ProjectRoot {
			listed[f.Path] = true
			folded[strings.ToLower(f.Path)] = f.Path
		}
	}
	for _, name := range pl.ownedFiles() {
		if listed[name] {
			continue
		}
		if err := pl.dropFile(name, folded[strings.ToLower(name)]); err != nil {
			return err
		}
	}
	return pl.planEmptyFolders(listed)
}

// ownedFiles are the files that the last pull of this project left here as its
// own, and those that were pushed since, unless the last one of another project has them too.
func (pl *planner) ownedFiles() []string {
	owned, others := map[string]bool{}, map[string]bool{}
	last := map[string]bool{} // projects
	for _, past := range pl.past {
		if !past.authentic || past.ProjectID == "" || last[past.ProjectID] {
			continue
		}
		last[past.ProjectID] = past.push == nil
		for name := range past.Files {
			if past.ProjectID == pl.manifest.ProjectID {
				owned[name] = bundlezip.CheckPath(name) == nil
			} else {
				others[name] = true
			}
		}
	}
	maps.DeleteFunc(owned, func(name string, valid bool) bool {
		brought, _ := lastBrought(pl.past, pl.manifest.ProjectID, name)
		return !valid || others[name] || !brought.Owned
	})
	return slices.Sorted(maps.Keys(owned))
}

// dropFile plans what becomes of a file that the bundle has no longer. Other is a
// file of the bundle whose name differs only in case, if there is one: on some
// file systems that is the same file.
func (pl *planner) dropFile(name, other string) error {
	if err := pl.folder.checkHomePlaces(name); err != nil {
		return err
	}
	t := target{File: bundlezip.File{Path: name, DestinationType: bundlezip.Project}, disk: pl.folder.project}
	var err error
	t.at, err = t.disk.lookFile(name)
	if err == nil && !t.at.exists || errors.Is(err, ErrNotPlain) {
		pl.dropped = append(pl.dropped, name) // what stands there now, or will, is the user's
		return nil
	}
	if err != nil {
		return err
	}
	if other != "" {
		same, err := t.disk.look(other)
		if err != nil {
			return err
		}
		if same.exists && os.SameFile(same.info, t.at.info) {
			pl.renamed[other] = name
			return nil
		}
	}
	if t.before, err = t.disk.digest(name); err != nil {
		return err
	}
	pl.remember(t.Base, name, t.at)
	brought, _ := fileOf(pl.past, name)
	if err := pl.deleteOffered(name, brought); err != nil {
		return err
	}
	if brought.unedited(t.before) {
		return pl.delete(t)
	}
	conflict := merge.Conflict{Reason: "the bundle no longer has this file, and you have edited it", Whole: true, Outcome: merge.Kept}
	if pl.policy == merge.Theirs {
		conflict.Outcome = merge.TakenTheirs
	}
	pl.logConflicts(t, conflict)
	if pl.policy == merge.Theirs {
		return pl.delete(t, conflict)
	}
	pl.kept(t, conflict)
	pl.disputed[name] = true
	return nil
}

// deleteOffered plans that what lies beside a file goes, if it is what was offered.
func (pl *planner) deleteOffered(name string, brought recordFile) error {
	t := target{File: bundlezip.File{Path: name + NewSuffix, DestinationType: bundlezip.Project}, disk: pl.folder.project}
	err := pl.examine(&t)
	if err != nil || t.before == "" || t.before != brought.Offered {
		return err
	}
	return pl.delete(t)
}

func (pl *planner) delete(t target, conflicts ...merge.Conflict) error {
	var w write
	if err := pl.backUp(t, &w); err != nil {
		return err
	}
	e := t.entry(FileDeleted)
	e.Backup, e.SHA256Before = w.backup, t.before
	pl.Log.Entries = append(pl.Log.Entries, e)
	p := t.plan(Delete, conflicts...)
	if len(conflicts) > 0 {
		p.EditsKept = w.backup
	}
	pl.Files = append(pl.Files, p)
	pl.deletions = append(pl.deletions, deletion{path: t.Path, before: t.before, backup: w.backup})
	pl.gone[t.Path] = true
	return nil
}

// goneFolder is a folder that goes because nothing is left in it.
type goneFolder struct {
	Path string      `json:"path"`
	Bits fs.FileMode `json:"bits"`
}

// planEmptyFolders finds the folders that pulls have made, that the bundle does not
// need, and in which nothing is left once the deletions are done.
func (pl *planner) planEmptyFolders(listed map[string]bool) error {
	needed := map[string]bool{}
	for name := range listed {
		for _, folder := range parentFolders(name) {
			needed[folder] = true
		}
	}
	for _, folder := range slices.Backward(slices.Sorted(slices.Values(pl.madeFolders))) { // inner ones first
		if needed[folder] {
			continue
		}
		names, err := pl.folder.project.list(folder)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(names, func(name string) bool { return !pl.gone[path.Join(folder, name)] }) {
			continue
		}
		at, err := pl.folder.project.look(folder)
		if err != nil {
			return err
		}
		pl.emptied = append(pl.emptied, goneFolder{folder, at.info.Mode().Perm()})
		pl.gone[folder] = true
	}
	return nil
}

// free says whether nothing stands at a place of the project once the deletions
// are done, although something does now: a folder that goes, or a file where a
// folder is needed.
func (pl *planner) free(base bundlezip.Base, name string) bool {
	if base != bundlezip.ProjectRoot {
		return false
	}
	return pl.gone[name] || slices.ContainsFunc(parentFolders(name), func(folder string) bool { return pl.gone[folder] })
}
