//go:build !linux

package workdir

import (
	"errors"
	"os"
	"path"
	"runtime"
	"slices"
)

// osSync is the syncFunc of the system. Windows keeps the names in a folder in a
// journal of its own and has no call to wait for it.
func osSync(f *os.File, _ bool) error {
	if info, err := f.Stat(); runtime.GOOS == "windows" && err == nil && info.IsDir() {
		return nil
	}
	return f.Sync()
}

// syncAll makes the files and the names of these paths durable.
func (d disk) syncAll(names []string) error {
	if err := d.hook.allow("sync", "."); err != nil {
		return err
	}
	paths := []string{"."}
	for _, name := range names {
		paths = append(paths, name, path.Dir(name))
	}
	slices.Sort(paths)
	for _, name := range slices.Compact(paths) {
		at, err := d.look(name)
		if err != nil {
			return err
		}
		if !at.exists {
			continue
		}
		flag := os.O_RDONLY
		if !at.folder {
			flag = os.O_RDWR
		}
		file, err := d.root.OpenFile(name, flag, 0)
		if errors.Is(err, os.ErrPermission) {
			file, err = d.root.Open(name) // a read-only file can still be synced
		}
		if err != nil {
			return err
		}
		if err := errors.Join(d.hook.sync(file, false), file.Close()); err != nil {
			return d.wrote(err)
		}
	}
	return nil
}
