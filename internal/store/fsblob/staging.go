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
	stagingRoot = "tmp"   // holds the staging folder of each store
	lockSuffix  = ".lock" // ends the name of a staging folder's lock file; alone, it guards stagingRoot
)

// stagingDir is where one store keeps its half-written files: a folder in the same
// file system as their places to be. Beside it lies a lock file, locked while
// the store lives; the kernel lets go of it when the process dies.
type stagingDir struct {
	folder string // relative to the root
	lock   *flock.Flock
}

// openStagingDir removes what dead stores left and sets up a new folder. A lock on
// stagingRoot keeps two stores from doing so at once: one might otherwise take a
// folder for dead whose owner is about to lock it.
func openStagingDir(root *os.Root, dir string) (_ *stagingDir, err error) {
	if err := root.Mkdir(stagingRoot, folderMode); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	guard := newLock(filepath.Join(dir, stagingRoot, lockSuffix))
	if err := guard.Lock(); err != nil {
		return nil, fmt.Errorf("lock the folder of half-written files: %w", err)
	}
	defer func() { err = errors.Join(err, guard.Close()) }()

	if err := removeDeadStagingDirs(root, dir); err != nil {
		return nil, fmt.Errorf("remove what a crash has left: %w", err)
	}
	name := strings.ToLower(rand.Text())
	d := &stagingDir{folder: stagingRoot + "/" + name, lock: newLock(filepath.Join(dir, stagingRoot, name+lockSuffix))}
	if err := d.lock.Lock(); err != nil {
		return nil, err
	}
	if err := root.Mkdir(d.folder, folderMode); err != nil {
		return nil, errors.Join(err, d.lock.Close())
	}
	return d, nil
}

func newLock(path string) *flock.Flock { return flock.New(path, flock.SetPermissions(fileMode)) }

// removeDeadStagingDirs removes every staging folder whose lock nobody holds.
func removeDeadStagingDirs(root *os.Root, dir string) error {
	folder, err := root.Open(stagingRoot)
	if err != nil {
		return err
	}
	names, err := folder.Readdirnames(-1)
	if err := errors.Join(err, folder.Close()); err != nil {
		return err
	}
	owners := make(map[string]bool)
	for _, name := range names {
		// A power cut may have kept a folder and lost its lock file, or the reverse.
		if owner := strings.TrimSuffix(name, lockSuffix); owner != "" {
			owners[owner] = true
		}
	}
	for owner := range owners {
		if err := removeIfDead(root, dir, owner); err != nil {
			return err
		}
	}
	return nil
}

func removeIfDead(root *os.Root, dir, owner string) (err error) {
	lock := newLock(filepath.Join(dir, stagingRoot, owner+lockSuffix))
	defer func() { err = errors.Join(err, lock.Close()) }()
	dead, err := lock.TryLock()
	if err != nil || !dead {
		return err
	}
	if err := root.RemoveAll(stagingRoot + "/" + owner); err != nil {
		return err
	}
	err = root.Remove(stagingRoot + "/" + owner + lockSuffix)
	if errors.Is(err, fs.ErrNotExist) { // its owner closed between the list and the lock
		return nil
	}
	return err
}

// create makes a new file and tells its path under the root.
func (d *stagingDir) create(root *os.Root) (*os.File, string, error) {
	name := d.name()
	f, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_RDWR, fileMode)
	return f, name, err
}

// name makes up the path of a new file.
func (d *stagingDir) name() string { return d.folder + "/" + rand.Text() }

// close removes the folder, and its lock last.
func (d *stagingDir) close(root *os.Root) error {
	return errors.Join(root.RemoveAll(d.folder), root.Remove(d.folder+lockSuffix), d.lock.Close())
}
