package workdir

import (
	"errors"
	"fmt"
	"path"
)

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
