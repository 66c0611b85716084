package workdir

import (
	"fmt"
	"path"
	"slices"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
)

// rollbackPlan is the plan of a rollback.
type rollbackPlan struct {
	folder    *Folder
	pull      Log
	past      pastPull
	recorded  bool
	authentic bool
	log       RollbackLog
	notes     []string

	trash   []string          // files of the project that are saved first
	steps   undoSteps         // what happens then, in order
	folders []string          // made by the pull, innermost last
	removed map[string]bool   // files that the pull wrote and that go
	backups map[string]Entry  // by path
	home    undoSteps         // what happens in the home folder
	logAt   string            // digest of the log now
	current map[string]string // digests now, by path
}

// planRollback works out a rollback and changes nothing.
func (f *Folder) planRollback(bundleID string) (*rollbackPlan, error) {
	pull, err := f.ReadLog()
	if err != nil {
		return nil, noLogFor(err, "take back")
	}
	if pull.BundleID != bundleID {
		return nil, fmt.Errorf("%w: %s; pulls are taken back last first", ErrOtherBundle, pull.BundleID)
	}
	u := &rollbackPlan{
		folder: f, pull: pull.committed(), backups: map[string]Entry{}, current: map[string]string{}, removed: map[string]bool{},
		log: RollbackLog{Version: LogVersion, BundleID: bundleID, Restored: []string{}, Deleted: []string{}, Preserved: []string{}},
	}
	if u.past, u.recorded, err = f.pastPullOf(pull); err != nil {
		return nil, err
	}
	u.authentic = u.recorded && u.past.authentic
	if u.logAt, err = f.project.digest(LogName); err != nil {
		return nil, err
	}
	for _, e := range pull.Entries {
		if e.Base == bundlezip.ProjectRoot && (e.Type == FileBackup || e.Type == GlobalConfigBackup) {
			u.backups[e.Path] = e
		}
	}
	return u, u.plan()
}

func (u *rollbackPlan) plan() error {
	for _, e := range u.pull.Entries {
		if e.Base == bundlezip.Home {
			continue
		}
		var err error
		switch e.Type {
		case FileWritten, ConfigMerged:
			err = u.file(e)
		case DirectoryCreated:
			u.folders = append(u.folders, e.Path)
		case FileDeleted, FileBackup, GlobalConfigBackup, FileKept, ConflictEntry, PortConflictResolved:
		}
		if err != nil {
			return err
		}
	}
	for _, folder := range slices.Backward(u.folders) {
		u.steps.add(step{Op: opRmdir, Path: folder})
	}
	if u.authentic { // now that there is room for them
		for _, folder := range slices.Backward(u.past.FoldersGone) {
			u.steps.add(step{Op: opMkdir, Path: folder.Path, Bits: folder.Bits})
		}
	}
	for _, e := range u.pull.Entries {
		if e.Type == FileDeleted {
			if err := u.deletedFile(e); err != nil {
				return err
			}
		}
	}
	if err := u.ownFiles(); err != nil {
		return err
	}
	return u.planHome()
}

// refuse stops a rollback before its first change.
func (u *rollbackPlan) refuse(format string, args ...any) error {
	return fmt.Errorf("%s; %w", fmt.Sprintf(format, args...), ErrUntrusted)
}

