package workdir

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
)

// finish carries out a journal that is committed, from wherever it stands. It gives
// the files that were to go and are left, because somebody changed them meanwhile.
func (f *Folder) finish(j journal) (left []string, err error) {
	if left, err = runSteps(f.project, j); err != nil {
		return nil, err
	}
	if j.Home {
		leftAtHome, err := f.runHome(j)
		if err != nil {
			return nil, err
		}
		for _, name := range leftAtHome {
			left = append(left, displayName(bundlezip.Home, name))
		}
	}
	// Before a journal goes: after a crash the same files are found again.
	note := f.logKept
	if j.Kind == kindRollback {
		note = f.logPreserved
	}
	if err := note(left); err != nil {
		return nil, err
	}
	return left, f.clearUp(j)
}

// clearUp removes what was staged for a journal whose steps are done, and the journal.
func (f *Folder) clearUp(j journal) error {
	if j.Home {
		if err := f.finishHome(j); err != nil {
			return err
		}
	}
	for _, folder := range j.Discard {
		if err := discardHistory(f.project, j.BundleID, folder); err != nil {
			return err
		}
	}
	if err := clearStage(f.project, stageDir); err != nil {
		return err
	}
	return f.project.remove(journalName)
}

// runHome does the steps of the home folder's part that are not done yet, and
// gives the files that it left.
func (f *Folder) runHome(project journal) (left []string, err error) {
	if f.home == nil {
		return nil, errors.New("this pull changed files in the home folder, and there is no home folder now; set HOME and try again")
	}
	j, err := f.homeJournal(project.PullID)
	if err != nil {
		return nil, err
	}
	return runSteps(*f.home, j)
}

// finishHome clears up in the home folder once its steps are done.
func (f *Folder) finishHome(project journal) error {
	d, folder := *f.home, pullFolder(project.PullID)
	if err := clearStage(d, folder+"/stage"); err != nil {
		return err
	}
	if project.Kind == kindPull {
		return d.remove(folder + "/journal.json")
	}
	if err := discardHistory(d, project.BundleID, folder); err != nil {
		return err
	}
	return d.removeEmpty(pullsDir)
}

// discardHistory removes what was kept about a pull. A backup of an earlier pull that
// no step has put back is the user's, not this pull's: it goes to the trash.
func discardHistory(d disk, bundleID, folder string) error {
	displaced := folder + "/displaced"
	if err := trashTree(d, bundleID, displaced, ""); err != nil {
		return err
	}
	return d.removeTree(folder)
}

// homeJournal reads the journal of a pull in ~/.svc; its Kind is empty if there
// is none.
func (f *Folder) homeJournal(pullID string) (journal, error) {
	text, err := f.home.read(pullFolder(pullID)+"/journal.json", maxJournal)
	if errors.Is(err, fs.ErrNotExist) {
		return journal{}, nil
	}
	if err != nil {
		return journal{}, err
	}
	var j journal
	if err := json.Unmarshal(text, &j); err != nil {
		return journal{}, fmt.Errorf("~/%s/journal.json cannot be read: %w", pullFolder(pullID), err)
	}
	return j, j.check()
}

// logKept corrects the log of a pull: what it meant to delete and then left is kept.
func (f *Folder) logKept(left []string) error {
	if len(left) == 0 {
		return nil
	}
	l, err := f.ReadLog()
	if err != nil || !l.leave(left) {
		return nil //nolint:nilerr // a log that somebody took away says nothing wrong
	}
	return f.replaceLog(LogName, l)
}

// logPreserved corrects the log of a rollback: what it meant to delete and then
// left, because somebody had changed it meanwhile, is preserved.
func (f *Folder) logPreserved(left []string) error {
	if len(left) == 0 {
		return nil
	}
	l, err := f.readRollbackLog()
	if err != nil {
		return nil //nolint:nilerr // a log that somebody took away says nothing wrong
	}
	changed := false
	l.Deleted = slices.DeleteFunc(l.Deleted, func(name string) bool {
		if !slices.Contains(left, name) {
			return false
		}
		l.Preserved, changed = append(l.Preserved, name), true
		return true
	})
	if !changed {
		return nil
	}
	return f.replaceLog(RollbackLogName, l)
}
