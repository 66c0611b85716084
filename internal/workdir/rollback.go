package workdir

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/bundle-delivery/svc/internal/bundlezip"
)

// ErrOtherBundle says that the last pull here was of another bundle.
var ErrOtherBundle = errors.New("the last pull in this folder was of another bundle")

// ErrUntrusted says that what lies in the folder does not fit together and was
// not written by this user's client.
var ErrUntrusted = errors.New("nothing was changed")

// Rollback takes the last pull back, which must be of this bundle. The second
// value are remarks for the user.
func (f *Folder) Rollback(bundleID string) (RollbackLog, []string, error) {
	recovered, err := f.Recover()
	if err != nil {
		return RollbackLog{}, nil, err
	}
	if recovered.Kind == kindRollback && recovered.BundleID == bundleID {
		// The rollback that was asked for had only been interrupted.
		l, err := f.readRollbackLog()
		return l, []string{"an interrupted rollback of this bundle was finished"}, err
	}
	// Once to see whether it can be done at all, before anything is written;
	// once more when nobody else can be at work here.
	if _, err := f.planUndo(bundleID); err != nil {
		return RollbackLog{}, nil, err
	}
	unlock, err := f.lock()
	if err != nil {
		return RollbackLog{}, nil, err
	}
	defer unlock() //nolint:errcheck // the lock ends with the process at the latest
	u, err := f.planUndo(bundleID)
	if err != nil {
		return RollbackLog{}, nil, err
	}
	j, err := f.stageUndo(u)
	if err != nil {
		if f.gate.shut == nil {
			err = errors.Join(err, f.tidy())
		}
		return RollbackLog{}, nil, err
	}
	if err := f.finish(j); err != nil {
		return RollbackLog{}, nil, err
	}
	if l, err := f.readRollbackLog(); err == nil && len(l.Preserved) > len(u.log.Preserved) {
		for _, name := range l.Preserved[len(u.log.Preserved):] {
			u.notes = append(u.notes, name+" was changed while the rollback ran, so it is left as it is")
		}
		u.log = l
	}
	return u.log, u.notes, f.tidy()
}

func (f *Folder) readRollbackLog() (RollbackLog, error) {
	var l RollbackLog
	text, err := f.project.read(RollbackLogName, maxLog)
	if err != nil {
		return l, notHere(err, RollbackLogName, "the rollback is done")
	}
	return l, json.Unmarshal(text, &l)
}

// undo is the plan of a rollback.
type undo struct {
	folder    *Folder
	pull      Log
	level     level
	hasLevel  bool
	authentic bool
	log       RollbackLog
	notes     []string

	trash   []string          // files of the project that are saved first
	copies  []restore         // restored from a file that stays until its own step
	steps   []step            // what else happens, in order
	folders []string          // made by the pull, innermost last
	backups map[string]Entry  // by path
	home    []homeUndo        // what happens in the home folder
	logAt   string            // digest of the log now
	current map[string]string // digests now, by path
}

// restore puts a copy of the file at from back to path.
type restore struct {
	from, path    string
	before, after string
}

// planUndo works out a rollback and changes nothing.
func (f *Folder) planUndo(bundleID string) (*undo, error) {
	pull, err := f.ReadLog()
	if err != nil {
		return nil, err
	}
	if pull.BundleID != bundleID {
		return nil, fmt.Errorf("%w: %s; pulls are taken back last first", ErrOtherBundle, pull.BundleID)
	}
	u := &undo{
		folder: f, pull: pull, backups: map[string]Entry{}, current: map[string]string{},
		log: RollbackLog{Version: LogVersion, BundleID: bundleID, Restored: []string{}, Deleted: []string{}, Preserved: []string{}},
	}
	if u.level, u.hasLevel, err = f.levelOf(pull); err != nil {
		return nil, err
	}
	u.authentic = u.hasLevel && u.level.authentic
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

func (u *undo) plan() error {
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
		case FileBackup, GlobalConfigBackup, FileKept, ConflictEntry, PortConflictResolved:
		}
		if err != nil {
			return err
		}
	}
	for _, folder := range slices.Backward(u.folders) {
		u.steps = append(u.steps, step{Op: opRmdir, Path: folder})
	}
	if err := u.ownFiles(); err != nil {
		return err
	}
	return u.planHome()
}

// refuse stops a rollback before its first change.
func (u *undo) refuse(format string, args ...any) error {
	return fmt.Errorf("%s; %w", fmt.Sprintf(format, args...), ErrUntrusted)
}

// file plans what becomes of one file that the pull wrote.
func (u *undo) file(e Entry) error {
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
		u.steps = append(u.steps, step{Op: opRemove, Path: e.Path, Before: now})
		u.log.Deleted = append(u.log.Deleted, e.Path)
	}
	return nil
}

