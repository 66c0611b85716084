package workdir

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"github.com/bundle-delivery/svc/internal/bundlezip"
)

// finish carries out a journal that is committed, from wherever it stands.
func (f *Folder) finish(j journal) error {
	left, err := runSteps(f.project, j)
	if err != nil {
		return err
	}
	if j.Home {
		leftAtHome, err := f.runHome(j)
		if err != nil {
			return err
		}
		for _, name := range leftAtHome {
			left = append(left, displayName(bundlezip.Home, name))
		}
	}
	if j.Kind == kindRollback {
		// Before the home folder's journal goes: after a crash the same files
		// are found again.
		if err := f.noteLeft(left); err != nil {
			return err
		}
	}
	if j.Home {
		if err := f.finishHome(j); err != nil {
			return err
		}
	}
	for _, folder := range j.Retire {
		if err := retire(f.project, j.BundleID, folder); err != nil {
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
	if err := retire(d, project.BundleID, folder); err != nil {
		return err
	}
	return d.removeEmpty(pullsDir)
}

// retire removes what was kept about a pull. A backup of an earlier pull that
// no step has put back is the user's, not this pull's: it goes to the trash.
func retire(d disk, bundleID, folder string) error {
	displaced := folder + "/displaced"
	if err := trashTree(d, bundleID, displaced, ""); err != nil {
		return err
	}
	return d.removeTree(folder)
}

// trashTree moves the files below a folder to the trash, each under its path
// from there.
func trashTree(d disk, bundleID, top, below string) error {
	names, err := d.list(path.Join(top, below))
	if err != nil {
		return err
	}
	for _, name := range names {
		name = path.Join(below, name)
		at, err := d.look(path.Join(top, name))
		switch {
		case errors.Is(err, ErrNotPlain):
			continue // no backup is a link
		case err != nil:
			return err
		case at.folder:
			err = trashTree(d, bundleID, top, name)
		default:
			var to string
			if to, err = trashPlace(d, bundleID, name); err == nil {
				err = d.rename(path.Join(top, name), to)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
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

// noteLeft corrects the log of a rollback: what it meant to delete and then
// left, because somebody had changed it meanwhile, is preserved.
func (f *Folder) noteLeft(left []string) error {
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
	text, err := encodeDocument(l)
	if err != nil {
		return err
	}
	return f.project.replace(RollbackLogName, draftName, perm{bits: 0o644}, bytes.NewReader(text))
}

// toTrash moves a file out of the way without losing it.
func toTrash(d disk, bundleID, name string) error {
	to, err := trashPlace(d, bundleID, name)
	if err != nil {
		return err
	}
	return d.rename(name, to)
}

// trashPlace finds a free place in the trash.
func trashPlace(d disk, bundleID, name string) (string, error) {
	bare := path.Join(trashDir, bundleID, name)
	to := bare
	for n := 1; n < 10_000; n++ {
		at, err := d.look(to)
		if err != nil {
			return "", err
		}
		if !at.exists {
			return to, nil
		}
		to = fmt.Sprintf("%s.%d", bare, n)
	}
	return "", fmt.Errorf("%s/%s is full; empty it", trashDir, bundleID)
}

// Recovered says what an unfinished command had been about.
type Recovered struct {
	Kind     string // "pull", "rollback", or "" if nothing was unfinished
	BundleID string
}

// Interrupted says whether a committed pull or rollback waits to be finished.
func (f *Folder) Interrupted() (bool, error) {
	at, err := f.project.look(journalName)
	return at.exists, err
}

// leftovers says whether a command died here before its commit: something
// staged or drafted, or a .svc with nothing in it that is worth keeping.
func (f *Folder) leftovers() (bool, error) {
	at, err := f.project.look(keepDir)
	if err != nil || !at.folder {
		return false, err
	}
	names, err := f.project.list(keepDir)
	if err != nil {
		return false, err
	}
	worthKeeping := false
	for _, name := range names {
		switch name := keepDir + "/" + name; name {
		case journalDraft, draftName, stageDir:
			return true, nil
		case ignoreName, lockName:
		default:
			worthKeeping = true
		}
	}
	return !worthKeeping, nil
}

// Recover finishes what a dead process had committed and throws away what it
// had not. Without either it changes nothing.
func (f *Folder) Recover() (Recovered, error) {
	open, err := f.Interrupted()
	if err == nil && !open {
		open, err = f.leftovers()
	}
	if err != nil || !open {
		return Recovered{}, err
	}
	// A journal that will be refused is refused before the lock is written.
	if _, _, err := f.trustedJournal(); err != nil {
		return Recovered{}, err
	}
	unlock, err := f.lock()
	if err != nil {
		return Recovered{}, err
	}
	defer unlock() //nolint:errcheck // the lock ends with the process at the latest
	done, err := f.recoverLocked()
	if err != nil {
		return done, err
	}
	return done, f.tidy()
}

func (f *Folder) recoverLocked() (Recovered, error) {
	j, open, err := f.trustedJournal()
	if err != nil || !open {
		return Recovered{}, err
	}
	return Recovered{Kind: j.Kind, BundleID: j.BundleID}, f.finish(j)
}

// trustedJournal reads the journal, if one is open, and refuses one that may
// not be carried out.
func (f *Folder) trustedJournal() (j journal, open bool, err error) {
	j, authentic, open, err := f.openJournal()
	if err == nil && open && !authentic {
		err = f.checkStranger(j)
	}
	return j, open, err
}

// checkStranger looks whether a journal without a seal could have been written
// here: everything it would touch must be exactly what it says.
func (f *Folder) checkStranger(j journal) error {
	refuse := func(name string) error {
		return fmt.Errorf("%s was not written by your svc and does not fit this folder (%s): nothing was changed; if you do not know where it comes from, delete the folder %s", journalName, name, keepDir)
	}
	if j.Home || len(j.Retire) > 1 {
		return refuse("the home folder")
	}
	for _, s := range j.Steps {
		if s.Op == opRmdir {
			continue
		}
		at, err := f.project.digest(s.Path)
		if err != nil {
			return err
		}
		from := ""
		if s.From != "" {
			if from, err = f.project.digest(s.From); err != nil {
				return err
			}
		}
		fits := true
		switch s.Op {
		case opPlace:
			done := from == "" && at == s.After
			due := from != "" && from == s.After && (at == s.Before || at == s.After || at == "")
			fits = done || due
		case opRemove:
			fits = at == "" || at == s.Before
		}
		if !fits {
			return refuse(s.Path)
		}
	}
	for _, folder := range j.Retire {
		if j.Kind != kindRollback || checkHistory(folder+"/x", j.BundleID) != nil {
			return refuse(folder)
		}
	}
	return nil
}
