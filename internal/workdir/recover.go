package workdir

import (
	"errors"
	"fmt"
)

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

// Unfinished says which committed pull or rollback waits to be finished; its
// Kind is empty if none does. It changes nothing, and refuses what Recover would
// refuse.
func (f *Folder) Unfinished() (Recovered, error) {
	j, open, err := f.trustedJournal()
	if err != nil || !open {
		return Recovered{}, err
	}
	return Recovered{Kind: j.Kind, BundleID: j.BundleID}, nil
}

// UnfinishedError is the error of a folder in which a pull or rollback waits to be
// finished: until then the folder is neither what it was nor what it will be.
type UnfinishedError struct{ Recovered }

// Error returns what was interrupted, and the commands that finish it.
func (e *UnfinishedError) Error() string {
	way := "svc pull or svc rollback " + e.BundleID + " finishes it"
	if e.Kind == "pull" {
		way = "svc pull finishes it, svc rollback " + e.BundleID + " takes it back"
	}
	return fmt.Sprintf("a %s of bundle %s was interrupted in this folder; %s", e.Kind, e.BundleID, way)
}

// CheckFinished returns an [UnfinishedError] if a pull or rollback waits to be finished.
func (f *Folder) CheckFinished() error {
	open, err := f.Unfinished()
	if err == nil && open.Kind != "" {
		err = &UnfinishedError{open}
	}
	return err
}

// leftovers says whether a command died here before its commit: something
// staged, or a .svc with nothing in it that is worth keeping.
func (f *Folder) leftovers() (bool, error) {
	at, err := f.project.look(stateDir)
	if err != nil || !at.folder {
		return false, err
	}
	names, err := f.project.list(stateDir)
	if err != nil {
		return false, err
	}
	worthKeeping := false
	for _, name := range names {
		switch name := stateDir + "/" + name; name {
		case journalTemp, tempName, stageDir:
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
	_, err = committed{j, f}.finish()
	return Recovered{Kind: j.Kind, BundleID: j.BundleID}, err
}

// trustedJournal reads the journal, if one is open, and refuses one that may
// not be carried out.
func (f *Folder) trustedJournal() (j journal, open bool, err error) {
	j, authentic, open, err := f.openJournal()
	if err == nil && open && !authentic {
		err = committed{j, f}.checkUnsigned()
	}
	return j, open, err
}

// checkUnsigned looks whether a journal without a signature could have been written
// here: everything it would touch must be exactly what it says.
func (c committed) checkUnsigned() error {
	refuse := func(name string) error {
		return fmt.Errorf("%s was not written by your svc and does not fit this folder (%s): nothing was changed; if you do not know where it comes from, delete the folder %s", journalName, name, stateDir)
	}
	if c.Home || len(c.Discard) > 1 {
		return refuse("the home folder")
	}
	for _, s := range c.Steps {
		if s.Op == opRmdir {
			continue
		}
		at, err := c.folder.project.digest(s.Path)
		if err != nil && !errors.Is(err, ErrNotPlain) { // there may yet be room for it
			return err
		}
		from := ""
		if s.From != "" {
			if from, err = c.folder.project.digest(s.From); err != nil {
				return err
			}
		}
		fits := s.Op != opMkdir
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
	for _, folder := range c.Discard {
		if c.Kind != kindRollback || checkHistory(folder+"/x", c.BundleID) != nil {
			return refuse(folder)
		}
	}
	return nil
}