// withoutBackup plans what becomes of a file whose old content is not there any
// more: it stays, and the rest of the pull is taken back.
func (u *undo) withoutBackup(e, backup Entry, have string) error {
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
		u.steps = append(u.steps, step{Op: opPlace, From: backup.Backup, Path: to, After: have})
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
	u.steps = append(u.steps, step{Op: opPlace, From: earlier.Backup, Path: backup.Backup, After: kept})
	return nil
}

func (u *undo) restore(e, backup Entry, now, have string) error {
	if now == e.SHA256Before && now != e.SHA256After { // by hand
		return u.dropBackup(e, backup, have)
	}
	u.log.Restored = append(u.log.Restored, e.Path)
	if backup.Type == FileBackup {
		u.steps = append(u.steps, step{Op: opPlace, From: backup.Backup, Path: e.Path, Before: now, After: e.SHA256Before})
		return nil
	}
	u.copies = append(u.copies, restore{from: backup.Backup, path: e.Path, before: now, after: e.SHA256Before})
	return u.dropBackup(e, backup, have)
}

// dropBackup takes away the backup beside a file, and brings back the one that
// it had displaced.
func (u *undo) dropBackup(e, backup Entry, have string) error {
	if backup.Type != GlobalConfigBackup {
		return nil
	}
	name := e.Path + BackupSuffix
	earlier, displaced := u.backups[name]
	if !displaced {
		if have != "" {
			u.steps = append(u.steps, step{Op: opRemove, Path: name, Before: have})
		}
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
		if have != "" {
			u.steps = append(u.steps, step{Op: opRemove, Path: name, Before: have})
		}
		return nil
	}
	u.steps = append(u.steps, step{Op: opPlace, From: earlier.Backup, Path: name, Before: have, After: kept})
	return nil
}

// ownFiles plans what becomes of the client's own files: the log goes, the one
// before comes back.
func (u *undo) ownFiles() error {
	d := u.folder.project
	previous, ok := u.backups[LogName]
	if !ok {
		u.steps = append(u.steps, step{Op: opRemove, Path: LogName, Before: u.logAt})
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
			u.steps = append(u.steps, step{Op: opRemove, Path: LogName, Before: u.logAt})
			return nil
		}
	}
	u.steps = append(u.steps, step{Op: opPlace, From: previous.Backup, Path: LogName, Before: u.logAt, After: have})
	return nil
}

// stageUndo does everything up to and including the commit.
func (f *Folder) stageUndo(u *undo) (journal, error) {
	if open, err := f.Interrupted(); err != nil || open {
		return journal{}, errors.Join(err, ErrChanged)
	}
	if err := f.clearDrafts(); err != nil {
		return journal{}, err
	}
	if err := f.project.mkdir(stageDir); err != nil {
		return journal{}, err
	}
	j := journal{Version: 1, Kind: kindRollback, BundleID: u.pull.BundleID}
	if u.hasLevel {
		j.PullID, j.Retire = u.level.PullID, []string{u.level.folder}
	}
	var err error
	if j.Home, err = f.stageHomeUndo(u); err != nil {
		return journal{}, err
	}
	w := &draft{disk: f.project, stage: stageDir}
	for _, name := range u.trash {
		to, err := trashPlace(f.project, u.pull.BundleID, name)
		if err != nil {
			return journal{}, err
		}
		if err := w.keep(name, to, u.current[name]); err != nil {
			return journal{}, err
		}
		u.log.Preserved = append(u.log.Preserved, to)
		u.notes = append(u.notes, fmt.Sprintf("%s was changed after the pull; your version is kept as %s", name, to))
	}
	for _, c := range u.copies {
		if err := w.keep(c.from, c.path, c.after); err != nil {
			return journal{}, err
		}
		w.steps[len(w.steps)-1].Before = c.before
	}
	w.steps = append(w.steps, u.steps...)
	if err := f.stageRollbackLog(w, u); err != nil {
		return journal{}, err
	}
	if err := w.disk.syncAll(w.names); err != nil {
		return journal{}, err
	}
	j.Steps = w.steps
	return j, f.commit(f.folderKey(), j)
}

func (f *Folder) stageRollbackLog(w *draft, u *undo) error {
	before, err := f.project.digest(RollbackLogName)
	if err != nil {
		return err
	}
	var earlier RollbackLog
	if text, err := f.project.read(RollbackLogName, maxLog); err == nil && (json.Unmarshal(text, &earlier) != nil || earlier.Version != LogVersion) {
		// Not one of ours: somebody keeps a file under this name.
		to, err := trashPlace(f.project, u.pull.BundleID, RollbackLogName)
		if err != nil {
			return err
		}
		if err := w.keep(RollbackLogName, to, before); err != nil {
			return err
		}
		u.log.Preserved = append(u.log.Preserved, to)
	}
	u.log.FinishedAt = f.now()
	text, err := encodeDocument(u.log)
	if err != nil {
		return err
	}
	_, err = w.add(RollbackLogName, before, perm{bits: 0o644}, bytes.NewReader(text))
	return err
}
