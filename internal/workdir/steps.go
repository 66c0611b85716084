package workdir

import (
	"errors"
	"fmt"
	"os"
	"path"
)

// runSteps does the steps of a journal and makes them durable. It gives the
// files that were to be removed and are not what they were to be.
func runSteps(d disk, j journal) (left []string, err error) {
	if len(j.Steps) == 0 {
		return nil, nil
	}
	p := placer{disk: d, journal: j, sources: nearby{disk: d}, targets: nearby{disk: d}}
	defer func() { err = errors.Join(err, p.sources.forget(), p.targets.forget()) }()
	touched := make([]string, 0, len(j.Steps))
	for _, s := range j.Steps {
		done, err := p.run(s)
		if err != nil {
			return nil, fmt.Errorf("%s of bundle %s is committed and could not be finished: %w; remove the cause, then run svc pull or svc rollback again", j.Kind, j.BundleID, err)
		}
		if !done {
			left = append(left, s.Path)
		}
		touched = append(touched, s.Path)
	}
	return left, d.syncAll(touched)
}

// placer does steps one after the other. Most of them take a file from the same
// folder and put it next to the one before.
type placer struct {
	disk             disk
	journal          journal
	sources, targets nearby
}

// run does one step and says whether there is nothing left of it to do.
func (p *placer) run(s step) (done bool, err error) {
	switch s.Op {
	case opPlace:
		return true, p.place(s)
	case opRemove:
		digest, err := p.disk.digest(s.Path)
		if err != nil || digest != s.Before {
			return digest == "", err
		}
		return true, p.disk.remove(s.Path)
	case opRmdir:
		// The folder, or one in it, may be among those that are open.
		if err := errors.Join(p.sources.forget(), p.targets.forget()); err != nil {
			return false, err
		}
		return true, p.disk.removeEmpty(s.Path)
	}
	return false, fmt.Errorf("step %q is unknown", s.Op)
}

func (p *placer) place(s step) error {
	from, err := p.sources.lookFile(s.From)
	if err != nil || !from.exists {
		return err // without its source the step has been done
	}
	at, err := p.targets.lookFile(s.Path)
	if err != nil {
		return err
	}
	if at.exists && !isKept(s.Path) {
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
func (p *placer) rename(from, to string) error {
	target, err := p.targets.folder(path.Dir(to))
	if err == nil && target == nil {
		if err := p.disk.parents(to); err != nil {
			return err
		}
		if err := p.targets.forget(); err != nil {
			return err
		}
		target, err = p.targets.folder(path.Dir(to))
	}
	if err != nil {
		return err
	}
	source, err := p.sources.folder(path.Dir(from))
	if err != nil {
		return err
	}
	if source == nil || target == nil {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: os.ErrNotExist}
	}
	if err := p.disk.gate.pass("rename", to); err != nil {
		return err
	}
	return p.move(from, to)
}
