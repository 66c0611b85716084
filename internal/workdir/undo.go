package workdir

import "bytes"

// undoStep is what a rollback does with one file.
type undoStep struct {
	step
	CopyOf  string // restored from this file, which stays until its own step
	Content []byte // or given this content
}

// undoSteps are the steps of a rollback at one root, in order.
type undoSteps []undoStep

func (u *undoSteps) add(s step) { *u = append(*u, undoStep{step: s}) }

// remove deletes a file that has this digest; an empty one is of no file.
func (u *undoSteps) remove(name, digest string) {
	if digest != "" {
		u.add(step{Op: opRemove, Path: name, Before: digest})
	}
}

// copy restores a file from another one.
func (u *undoSteps) copy(from string, s step) {
	s.Op = opPlace
	*u = append(*u, undoStep{step: s, CopyOf: from})
}

// undo stages the steps of a rollback.
func (w *staging) undo(steps undoSteps) error {
	for _, s := range steps {
		switch {
		case s.CopyOf != "":
			if err := w.keep(s.CopyOf, s.Path, s.After); err != nil {
				return err
			}
			w.steps[len(w.steps)-1].Before = s.Before
		case s.Op == opPlace && s.From == "":
			at, err := w.disk.lookFile(s.Path)
			if err != nil {
				return err
			}
			if !at.exists {
				return ErrChanged
			}
			if _, err := w.add(s.Path, s.Before, perm{bits: at.info.Mode().Perm(), exact: true}, bytes.NewReader(s.Content)); err != nil {
				return err
			}
		default:
			w.steps = append(w.steps, s.step)
		}
	}
	return nil
}