// file plans what becomes of one file that the pull wrote.
func (u *rollbackPlan) file(e Entry) error {
	d := u.folder.project
	if e.Path == LogName || e.Path == RollbackLogName {
		return u.refuse("%s claims to have been written by the pull as a file", e.Path)
	}
	if err := u.folder.checkHomePlaces(e.Path); err != nil {
		return err
	}
	now, err := d.digest(e.Path)
	if err != nil {
		return err
	}
	u.current[e.Path] = now
	backup, backed := u.backups[e.Path]
	switch {
	case backed != (e.SHA256Before != ""):
		return u.refuse("the log contradicts itself about %s", e.Path)
	case backed && backup.SHA256Before != e.SHA256Before:
		return u.refuse("the log contradicts itself about the backup of %s", e.Path)
	}
	have := ""
	if backed {
		if have, err = d.digest(backup.Backup); err != nil {
			return err
		}
		byHand := now == e.SHA256Before && now != e.SHA256After
		if have != backup.SHA256Before && (have != "" || !byHand) {
			return u.withoutBackup(e, backup, have)
		}
	}
	edited := now != "" && now != e.SHA256After && now != e.SHA256Before
	if edited {
		if !u.authentic {
			return u.refuse("%s is not what %s says it was, and that log was not written by your svc, or was changed", e.Path, LogName)
		}
		u.trash = append(u.trash, e.Path)
	}
	if backed {
		return u.restore(e, backup, now, have)
	}
	if now != "" {
		u.steps.remove(e.Path, now)
		u.log.Deleted = append(u.log.Deleted, e.Path)
	}
	u.removed[e.Path] = true
	return nil
}

// deletedFile plans that a file which the pull deleted comes back.
func (u *rollbackPlan) deletedFile(e Entry) error {
	d := u.folder.project
	if err := u.folder.checkHomePlaces(e.Path); err != nil {
		return err
	}
	backup, backed := u.backups[e.Path]
	if !backed || backup.Type != FileBackup || backup.Backup != e.Backup || backup.SHA256Before != e.SHA256Before {
		return u.refuse("the log contradicts itself about %s", e.Path)
	}
	now, err := u.standsAt(e.Path)
	if err != nil {
		return err
	}
	if now == e.SHA256Before {
		return nil // somebody has brought it back by hand
	}
	have, err := d.digest(e.Backup)
	switch {
	case err != nil:
		return err
	case have != e.SHA256Before:
		return u.withoutBackup(e, backup, have)
	case now != "" && !u.authentic:
		return u.refuse("%s says that %s was deleted, it is there, and that log was not written by your svc, or was changed", LogName, e.Path)
	case now != "":
		u.current[e.Path] = now
		u.trash = append(u.trash, e.Path)
	}
	u.log.Restored = append(u.log.Restored, e.Path)
	u.steps.add(step{Op: opPlace, From: e.Backup, Path: e.Path, Before: now, After: have})
	return nil
}

// standsAt gives the digest of the file at the place of one that was deleted, or
// "" if the rollback makes room there: the pull may have put a folder in the
// place of a file, or a file in the place of a folder.
func (u *rollbackPlan) standsAt(name string) (string, error) {
	d := u.folder.project
	for _, folder := range parentFolders(name) {
		if u.removed[folder] {
			return "", nil
		}
	}
	at, err := d.look(name)
	if err != nil || !at.folder {
		if err == nil && at.exists {
			return d.digest(name)
		}
		return "", err
	}
	return "", u.checkEmptied(name)
}

// checkEmptied says whether nothing is left in a folder once the files are gone
// that the pull wrote.
func (u *rollbackPlan) checkEmptied(folder string) error {
	names, err := u.folder.project.list(folder)
	if err != nil {
		return err
	}
	for _, name := range names {
		name = path.Join(folder, name)
		at, err := u.folder.project.look(name)
		switch {
		case err != nil:
			return err
		case at.folder:
			err = u.checkEmptied(name)
		case !u.removed[name]:
			err = u.refuse("%s would come back as a file where the folder of %s is now: move that away", folder, name)
		}
		if err != nil {
			return err
		}
	}
	if !slices.Contains(u.folders, folder) {
		return u.refuse("%s would come back as a file where a folder is now: move that away", folder)
	}
	return nil
}

