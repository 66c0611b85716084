package workdir

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
)

// The kinds of journals.
const (
	kindPull     = "pull"
	kindRollback = "rollback"
)

// journal is the commit record of a pull or a rollback: all that is left to do
// once everything is staged. Its appearance under its name is the commit.
type journal struct {
	Version  int    `json:"journal_version"`
	Kind     string `json:"kind"`
	BundleID string `json:"bundle_id"`
	PullID   string `json:"pull_id,omitempty"`
	// Root is the project folder, in a journal of the home folder.
	Root string `json:"root,omitempty"`
	// Home says that ~/.svc/pulls/<pull-id> has a journal of its own that
	// belongs to this commit.
	Home  bool   `json:"home,omitempty"`
	Steps []step `json:"steps"`
	// Discard are folders below .svc that go when all steps are done.
	Discard []string `json:"retire,omitempty"`
}

// The steps of a journal. Each can be done again without harm.
const (
	// opPlace renames From to Path, where a file with the digest Before stands
	// (none if empty). The content has the digest After.
	opPlace = "place"
	// opRemove deletes the file at Path if its digest is Before.
	opRemove = "remove"
	// opRmdir deletes the folder at Path if it is empty.
	opRmdir = "rmdir"
	// opMkdir makes the folder at Path, with these Bits, unless something is there.
	opMkdir = "mkdir"
)

type step struct {
	Op     string `json:"op"`
	Path   string `json:"path"`
	From   string `json:"from,omitempty"`
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`

	Bits fs.FileMode `json:"bits,omitempty"`
}

const maxJournal = 64 << 20

// parseJournal reads a journal and refuses one that speaks of places that no
// pull or rollback could reach.
func parseJournal(k key, text []byte) (j journal, authentic bool, err error) {
	authentic, err = k.verify(purposeJournal, text, &j)
	if err == nil {
		err = j.check()
	}
	if err != nil {
		return journal{}, false, fmt.Errorf("%s is not a journal of svc: %w; if you do not know where it comes from, delete the folder %s", journalName, err, stateDir)
	}
	return j, authentic, nil
}

func (j journal) check() error {
	switch {
	case j.Version != 1 || j.Kind != kindPull && j.Kind != kindRollback:
		return errors.New("its version or kind is unknown")
	case !IsBundleID(j.BundleID):
		return errors.New("its bundle_id is no UUID")
	case j.PullID != "" && !isPullID(j.PullID), j.Home && j.PullID == "":
		return errors.New("its pull_id is malformed")
	}
	for i, s := range j.Steps {
		if err := checkStep(s); err != nil {
			return fmt.Errorf("step %d: %w", i, err)
		}
	}
	for _, folder := range j.Discard {
		if err := checkStatePlace(folder); err != nil {
			return err
		}
	}
	return nil
}

func checkStep(s step) error {
	if err := errors.Join(checkDigest(s.Before), checkDigest(s.After)); err != nil {
		return err
	}
	if err := checkPlace(s.Path); err != nil {
		return err
	}
	switch s.Op {
	case opPlace:
		// A source is used up by its step and never made again, which only
		// holds for the client's own files.
		return checkStatePlace(s.From)
	case opRemove, opRmdir, opMkdir:
		return nil
	}
	return fmt.Errorf("%q is unknown", s.Op)
}

// checkPlace allows targets in the tree and the client's own folders.
func checkPlace(name string) error {
	if isStatePath(name) {
		return checkStatePlace(name)
	}
	return checkTarget(name)
}

func checkStatePlace(name string) error {
	for _, folder := range []string{stageDir, historyDir, trashDir, pullsDir} {
		if checkBelow(name, folder) == nil {
			return nil
		}
	}
	return fmt.Errorf("path %q is not a place of the client", name)
}

// openJournal reads the journal of the folder, if one is open.
func (f *Folder) openJournal() (j journal, authentic, open bool, err error) {
	text, err := f.project.read(journalName, maxJournal)
	if errors.Is(err, fs.ErrNotExist) {
		return journal{}, false, false, nil
	}
	if err != nil {
		return journal{}, false, false, err
	}
	j, authentic, err = parseJournal(f.folderKey(), text)
	return j, authentic, err == nil, err
}

// commit writes the journal. When it returns, the pull or rollback will happen,
// whatever happens to the process.
func (f *Folder) commit(k key, j journal) error {
	return k.replace(f.project, journalName, journalTemp, purposeJournal, j)
}

// commit writes the home folder's part. It counts only once the journal of
// the project names it.
func (d homeDisk) commit(j journal) error {
	text, err := json.Marshal(j)
	if err != nil {
		return err
	}
	name := pullFolder(j.PullID) + "/journal.json"
	return d.replace(name, name+".draft", perm{bits: 0o600}, bytes.NewReader(text))
}

func pullFolder(pullID string) string { return pullsDir + "/" + pullID }
