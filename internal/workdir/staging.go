package workdir

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"

	"golang.org/x/sync/errgroup"
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

// content stages new bytes.
func (w *staging) content(p perm, r io.Reader) (from, digest string, err error) {
	if from, err = w.next(); err != nil {
		return "", "", err
	}
	digest, err = w.disk.create(from, p, r)
	return from, digest, err
}

// add stages new bytes and the step that places them.
func (w *staging) add(to, before string, p perm, r io.Reader) (digest string, err error) {
	from, digest, err := w.content(p, r)
	if err == nil {
		w.steps = append(w.steps, step{Op: opPlace, From: from, Path: to, Before: before, After: digest})
	}
	return digest, err
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

// addAll stages contents, several at a time: writing them is much of the work of
// a pull. Whoever watches the changes sees them one after the other.
func (w *staging) addAll(files []write) (err error) {
	if len(files) == 0 {
		return nil
	}
	if err := w.disk.parents(w.stage + "/"); err != nil {
		return err
	}
	stage, err := w.disk.openFolder(w.stage)
	if err != nil || stage == nil {
		return errors.Join(err, fmt.Errorf("%w (%s)", ErrChanged, w.stage))
	}
	defer func() { err = errors.Join(err, stage.Close()) }()
	var group errgroup.Group
	group.SetLimit(min(4, runtime.GOMAXPROCS(0)))
	if w.disk.hook.fault != nil {
		group.SetLimit(1)
	}
	for _, file := range files {
		from, err := w.next()
		if err != nil {
			return errors.Join(err, group.Wait())
		}
		w.steps = append(w.steps, step{Op: opPlace, From: from, Path: file.path, Before: file.before, After: file.after})
		group.Go(func() error { return w.disk.fill(stage, from, file) })
	}
	return group.Wait()
}

// fill writes the content of a planned file to its place in the stage, which is
// open.
func (d disk) fill(stage *os.Root, name string, file write) error {
	if content := file.source.content; content != nil {
		return d.createIn(stage, name, file.perm, func(f *os.File) error {
			_, err := f.Write(content)
			return err
		})
	}
	content, err := file.source.open()
	if err != nil {
		return err
	}
	digest := ""
	err = d.createIn(stage, name, file.perm, func(f *os.File) error {
		digest, err = copyTo(f, content)
		return err
	})
	if err := errors.Join(err, content.Close()); err != nil {
		return err
	}
	if digest != file.after {
		return fmt.Errorf("%s did not come out as planned; nothing was written", file.path)
	}
	return nil
}