// withoutBackup plans what becomes of a file whose old content is not there any
// more: it stays, and the rest of the pull is taken back.
func (u *rollbackPlan) withoutBackup(e, backup Entry, have string) error {
	if !u.authentic {
		return u.refuse("the backup %s of %s is missing or was changed, and %s was not written by your svc: put the backup back, or undo the rest by hand and delete %s", backup.Backup, e.Path, LogName, LogName)
	}
	u.log.Preserved = append(u.log.Preserved, e.Path)
	u.notes = append(u.notes, fmt.Sprintf("%s is left as it is: its backup %s is missing or was changed; restore what it was from your version control, if you need it", e.Path, backup.Backup))
	if backup.Type == FileBackup {
		if have == "" {
			return nil
		}
		to, err := trashPlace(u.folder.project, u.pull.BundleID, e.Path+BackupSuffix)
		if err != nil {
			return err
		}
		u.steps.add(step{Op: opPlace, From: backup.Backup, Path: to, After: have})
		u.log.Preserved = append(u.log.Preserved, to)
		return nil
	}
	// A step that does not know what stands beside the file saves it in the
	// trash before the earlier backup takes its place.
	earlier, displaced := u.backups[backup.Backup]
	if !displaced {
		return nil
	}
	kept, err := u.folder.project.digest(earlier.Backup)
	if err != nil || kept != earlier.SHA256Before {
		return err
	}
	u.steps.add(step{Op: opPlace, From: earlier.Backup, Path: backup.Backup, After: kept})
	return nil
}

func (u *rollbackPlan) restore(e, backup Entry, now, have string) error {
	if now == e.SHA256Before && now != e.SHA256After { // by hand
		return u.dropBackup(e, backup, have)
	}
	u.log.Restored = append(u.log.Restored, e.Path)
	if backup.Type == FileBackup {
		u.steps.add(step{Op: opPlace, From: backup.Backup, Path: e.Path, Before: now, After: e.SHA256Before})
		return nil
	}
	u.steps.copy(backup.Backup, step{Path: e.Path, Before: now, After: e.SHA256Before})
	return u.dropBackup(e, backup, have)
}

// dropBackup takes away the backup beside a file, and brings back the one that
// it had displaced.
func (u *rollbackPlan) dropBackup(e, backup Entry, have string) error {
	if backup.Type != GlobalConfigBackup {
		return nil
	}
	name := e.Path + BackupSuffix
	earlier, displaced := u.backups[name]
	if !displaced {
		u.steps.remove(name, have)
		return nil
	}
	kept, err := u.folder.project.digest(earlier.Backup)
	if err != nil {
		return err
	}
	if kept != earlier.SHA256Before {
		if !u.authentic {
			return u.refuse("the earlier backup %s is missing or was changed, and %s was not written by your svc: put the backup back, or undo the rest by hand and delete %s", earlier.Backup, LogName, LogName)
		}
		// What is left of it goes to the trash with the history.
		u.notes = append(u.notes, fmt.Sprintf("the backup of %s that an earlier pull had made is missing or was changed, so rolling that pull back will leave the file", e.Path))
		u.steps.remove(name, have)
		return nil
	}
	u.steps.add(step{Op: opPlace, From: earlier.Backup, Path: name, Before: have, After: kept})
	return nil
}

// ownFiles plans what becomes of the client's own files: the log goes, the one
// before comes back.
func (u *rollbackPlan) ownFiles() error {
	d := u.folder.project
	previous, ok := u.backups[LogName]
	if !ok {
		u.steps.remove(LogName, u.logAt)
		return nil
	}
	have, err := d.digest(previous.Backup)
	if err != nil {
		return err
	}
	if have != previous.SHA256Before {
		if !u.authentic {
			return u.refuse("the log of the pull before, %s, is missing or was changed, and %s was not written by your svc: put it back, or undo the pull by hand and delete %s", previous.Backup, LogName, LogName)
		}
		u.notes = append(u.notes, fmt.Sprintf("the log of the pull before, %s, is missing or was changed: that pull can perhaps not be rolled back", previous.Backup))
		if have == "" {
			u.steps.remove(LogName, u.logAt)
			return nil
		}
	}
	u.steps.add(step{Op: opPlace, From: previous.Backup, Path: LogName, Before: u.logAt, After: have})
	return nil
}
