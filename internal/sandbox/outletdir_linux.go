//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

const (
	outletPrefix = "svc-outlet-"
	// outletLock is the file in the folder of an outlet that its process holds a
	// lock of. The system lets go of it however the process ends.
	outletLock = "lock"
	// unlockedAge is how old an empty folder without a lock is that nobody is about
	// to fill.
	unlockedAge = time.Minute
)

// makeOutletDir makes a folder for an outlet, and a lock that is held until it is
// closed.
func makeOutletDir() (dir string, lock *os.File, err error) {
	// Not in the data folder, where the user of the boxes has no business.
	if dir, err = os.MkdirTemp("", outletPrefix+"*"); err != nil {
		return "", nil, err
	}
	// The lock has its name when it is held: a free one would be a dead process's.
	begun := filepath.Join(dir, outletLock+".new")
	lock, err = os.OpenFile(begun, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err == nil {
		if err = errors.Join(lockFile(lock), os.Rename(begun, filepath.Join(dir, outletLock))); err != nil {
			err = errors.Join(err, lock.Close())
		}
	}
	if err != nil {
		return "", nil, errors.Join(err, os.RemoveAll(dir))
	}
	return dir, lock, nil
}

// lockFile locks a file, or fails where it is locked.
func lockFile(f *os.File) error {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}

// removeDeadOutlets removes the folders of outlets whose processes were killed. The
// temporary folder is everybody's: what is not this user's, a link, or locked by a
// process that lives stays as it is, and so does what cannot be removed.
func removeDeadOutlets() error {
	temp, err := os.OpenRoot(os.TempDir())
	if err != nil {
		return err
	}
	defer func() { _ = temp.Close() }() // nothing was written through it
	entries, err := fs.ReadDir(temp.FS(), ".")
	if err != nil {
		return err
	}
	var failed error
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), outletPrefix) {
			continue
		}
		if err := removeIfDead(temp, e.Name()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			failed = errors.Join(failed, fmt.Errorf("remove %s: %w", filepath.Join(temp.Name(), e.Name()), err))
		}
	}
	return failed
}

func removeIfDead(temp *os.Root, name string) error {
	info, err := temp.Lstat(name)
	if err != nil {
		return err
	}
	if owner, ok := info.Sys().(*syscall.Stat_t); !ok || !info.IsDir() || owner.Uid != uint32(os.Geteuid()) {
		return nil
	}
	// What is removed is the folder that was looked at, wherever its name leads now.
	dir, err := temp.OpenRoot(name)
	if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }() // what is left in it is told below
	if opened, err := dir.Stat("."); err != nil || !os.SameFile(info, opened) {
		return err
	}
	lock, err := dir.OpenFile(outletLock, os.O_RDWR|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
	if errors.Is(err, fs.ErrNotExist) {
		if time.Since(info.ModTime()) > unlockedAge {
			_ = temp.Remove(name) // fails where anything is in it, as it should
		}
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = lock.Close() }() // nothing was written
	if err := lockFile(lock); err != nil {
		return nil // its process lives
	}
	entries, err := fs.ReadDir(dir.FS(), ".")
	for _, e := range entries {
		if e.Name() != outletLock { // last, so that a removal that breaks off is taken up again
			err = errors.Join(err, dir.RemoveAll(e.Name()))
		}
	}
	if err == nil {
		err = dir.Remove(outletLock)
	}
	if err != nil {
		return err
	}
	return temp.Remove(name)
}
