package workdir

import (
	"errors"
	"fmt"
	"io"
	"strconv"
)

// staging is the work of a pull or rollback at one root, before the commit.
type staging struct {
	disk  disk
	stage string
	names []string
	steps []step
}

func (w *staging) next() (string, error) {
	if len(w.names) == 0 {
		if err := w.disk.parents(w.stage + "/"); err != nil {
			return "", err
		}
	}
	name := w.stage + "/" + strconv.Itoa(len(w.names))
	w.names = append(w.names, name)
	return name, nil
}

// add stages new bytes and the step that places them.
func (w *staging) add(to, before string, p perm, r io.Reader) (digest string, err error) {
	from, err := w.next()
	if err != nil {
		return "", err
	}
	if digest, err = w.disk.create(from, p, r); err != nil {
		return "", err
	}
	w.steps = append(w.steps, step{Op: opPlace, From: from, Path: to, Before: before, After: digest})
	return digest, nil
}

// keep stages a copy of the file at a path, which has this digest, to be placed
// elsewhere.
func (w *staging) keep(name, to, digest string) error {
	from, err := w.next()
	if err != nil {
		return err
	}
	copied, err := w.disk.copyFile(name, from)
	if err != nil {
		return err
	}
	if copied != digest {
		return fmt.Errorf("%w (%s)", ErrChanged, name)
	}
	w.steps = append(w.steps, step{Op: opPlace, From: from, Path: to, After: digest})
	return nil
}

// addAll stages the contents of planned files.
func (w *staging) addAll(files []write) error {
	for _, file := range files {
		content, err := file.source.reader()
		if err != nil {
			return err
		}
		digest, err := w.add(file.path, file.before, file.perm, content)
		if err := errors.Join(err, content.Close()); err != nil {
			return err
		}
		if digest != file.after {
			return fmt.Errorf("%s did not come out as planned; nothing was written", file.path)
		}
	}
	return nil
}
