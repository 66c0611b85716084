//go:build !linux

package workdir

import (
	"errors"
	"os"
	"path"
	"runtime"
	"slices"
)

// syncAll makes the files and the names of these paths durable.
func (d disk) syncAll(names []string) error {
	if err := d.gate.pass("sync", "."); err != nil || d.gate.unsynced {
		return err
	}
	folders := []string{"."}
	for _, name := range names {
		f, err := d.look(name)
		if err != nil {
			return err
		}
		if f.exists && !f.folder {
			file, err := d.root.OpenFile(name, os.O_RDWR, 0)
			if errors.Is(err, os.ErrPermission) {
				file, err = d.root.Open(name) // a read-only file can still be synced
			}
			if err != nil {
				return err
			}
			if err := errors.Join(file.Sync(), file.Close()); err != nil {
				return err
			}
		}
		folders = append(folders, path.Dir(name))
	}
	slices.Sort(folders)
	for _, name := range slices.Compact(folders) {
		f, err := d.look(name)
		if err != nil {
			return err
		}
		if f.folder {
			if err := d.flushFolder(name); err != nil {
				return err
			}
		}
	}
	return nil
}

// syncFolder makes the names in a folder durable.
func (d disk) syncFolder(name string) error {
	if err := d.gate.pass("sync", name); err != nil || d.gate.unsynced {
		return err
	}
	return d.flushFolder(name)
}

// flushFolder asks the system to write a folder; Windows keeps its names in a
// journal of its own and has no such call.
func (d disk) flushFolder(name string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	folder, err := d.root.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}
