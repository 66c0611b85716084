package workdir

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// ErrOtherBundle says that the last pull here was of another bundle.
var ErrOtherBundle = errors.New("the last pull in this folder was of another bundle")

// ErrUntrusted says that what lies in the folder does not fit together and was
// not written by this user's client.
var ErrUntrusted = errors.New("nothing was changed")

// Rollback takes the last pull back, which must be of this bundle. The second
// value are remarks for the user.
func (f *Folder) Rollback(bundleID string) (RollbackLog, []string, error) {
	return f.RollbackAsShown(bundleID, "")
}

// RollbackAsShown is Rollback if that does exactly what a preview with this digest
// showed, and else is ErrOtherRollback.
func (f *Folder) RollbackAsShown(bundleID, digest string) (RollbackLog, []string, error) {
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
	if _, err := f.planRollbackAsShown(bundleID, digest); err != nil {
		return RollbackLog{}, nil, err
	}
	unlock, err := f.lock()
	if err != nil {
		return RollbackLog{}, nil, err
	}
	defer unlock() //nolint:errcheck // the lock ends with the process at the latest
	u, err := f.planRollbackAsShown(bundleID, digest)
	if err != nil {
		return RollbackLog{}, nil, err
	}
	j, err := u.stage()
	if err != nil {
		if f.hook.stopped == nil {
			err = errors.Join(err, f.tidy())
		}
		return RollbackLog{}, nil, err
	}
	if _, err := (committed{j, f}).finish(); err != nil {
		return RollbackLog{}, nil, err
	}
	if l, err := f.readRollbackLog(); err == nil && len(l.Preserved) > len(u.log.Preserved) {
		for _, name := range l.Preserved[len(u.log.Preserved):] {
			u.notes = append(u.notes, name+" was changed while the rollback ran, so it is left as it is")
		}
		u.log = l
	}
	if err := f.project.removeTree(pushDir); err != nil { // what it was made on is gone
		return RollbackLog{}, nil, err
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

// stage does everything up to and including the commit.
func (u *rollbackPlan) stage() (journal, error) {
	f := u.folder
	if open, err := f.Interrupted(); err != nil || open {
		return journal{}, errors.Join(err, ErrChanged)
	}
	if err := f.clearStaging(); err != nil {
		return journal{}, err
	}
	if err := f.project.mkdir(stageDir); err != nil {
		return journal{}, err
	}
	j := journal{Version: 1, Kind: kindRollback, BundleID: u.pull.BundleID}
	if u.recorded {
		j.PullID, j.Discard = u.past.PullID, []string{u.past.folder}
	}
	var err error
	if j.Home, err = u.stageHome(); err != nil {
		return journal{}, err
	}
	w := &staging{disk: f.project, stage: stageDir}
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
	if err := w.undo(u.steps); err != nil {
		return journal{}, err
	}
	if err := u.stageLog(w); err != nil {
		return journal{}, err
	}
	if err := w.disk.syncAll(w.names); err != nil {
		return journal{}, err
	}
	j.Steps = w.steps
	return j, f.commit(f.folderKey(), j)
}

func (u *rollbackPlan) stageLog(w *staging) error {
	before, err := w.disk.digest(RollbackLogName)
	if err != nil {
		return err
	}
	var earlier RollbackLog
	if text, err := w.disk.read(RollbackLogName, maxLog); err == nil && (json.Unmarshal(text, &earlier) != nil || earlier.Version != LogVersion) {
		// Not one of ours: somebody keeps a file under this name.
		to, err := trashPlace(w.disk, u.pull.BundleID, RollbackLogName)
		if err != nil {
			return err
		}
		if err := w.keep(RollbackLogName, to, before); err != nil {
			return err
		}
		u.log.Preserved = append(u.log.Preserved, to)
	}
	u.log.FinishedAt = u.folder.now()
	text, err := encodeDocument(u.log)
	if err != nil {
		return err
	}
	_, err = w.add(RollbackLogName, before, perm{bits: 0o644}, bytes.NewReader(text))
	return err
}
