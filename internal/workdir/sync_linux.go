package workdir

import (
	"errors"

	"golang.org/x/sys/unix"
)

// syncAll makes everything that was written below the root durable. One call
// for the whole file system costs less than one for each of many files.
func (d disk) syncAll(_ []string) error {
	if err := d.gate.pass("sync", "."); err != nil || d.gate.unsynced {
		return err
	}
	folder, err := d.root.Open(".")
	if err != nil {
		return err
	}
	return errors.Join(unix.Syncfs(int(folder.Fd())), folder.Close())
}

// syncFolder makes the names in a folder durable.
func (d disk) syncFolder(name string) error {
	if err := d.gate.pass("sync", name); err != nil || d.gate.unsynced {
		return err
	}
	folder, err := d.root.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}
