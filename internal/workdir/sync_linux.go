package workdir

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// osSync is the syncFunc of the system.
func osSync(f *os.File, everything bool) error {
	if everything {
		return unix.Syncfs(int(f.Fd()))
	}
	return f.Sync()
}

// syncAll makes everything that was written below the root durable. One call
// for the whole file system costs less than one for each of many files.
func (d disk) syncAll(_ []string) error {
	if err := d.hook.allow("sync", "."); err != nil {
		return err
	}
	folder, err := d.root.Open(".")
	if err != nil {
		return err
	}
	return d.wrote(errors.Join(d.hook.sync(folder, true), folder.Close()))
}
