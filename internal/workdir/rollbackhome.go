package workdir

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
	"github.com/bundle-delivery/svc/internal/workdir/merge"
)

// planHome plans the home folder's part from what ~/.svc knows; the log in the
// project is not asked.
func (u *rollbackPlan) planHome() error {
	speaks := slices.ContainsFunc(u.pull.Entries, func(e Entry) bool { return e.Base == bundlezip.Home })
	if !speaks {
		return nil
	}
	if u.folder.home == nil || !u.authentic || !u.past.Home {
		return u.refuse("%s speaks of changes to the home folder of which ~/.svc knows nothing", LogName)
	}
	r, err := u.folder.home.record(u.past.PullID)
	if err != nil {
		return u.refuse("~/%s cannot be read (%v)", pullFolder(u.past.PullID), err)
	}
	backups := map[string]Entry{}
	for _, e := range r.Entries {
		if e.Type == FileBackup || e.Type == GlobalConfigBackup {
			backups[e.Path] = e
		}
	}
	var folders []string
	for _, e := range r.Entries {
		switch e.Type {
		case FileWritten, ConfigMerged:
			if err := u.homeFile(e, backups); err != nil {
				return err
			}
		case DirectoryCreated:
			folders = append(folders, e.Path)
		case FileBackup, GlobalConfigBackup, FileKept, FileDeleted, ConflictEntry, PortConflictResolved:
		}
	}
	for _, folder := range slices.Backward(folders) {
		u.home.add(step{Op: opRmdir, Path: folder})
	}
	return nil
}

func (u *rollbackPlan) homeFile(e Entry, backups map[string]Entry) error {
	d := u.folder.home.disk
	if err := bundlezip.CheckHomePath(e.Path); err != nil {
		return err
	}
	now, err := d.digest(e.Path)
	if err != nil {
		u.leave(e, backups, err.Error())
		return nil
	}
	backup, backed := backups[e.Path]
	if backed {
		//nolint:nilerr // a backup that cannot be read is as good as none: the file is left, and said
		if have, err := d.digest(backup.Backup); err != nil || have != backup.SHA256Before {
			u.leave(e, backups, "its backup is missing or was changed")
			return nil
		}
	}
	name := displayName(e.Base, e.Path)
	switch {
	case now == e.SHA256After && backed:
		u.home.copy(backup.Backup, step{Path: e.Path, Before: now, After: e.SHA256Before})
		u.log.Restored = append(u.log.Restored, name)
	case now == e.SHA256After:
		u.home.remove(e.Path, now)
		u.log.Deleted = append(u.log.Deleted, name)
	case now == "":
		u.leave(e, backups, "it was deleted since")
		return nil
	case now != e.SHA256Before:
		content, err := u.unmerged(e, backup)
		if err != nil {
			u.leave(e, backups, err.Error())
			return nil
		}
		u.home = append(u.home, undoStep{Content: content, step: step{Op: opPlace, Path: e.Path, Before: now}})
		u.log.Restored = append(u.log.Restored, name)
		u.notes = append(u.notes, name+" was changed after the pull; only what the pull had added was taken out")
	}
	if !backed || backup.Type != GlobalConfigBackup {
		return nil
	}
	beside := e.Path + BackupSuffix
	if earlier, ok := backups[beside]; ok {
		u.home.add(step{Op: opPlace, From: earlier.Backup, Path: beside, Before: backup.SHA256Before, After: earlier.SHA256Before})
		return nil
	}
	u.home.remove(beside, backup.SHA256Before)
	return nil
}

// leave lets a home file stand as it is and says why. The backup of an earlier
// pull comes back all the same: that pull needs it for its own rollback, and it
// may be the only copy of what the user had.
func (u *rollbackPlan) leave(e Entry, backups map[string]Entry, why string) {
	name := displayName(e.Base, e.Path)
	u.log.Preserved = append(u.log.Preserved, name)
	u.notes = append(u.notes, fmt.Sprintf("%s is left as it is: %s", name, why))
	beside := e.Path + BackupSuffix
	earlier, ok := backups[beside]
	if !ok {
		return
	}
	if _, err := u.folder.home.lookFile(beside); err != nil {
		u.notes = append(u.notes, fmt.Sprintf("the earlier backup of %s goes to ~/%s/%s: %v", name, trashDir, u.pull.BundleID, err))
		return
	}
	// Without a digest of what stands there the step saves it in the trash.
	u.home.add(step{Op: opPlace, From: earlier.Backup, Path: beside, After: earlier.SHA256Before})
	u.notes = append(u.notes, fmt.Sprintf("~/%s is again the backup of the pull before; this pull's own is kept in ~/%s/%s", beside, trashDir, u.pull.BundleID))
}

// unmerged gives the file as it is now without what the pull added.
func (u *rollbackPlan) unmerged(e, backup Entry) ([]byte, error) {
	d := u.folder.home.disk
	var before []byte
	if backup.Backup != "" {
		var err error
		if before, err = d.read(backup.Backup, maxMerged); err != nil {
			return nil, err
		}
	}
	after, err := d.read(pullFolder(u.past.PullID)+"/after/"+e.Path, maxMerged)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, merge.ErrCannotUnmerge
	}
	if err != nil {
		return nil, err
	}
	current, err := d.read(e.Path, maxMerged)
	if err != nil {
		return nil, err
	}
	return merge.Unmerge(e.Path, before, after, current)
}

// stageHome stages the home folder's part and reports whether there is one.
func (u *rollbackPlan) stageHome() (bool, error) {
	if !u.authentic || !u.past.Home || u.folder.home == nil {
		return false, nil
	}
	folder := pullFolder(u.past.PullID)
	j := journal{Version: 1, Kind: kindRollback, BundleID: u.pull.BundleID, PullID: u.past.PullID, Root: u.folder.dir}
	if err := u.folder.home.commit(j); err != nil {
		return false, err
	}
	w := &staging{disk: u.folder.home.disk, stage: folder + "/stage"}
	if err := w.undo(u.home); err != nil {
		return false, err
	}
	if err := w.disk.syncAll(w.names); err != nil {
		return false, err
	}
	j.Steps = w.steps
	return true, u.folder.home.commit(j)
}
