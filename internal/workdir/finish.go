package workdir

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
)

// committed is the journal that is open in a folder.
type committed struct {
	journal
	folder *Folder
}

// finish carries the journal out, from wherever it stands. It gives the files that
// were to go and are left, because somebody changed them meanwhile.
func (c committed) finish() (left []string, err error) {
	if left, err = runSteps(c.folder.project, c.journal); err != nil {
		return nil, err
	}
	if c.Home {
		leftAtHome, err := c.runHome()
		if err != nil {
			return nil, err
		}
		for _, name := range leftAtHome {
			left = append(left, displayName(bundlezip.Home, name))
		}
	}
	// Before a journal goes: after a crash the same files are found again.
	note := c.logKept
	if c.Kind == kindRollback {
		note = c.logPreserved
	}
	if err := note(left); err != nil {
		return nil, err
	}
	return left, c.clearUp()
}

// clearUp removes what was staged for a journal whose steps are done, and the journal.
func (c committed) clearUp() error {
	if c.Home {
		if err := c.finishHome(); err != nil {
			return err
		}
	}
	for _, folder := range c.Discard {
		if err := discardHistory(c.folder.project, c.BundleID, folder); err != nil {
			return err
		}
	}
	if err := clearStage(c.folder.project, stageDir); err != nil {
		return err
	}
	return c.folder.project.remove(journalName)
}

// runHome does the steps of the home folder's part that are not done yet, and
// gives the files that it left.
func (c committed) runHome() (left []string, err error) {
	home := c.folder.home
	if home == nil {
		return nil, errors.New("this pull changed files in the home folder, and there is no home folder now; set HOME and try again")
	}
	j, err := home.journal(c.PullID)
	if err != nil {
		return nil, err
	}
	return runSteps(home.disk, j)
}

// finishHome clears up in the home folder once its steps are done.
func (c committed) finishHome() error {
	d, folder := c.folder.home.disk, pullFolder(c.PullID)
	if err := clearStage(d, folder+"/stage"); err != nil {
		return err
	}
	if c.Kind == kindPull {
		return d.remove(folder + "/journal.json")
	}
	if err := discardHistory(d, c.BundleID, folder); err != nil {
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

// journal reads the journal of a pull in ~/.svc; its Kind is empty if there
// is none.
func (d homeDisk) journal(pullID string) (journal, error) {
	text, err := d.read(pullFolder(pullID)+"/journal.json", maxJournal)
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
func (c committed) logKept(left []string) error {
	if len(left) == 0 {
		return nil
	}
	l, err := c.folder.ReadLog()
	if err != nil || !l.leave(left) {
		return nil //nolint:nilerr // a log that somebody took away says nothing wrong
	}
	return c.folder.replaceLog(LogName, l)
}

// logPreserved corrects the log of a rollback: what it meant to delete and then
// left, because somebody had changed it meanwhile, is preserved.
func (c committed) logPreserved(left []string) error {
	if len(left) == 0 {
		return nil
	}
	l, err := c.folder.readRollbackLog()
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
	return c.folder.replaceLog(RollbackLogName, l)
}
