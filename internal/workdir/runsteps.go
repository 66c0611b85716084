package workdir

import (
	"errors"
	"fmt"
)

// ErrCommitted says that a pull or rollback has begun to change the folder, and that the
// next command here finishes it.
var ErrCommitted = errors.New("is committed and could not be finished")

// runSteps does the steps of a journal and makes them durable. It gives the
// files that were to be removed and are not what they were to be.
func runSteps(d disk, j journal) (left []string, err error) {
	if len(j.Steps) == 0 {
		return nil, nil
	}
	touched := make([]string, 0, len(j.Steps))
	for _, s := range j.Steps {
		done, err := runStep(d, j.BundleID, s)
		if err != nil {
			return nil, fmt.Errorf("the %s of bundle %s %w: %w; remove the cause, then run svc pull or svc rollback again", j.Kind, j.BundleID, ErrCommitted, err)
		}
		if !done {
			left = append(left, s.Path)
		}
		touched = append(touched, s.Path)
	}
	return left, d.syncAll(touched)
}

// runStep does one step and reports whether there is nothing left of it to do.
func runStep(d disk, bundleID string, s step) (done bool, err error) {
	switch s.Op {
	case opPlace:
		return true, place(d, bundleID, s)
	case opRemove:
		digest, err := d.digest(s.Path)
		if errors.Is(err, ErrNotPlain) {
			return true, nil // the file has gone and something else is there, by a later step or a person
		}
		if err != nil || digest != s.Before {
			return digest == "", err
		}
		return true, d.remove(s.Path)
	case opRmdir:
		return true, d.removeEmpty(s.Path)
	case opMkdir:
		if at, err := d.look(s.Path); err != nil || at.exists {
			return true, nil //nolint:nilerr // a person has put something there
		}
		if err := d.parents(s.Path); err != nil {
			return false, err
		}
		return true, d.mkdirWith(s.Path, s.Bits.Perm())
	}
	return false, fmt.Errorf("step %q is unknown", s.Op)
}

func place(d disk, bundleID string, s step) error {
	from, err := d.lookFile(s.From)
	if err != nil || !from.exists {
		return err // without its source the step has been done
	}
	at, err := d.lookFile(s.Path)
	if err != nil {
		return err
	}
	if at.exists && !isStatePath(s.Path) {
		digest, err := d.digest(s.Path)
		if err != nil {
			return err
		}
		// What is neither the old nor the new content came between commit
		// and now, from a person.
		if digest != s.Before && digest != s.After && digest != "" {
			if err := toTrash(d, bundleID, s.Path); err != nil {
				return err
			}
		}
	}
	return d.move(s.From, s.Path)
}
