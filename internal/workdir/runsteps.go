package workdir

import (
	"errors"
	"fmt"
	"path"
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
	p := stepRunner{disk: d, journal: j, sources: dirCache{disk: d}, targets: dirCache{disk: d}}
	defer func() { err = errors.Join(err, p.sources.close(), p.targets.close()) }()
	touched := make([]string, 0, len(j.Steps))
	for _, s := range j.Steps {
		done, err := p.run(s)
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

// stepRunner does steps one after the other. Most of them take a file from the same
// folder and put it next to the one before.
type stepRunner struct {
	disk             disk
	journal          journal
	sources, targets dirCache
}

// run does one step and says whether there is nothing left of it to do.
func (p *stepRunner) run(s step) (done bool, err error) {
	switch s.Op {
	case opPlace:
		return true, p.place(s)
	case opRemove:
		digest, err := p.disk.digest(s.Path)
		if errors.Is(err, ErrNotPlain) {
			return true, nil // the file has gone and something else is there, by a later step or a person
		}
		if err != nil || digest != s.Before {
			return digest == "", err
		}
		return true, p.disk.remove(s.Path)
	case opRmdir:
		// The folder, or one in it, may be among those that are open.
		if err := errors.Join(p.sources.close(), p.targets.close()); err != nil {
			return false, err
		}
		return true, p.disk.removeEmpty(s.Path)
	case opMkdir:
		if at, err := p.disk.look(s.Path); err != nil || at.exists {
			return true, nil //nolint:nilerr // a person has put something there
		}
		if err := errors.Join(p.disk.parents(s.Path), p.targets.close()); err != nil {
			return false, err
		}
		return true, p.disk.mkdirWith(s.Path, s.Bits.Perm())
	}
	return false, fmt.Errorf("step %q is unknown", s.Op)
}

func (p *stepRunner) place(s step) error {
	from, err := p.sources.lookFile(s.From)
	if err != nil || !from.exists {
		return err // without its source the step has been done
	}
	at, err := p.targets.lookFile(s.Path)
	if err != nil {
		return err
	}
	if at.exists && !isStatePath(s.Path) {
		digest, err := p.disk.digest(s.Path)
		if err != nil {
			return err
		}
		// What is neither the old nor the new content came between commit
		// and now, from a person.
		if digest != s.Before && digest != s.After && digest != "" {
			if err := toTrash(p.disk, p.journal.BundleID, s.Path); err != nil {
				return err
			}
		}
	}
	return p.rename(s.From, s.Path)
}

// rename is disk.rename for files that were just looked at.
func (p *stepRunner) rename(from, to string) error {
	folder, err := p.targets.folder(path.Dir(to))
	if err != nil {
		return err
	}
	if folder == nil {
		if err := errors.Join(p.disk.parents(to), p.targets.close()); err != nil {
			return err
		}
	}
	if err := p.disk.hook.allow("rename", to); err != nil {
		return err
	}
	return p.disk.wrote(p.disk.root.Rename(from, to))
}
