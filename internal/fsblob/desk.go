package fsblob

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"
)

const (
	desks    = "tmp"   // the folder of desks
	deskLock = ".lock" // ends the name of a desk's lock file; alone, it guards the folder
)

// desk is where one store keeps its half-written files: a folder in the same
// file system as their places to be. Beside it lies a lock file, locked while
// the store lives; the kernel lets go of it when the process dies.
type desk struct {
	folder string // relative to the root
	lock   *flock.Flock
}

// openDesk clears the desks of the dead and sets up a new one. A lock on the
// folder of desks keeps two stores from doing so at once: one might otherwise
// take a desk for dead whose owner is about to lock it.
func openDesk(root *os.Root, dir string) (_ *desk, err error) {
	if err := root.Mkdir(desks, folderMode); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	guard := newLock(filepath.Join(dir, desks, deskLock))
	if err := guard.Lock(); err != nil {
		return nil, fmt.Errorf("lock the folder of half-written files: %w", err)
	}
	defer func() { err = errors.Join(err, guard.Close()) }()

	if err := clearDesks(root, dir); err != nil {
		return nil, fmt.Errorf("remove what a crash has left: %w", err)
	}
	name := strings.ToLower(rand.Text())
	d := &desk{folder: desks + "/" + name, lock: newLock(filepath.Join(dir, desks, name+deskLock))}
	if err := d.lock.Lock(); err != nil {
		return nil, err
	}
	if err := root.Mkdir(d.folder, folderMode); err != nil {
		return nil, errors.Join(err, d.lock.Close())
	}
	return d, nil
}

func newLock(path string) *flock.Flock { return flock.New(path, flock.SetPermissions(fileMode)) }

// clearDesks removes every desk whose lock nobody holds.
func clearDesks(root *os.Root, dir string) error {
	folder, err := root.Open(desks)
	if err != nil {
		return err
	}
	names, err := folder.Readdirnames(-1)
	if err := errors.Join(err, folder.Close()); err != nil {
		return err
	}
	owners := make(map[string]bool)
	for _, name := range names {
		// A power cut may have kept a desk and lost its lock file, or the reverse.
		if owner := strings.TrimSuffix(name, deskLock); owner != "" {
			owners[owner] = true
		}
	}
	for owner := range owners {
		if err := clearDesk(root, dir, owner); err != nil {
			return err
		}
	}
	return nil
}

func clearDesk(root *os.Root, dir, owner string) (err error) {
	lock := newLock(filepath.Join(dir, desks, owner+deskLock))
	defer func() { err = errors.Join(err, lock.Close()) }()
	dead, err := lock.TryLock()
	if err != nil || !dead {
		return err
	}
	return errors.Join(root.RemoveAll(desks+"/"+owner), root.Remove(desks+"/"+owner+deskLock))
}

// create makes a new file on the desk and tells its path under the root.
func (d *desk) create(root *os.Root) (*os.File, string, error) {
	name := d.name()
	f, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_RDWR, fileMode)
	return f, name, err
}

// name makes up the path of a new file on the desk.
func (d *desk) name() string { return d.folder + "/" + rand.Text() }

// close removes the desk, and its lock last.
func (d *desk) close(root *os.Root) error {
	return errors.Join(root.RemoveAll(d.folder), root.Remove(d.folder+deskLock), d.lock.Close())
}
